// SPDX-License-Identifier: GPL-2.0-only
/* What top reports for a process whose tables the test provides, or that it cannot read. */
#include "measure/fake_tables.h"

static unsigned int nr_reopened;
static int reopening;

/* The process can be opened again once at most. */
int ptu_proc_reopen(struct ptu_proc *proc)
{
	return nr_reopened++ ? -ESRCH : reopening;
}

#include "measure/top_look.c"
#include "measure/view.h"

#define NEAR (A + PIECE + GIB)	  /* end of the first mapping */
#define FAR (A + PIECE + 4 * GIB) /* start of the second one */

/*
 * The first mapping lies in two pieces.  The second one, of a file, has a full table, two huge
 * pages of 2 MiB, of which smaps shows that they are copies, and one of 1 GiB.
 */
static const struct fake_table tables[] = {
	{ .start = A, .entries = 5, .deposited = 3 },
	{ .start = A + 2 * MIB, .entries = 0 },
	{ .start = A + PIECE, .entries = 7 },
	{ .start = FAR, .entries = 512, .deposited = 4 },
	{ .start = FAR + 2 * MIB, .entries = 2, .leaf_level = PTAUDIT_PMD },
	{ .start = FAR + GIB, .entries = 1, .leaf_level = PTAUDIT_PUD },
};

/* One page more than a process that is read in one piece may have. */
#define LARGE ((PTU_PIECE_TABLES + 1) * 4096)

static struct fake_proc made;
static struct ptu_kernel_side side;
static struct ptu_estimator estimator;
static struct ptu_top_ask ask;
static struct ptu_top_row row, *joined;
static size_t nr_joined;

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	build_init(&fake.b, 4, true);
	build_map(&fake.b, A, NEAR, 0);
	build_map(&fake.b, FAR, FAR + 2 * GIB, 0);
	fake.b.vmas.vmas[1].inode = 7;
	fake.b.vmas.vmas[1].has_smaps = true;
	fake.b.vmas.vmas[1].anon_huge_bytes = 4 * MIB;
	made = (struct fake_proc){ .pid = 42, .vmpte_bytes = LARGE };
	fake.tables = tables;
	fake.nr_tables = 6;
	fake.procs = &made;
	fake.nr_procs = 1;
	nr_reopened = 0;
	reopening = 0;
	side = (struct ptu_kernel_side){ .which = PTU_SIDE_MODULE };
	estimator = (struct ptu_estimator){ .needs = PTU_NEEDS_PAGEMAP,
					    .estimate = fake_estimate };
	ask = (struct ptu_top_ask){ .geo = &fake.b.geo,
				    .side = &side,
				    .estimator = &estimator };
}

static void tear_down(void)
{
	free(joined);
	joined = NULL;
	build_deinit(&fake.b);
}

/* Look for at most ten seconds. */
static int look_at(void)
{
	struct ptu_proc proc = { .pid = 42, .tid = 42 };

	free(joined);
	/* unknown until the tables were counted */
	joined = (void *)-1;
	nr_joined = 99;
	row = (struct ptu_top_row){ .pid = 42,
				    .vmpte_bytes = made.vmpte_bytes };
	return ptu_top_look(&ask, &proc, 10 * PTU_NS_PER_SEC, &row, &joined,
			    &nr_joined);
}

static void check_only_vmpte(const char *why)
{
	char sentence[384];

	snprintf(sentence, sizeof(sentence), "%s: only VmPTE is known", why);
	CHECK_EQ(look_at(), 0);
	CHECK_STR(row.why, sentence);
	CHECK_EQ(row.source, PTU_TOP_VMPTE);
	CHECK_EQ(row.total_bytes, 0);
	CHECK(!joined);
	CHECK_EQ(nr_joined, 0);
}

/* The PGD, which VmPTE does not include, has two pages with page-table isolation. */
static void check_all(enum ptu_top_source source, uint64_t deposited)
{
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(row.source, source);
	CHECK(!row.is_part);
	CHECK_EQ(row.total_bytes, made.vmpte_bytes + 2 * 4096);
	CHECK_EQ(row.deposited_tables, deposited);
	CHECK_EQ(row.fill.tables, 4);
	CHECK_EQ(row.fill.entries, 5 + 7 + 512);
	CHECK(row.has_empty);
	CHECK_EQ(row.empty_tables, 1);
	CHECK_EQ(nr_joined, 2);
	CHECK_EQ(joined[0].start, A);
	/* three PTE tables, two PMD tables, and the PUD table of all */
	CHECK_EQ(joined[0].total_bytes, 6 * 4096);
	CHECK_EQ(joined[0].fill.tables, 3);
	CHECK_EQ(joined[0].fill.entries, 5 + 7);
	CHECK(joined[0].has_empty);
	CHECK_EQ(joined[0].empty_tables, 1);
	CHECK_EQ(joined[0].leaves, 0);
	CHECK_EQ(joined[1].start, FAR);
	CHECK_EQ(joined[1].total_bytes, 2 * 4096);
	CHECK_EQ(joined[1].fill.entries, 512);
	CHECK_EQ(joined[1].leaves, 2 + 1);
}

UNIT_TEST(tables_of_the_kernel_add_up_over_the_pieces)
{
	check_all(PTU_TOP_MODULE, 3 + 4);
	CHECK_EQ(fake.nr_reads, 2);
	made.vmpte_bytes = LARGE - 4096;
	side.which = PTU_SIDE_BPF;
	check_all(PTU_TOP_BPF, 3 + 4);
	CHECK_EQ(fake.nr_reads, 2 + 1);
}

/* Two copies of 2 MiB have a deposited table each. */
UNIT_TEST(estimated_tables_add_up_over_the_pieces)
{
	ask.side = NULL;
	check_all(PTU_TOP_ESTIMATE, 2);
	CHECK_EQ(fake.nr_reads, 2);
	CHECK_EQ(fake.needs, PTU_NEEDS_PAGEMAP | PTU_NEEDS_COUNTS);
	/* four PTE, three PMD tables, one PUD table and two deposits: nothing is missing */
	made.vmpte_bytes = (4 + 3 + 1 + 2) * 4096;
	check_all(PTU_TOP_ESTIMATE, 2);
	CHECK_EQ(fake.nr_reads, 2 + 1);
}

UNIT_TEST(a_recording_is_read_at_once)
{
	ask.is_recording = true;
	check_all(PTU_TOP_MODULE, 3 + 4);
	CHECK_EQ(fake.nr_reads, 1);
}

/* VmPTE does not include the P4D table either. */
UNIT_TEST(upper_tables_are_counted_once_with_five_levels)
{
	fake.b.geo = five_levels;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(row.total_bytes, LARGE + 2 * 4096);
	CHECK_EQ(joined[0].total_bytes, (6 + 1) * 4096);
}

/*
 * The tree has 8 tables and 2 deposits.  VmPTE has as many tables again, and 2 more, that the
 * estimate does not see.
 */
UNIT_TEST(vmpte_without_the_estimated_tables_is_the_reason)
{
	ask.side = NULL;
	estimator.blind = 1u << PTAUDIT_K_NONE;
	made.vmpte_bytes = (10 + 12) * 4096;
	CHECK_EQ(look_at(), 0);
	/* 12 of the 22 tables */
	CHECK_STR(row.why,
		  "54 % in tables without pages, which the estimate does not see");
	CHECK_EQ(row.empty_tables, 12);
	CHECK(!joined[0].has_empty);
	estimator.blind = ~(1u << PTAUDIT_K_NONE);
	CHECK_EQ(look_at(), 0);
	CHECK_STR(row.why,
		  "54 % in upper tables that hold nothing, or tables of PFN mappings, which /proc does not show");
	CHECK_EQ(row.empty_tables, 1);
	/* entries are not counted in the kernel's tables, nor in a large process */
	ask.side = &side;
	CHECK_EQ(look_at(), 0);
	CHECK_STR(row.why, "0.8 % full: [anon] 0x7f0000000000, 65G");
	ask.side = NULL;
	made.vmpte_bytes = LARGE;
	CHECK_EQ(look_at(), 0);
	CHECK_STR(row.why, "0.8 % full: [anon] 0x7f0000000000, 65G");
	/* fewer tables than were found: it has shrunk */
	made.vmpte_bytes = 4096;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(row.empty_tables, 1);
}

/* The estimator cannot decide whether there are 12 tables or huge pages. */
static int estimate_possible(const struct ptu_evidence *evidence,
			     struct ptu_tables *ret, struct ptu_err *err)
{
	int error = fake_estimate(evidence, ret, err);

	for (unsigned int i = 0; !error && i < 12; i++)
		error = ptu_tables_add(ret, PTAUDIT_PTE,
				       FAR + (8 + 2 * i) * MIB, PTU_POSSIBLE);
	return error;
}

UNIT_TEST(possible_tables_are_not_called_empty)
{
	ask.side = NULL;
	fake.nr_tables = 5;
	estimator.blind = 1u << PTAUDIT_K_NONE;
	estimator.estimate = estimate_possible;
	made.vmpte_bytes = (10 + 12) * 4096;
	CHECK_EQ(look_at(), 0);
	CHECK_STR(row.why, "0.8 % full: [anon] 0x7f0000000000, 65G");
	CHECK(!row.has_empty);
	/* 15 more that it does not see at all: of 37, these are less than half */
	made.vmpte_bytes += 15 * 4096;
	CHECK_EQ(look_at(), 0);
	CHECK(!row.has_empty);
	/* of 57, 35 are more than half */
	made.vmpte_bytes += 20 * 4096;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(row.empty_tables, 35);
}

/* A table without a mapping in its reach has a row of its own, which only one piece has. */
UNIT_TEST(tables_without_a_mapping_may_be_in_any_piece)
{
	static const struct fake_table first[] = {
		{ .start = A, .entries = 5 },
		{ .start = A + 8 * GIB, .entries = 1 },
		{ .start = A + PIECE, .entries = 7 },
	};
	static const struct fake_table last[] = {
		{ .start = A, .entries = 5 },
		{ .start = A + PIECE, .entries = 7 },
		{ .start = A + PIECE + 8 * GIB, .entries = 1 },
	};

	build_unmap(&fake.b, A + GIB, A + PIECE);
	build_unmap(&fake.b, FAR, FAR + 2 * GIB);
	fake.nr_tables = 3;
	fake.tables = first;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(nr_joined, 3);
	CHECK_EQ(joined[0].fill.entries, 5);
	CHECK_EQ(joined[1].fill.entries, 7);
	CHECK_EQ(joined[2].fill.entries, 1);
	fake.tables = last;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(nr_joined, 2);
	CHECK_EQ(joined[1].fill.entries, 7);
	CHECK_EQ(row.fill.entries, 5 + 7 + 1);
}

/* The PUD table counts with the first mapping. */
UNIT_TEST(a_mapping_in_two_pieces_has_the_tables_and_leaves_of_both)
{
	static const struct fake_table crossing[] = {
		{ .start = A, .entries = 1 },
		{ .start = A + PIECE - GIB, .entries = 2 },
		{ .start = A + PIECE - GIB + 2 * MIB,
		  .entries = 2,
		  .leaf_level = PTAUDIT_PMD,
		  .deposited = 2 },
		{ .start = A + PIECE, .entries = 3 },
		{ .start = A + PIECE + 2 * MIB,
		  .entries = 1,
		  .leaf_level = PTAUDIT_PMD,
		  .deposited = 1 },
	};
	static const struct fake_table no_leaves[] = {
		{ .start = A, .entries = 1 },
		{ .start = A + PIECE - GIB, .entries = 2 },
		{ .start = A + PIECE, .entries = 3 },
	};

	build_unmap(&fake.b, A, FAR + 2 * GIB);
	build_map(&fake.b, A, A + GIB, 0);
	build_map(&fake.b, A + PIECE - GIB, A + PIECE + GIB, 0);
	fake.tables = crossing;
	fake.nr_tables = 5;
	for (unsigned int i = 0; i < 2; i++) {
		ask.side = i ? NULL : &side;
		CHECK_EQ(look_at(), 0);
		CHECK_EQ(nr_joined, 2);
		/* two PTE and two PMD tables */
		CHECK_EQ(joined[1].total_bytes, 4 * 4096);
		CHECK_EQ(joined[1].fill.entries, 2 + 3);
		CHECK_EQ(joined[1].leaves, 2 + 1);
		CHECK_EQ(row.deposited_tables, 2 + 1);
		CHECK(row.has_deposited && joined[1].has_deposited);
		CHECK_EQ(joined[1].deposited_tables, 2 + 1);
		CHECK_EQ(joined[0].deposited_tables, 0);
	}
	/* smaps shows the huge pages of the mapping, in each piece again */
	fake.b.vmas.vmas[1].has_smaps = true;
	fake.b.vmas.vmas[1].anon_huge_bytes = (2 + 1 + 1) * 2 * MIB;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(row.deposited_tables, 2 + 1 + 1);
	CHECK_EQ(joined[1].deposited_tables, 2 + 1 + 1);
	fake.tables = no_leaves;
	fake.nr_tables = 3;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(nr_joined, 2);
}

UNIT_TEST(after_the_deadline_no_piece_is_read)
{
	volatile sig_atomic_t stop = 0;

	/* the first piece takes all the time */
	made.read_ns = 11 * PTU_NS_PER_SEC;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(fake.nr_reads, 1);
	CHECK(row.is_part);
	CHECK_EQ(row.source, PTU_TOP_MODULE);
	CHECK_EQ(row.fill.tables, 2);
	check_only_vmpte("the time limit for reading tables was reached");
	CHECK_EQ(fake.nr_reads, 1);
	fake.now_ns = 0;
	ask.stop = &stop;
	made.read_ns = 0;
	check_all(PTU_TOP_MODULE, 3 + 4);
	stop = 1;
	check_only_vmpte("the time limit for reading tables was reached");
	CHECK_EQ(fake.nr_reads, 1 + 2);
}

/* Reading the mappings can take longer than there is time. */
UNIT_TEST(without_time_for_the_first_piece_only_vmpte_is_known)
{
	made.maps_ns = 11 * PTU_NS_PER_SEC;
	for (unsigned int i = 0; i < 2; i++) {
		ask.side = i ? NULL : &side;
		fake.now_ns = 0;
		check_only_vmpte(
			"the time limit for reading tables was reached");
		CHECK_EQ(fake.nr_reads, 0);
	}
}

/* [number of the reading] the error and its message, or NULL. */
static struct {
	int error;
	const char *why;
} script[8];

static int by_script(unsigned int n, struct ptu_err *err)
{
	if (n >= 8)
		abort();
	return script[n].why ?
		       ptu_err_set(err, script[n].error, "%s", script[n].why) :
		       script[n].error;
}

static void say(unsigned int n, int error, const char *why)
{
	script[n].error = error;
	script[n].why = why;
}

static void begin_script(void)
{
	memset(script, 0, sizeof(script));
	made.reads = by_script;
	fake.nr_reads = 0;
	nr_reopened = 0;
}

UNIT_TEST(a_piece_that_keeps_changing_is_left_out)
{
	for (unsigned int i = 0; i < 2; i++) {
		begin_script();
		say(i, -EAGAIN, "it changed");
		CHECK_EQ(look_at(), 0);
		CHECK(row.is_part);
		CHECK_EQ(row.source, PTU_TOP_MODULE);
		CHECK_EQ(row.fill.tables, 2);
		CHECK_EQ(fake.nr_reads, 2);
	}
	/* the deposits of the piece that was read are known */
	begin_script();
	say(0, -EAGAIN, "it changed");
	ask.side = NULL;
	CHECK_EQ(look_at(), 0);
	CHECK(row.is_part);
	CHECK_EQ(row.deposited_tables, 2);
}

UNIT_TEST(if_the_kernels_side_fails_the_estimate_is_shown)
{
	begin_script();
	say(0, -EAGAIN, "it changed");
	say(1, -EAGAIN, "it changed");
	check_all(PTU_TOP_ESTIMATE, 2);
	CHECK_EQ(fake.nr_reads, 4);
	/* an error that concerns all pieces */
	begin_script();
	say(1, -EPERM, "refused");
	check_all(PTU_TOP_ESTIMATE, 2);
	CHECK_EQ(fake.nr_reads, 2 + 2);
	/* the first reading fails, which is of the whole process */
	begin_script();
	made.vmpte_bytes = (4 + 3 + 1 + 2) * 4096;
	say(0, -EIO, "broken");
	check_all(PTU_TOP_ESTIMATE, 2);
	CHECK_EQ(fake.nr_reads, 2);
}

/* Nothing of the failed attempt is kept, neither its tables nor its sentence. */
UNIT_TEST(if_the_thread_ends_another_one_is_read_from_the_start)
{
	begin_script();
	say(0, -EAGAIN, "it changed");
	say(2, 0, NULL);
	say(1, -ESTALE, "the thread ended");
	check_all(PTU_TOP_MODULE, 3 + 4);
	CHECK_EQ(fake.nr_reads, 4);
	begin_script();
	say(1, -ESTALE, "the thread ended");
	check_all(PTU_TOP_MODULE, 3 + 4);
	CHECK_EQ(nr_reopened, 1);
	/* it cannot be opened again */
	begin_script();
	ask.side = NULL;
	reopening = -ESRCH;
	say(0, -ESTALE, "the thread ended");
	check_only_vmpte("the thread ended");
	CHECK_EQ(fake.nr_reads, 1);
	reopening = 0;
	begin_script();
	say(0, -ESTALE, "the thread ended");
	say(1, -EIO, "broken");
	say(2, -EIO, NULL);
	check_only_vmpte("broken");
	begin_script();
	made.vmpte_bytes = 4096;
	say(0, -ESTALE, "the thread ended");
	say(1, -EIO, NULL);
	check_only_vmpte(strerror(EIO));
}

UNIT_TEST(what_cannot_be_read_has_a_reason)
{
	ask.side = NULL;
	for (unsigned int i = 0; i < 2; i++) {
		begin_script();
		made.vmpte_bytes = i ? LARGE : 4096;
		say(0, -EACCES, "denied");
		check_only_vmpte("no permission to read its mappings");
		CHECK_EQ(fake.nr_reads, 1);
		begin_script();
		say(0, -EPERM, "denied");
		check_only_vmpte("no permission to read its mappings");
		CHECK_EQ(fake.nr_reads, 1);
		begin_script();
		say(0, -EAGAIN, "process 42: it changed");
		say(1, -EAGAIN, "process 42: it changed");
		check_only_vmpte("it changed");
	}
	made.maps = -EACCES;
	check_only_vmpte("no permission to read its mappings");
	made.maps = -EINVAL;
	check_only_vmpte("no maps");
	made.maps = 0;
	made.vmpte_bytes = 4096;
	begin_script();
	made.status = -EIO;
	check_only_vmpte("no status");
}

/* Its estimate is not tried, and later pieces are not read. */
UNIT_TEST(a_process_that_has_ended_and_lack_of_memory_are_errors)
{
	static const int errors[] = { -ESRCH, -ENOMEM };

	for (unsigned int i = 0; i < 8; i++) {
		const int error = errors[i % 2];

		begin_script();
		ask.side = i & 2 ? &side : NULL;
		made.vmpte_bytes = i & 4 ? LARGE : 4096;
		say(0, error, "failed");
		CHECK_EQ(look_at(), error);
		CHECK_EQ(fake.nr_reads, 1);
		CHECK(!joined && !nr_joined);
	}
}

static int fail(const struct ptu_evidence *evidence, struct ptu_tables *ret,
		struct ptu_err *err)
{
	int error = fake_estimate(evidence, ret, err);

	return error ? error : ptu_err_set(err, -EIO, "no estimate");
}

UNIT_TEST(an_estimator_may_fail_or_claim_nothing_above)
{
	static const struct fake_table none[1];

	ask.side = NULL;
	made.vmpte_bytes = 4096;
	estimator.estimate = fail;
	check_only_vmpte("no estimate");
	/* every process has a PGD */
	estimator.estimate = fake_estimate;
	fake.tables = none;
	fake.nr_tables = 0;
	CHECK_EQ(look_at(), 0);
	CHECK_EQ(row.total_bytes, 4096 + 2 * 4096);
}

UNIT_TEST(reason_of_a_row_leaves_out_the_process_that_the_row_names)
{
	struct ptu_top_row of = { .pid = 42 };

	not_measured(&of, "process 42: its mappings changed");
	CHECK_STR(of.why, "its mappings changed: only VmPTE is known");
	not_measured(&of, "process 4: its mappings changed");
	CHECK_STR(of.why,
		  "process 4: its mappings changed: only VmPTE is known");
	not_measured(&of, "no permission to read its mappings");
	CHECK_STR(of.why,
		  "no permission to read its mappings: only VmPTE is known");
	CHECK_EQ(of.source, PTU_TOP_VMPTE);
}

UNIT_TEST(view_of_the_kernel_has_the_deposits_of_all_tables)
{
	const struct ptu_view_ask by = { .geo = &fake.b.geo, .side = &side };
	struct ptu_proc proc = { .pid = 42, .tid = 42 };
	struct ptu_view view;

	CHECK_EQ(ptu_view_read(&by, &proc, &view, NULL), 0);
	CHECK_EQ(view.deposited, 3 + 4);
	ptu_view_deinit(&view);
}

UNIT_MAIN_WITH(set_up, tear_down)
