/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions with which `system` reads the counters, the processes, and the
 * kernel's own tables.  The test defines them.  Only one file of a program may include it.
 */
#ifndef FAKE_SYSTEM_H
#define FAKE_SYSTEM_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/host.h"
#include "acquire/kcore_tables.h"
#include "acquire/kernel_side.h"
#include "acquire/pagetables.h"
#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "model/page_flags.h"
#include "support/build.h"

#define NR_FRAMES 64
#define SELF 99
#define PAGE UINT64_C(4096)
#define MOST_TABLES 6
#define MOST_WALKS 4

/* A page frame with a table; @pages 0 ends a list. */
struct fake_frame {
	unsigned int level;
	uint64_t pfn;
	unsigned int pages, deposited;
};

/**
 * struct fake_proc - a process
 * @tables: the tables that a walk finds
 * @walks: results of the first walks; later ones succeed
 * @first: the first process with the same mm; 0: this one
 * @cgroup: its path; NULL: the file cannot be read
 * @nr_walks: (out)
 */
struct fake_proc {
	pid_t pid;
	bool kthread, lacks_mm;
	struct fake_frame tables[MOST_TABLES];
	uint64_t vmpte_bytes;
	int opening, status, space;
	int walks[MOST_WALKS];
	pid_t first;
	const char *cgroup;
	unsigned int nr_walks;
};

/**
 * struct fake_mm - an address space in the kernel's list
 */
struct fake_mm {
	uint64_t pfn, mm;
	struct fake_frame tables[MOST_TABLES];
};

/*
 * @flags: of each page frame
 * @counter: [reading] PageTables, in pages; the last value that is not 0 is repeated
 * @refuses_refresh: the number of the call, from 1, that fails; 0: none
 * @kcore, @side, @flags_error, ...: return values; kernel_half: [measurement]
 * @kernel: the tables of the kernel half
 * @mms: the list of address spaces; .pfn 0 ends it
 * @nodes, @spans, @cgroups: as the kernel lists them
 * @order: (out) the processes in the order in which they were opened
 */
static struct {
	struct ptu_geometry geo;
	uint64_t flags[NR_FRAMES];
	uint64_t counter[32];
	unsigned int refuses_refresh;
	int host, boot, geometry, kcore, side, flags_error, listing, counting;
	int pgds, naming_nodes, finding_spans, naming_cgroups;
	int kernel_half[12];
	const char *hides;
	bool is_recording;
	struct fake_proc procs[6];
	struct fake_frame kernel[MOST_TABLES];
	struct fake_mm mms[4];
	uint64_t text_poke;
	struct ptu_pagetables_node nodes[3];
	struct ptu_node_span spans[3];
	struct ptu_pagetables_cgroup cgroups[3];
	enum ptu_side_choice which;
	unsigned int nr_refreshes, nr_readings, nr_halves, nr_pauses;
	unsigned int nr_sides, nr_kcores, nr_alone, nr_reopened;
	int nr_open;
	pid_t order[32];
	unsigned int nr_order;
} machine;

static size_t nr_procs(void)
{
	size_t nr = 0;

	while (nr < 6 && machine.procs[nr].pid)
		nr++;
	return nr;
}

static struct fake_proc *fake_of(pid_t pid)
{
	for (size_t i = 0; i < nr_procs(); i++)
		if (machine.procs[i].pid == pid)
			return &machine.procs[i];
	abort();
}

bool ptu_file_is_recording(void)
{
	return machine.is_recording;
}

int ptu_host_read(struct ptu_host *ret, struct ptu_err *err)
{
	*ret = (struct ptu_host){ .release = "7.2.0", .page_bytes = PAGE };
	return machine.host ? ptu_err_set(err, machine.host, "no host") : 0;
}

int ptu_proc_boot_id(char *ret, size_t ret_bytes, struct ptu_err *err)
{
	snprintf(ret, ret_bytes, "boot");
	return machine.boot ? ptu_err_set(err, machine.boot, "no boot") : 0;
}

int ptu_proc_geometry(struct ptu_geometry *ret, struct ptu_err *err)
{
	*ret = machine.geo;
	return machine.geometry ?
		       ptu_err_set(err, machine.geometry, "no geometry") :
		       0;
}

const char *ptu_proc_hides(void)
{
	return machine.hides;
}

int ptu_side_open(enum ptu_side_choice choice, const struct ptu_geometry *geo,
		  struct ptu_kernel_side *ret, struct ptu_err *err)
{
	if (machine.side)
		return ptu_err_set(err, machine.side, "no side");
	*ret = (struct ptu_kernel_side){ .geo = geo, .which = machine.which };
	machine.nr_sides++;
	return 0;
}

void ptu_side_close(struct ptu_kernel_side *side)
{
	machine.nr_sides -= side->geo != NULL;
}

void ptu_side_tables_alone(const struct ptu_kernel_side *side)
{
	machine.nr_alone += side->geo != NULL;
}

int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *err)
{
	struct fake_proc *of = fake_of(proc->pid);
	const unsigned int walk_nr = of->nr_walks++;
	const int error = walk_nr < MOST_WALKS ? of->walks[walk_nr] : 0;

	if (!side->geo || start || end)
		abort();
	if (error)
		return ptu_err_set(err, error, "no walk");
	*ret = (struct ptu_snapshot){
		.records = calloc(MOST_TABLES, sizeof(*ret->records))
	};
	for (size_t i = 0; i < MOST_TABLES && of->tables[i].pages; i++)
		ret->records[ret->nr_records++] = (struct ptaudit_table){
			.type = PTAUDIT_TABLE,
			.level = of->tables[i].level,
			.pfn = of->tables[i].pfn,
			.pages = of->tables[i].pages,
			.deposited = of->tables[i].deposited,
		};
	return 0;
}

int ptu_kcore_open(struct ptu_kcore *ret, struct ptu_err *err)
{
	if (machine.kcore)
		return ptu_err_set(err, machine.kcore, "no kcore");
	/* a descriptor may have the number 0 */
	ret->fd = 0;
	machine.nr_kcores++;
	return 0;
}

void ptu_kcore_close(struct ptu_kcore *kcore)
{
	machine.nr_kcores -= kcore->fd == 0;
}

static int visit(const struct fake_frame *frames, ptu_kcore_table_fn fn,
		 void *arg)
{
	for (size_t i = 0; i < MOST_TABLES && frames[i].pages; i++) {
		int ret = fn(arg, frames[i].level, frames[i].pfn);

		if (ret < 0)
			return ret;
	}
	return 0;
}

int ptu_kcore_kernel_half(const struct ptu_kcore *kcore,
			  const struct ptu_geometry *geo, ptu_kcore_table_fn fn,
			  void *arg)
{
	const int error = machine.kernel_half[machine.nr_halves++];

	return error ? error : visit(machine.kernel, fn, arg);
}

int ptu_kcore_user_half(const struct ptu_kcore *kcore,
			const struct ptu_geometry *geo, uint64_t pfn,
			ptu_kcore_table_fn fn, void *arg)
{
	size_t i;

	for (i = 0; machine.mms[i].pfn != pfn; i++)
		;
	return visit(machine.mms[i].tables, fn, arg);
}

int ptu_kcore_pgds(const struct ptu_kcore *kcore, struct ptu_kcore_pgd **ret,
		   size_t *nr, uint64_t *ret_text_poke)
{
	size_t i;

	if (machine.pgds)
		return machine.pgds;
	*ret = calloc(4, sizeof(**ret));
	for (i = 0; machine.mms[i].pfn; i++)
		(*ret)[i] = (struct ptu_kcore_pgd){ machine.mms[i].pfn,
						    machine.mms[i].mm };
	*nr = i;
	*ret_text_poke = machine.text_poke;
	return 0;
}

bool ptu_pagetables_refresh(void)
{
	return ++machine.nr_refreshes != machine.refuses_refresh;
}

int ptu_pagetables_read(bool is_after, uint64_t *ret, struct ptu_err *err)
{
	unsigned int at = machine.nr_readings++;

	/* the readings before and after the measurement alternate */
	if (is_after != at % 2)
		abort();
	while (at && !machine.counter[at])
		at--;
	*ret = machine.counter[at] * PAGE;
	return machine.counting ?
		       ptu_err_set(err, machine.counting, "no counter") :
		       0;
}

int ptu_pagetables_flags(int (*take)(void *arg, uint64_t pfn,
				     const uint64_t *words, size_t nr),
			 void *arg, struct ptu_err *err)
{
	int error = machine.flags_error;

	if (error)
		return ptu_err_set(err, error, "no flags");
	error = take(arg, 0, machine.flags, NR_FRAMES / 2);
	return error ? error :
		       take(arg, NR_FRAMES / 2, machine.flags + NR_FRAMES / 2,
			    NR_FRAMES / 2);
}

int ptu_proc_list(pid_t **ret, size_t *nr, struct ptu_err *err)
{
	if (machine.listing)
		return ptu_err_set(err, machine.listing, "no list");
	*nr = nr_procs();
	*ret = calloc(*nr + 1, sizeof(**ret));
	for (size_t i = 0; i < *nr; i++)
		(*ret)[i] = machine.procs[i].pid;
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	const struct fake_proc *of = fake_of(pid);

	if (machine.nr_order < 32)
		machine.order[machine.nr_order++] = pid;
	if (of->opening)
		return of->opening;
	/* the descriptor names the process */
	*ret = (struct ptu_proc){ .pid = pid,
				  .dirfd = pid,
				  .kthread = of->kthread };
	machine.nr_open++;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	machine.nr_open--;
}

int ptu_proc_reopen(struct ptu_proc *proc)
{
	machine.nr_reopened++;
	return 0;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *err)
{
	return proc->kthread ? -EINVAL : 0;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *err)
{
	const struct fake_proc *of = fake_of(proc->pid);

	*ret = (struct ptu_proc_status){ .has_mm = !of->lacks_mm,
					 .vmpte_bytes = of->vmpte_bytes };
	return of->status;
}

int ptu_spaces_add(struct ptu_spaces *spaces, const struct ptu_proc *proc,
		   pid_t *ret)
{
	const struct fake_proc *of = fake_of(proc->pid);

	if (!of->space)
		*ret = of->first ? of->first : proc->pid;
	return of->space;
}

int ptu_file_read(int dirfd, const char *name, size_t limit_bytes, char **ret)
{
	const char *path = fake_of(dirfd)->cgroup;

	if (strcmp(name, "cgroup"))
		abort();
	if (!path)
		return -ENOENT;
	*ret = malloc(64);
	snprintf(*ret, 64, "1:cpu:/old\n0::%s\n", path);
	return 0;
}

int ptu_pagetables_nodes(struct ptu_pagetables_node **ret, size_t *nr,
			 struct ptu_err *err)
{
	if (machine.naming_nodes)
		return ptu_err_set(err, machine.naming_nodes, "no nodes");
	*ret = malloc(sizeof(machine.nodes));
	memcpy(*ret, machine.nodes, sizeof(machine.nodes));
	for (*nr = 0; *nr < 3 && machine.nodes[*nr].bytes; ++*nr)
		;
	return 0;
}

int ptu_pagetables_spans(struct ptu_node_span **ret, size_t *nr,
			 struct ptu_err *err)
{
	if (machine.finding_spans)
		return ptu_err_set(err, machine.finding_spans, "no spans");
	*ret = malloc(sizeof(machine.spans));
	memcpy(*ret, machine.spans, sizeof(machine.spans));
	for (*nr = 0; *nr < 3 && machine.spans[*nr].end; ++*nr)
		;
	return 0;
}

int ptu_pagetables_cgroups(struct ptu_pagetables_cgroup **ret, size_t *nr)
{
	if (machine.naming_cgroups)
		return machine.naming_cgroups;
	*ret = malloc(sizeof(machine.cgroups));
	for (*nr = 0; *nr < 3 && machine.cgroups[*nr].path; ++*nr) {
		(*ret)[*nr] = machine.cgroups[*nr];
		(*ret)[*nr].path = strdup(machine.cgroups[*nr].path);
	}
	return 0;
}

static int fake_sleep(const struct timespec *pause, struct timespec *left)
{
	machine.nr_pauses += pause->tv_nsec > 0;
	return 0;
}

#define getpid() SELF
#define nanosleep fake_sleep

#endif
