// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a check brackets: what each side says, time after time, is the test's.
 * Behind measure.c stands here no process, no module and no /proc.
 */
#include "../../user/measure.c"

#include "build.h"
#include "unit.h"

#define A UINT64_C(0x7f0000000000)

/*
 * The process: PTE tables from A on.
 * @pages: the pages of table @i when a side looks for the @look-th time; looks
 *	count from 0, three to a bracket: kernel, estimate, kernel
 */
static struct {
	unsigned int nr_tables;
	unsigned int (*pages)(unsigned int i, unsigned int look);
	unsigned int look;
} process;

/* With a PMD table and a PUD table, for fewer than 512. */
static uint64_t vmpte_bytes(void)
{
	return (process.nr_tables + 2) * 4096;
}

static int estimate(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		    struct ptu_err *err)
{
	unsigned int i, look = process.look++;

	(void)err;
	for (i = 0; i < process.nr_tables; i++) {
		uint64_t at = A + i * 2 * MIB;

		if (at < evidence->start || at >= evidence->end)
			continue;
		if (ptu_tables_add(ret, PTAUDIT_PTE, at, PTU_CERTAIN))
			abort();
		ptu_tables_count_entries(ret, process.pages(i, look));
	}
	return 0;
}

int ptu_truth_read(pid_t pid, uint64_t start, uint64_t end, enum ptu_walk walk,
		   const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		   struct ptu_err *err)
{
	unsigned int i, look = process.look++;
	struct build b;

	(void)pid, (void)walk, (void)geo, (void)err;
	build_init(&b, 4, false);
	if (end)
		build_range(&b, start, end);
	b.header.pgtables_bytes_before = b.header.pgtables_bytes_after =
		vmpte_bytes();
	for (i = 0; i < process.nr_tables; i++) {
		uint64_t at = A + i * 2 * MIB;

		if (!end || (at >= start && at < end))
			build_pte(&b, at, process.pages(i, look));
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
	(void)proc, (void)needs, (void)err;
	*ret = (struct ptu_evidence){ .geo = geo, .start = start, .end = end };
	return 0;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *err)
{
	(void)proc, (void)err;
	*ret = (struct ptu_proc_status){ .has_mm = true,
					 .vmpte_bytes = vmpte_bytes() };
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	(void)err;
	*ret = (struct ptu_proc){
		.pid = pid, .tid = pid, .comm = "built", .state = 'S'
	};
	return 0;
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *err)
{
	(void)proc, (void)err;
	return 0;
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *err)
{
	(void)proc, (void)err;
	abort();
}

void ptu_proc_close(struct ptu_proc *proc)
{
	(void)proc;
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	(void)proc, (void)err;
	return 0;
}

int ptu_proc_flags(const struct ptu_proc *proc, struct ptu_vmas *vmas,
		   struct ptu_err *err)
{
	(void)proc, (void)vmas, (void)err;
	return 0;
}

void ptu_evidence_deinit(struct ptu_evidence *evidence)
{
	(void)evidence;
}

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *err)
{
	(void)geo, (void)err;
	return 0;
}

int ptu_truth_has_orphans(struct ptu_err *err)
{
	(void)err;
	return 0;
}

int ptu_measure_orphans(const struct ptu_geometry *geo, struct ptu_process *ret,
			struct ptu_err *err)
{
	(void)geo, (void)ret, (void)err;
	abort();
}

int ptu_freeze(pid_t pid, struct ptu_freeze *ret, struct ptu_err *err)
{
	(void)pid, (void)ret, (void)err;
	return 0;
}

void ptu_thaw(struct ptu_freeze *freeze)
{
	(void)freeze;
}

int ptu_program_run(const char *path, pid_t pid, unsigned int most_s,
		    char **ret, struct ptu_err *err)
{
	(void)path, (void)pid, (void)most_s, (void)ret, (void)err;
	return -ENOENT;
}

static const struct ptu_estimator fake = {
	.name = "fake",
	.estimate = estimate,
};

/* Checks the process; the exit status of the command. */
static int checked(unsigned int nr_tables,
		   unsigned int (*pages)(unsigned int i, unsigned int look),
		   struct ptu_process *ret)
{
	const struct ptu_estimator *estimators[] = { &fake };
	struct ptu_report report = { .is_check = true,
				     .processes = ret,
				     .nr_processes = 1 };
	struct ptu_measure measure = { .estimators = estimators,
				       .nr_estimators = 1 };
	struct build b;
	int status;

	process.nr_tables = nr_tables;
	process.pages = pages;
	process.look = 0;
	build_init(&b, 4, false);
	measure.geo = &b.geo;
	if (ptu_measure_check(&measure, 4242, ret))
		abort();
	status = ptu_report_status(&report);
	build_deinit(&b);
	return status;
}

static unsigned int at_rest(unsigned int i, unsigned int look)
{
	(void)look;
	return 100 + i % 100;
}

UNIT_TEST(a_process_at_rest_needs_one_bracket)
{
	struct ptu_process p;

	CHECK_EQ(checked(20, at_rest, &p), 0);
	CHECK_EQ(p.tries, 1);
	/* kernel, estimate, kernel: its row is of the same estimate */
	CHECK_EQ(process.look, 3);
	ptu_process_deinit(&p);
}

/* Both walks of a bracket count one page more than the estimate, each time. */
static unsigned int one_counted_less(unsigned int i, unsigned int look)
{
	return i == 7 && look % 3 == 1 ? 99 : 100;
}

UNIT_TEST(contents_that_differ_each_time_alike_are_unexplained)
{
	struct ptu_process p;

	CHECK_EQ(checked(20, one_counted_less, &p), 1);
	CHECK_EQ(p.tries, WHOLE_TRIES);
	CHECK_EQ(p.nr_unexplained, 1);
	CHECK(p.unexplained[0].contents);
	CHECK_EQ(p.unexplained[0].start, A + 7 * 2 * MIB);
	CHECK_EQ(p.unexplained[0].entries, 100);
	CHECK_EQ(p.unexplained[0].entries_estimated, 99);
	ptu_process_deinit(&p);
}

/* ... but another number each time: nr_flipping of the tables do. */
static unsigned int nr_flipping;

static unsigned int flips(unsigned int i, unsigned int look)
{
	return i < nr_flipping && look % 3 == 1 ? 50 + look % 7 : 100;
}

UNIT_TEST(contents_that_keep_changing_are_in_flux)
{
	struct ptu_process p;

	nr_flipping = 8;
	CHECK_EQ(checked(20, flips, &p), 0);
	CHECK_EQ(p.status, PTU_STATUS_OK);
	CHECK_EQ(p.nr_unexplained, 0);
	ptu_process_deinit(&p);
}

UNIT_TEST(too_many_of_them_and_the_process_is_unstable)
{
	struct ptu_process p;

	nr_flipping = 9;
	CHECK_EQ(checked(20, flips, &p), 2);
	CHECK_EQ(p.status, PTU_STATUS_UNSTABLE);
	CHECK(strstr(p.error, "9 of 23 tables kept changing"));
	ptu_process_deinit(&p);
}

/* 5 % of 403 tables are 20. */
UNIT_TEST(of_many_tables_the_limit_is_a_share)
{
	struct ptu_process p;

	nr_flipping = 20;
	CHECK_EQ(checked(400, flips, &p), 0);
	ptu_process_deinit(&p);
	nr_flipping = 21;
	CHECK_EQ(checked(400, flips, &p), 2);
	ptu_process_deinit(&p);
}

/* The whole process never, each table alone at once. */
static unsigned int calms_down(unsigned int i, unsigned int look)
{
	return i < 30 && look % 3 == 1 && look < 3 * WHOLE_TRIES ? 99 : 100;
}

UNIT_TEST(what_agrees_when_looked_at_alone_is_matched)
{
	struct ptu_process p;

	CHECK_EQ(checked(100, calms_down, &p), 0);
	CHECK_EQ(p.levels[PTAUDIT_PTE].kernel, 100);
	CHECK_EQ(p.levels[PTAUDIT_PTE].estimate, 100);
	CHECK_EQ(p.levels[PTAUDIT_PTE].in_flux, 0);
	ptu_process_deinit(&p);
}

UNIT_MAIN
