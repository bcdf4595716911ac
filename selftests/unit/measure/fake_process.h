/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process made by a test, in place of /proc and of the kernel's side.  Include it behind the
 * file under test, in one file of a program.
 */
#ifndef FAKE_PROCESS_H
#define FAKE_PROCESS_H

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "acquire/freeze.h"
#include "acquire/program.h"
#include "measure/tables.h"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* Number of pages of a table that does not exist at that look. */
#define NO_TABLE UINT_MAX

/*
 * The process: PTE tables from A on.
 * @pages: number of pages of table @i at the @look-th look, or NO_TABLE; looks count from 0, three
 *   per bracket: kernel, estimate, kernel
 * @ldt: number of pages of the LDT at the @look-th look; NULL: it has none, and there is no
 *   page-table isolation
 * @more: number of tables by which the counter exceeds the tree at the @look-th look; NULL: 0
 * @deposited: number of deposited tables that a walk finds at the @look-th look; NULL: 0
 * @more_behind: the same as @more after waiting for the holder of mmap_lock
 * @behind: return value of waiting for the holder of mmap_lock
 * @busy_from: from this look on, no evidence can be read because it changes; 0: never
 * @flags: return value of the function that reads the flags of mappings
 * @lost_from: from this look on, each walk fails; 0: never
 * @is_mapped: the evidence has a mapping over all tables; it also has one if @flags is not 0
 * @odd: the walks of a bracket read the counter four times; reading @odd (1 to 4) is one page less
 *   than the others; 0: none
 * @moved: an entry moved during the walk at this look, counted from 1; 0: none
 * @in_pieces: walks of each bracket that BPF made in pieces, at different moments: bit 0 for
 *   the first walk, bit 1 for the second one
 * @is_recording: it is read from a recording, which has one bracket
 * @changed: the mappings in this range change during each reading; an empty range: none change
 */
static struct {
	unsigned int nr_tables;
	unsigned int (*pages)(unsigned int i, unsigned int look);
	unsigned int (*ldt)(unsigned int look);
	unsigned int (*more)(unsigned int look);
	unsigned int (*deposited)(unsigned int look);
	unsigned int more_behind;
	int behind;
	unsigned int busy_from;
	int flags;
	unsigned int lost_from;
	bool is_mapped;
	struct ptu_span changed;
	unsigned int odd;
	unsigned int moved;
	unsigned int in_pieces;
	bool is_recording;
	unsigned int look;
	unsigned int nr_evidence; /* number of times the evidence was read */
	bool faulted;
} process;

static pid_t whom = 4242;

/* Below 512 PTE tables there are one PMD table and one PUD table. */
static uint64_t vmpte_bytes(unsigned int look)
{
	unsigned int more = process.more ? process.more(look) : 0;
	/* the LDT has a table of each level below the PGD */
	unsigned int i, nr = 2 + (process.ldt ? 3 : 0) + more;

	for (i = 0; i < process.nr_tables; i++)
		nr += process.pages(i, look) != NO_TABLE;
	return nr * 4096;
}

static int estimate(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		    struct ptu_err *err)
{
	unsigned int i, look = process.look++;

	for (i = 0; i < process.nr_tables; i++) {
		uint64_t at = A + i * 2 * MIB;

		if (at < evidence->start || at >= evidence->end ||
		    process.pages(i, look) == NO_TABLE)
			continue;
		if (ptu_tables_add(ret, PTAUDIT_PTE, at, PTU_CERTAIN))
			abort();
		ptu_tables_count_entries(ret, process.pages(i, look));
	}
	return 0;
}

int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *err)
{
	unsigned int i, look = process.look++;
	struct build b;

	if (process.lost_from && look >= process.lost_from)
		return ptu_err_set(err, -EIO, "no walk");
	build_init(&b, 4, process.ldt);
	if (end)
		build_range(&b, start, end);
	else if (process.ldt)
		build_pte(&b, LDT_4, process.ldt(look));
	b.header.pgtables_bytes_before = b.header.pgtables_bytes_after =
		vmpte_bytes(look);
	if (process.in_pieces >> look % 3 / 2 & 1) {
		b.header.flags |= PTAUDIT_H_BPF | PTAUDIT_H_PIECES;
		b.header.lock_windows = 0;
	}
	if (process.odd == look % 3 + 1)
		b.header.pgtables_bytes_before -= 4096;
	if (process.odd == look % 3 + 2)
		b.header.pgtables_bytes_after -= 4096;
	for (i = 0; i < process.nr_tables; i++) {
		uint64_t at = A + i * 2 * MIB;

		if ((!end || (at >= start && at < end)) &&
		    process.pages(i, look) != NO_TABLE)
			build_pte(&b, at, process.pages(i, look));
	}
	if (process.deposited)
		build_table(&b, PTAUDIT_PMD, A)->deposited = process.deposited(
			look);
	*ret = build_snapshot(&b);
	ret->nr_moved = process.moved == look + 1;
	build_deinit(&b);
	return 0;
}

int ptu_proc_evidence(const struct ptu_proc *proc,
		      const struct ptu_geometry *geo, unsigned int needs,
		      uint64_t start, uint64_t end, struct ptu_evidence *ret,
		      struct ptu_err *err)
{
	static struct ptu_vma all = { .start = A, .end = A + 1024 * MIB };

	if (process.busy_from && process.look >= process.busy_from) {
		process.look += 2;
		return -EAGAIN;
	}
	process.nr_evidence++;
	*ret = (struct ptu_evidence){ .geo = geo, .start = start, .end = end };
	if (process.flags || process.is_mapped)
		ret->vmas = (struct ptu_vmas){ .vmas = &all, .nr_vmas = 1 };
	if (process.changed.end) {
		if (!(needs & PTU_TAKES_CHANGES))
			abort();
		ret->changed = (struct ptu_spans){ .spans = &process.changed,
						   .nr_spans = 1 };
	}
	return 0;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *err)
{
	*ret = (struct ptu_proc_status){
		.has_mm = true, .vmpte_bytes = vmpte_bytes(process.look)
	};
	return 0;
}

/* Has no tables, as the range is empty: only the counter under the lock is used. */
int ptu_truth_orphans(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		      struct ptu_err *err)
{
	if (process.behind)
		return process.behind;
	*ret = (struct ptu_snapshot){ 0 };
	ret->header.pgtables_bytes_after = (process.nr_tables + 2 +
					    process.more_behind) *
					   4096;
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	*ret = (struct ptu_proc){
		.pid = pid, .tid = pid, .comm = "built", .state = 'S'
	};
	return 0;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *err)
{
	return 0;
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *err)
{
	abort();
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	return tries < PTU_RETRIES;
}

void ptu_proc_close(struct ptu_proc *proc)
{
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	return 0;
}

bool ptu_proc_faulted(const struct ptu_proc *proc)
{
	return process.faulted;
}

int ptu_proc_flags(const struct ptu_proc *proc, struct ptu_vmas *vmas,
		   struct ptu_err *err)
{
	return process.flags ? ptu_err_set(err, process.flags, "no flags") : 0;
}

void ptu_evidence_deinit(struct ptu_evidence *evidence)
{
	if (process.flags)
		ptu_spans_deinit(&evidence->changed);
}

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *err)
{
	return 0;
}

int ptu_truth_has_orphans(struct ptu_err *err)
{
	return 0;
}

int ptu_side_read_bpf(const struct ptu_kernel_side *side,
		      const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      enum ptu_walk walk, struct ptu_snapshot *ret,
		      struct ptu_err *err)
{
	abort();
}

int ptu_measure_bpf(const struct ptu_kernel_side *side,
		    const struct ptu_proc *proc,
		    const struct ptu_walk_diffs *diffs, bool again,
		    struct ptu_process *ret, struct ptu_err *err)
{
	abort();
}

int ptu_measure_orphans(const struct ptu_kernel_side *side,
			const struct ptu_proc *proc, struct ptu_process *ret,
			struct ptu_err *err)
{
	abort();
}

int ptu_freeze(struct ptu_proc *proc, struct ptu_freeze *ret,
	       struct ptu_err *err)
{
	return 0;
}

void ptu_thaw(struct ptu_freeze *freeze)
{
}

static struct ptu_estimator fake = {
	.name = "fake",
	.estimate = estimate,
};

/* What the last check or estimate reported. */
static struct ptu_process got;

static void drop_got(void)
{
	ptu_process_deinit(&got);
	got = (struct ptu_process){ 0 };
}

/* Check the process.  Return: the exit status of the command. */
static int checked(unsigned int nr_tables,
		   unsigned int (*pages)(unsigned int i, unsigned int look))
{
	const struct ptu_estimator *estimators[] = { &fake };
	struct ptu_report report = { .is_check = true,
				     .processes = &got,
				     .nr_processes = 1 };
	const struct ptu_kernel_side side = { 0 };
	struct ptu_measure measure = { .estimators = estimators,
				       .nr_estimators = 1,
				       .is_recording = process.is_recording,
				       .side = &side };
	struct build b;
	int status;

	drop_got();
	process.nr_tables = nr_tables;
	process.pages = pages;
	process.look = 0;
	build_init(&b, 4, process.ldt);
	measure.geo = &b.geo;
	if (ptu_measure_check(&measure, whom, &got))
		abort();
	status = ptu_report_status(&report);
	build_deinit(&b);
	return status;
}

#endif
