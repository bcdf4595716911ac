// SPDX-License-Identifier: GPL-2.0-only
/* What export counts of the kernel's tables, which the test provides. */
#include "measure/export.c"

#include <sys/mman.h>

#include "support/build.h"
#include "support/sleeper.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

static int failure;

const char *ptu_side_name(const struct ptu_kernel_side *side)
{
	(void)side;
	return "built";
}

/* Two PTE tables, one of them empty; the PGD has two pages (page-table isolation). */
int ptu_side_read(const struct ptu_kernel_side *side,
		  const struct ptu_proc *proc, uint64_t start, uint64_t end,
		  enum ptu_walk walk, struct ptu_snapshot *ret,
		  struct ptu_err *err)
{
	struct build b;

	(void)side, (void)proc, (void)start, (void)end, (void)walk, (void)err;
	if (failure)
		return failure;
	build_init(&b, 4, true);
	build_pte(&b, A, 5);
	build_pte(&b, A + 2 * MIB, 0);
	build_table(&b, PTAUDIT_PMD, A)->deposited = 3;
	build_table(&b, PTAUDIT_PGD, 0);
	*ret = build_snapshot(&b);
	build_deinit(&b);
	return 0;
}

/* The process whose user is noted. */
static pid_t whose;
static uid_t noted;

static void one_group(const struct ptu_proc *proc,
		      const struct ptu_top_row *row, char *ret)
{
	if (proc->pid == whose)
		noted = row->uid;
	strcpy(ret, "all");
}

/* A process of another user, if this is allowed. @shared: (out) the user */
static pid_t begin_other(volatile uid_t *shared)
{
	pid_t pid;

	*shared = ~0u;
	pid = child_fork();
	if (!pid) {
		*shared = setuid(4242) ? getuid() : 4242;
		for (;;)
			pause();
	}
	while (*shared == ~0u)
		usleep(1000);
	return pid;
}

/* A table of which nothing is known, an empty one, one with entries, a possible one. */
static int estimate(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		    struct ptu_err *err)
{
	int error = ptu_tables_add(ret, PTAUDIT_PTE, A, PTU_CERTAIN);

	(void)evidence, (void)err;
	if (!error)
		error = ptu_tables_add(ret, PTAUDIT_PTE, A + 2 * MIB,
				       PTU_CERTAIN);
	ptu_tables_count_entries(ret, 0);
	if (!error)
		error = ptu_tables_add(ret, PTAUDIT_PTE, A + 4 * MIB,
				       PTU_CERTAIN);
	ptu_tables_count_entries(ret, 5);
	return error ? error :
		       ptu_tables_add(ret, PTAUDIT_PTE, A + 6 * MIB,
				      PTU_POSSIBLE);
}

static void measured_by(const struct ptu_estimator *estimator,
			struct ptu_export_report *ret)
{
	static struct ptu_kernel_side side;
	static struct ptu_geometry geo;
	const struct ptu_export_ask ask = { .geo = &geo,
					    .side = estimator ? NULL : &side,
					    .estimator = estimator,
					    .group = one_group };

	CHECK_EQ(ptu_proc_geometry(&geo, NULL), 0);
	CHECK_EQ(ptu_measure_export(&ask, ret, NULL), 0);
	CHECK_EQ(ret->nr_groups, 1);
}

static void measured(struct ptu_export_report *ret)
{
	measured_by(NULL, ret);
}

UNIT_TEST(each_table_of_the_kernel_is_counted_with_its_pages)
{
	struct ptu_export_report report = { 0 };
	const struct ptu_export_group *all;

	measured(&report);
	all = report.groups;
	CHECK(all->nr_counted);
	CHECK_EQ(all->tables[PTAUDIT_PTE], 2 * all->nr_counted);
	CHECK_EQ(all->bytes[PTAUDIT_PTE], 2 * 4096 * all->nr_counted);
	CHECK_EQ(all->tables[PTAUDIT_PGD], all->nr_counted);
	CHECK_EQ(all->bytes[PTAUDIT_PGD], 2 * 4096 * all->nr_counted);
	CHECK_EQ(all->nr_empty, all->nr_counted);
	CHECK_EQ(all->nr_deposited, 3 * all->nr_counted);
	CHECK(report.has_levels && report.has_empty && report.has_deposited);
	CHECK_STR(report.source, "built");
	ptu_export_report_deinit(&report);
}

UNIT_TEST(estimated_tables_are_empty_if_none_of_their_entries_is_used)
{
	const struct ptu_estimator estimator = { .estimate = estimate };
	struct ptu_export_report report = { 0 };
	const struct ptu_export_group *all;
	struct ptu_proc proc;
	/* there may be no other process, and this one is too large */
	pid_t child = sleeper_begin(&proc);

	measured_by(&estimator, &report);
	child_end(child);
	all = report.groups;
	CHECK(all->nr_counted);
	CHECK_EQ(all->tables[PTAUDIT_PTE], 3 * all->nr_counted);
	CHECK_EQ(all->nr_empty, all->nr_counted);
	CHECK(report.has_levels && report.has_empty && !report.has_deposited);
	CHECK_STR(report.source, "estimate");
	ptu_export_report_deinit(&report);
}

UNIT_TEST(processes_that_cannot_be_counted_have_vmpte_and_their_user)
{
	volatile uid_t *user = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ptu_export_report report = { 0 };

	CHECK(user != MAP_FAILED);
	whose = begin_other(user);
	failure = -EACCES;
	measured(&report);
	failure = 0;
	child_end(whose);
	CHECK_EQ(noted, *user);
	CHECK_EQ(report.groups->nr_counted, 0);
	CHECK(report.groups->vmpte_bytes);
	CHECK(!report.has_levels && !report.has_empty && !report.has_deposited);
	CHECK_STR(report.source, "vmpte");
	ptu_export_report_deinit(&report);
	munmap((void *)user, 4096);
}

UNIT_MAIN
