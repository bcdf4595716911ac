/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes and tables that a test of watch defines. */
#ifndef FAKE_WATCH_H
#define FAKE_WATCH_H

#include "measure/fake_tables.h"
#include "measure/view.h"

static unsigned int nr_reopened;

/* The process can be opened again twice at most. */
int ptu_proc_reopen(struct ptu_proc *proc)
{
	return nr_reopened++ < 2 ? 0 : -ESRCH;
}

/* A view is the tables of this moment. */
int ptu_view_read(const struct ptu_view_ask *ask, const struct ptu_proc *proc,
		  struct ptu_view *ret, struct ptu_err *err)
{
	const struct ptu_evidence all = { .geo = ask->geo, .end = UINT64_MAX };
	int error = fake_reads(proc, err);

	if (error)
		return error;
	*ret = (struct ptu_view){ .vmas = fake_vmas() };
	ptu_tables_init(&ret->tables, ask->geo);
	return fake_estimate(&all, &ret->tables, err);
}

/* The processes that were added since the last look began, in this order. */
static pid_t added[8];
static unsigned int nr_added;

static pid_t space_of(pid_t pid)
{
	const struct fake_proc *of = fake_find(pid);

	return of->first ? of->first : pid;
}

/*
 * When it is compared, this process has just called exec(), or has ended if
 * @exec_vmpte_bytes is 0; 0: no process.
 */
static pid_t exec_pid;
static uint64_t exec_vmpte_bytes;

static void call_exec(void)
{
	struct fake_proc *of = (struct fake_proc *)fake_find(exec_pid);

	of->first = 0;
	of->vmpte_bytes = exec_vmpte_bytes;
	of->opening = exec_vmpte_bytes ? 0 : -ESRCH;
	exec_pid = 0;
}

/* @spaces is empty at the first call of each look. */
static int fake_spaces(struct ptu_spaces *spaces, const struct ptu_proc *proc,
		       pid_t *ret)
{
	if (!spaces->spaces) {
		spaces->spaces = calloc(1, sizeof(*spaces->spaces));
		nr_added = 0;
	}
	if (proc->pid == exec_pid)
		call_exec();
	if (fake_find(proc->pid)->opening)
		return fake_find(proc->pid)->opening;
	if (fake_find(proc->pid)->space)
		return fake_find(proc->pid)->space;
	*ret = proc->pid;
	for (unsigned int i = 0; i < nr_added; i++)
		if (space_of(added[i]) == space_of(proc->pid)) {
			*ret = added[i];
			return 0;
		}
	added[nr_added++] = proc->pid;
	return 0;
}

#define ptu_proc_status_of_living(...) ptu_proc_status(__VA_ARGS__)
#undef ptu_spaces_add
#define ptu_spaces_add fake_spaces
#include "measure/watched.c"
#include "measure/watch.c"
#include "measure/watch_group.c"

static const struct fake_table tables[] = {
	{ .start = A, .entries = 1 },
	{ .start = A + 2 * MIB, .entries = 1 },
	{ .start = A + 4 * MIB, .entries = 1 },
	{ .start = A + 6 * MIB, .entries = 1 },
};
static struct fake_proc made[4];
static struct ptu_watch watch;
static struct ptu_err err;
static const pid_t pids[] = { 41, 42, 43, 44 };

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	build_init(&fake.b, 4, false);
	build_map(&fake.b, A, A + GIB, 0);
	fake.tables = tables;
	fake.nr_tables = 2;
	fake.procs = made;
	fake.nr_procs = 4;
	fake.now_ns = 100 * PTU_NS_PER_SEC;
	for (unsigned int i = 0; i < 4; i++)
		made[i] = (struct fake_proc){ .pid = pids[i],
					      .start_time = 10 + i,
					      .vmpte_bytes = 40960 };
	made[0].comm = "first";
	made[1].comm = "second";
	watch = (struct ptu_watch){ .ask = { .geo = &fake.b.geo } };
	err.text[0] = '\0';
	nr_reopened = 0;
	exec_pid = 0;
}

static void tear_down(void)
{
	ptu_watch_deinit(&watch);
	build_deinit(&fake.b);
	if (fake.nr_open)
		UNIT_FAIL("%d processes are still open", fake.nr_open);
}

/*
 * The first readings of a process that fail: their number, the error, and its message
 * or NULL.
 */
static struct {
	unsigned int nr;
	int error;
	const char *why;
} failing;

static int fail(unsigned int n, struct ptu_err *why)
{
	if (n >= failing.nr)
		return 0;
	return failing.why ? ptu_err_set(why, failing.error, "%s %u",
					 failing.why, n) :
			     failing.error;
}

#endif
