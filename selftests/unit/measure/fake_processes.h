/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that open and measure a process.  The test defines the processes,
 * and the result of each call.  Only one file of a program may include it.
 */
#ifndef FAKE_PROCESSES_H
#define FAKE_PROCESSES_H

#include "measure/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "acquire/host.h"
#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "base/workers.h"
#include "support/unit.h"

enum way { NOT, CHECK, ESTIMATE, ESTIMATE_OPEN };

/**
 * struct fake - a process
 * @pid: its PID; SELF stands for the PID of the test
 * @open: result of the first ptu_proc_open()
 * @then: result of each later ptu_proc_open()
 * @error: return value of the measurement; an error ends the command
 * @status: status in the report
 * @mm: number of its mm in a check
 * @first: the first process with the same mm, as kcmp() compares them; 0: this one
 * @spaces: return value of ptu_spaces_add()
 * @nr_opened: (out) number of calls of ptu_proc_open()
 * @way: (out) the function that measured it
 * @place: (out) number of processes that were measured before it
 */
struct fake {
	pid_t pid;
	int open, then;
	bool kthread, zombie, denied;
	int error;
	enum ptu_status status;
	uint64_t mm;
	pid_t first;
	int spaces;
	unsigned int nr_opened;
	enum way way;
	unsigned int place;
};

#define MOST 8
#define SELF 99

static struct fake fakes[MOST];
static pid_t pids[MOST];
static size_t nr_pids;
static int nr_open;
static unsigned int nr_measured, nr_shared_out, nr_compared;
static int host_error, boot_error;

static struct ptu_estimator estimator, other;
static const struct ptu_estimator *estimators[2];
static struct ptu_geometry geo;
static struct ptu_kernel_side side;
static struct ptu_measure measure;
static struct ptu_report report;
static struct ptu_err err;

static struct fake *find(pid_t pid)
{
	for (size_t i = 0; i < nr_pids; i++)
		if (pids[i] == pid)
			return &fakes[i];
	abort();
}

int ptu_host_read(struct ptu_host *ret, struct ptu_err *error)
{
	*ret = (struct ptu_host){ .release = "7.2.0",
				  .machine = "x86_64",
				  .page_bytes = 4096,
				  .time = "now" };
	return host_error;
}

int ptu_proc_boot_id(char *ret, size_t ret_bytes, struct ptu_err *error)
{
	snprintf(ret, ret_bytes, "boot");
	return boot_error;
}

const char *ptu_side_name(const struct ptu_kernel_side *of)
{
	return of == &side ? "built" : NULL;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *error)
{
	struct fake *fake = find(pid);
	int failed = fake->nr_opened++ ? fake->then : fake->open;

	if (failed)
		return failed;
	*ret = (struct ptu_proc){ .pid = pid,
				  .tid = pid,
				  .state = fake->zombie ? 'Z' : 'S',
				  .kthread = fake->kthread };
	nr_open++;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	nr_open--;
}

bool ptu_proc_is_zombie(const struct ptu_proc *proc)
{
	return proc->state == 'Z';
}

bool ptu_proc_denied(const struct ptu_proc *proc)
{
	return find(proc->pid)->denied;
}

/* Allocate a part of the result: the sanitizer finds it if the caller loses it. */
static int measured(const struct ptu_measure *by, pid_t pid, enum way way,
		    struct ptu_process *ret)
{
	struct fake *fake = find(pid);

	if (by != &measure || fake->way)
		UNIT_FAIL("process %d is measured again", (int)pid);
	fake->way = way;
	fake->place = nr_measured++;
	*ret = (struct ptu_process){ .tid = pid + 1000,
				     .start_time = 5,
				     .status = fake->status,
				     .mm = fake->mm };
	if (!fake->error)
		ret->causes = calloc(1, sizeof(*ret->causes));
	return fake->error;
}

int ptu_measure_check(const struct ptu_measure *by, pid_t pid,
		      struct ptu_process *ret)
{
	/* it opens the process by itself */
	if (nr_open)
		UNIT_FAIL("process %d is open twice", (int)pid);
	return measured(by, pid, CHECK, ret);
}

int ptu_measure_estimate(const struct ptu_measure *by, pid_t pid,
			 struct ptu_process *ret)
{
	return measured(by, pid, ESTIMATE, ret);
}

int ptu_measure_estimate_open(const struct ptu_measure *by,
			      struct ptu_proc *proc, struct ptu_process *ret)
{
	ptu_proc_close(proc);
	return measured(by, proc->pid, ESTIMATE_OPEN, ret);
}

int ptu_spaces_add(struct ptu_spaces *spaces, const struct ptu_proc *proc,
		   pid_t *ret)
{
	const struct fake *fake = find(proc->pid);

	nr_compared++;
	if (proc->tid != proc->pid + 1000 || proc->start_time != 5 ||
	    proc->dirfd != -1)
		UNIT_FAIL("process %d is compared wrongly", (int)proc->pid);
	if (!fake->spaces)
		*ret = fake->first ? fake->first : proc->pid;
	return fake->spaces;
}

void ptu_spaces_deinit(struct ptu_spaces *spaces)
{
}

void ptu_workers_run(bool (*step)(void *arg, enum ptu_worker worker), void *arg)
{
	nr_shared_out++;
	while (step(arg, PTU_CALLER))
		;
}

static void set_up(void)
{
	memset(fakes, 0, sizeof(fakes));
	nr_pids = 0;
	nr_open = 0;
	nr_measured = nr_shared_out = nr_compared = 0;
	host_error = boot_error = 0;
	estimator = (struct ptu_estimator){ .name = "built" };
	other = (struct ptu_estimator){ .name = "other" };
	estimators[0] = &estimator;
	estimators[1] = &other;
	geo = (struct ptu_geometry){ .page_bytes = 4096 };
	side = (struct ptu_kernel_side){ .which = PTU_SIDE_MODULE };
	measure = (struct ptu_measure){ .geo = &geo,
					.side = &side,
					.estimators = estimators,
					.nr_estimators = 1 };
	memset(&report, 0, sizeof(report));
	err.text[0] = '\0';
}

static void end(void)
{
	ptu_report_deinit(&report);
	memset(&report, 0, sizeof(report));
	if (nr_open)
		UNIT_FAIL("%d processes are open", nr_open);
}

static struct fake *add(struct fake fake)
{
	pids[nr_pids] = fake.pid == SELF ? getpid() : fake.pid;
	fakes[nr_pids] = fake;
	return &fakes[nr_pids++];
}

static int survey_group(void)
{
	return ptu_survey_group(&measure, pids, nr_pids, &report, &err);
}

static int survey_named(void)
{
	return ptu_survey_named(&measure, pids, nr_pids, &report, &err);
}

#endif
