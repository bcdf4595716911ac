// SPDX-License-Identifier: GPL-2.0-only
/* What export counts of processes and tables that the test provides. */
#include "measure/fake_tables.h"

const char *ptu_side_name(const struct ptu_kernel_side *side)
{
	return "built";
}

#include "measure/export.c"

/* Of @entries no table is full; the PMD tables of two gigabytes have deposited tables. */
static const struct fake_table some[] = {
	{ .start = A, .entries = 5, .deposited = 3 },
	{ .start = A + 2 * MIB, .entries = 0 },
	{ .start = A + GIB, .entries = 7, .deposited = 4 },
};

/* A table in each of two pieces. */
static const struct fake_table apart[] = {
	{ .start = A, .entries = 1 },
	{ .start = A + PIECE, .entries = 1 },
};

static struct fake_proc one[] = { { .pid = 41, .vmpte_bytes = 8 * 4096 } };

/* One page more than a process that is read in one piece may have. */
#define LARGE ((PTU_PIECE_TABLES + 1) * 4096)

static struct ptu_export_report report;
static struct ptu_err err;

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	build_init(&fake.b, 4, true);
	build_map(&fake.b, A, A + PIECE + MIB, 0);
	fake.tables = some;
	fake.nr_tables = 3;
	fake.procs = one;
	fake.nr_procs = 1;
	err.text[0] = '\0';
}

static void tear_down(void)
{
	ptu_export_report_deinit(&report);
	build_deinit(&fake.b);
}

/* By command and user, and nothing else. */
static void by_row(const struct ptu_proc *proc, const struct ptu_top_row *row,
		   char *ret)
{
	snprintf(ret, 256, "%s of %u%s", row->comm, row->uid,
		 row->pid == proc->pid ? "" : " as another process");
}

/* @estimator: NULL for the kernel's tables */
static int measure_by(const struct ptu_estimator *estimator)
{
	static const struct ptu_kernel_side side;
	const struct ptu_export_ask ask = { .geo = &fake.b.geo,
					    .side = estimator ? NULL : &side,
					    .estimator = estimator,
					    .group = by_row };
	int error = ptu_measure_export(&ask, &report, &err);

	if (fake.nr_open)
		UNIT_FAIL("%d processes are still open", fake.nr_open);
	return error;
}

static int measure(void)
{
	return measure_by(NULL);
}

UNIT_TEST(each_table_of_the_kernel_is_counted_with_its_pages)
{
	const struct ptu_export_group *all;

	one[0].uid = 7;
	CHECK_EQ(measure(), 0);
	one[0].uid = 0;
	CHECK_EQ(report.nr_groups, 1);
	all = report.groups;
	CHECK_STR(all->name, "made of 7");
	CHECK_EQ(all->nr_processes, 1);
	CHECK_EQ(all->nr_counted, 1);
	CHECK_EQ(all->tables[PTAUDIT_PTE], 3);
	CHECK_EQ(all->bytes[PTAUDIT_PTE], 3 * 4096);
	CHECK_EQ(all->tables[PTAUDIT_PMD], 2);
	CHECK_EQ(all->tables[PTAUDIT_PUD], 1);
	/* with page-table isolation, the PGD has two pages */
	CHECK_EQ(all->tables[PTAUDIT_PGD], 1);
	CHECK_EQ(all->bytes[PTAUDIT_PGD], 2 * 4096);
	CHECK_EQ(all->nr_empty, 1);
	CHECK_EQ(all->nr_deposited, 3 + 4);
	CHECK_EQ(all->vmpte_bytes, 0);
	CHECK(report.has_levels && report.has_empty && report.has_deposited);
	CHECK_STR(report.source, "built");
	CHECK_EQ(report.pagetables_bytes, 123 * MIB);
	CHECK(report.unfolded[PTAUDIT_PTE] && !report.unfolded[PTAUDIT_P4D]);
	CHECK_EQ(fake.limit_ns, 5 * PTU_NS_PER_SEC);
}

UNIT_TEST(only_pte_tables_count_as_empty)
{
	static const struct fake_table upper = { .start = A,
						 .leaf_level = PTAUDIT_PMD };

	fake.tables = &upper;
	fake.nr_tables = 1;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.groups->tables[PTAUDIT_PMD], 1);
	CHECK_EQ(report.groups->nr_empty, 0);
}

/* Adds a table of which nothing is known, and one that may not exist. */
static int estimate_more(const struct ptu_evidence *evidence,
			 struct ptu_tables *ret, struct ptu_err *why)
{
	int error = fake_estimate(evidence, ret, why);

	if (!error)
		error = ptu_tables_add(ret, PTAUDIT_PTE, A + 2 * GIB,
				       PTU_CERTAIN);
	return error ? error :
		       ptu_tables_add(ret, PTAUDIT_PTE, A + 2 * GIB + 2 * MIB,
				      PTU_POSSIBLE);
}

UNIT_TEST(estimated_tables_are_empty_if_none_of_their_entries_is_used)
{
	const struct ptu_estimator estimator = { .needs = PTU_NEEDS_PAGEMAP,
						 .estimate = estimate_more };
	const struct ptu_export_group *all;

	CHECK_EQ(measure_by(&estimator), 0);
	all = report.groups;
	CHECK_EQ(all->nr_counted, 1);
	CHECK_EQ(all->tables[PTAUDIT_PTE], 4);
	CHECK_EQ(all->bytes[PTAUDIT_PTE], 4 * 4096);
	CHECK_EQ(all->tables[PTAUDIT_PMD], 3);
	CHECK_EQ(all->bytes[PTAUDIT_PGD], 2 * 4096);
	CHECK_EQ(all->nr_empty, 1);
	CHECK_EQ(all->nr_deposited, 0);
	CHECK(report.has_levels && report.has_empty && !report.has_deposited);
	CHECK_STR(report.source, "estimate");
	CHECK_EQ(fake.needs, PTU_NEEDS_PAGEMAP | PTU_NEEDS_COUNTS);
}

static int estimate_nothing(const struct ptu_evidence *evidence,
			    struct ptu_tables *ret, struct ptu_err *why)
{
	return 0;
}

/* Every process has a PGD, whether the estimator claims it or not. */
UNIT_TEST(empty_tables_are_known_unless_the_estimator_is_blind_to_them)
{
	struct ptu_estimator estimator = { .estimate = estimate_nothing };

	estimator.blind = ~(1u << PTAUDIT_K_NONE);
	CHECK_EQ(measure_by(&estimator), 0);
	CHECK(report.has_empty);
	CHECK_EQ(report.groups->tables[PTAUDIT_PGD], 1);
	ptu_export_report_deinit(&report);
	estimator.blind = 1u << PTAUDIT_K_NONE;
	CHECK_EQ(measure_by(&estimator), 0);
	CHECK(report.has_levels && !report.has_empty);
}

UNIT_TEST(a_large_process_is_read_in_pieces_whose_common_tables_count_once)
{
	const struct ptu_estimator estimator = { .estimate = fake_estimate };

	fake.tables = apart;
	fake.nr_tables = 2;
	for (unsigned int i = 0; i < 4; i++) {
		struct fake_proc proc = { .pid = 42,
					  .vmpte_bytes = i < 2 ? LARGE :
								 LARGE - 4096 };
		const uint64_t *tables;

		fake.procs = &proc;
		CHECK_EQ(measure_by(i % 2 ? &estimator : NULL), 0);
		tables = report.groups->tables;
		CHECK_EQ(tables[PTAUDIT_PTE], 2);
		CHECK_EQ(tables[PTAUDIT_PMD], 2);
		CHECK_EQ(tables[PTAUDIT_PUD], 1);
		CHECK_EQ(tables[PTAUDIT_PGD], 1);
		CHECK_EQ(fake.nr_reads, i < 2 ? 2 : 1);
		fake.nr_reads = 0;
		ptu_export_report_deinit(&report);
	}
}

/* Each process has five seconds for its pieces. */
UNIT_TEST(a_process_that_takes_too_long_has_only_vmpte)
{
	struct fake_proc procs[] = {
		{ .pid = 42, .comm = "slow", .vmpte_bytes = LARGE },
		{ .pid = 43, .comm = "slower", .vmpte_bytes = LARGE + 4096 },
		{ .pid = 44, .comm = "quick", .vmpte_bytes = 4096 },
	};

	fake.tables = apart;
	fake.nr_tables = 2;
	fake.procs = procs;
	fake.nr_procs = 3;
	fake.now_ns = 100 * PTU_NS_PER_SEC;
	procs[0].read_ns = 4 * PTU_NS_PER_SEC;
	procs[1].read_ns = 6 * PTU_NS_PER_SEC;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_groups, 3);
	CHECK_EQ(report.groups[0].tables[PTAUDIT_PTE], 2);
	CHECK_EQ(report.groups[0].vmpte_bytes, 0);
	CHECK_EQ(report.groups[1].nr_processes, 1);
	CHECK_EQ(report.groups[1].nr_counted, 0);
	CHECK_EQ(report.groups[1].tables[PTAUDIT_PTE], 0);
	CHECK_EQ(report.groups[1].vmpte_bytes, LARGE + 4096);
	CHECK_EQ(report.groups[2].tables[PTAUDIT_PTE], 2);
	CHECK(report.has_levels);
}

static int is_denied(unsigned int n, struct ptu_err *why)
{
	return -EACCES;
}

/* The mappings of a large process are read first. */
UNIT_TEST(processes_that_cannot_be_counted_have_vmpte_and_their_user)
{
	struct fake_proc procs[] = {
		{ .pid = 42, .uid = 7, .vmpte_bytes = 4096, .reads = is_denied },
		{ .pid = 43, .uid = 7, .vmpte_bytes = LARGE, .maps = -EACCES },
	};
	const struct ptu_estimator estimator = { .estimate = fake_estimate };

	fake.procs = procs;
	fake.nr_procs = 2;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_groups, 1);
	CHECK_STR(report.groups->name, "made of 7");
	CHECK_EQ(report.groups->nr_processes, 2);
	CHECK_EQ(report.groups->nr_counted, 0);
	CHECK_EQ(report.groups->tables[PTAUDIT_PGD], 0);
	CHECK_EQ(report.groups->vmpte_bytes, 4096 + LARGE);
	CHECK(!report.has_levels && !report.has_empty && !report.has_deposited);
	CHECK_STR(report.source, "vmpte");
	ptu_export_report_deinit(&report);
	CHECK_EQ(measure_by(&estimator), 0);
	CHECK_EQ(report.groups->vmpte_bytes, 4096 + LARGE);
	CHECK(!report.has_empty);
	CHECK_STR(report.source, "vmpte");
}

static int has_ended(unsigned int n, struct ptu_err *why)
{
	return -ESRCH;
}

/* Without permission for kcmp(), nobody knows whether it shares its tables. */
UNIT_TEST(processes_without_tables_of_their_own_are_left_out)
{
	struct fake_proc procs[] = {
		{ .pid = 42, .comm = "kthread", .kthread = true },
		{ .pid = 43, .comm = "zombie", .state = 'Z' },
		{ .pid = 44, .comm = "not found", .opening = -ESRCH },
		{ .pid = 45, .comm = "no status", .status = -ESRCH },
		{ .pid = 46, .comm = "no memory", .lacks_mm = true },
		{ .pid = 47, .comm = "same space", .first = 41 },
		{ .pid = 48, .comm = "ended", .reads = has_ended },
		{ .pid = 49, .comm = "not compared", .space = -EPERM },
	};

	fake.procs = procs;
	fake.nr_procs = 8;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_groups, 1);
	CHECK_STR(report.groups->name, "not compared of 0");
	CHECK_EQ(report.groups->nr_counted, 1);
	CHECK(!err.text[0]);
}

static int lacks_memory(unsigned int n, struct ptu_err *why)
{
	return -ENOMEM;
}

UNIT_TEST(a_lack_of_descriptors_or_memory_is_an_error)
{
	const struct {
		struct fake_proc proc;
		int error;
	} cases[] = {
		{ { .pid = 42, .opening = -EMFILE }, -EMFILE },
		{ { .pid = 42, .opening = -ENOMEM }, -ENOMEM },
		{ { .pid = 42, .status = -ENFILE }, -ENFILE },
		{ { .pid = 42, .space = -ENOMEM }, -ENOMEM },
		{ { .pid = 42, .space = -EMFILE }, -EMFILE },
		{ { .pid = 42, .reads = lacks_memory }, -ENOMEM },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fake_proc procs[] = { cases[i].proc, { .pid = 43 } };
		char sentence[128];

		fake.procs = procs;
		fake.nr_procs = 2;
		err.text[0] = '\0';
		CHECK_EQ(measure(), cases[i].error);
		snprintf(sentence, sizeof(sentence),
			 "cannot read all processes: %s",
			 strerror(-cases[i].error));
		CHECK_STR(err.text, sentence);
		/* the next process is not read */
		CHECK_EQ(report.nr_groups, 0);
	}
}

UNIT_TEST(without_a_list_or_pagetables_there_is_no_report)
{
	fake.listing = -EXDEV;
	CHECK_EQ(measure(), -EXDEV);
	CHECK_STR(err.text, "cannot list");
	fake.listing = 0;
	fake.counter = -EIO;
	err.text[0] = '\0';
	CHECK_EQ(measure(), -EIO);
	CHECK_STR(err.text, "no counter");
}

UNIT_MAIN_WITH(set_up, tear_down)
