/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that read processes and tables, and the clock.  The test defines the
 * processes and the tables.  Include this file before the file under test.
 */
#ifndef FAKE_TABLES_H
#define FAKE_TABLES_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/kernel_side.h"
#include "acquire/pagetables.h"
#include "acquire/procfs.h"
#include "acquire/spaces.h"
#include "base/clock.h"
#include "estimate/estimator.h"
#include "measure/pieces.h"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* Addresses of a piece; A is the start of one. */
#define PIECE (PTU_PIECE_TABLES * 2 * MIB)

/**
 * struct fake_table - a PTE table, or leaves
 * @entries: used entries of the PTE table; of leaves, their number
 * @leaf_level: PTAUDIT_PMD or PTAUDIT_PUD: leaves in a table of this level; 0: a PTE table
 * @deposited: number of PTE tables that are deposited with the PMD table of this address
 */
struct fake_table {
	uint64_t start;
	unsigned int entries;
	unsigned int leaf_level;
	unsigned int deposited;
};

/**
 * struct fake_proc - a process
 * @first: the process that has the same address space; 0: this one
 * @lacks_mm: there is no VmPTE
 * @opening: return value of ptu_proc_open()
 * @status: return value of ptu_proc_status()
 * @space: return value of ptu_spaces_add()
 * @maps: return value of ptu_proc_maps()
 * @reads: returns the result of a reading of the tables; @n is the number of earlier readings
 *	of all processes.  NULL: each reading succeeds.
 * @read_ns: duration of a reading of the tables
 * @maps_ns: duration of ptu_proc_maps()
 */
struct fake_proc {
	pid_t pid, ppid;
	uint64_t start_time;
	const char *comm;
	uid_t uid;
	char state;
	bool kthread;
	pid_t first;
	bool lacks_mm;
	uint64_t vmpte_bytes, rss_bytes;
	int opening, status, space, maps;
	int (*reads)(unsigned int n, struct ptu_err *err);
	uint64_t read_ns, maps_ns;
};

/*
 * @tables: [nr_tables] ascending, of each process
 * @b: the geometry, and the mappings of each process
 * @nr_open: processes that are open
 * @nr_reads: readings of tables so far
 * @needs: of the last evidence
 * @limit_ns: time limit for the pagemap of the process that was read last
 */
static struct {
	const struct fake_table *tables;
	size_t nr_tables;
	struct fake_proc *procs;
	size_t nr_procs;
	struct build b;
	int listing, counter;
	int nr_open;
	unsigned int nr_reads;
	unsigned int needs;
	uint64_t limit_ns;
	uint64_t now_ns;
} fake;

static inline uint64_t fake_now_ns(void)
{
	return fake.now_ns;
}

static inline const struct fake_proc *fake_find(pid_t pid)
{
	for (size_t i = 0; i < fake.nr_procs; i++) {
		if (fake.procs[i].pid == pid)
			return &fake.procs[i];
	}
	abort();
}

int ptu_proc_list(pid_t **pids, size_t *nr_pids, struct ptu_err *err)
{
	if (fake.listing)
		return ptu_err_set(err, fake.listing, "cannot list");
	*nr_pids = fake.nr_procs;
	*pids = calloc(fake.nr_procs + 1, sizeof(**pids));
	for (size_t i = 0; i < fake.nr_procs; i++)
		(*pids)[i] = fake.procs[i].pid;
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	const struct fake_proc *of = fake_find(pid);

	if (of->opening)
		return of->opening;
	*ret = (struct ptu_proc){ .pid = pid,
				  .tid = pid,
				  .ppid = of->ppid,
				  .start_time = of->start_time,
				  .state = of->state ? of->state : 'S',
				  .kthread = of->kthread,
				  .read_ns = PTU_READ_SECONDS *
					     PTU_NS_PER_SEC };
	strcpy(ret->comm, of->comm ? of->comm : "made");
	fake.nr_open++;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	fake.nr_open--;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *err)
{
	const struct fake_proc *of = fake_find(proc->pid);

	if (of->status)
		return ptu_err_set(err, of->status, "no status");
	*ret = (struct ptu_proc_status){ .uid = of->uid,
					 .has_mm = !of->lacks_mm,
					 .vmpte_bytes = of->vmpte_bytes,
					 .vmrss_bytes = of->rss_bytes };
	return 0;
}

static inline struct ptu_vmas fake_vmas(void)
{
	const struct ptu_vmas *all = &fake.b.vmas;
	struct ptu_vmas ret = {
		.vmas = malloc((all->nr_vmas + 1) * sizeof(*all->vmas)),
		.nr_vmas = all->nr_vmas,
	};

	if (all->nr_vmas)
		memcpy(ret.vmas, all->vmas, all->nr_vmas * sizeof(*all->vmas));
	return ret;
}

int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *err)
{
	const struct fake_proc *of = fake_find(proc->pid);

	fake.now_ns += of->maps_ns;
	if (of->maps)
		return ptu_err_set(err, of->maps, "no maps");
	*ret = fake_vmas();
	for (size_t i = 0; i < ret->nr_vmas; i++) {
		ret->vmas[i].has_smaps = false;
		ret->vmas[i].anon_huge_bytes = 0;
	}
	return 0;
}

static inline int fake_space(struct ptu_spaces *spaces,
			     const struct ptu_proc *proc, pid_t *ret)
{
	const struct fake_proc *of = fake_find(proc->pid);

	/* the caller frees it */
	if (!spaces->spaces)
		spaces->spaces = calloc(1, sizeof(*spaces->spaces));
	if (!of->space)
		*ret = of->first ? of->first : proc->pid;
	return of->space;
}

int ptu_pagetables_read(bool is_after, uint64_t *ret, struct ptu_err *err)
{
	*ret = 123 * MIB;
	return fake.counter ? ptu_err_set(err, fake.counter, "no counter") : 0;
}

/* A reading of the tables takes time, and has the result that the test chooses. */
static inline int fake_reads(const struct ptu_proc *proc, struct ptu_err *err)
{
	const struct fake_proc *of = fake_find(proc->pid);
	const unsigned int n = fake.nr_reads++;

	fake.limit_ns = proc->read_ns;
	fake.now_ns += of->read_ns;
	return of->reads ? of->reads(n, err) : 0;
}

int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *err)
{
	int error = fake_reads(proc, err);
	struct build b = { .geo = fake.b.geo };

	if (!end && start)
		abort();
	if (error)
		return error;
	build_init(&b, fake.b.geo.unfolded[PTAUDIT_P4D] ? 5 : 4,
		   fake.b.geo.pti);
	if (end)
		build_range(&b, start, end);
	build_table(&b, PTAUDIT_PGD, 0);
	for (size_t i = 0; i < fake.nr_tables; i++) {
		const struct fake_table *t = &fake.tables[i];

		if (end && (t->start < start || t->start >= end))
			continue;
		if (t->leaf_level)
			build_entries(&b, t->leaf_level, t->start, t->entries,
				      PTAUDIT_K_LEAF, 0);
		else
			build_pte(&b, t->start, t->entries);
		if (t->deposited)
			build_table(&b, PTAUDIT_PMD, t->start)->deposited =
				t->deposited;
	}
	*ret = build_snapshot(&b);
	build_deinit(&b);
	return 0;
}

int ptu_proc_evidence(const struct ptu_proc *proc,
		      const struct ptu_geometry *geo, unsigned int needs,
		      uint64_t start, uint64_t end, struct ptu_evidence *ret,
		      struct ptu_err *err)
{
	int error = fake_reads(proc, err);

	if (end == UINT64_MAX && start)
		abort();
	if (error)
		return error;
	fake.needs = needs;
	*ret = (struct ptu_evidence){
		.geo = geo, .vmas = fake_vmas(), .start = start, .end = end
	};
	return 0;
}

/* As an estimator: all tables are certain. */
static inline int fake_estimate(const struct ptu_evidence *evidence,
				struct ptu_tables *ret, struct ptu_err *err)
{
	int error = 0;

	for (size_t i = 0; !error && i < fake.nr_tables; i++) {
		const struct fake_table *t = &fake.tables[i];

		if (t->start < evidence->start || t->start >= evidence->end)
			continue;
		for (unsigned int k = 0;
		     t->leaf_level && k < t->entries && !error; k++)
			error = ptu_tables_add(ret, t->leaf_level,
					       t->start +
						       ((uint64_t)k
							<< evidence->geo->shift
								   [t->leaf_level]),
					       PTU_LEAF);
		if (t->leaf_level)
			continue;
		error = ptu_tables_add(ret, PTAUDIT_PTE, t->start, PTU_CERTAIN);
		ptu_tables_count_entries(ret, t->entries);
	}
	return error;
}

#define ptu_now_ns fake_now_ns
#define ptu_cpu_ns fake_now_ns
#define ptu_spaces_add fake_space

#endif
