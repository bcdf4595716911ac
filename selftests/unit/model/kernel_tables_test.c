// SPDX-License-Identifier: GPL-2.0-only
/* The parser accepts a correct answer and refuses each one that breaks a single rule. */
#include "model/kernel_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

/* An answer with every kind of record, which tests can spoil. */
static struct answer {
	struct build b;
	char *bytes;
	size_t nr_bytes;
	struct ptaudit_header *h;
	struct ptaudit_table *r;
} a;

static void set_up(void)
{
	struct build *b = &a.b;

	build_init(b, 4, true);
	build_pte(b, A, 512);
	build_pte(b, A + 2 * MIB, 3);
	build_pte(b, A + 8 * MIB, 0);
	build_entries(b, PTAUDIT_PMD, A + 16 * MIB, 3, PTAUDIT_K_LEAF, 0);
	build_entries(b, PTAUDIT_PMD, A + 22 * MIB, 1, PTAUDIT_K_LEAF,
		      PTAUDIT_T_PFNMAP);
	build_entries(b, PTAUDIT_PMD, A + 60 * MIB, 1, PTAUDIT_K_MIGRATION, 0);
	build_table(b, PTAUDIT_PMD, A)->deposited = 3;
	build_entries(b, PTAUDIT_PMD, A + GIB, 2, PTAUDIT_K_LEAF, 0);
	build_table(b, PTAUDIT_PMD, A + GIB)->flags = PTAUDIT_T_HUGETLB;
	build_table(b, PTAUDIT_PMD, A + GIB)->sharers = 1;
	build_entries(b, PTAUDIT_PUD, A + 2 * GIB, 1, PTAUDIT_K_LEAF, 0);
	build_entries(b, PTAUDIT_PUD, A + 8 * GIB, 1, PTAUDIT_K_UNWALKED, 0);
	build_pte(b, LDT_4, 16);
	a.bytes = build_image(b, &a.nr_bytes);
	a.h = (struct ptaudit_header *)a.bytes;
	a.r = (struct ptaudit_table *)(a.bytes + 128);
}

static void tear_down(void)
{
	free(a.bytes);
	build_deinit(&a.b);
	a = (struct answer){ 0 };
}

/* The record of the table that starts there. */
static struct ptaudit_table *table(unsigned int level, uint64_t start)
{
	for (size_t i = 0; i < a.h->nr_records; i++)
		if (a.r[i].type == PTAUDIT_TABLE && a.r[i].level == level &&
		    a.r[i].start == start)
			return &a.r[i];
	abort();
}

static struct ptaudit_table *run(unsigned int level, uint64_t start)
{
	for (size_t i = 0; i < a.h->nr_records; i++)
		if (a.r[i].type == PTAUDIT_RUN && a.r[i].level == level &&
		    a.r[i].start == start)
			return &a.r[i];
	abort();
}

static void drop(struct ptaudit_table *r)
{
	memmove(r, r + 1, (char *)(a.r + --a.h->nr_records) - (char *)r);
	a.nr_bytes -= 64;
}

/* Duplicate a record in place.  Return: the second copy. */
static struct ptaudit_table *repeat(struct ptaudit_table *r)
{
	size_t i = r - a.r;

	a.nr_bytes += 64;
	a.bytes = realloc(a.bytes, a.nr_bytes);
	if (!a.bytes)
		abort();
	a.h = (struct ptaudit_header *)a.bytes;
	a.r = (struct ptaudit_table *)(a.bytes + 128);
	memmove(a.r + i + 1, a.r + i, (a.h->nr_records++ - i) * 64);
	return &a.r[i + 1];
}

/* Parse the answer.  If the parser refuses, its message must contain @expected. */
static int parse(const char *expected)
{
	struct ptu_snapshot snapshot = { .nr_moved = 77 };
	struct ptu_err err = { "" };
	int error;

	error = ptu_snapshot_parse(a.bytes, a.nr_bytes, &a.b.geo, &snapshot,
				   &err);
	if (!strstr(err.text, expected))
		UNIT_FAIL("the message does not contain '%s': '%s'", expected,
			  err.text);
	if (error && snapshot.nr_moved != 77)
		UNIT_FAIL("the failed call changed the result");
	if (!error)
		ptu_snapshot_deinit(&snapshot);
	return error;
}

/* A test: the answer, changed by the last argument, is refused with @expected. */
#define REFUSED(name, error, expected, ...)       \
	UNIT_TEST(name)                           \
	{                                         \
		__VA_ARGS__;                      \
		CHECK_EQ(parse(expected), error); \
	}

#define BAD(name, expected, ...) REFUSED(name, -EBADMSG, expected, __VA_ARGS__)

UNIT_TEST(a_valid_answer_is_accepted)
{
	struct ptu_snapshot s;
	struct ptu_err err = { "" };

	table(PTAUDIT_PMD, A)->flags |= PTAUDIT_T_MOVED;
	CHECK_EQ(ptu_snapshot_parse(a.bytes, a.nr_bytes, &a.b.geo, &s, &err),
		 0);
	/* pgd, 2 pud, 3 pmd, 4 pte; runs: 2, 3 + 1, 2 + 1 + 1 + 1 + 1, 1, 1 */
	CHECK_EQ(s.nr_records, a.h->nr_records);
	CHECK_EQ(s.nr_records, 10 + 2 + 3 + 1 + 5 + 1 + 1);
	CHECK_EQ(s.nr_moved, 1);
	CHECK_EQ(s.header.mm, 0x1234);
	/* the shorter header of an older ABI has no tid */
	CHECK_EQ(s.header.tid, 0);
	CHECK(!memcmp(s.records, a.r, 64 * s.nr_records));
	ptu_snapshot_deinit(&s);
}

UNIT_TEST(the_longer_header_is_copied)
{
	struct ptu_snapshot s;
	struct ptu_err err = { "" };
	struct build b;
	size_t nr_bytes;
	char *image;

	build_init(&b, 4, false);
	build_pte(&b, A, 1);
	b.header.header_size = 152;
	b.header.start_ticks = 117;
	b.header.tid = 4243;
	b.header.ns_tid = 43;
	image = build_image(&b, &nr_bytes);
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err), 0);
	CHECK_EQ(s.header.start_ticks, 117);
	CHECK_EQ(s.header.tid, 4243);
	CHECK_EQ(s.header.ns_tid, 43);
	/* pgd, pud, pmd, pte; and one run in each except the pte */
	CHECK_EQ(s.nr_records, 7);
	CHECK(!memcmp(s.records, image + 152, 64 * s.nr_records));
	ptu_snapshot_deinit(&s);
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes - 1, &b.geo, &s, &err),
		 -EBADMSG);
	CHECK_EQ(ptu_snapshot_parse(image, 151, &b.geo, &s, &err), -EBADMSG);
	free(image);
	build_deinit(&b);
}

UNIT_TEST(a_valid_answer_of_5_levels_is_accepted)
{
	struct ptu_snapshot s;
	struct build b;

	build_init(&b, 5, true);
	build_pte(&b, 0, 1);
	build_pte(&b, UINT64_C(0xffffffffffe000), 1);
	build_pte(&b, LDT_5, 16);
	s = build_snapshot(&b);
	/* pgd and 3 x (p4d, pud, pmd, pte); and one run in each except the pte */
	CHECK_EQ(s.nr_records, 1 + 3 * 4 + 3 * 4);
	CHECK_EQ(s.records[1].start, 0);
	ptu_snapshot_deinit(&s);
	build_deinit(&b);
}

UNIT_TEST(the_answer_to_a_range_is_accepted)
{
	struct ptu_snapshot s;
	struct build b;

	build_init(&b, 4, false);
	build_range(&b, A, A + 2 * MIB);
	build_pte(&b, A, 7);
	s = build_snapshot(&b);
	CHECK_EQ(s.records[0].flags, PTAUDIT_T_PARTIAL);
	CHECK_EQ(s.records[6].level, PTAUDIT_PTE);
	CHECK_EQ(s.records[6].flags, 0);
	ptu_snapshot_deinit(&s);
	build_deinit(&b);
}

/* A BPF walk reports no lock windows and no entries that were not followed. */
UNIT_TEST(a_walk_by_bpf_takes_no_lock_and_follows_every_entry)
{
	struct ptaudit_header *h;
	struct ptaudit_table *r;
	struct ptu_snapshot s;
	struct ptu_err err = { "" };
	struct build b;
	size_t nr_bytes;
	char *image;

	build_init(&b, 4, false);
	build_pte(&b, A, 7)->flags |= PTAUDIT_T_OUTSIDE;
	image = build_image(&b, &nr_bytes);
	h = (struct ptaudit_header *)image;
	h->flags |= PTAUDIT_H_BPF;
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err),
		 -EBADMSG);
	/* the answer is not that of the module */
	CHECK(strstr(err.text, "the kernel's answer"));
	h->lock_windows = 0;
	err.text[0] = '\0';
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err), 0);
	ptu_snapshot_deinit(&s);
	/* a hugetlb table is in a mapping */
	r = (struct ptaudit_table *)(image + 128);
	while (r->type != PTAUDIT_TABLE || r->level != PTAUDIT_PMD)
		r++;
	r->flags |= PTAUDIT_T_HUGETLB | PTAUDIT_T_OUTSIDE;
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err),
		 -EBADMSG);
	CHECK(strstr(err.text, "in a mapping, marked as outside"));
	r->flags &= ~(PTAUDIT_T_HUGETLB | PTAUDIT_T_OUTSIDE);
	/* only BPF reads in pieces */
	h->flags |= PTAUDIT_H_PIECES;
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err), 0);
	ptu_snapshot_deinit(&s);
	free(image);
	build_deinit(&b);
	build_init(&b, 4, false);
	build_pte(&b, A, 7);
	image = build_image(&b, &nr_bytes);
	h = (struct ptaudit_header *)image;
	h->flags |= PTAUDIT_H_PIECES;
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err),
		 -EBADMSG);
	free(image);
	build_deinit(&b);
	/* an entry that was not followed */
	build_init(&b, 4, false);
	build_entries(&b, PTAUDIT_PUD, A + 8 * GIB, 1, PTAUDIT_K_UNWALKED, 0);
	image = build_image(&b, &nr_bytes);
	h = (struct ptaudit_header *)image;
	h->flags |= PTAUDIT_H_BPF;
	h->lock_windows = 0;
	CHECK_EQ(ptu_snapshot_parse(image, nr_bytes, &b.geo, &s, &err),
		 -EBADMSG);
	free(image);
	build_deinit(&b);
}

UNIT_TEST(an_entry_is_found_by_its_address)
{
	struct ptu_snapshot s;
	enum ptaudit_kind kind;

	s = build_snapshot(&a.b);
#define FIND(level, addr) \
	(ptu_snapshot_find(&s, &a.b.geo, level, addr, &kind), kind)
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 4095), PTAUDIT_K_CHILD);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 4 * MIB - 1), PTAUDIT_K_CHILD);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 4 * MIB), PTAUDIT_K_NONE);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 20 * MIB), PTAUDIT_K_LEAF);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 22 * MIB), PTAUDIT_K_LEAF);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 24 * MIB), PTAUDIT_K_NONE);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 60 * MIB), PTAUDIT_K_MIGRATION);
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 62 * MIB), PTAUDIT_K_NONE);
	CHECK_EQ(FIND(PTAUDIT_PMD, A - 1), PTAUDIT_K_NONE);
	CHECK_EQ(FIND(PTAUDIT_PUD, A + 2 * GIB + 5), PTAUDIT_K_LEAF);
	CHECK_EQ(FIND(PTAUDIT_PUD, A + 3 * GIB), PTAUDIT_K_NONE);
	CHECK_EQ(FIND(PTAUDIT_PUD, A + 8 * GIB), PTAUDIT_K_UNWALKED);
	/* a PMD table of another GiB must not be found */
	CHECK_EQ(FIND(PTAUDIT_PMD, A + 5 * GIB), PTAUDIT_K_NONE);
	CHECK_EQ(FIND(PTAUDIT_PGD, LDT_4), PTAUDIT_K_CHILD);
	ptu_snapshot_deinit(&s);
}

/* The header */
BAD(less_than_a_header_is_refused, "too short: 127 bytes", a.nr_bytes = 127)
BAD(a_cut_answer_is_refused, "wrong size", a.nr_bytes -= 1)
BAD(an_answer_without_its_last_record_is_refused, "wrong size",
    a.nr_bytes -= 64)
BAD(trailing_bytes_are_refused, "wrong size", repeat(a.r); a.h->nr_records--)
BAD(a_number_of_records_that_wraps_is_refused, "wrong size",
    a.h->nr_records += UINT64_C(1) << 58)
BAD(an_answer_without_records_is_refused, "not even of the PGD",
    a.h->nr_records = 0;
    a.nr_bytes = 128)
BAD(unknown_header_flags_are_refused, "header", a.h->flags |= 2)
BAD(an_empty_range_is_refused, "header", a.h->range_start = a.h->range_end)
BAD(clocks_that_run_backwards_are_refused, "header",
    a.h->clock_before_ns = 6001)
BAD(a_walk_without_a_lock_is_refused, "header", a.h->lock_windows = 0)
REFUSED(another_magic_is_refused, -EPROTO, "not an answer", a.h->magic ^= 1)
REFUSED(another_abi_is_refused, -EPROTO, "uses ABI 2", a.h->abi = 2)
REFUSED(another_header_size_is_refused, -EPROTO, "ABI", a.h->header_size = 136)
REFUSED(another_record_size_is_refused, -EPROTO, "ABI", a.h->record_size = 72)

/* The fields of one record */
BAD(an_unknown_level_is_refused, "no such level",
    table(PTAUDIT_PTE, A)->level = PTAUDIT_NR_LEVELS)
BAD(a_folded_level_is_refused, "no such level",
    table(PTAUDIT_PUD, A)->level = PTAUDIT_P4D)
BAD(unknown_flags_are_refused, "unknown flags",
    table(PTAUDIT_PTE, A)->flags |= 0x20)
BAD(reserved_words_are_refused, "unknown flags",
    table(PTAUDIT_PTE, A)->reserved[2] = 1)
BAD(page_frame_0_is_refused, "page frame 0", table(PTAUDIT_PTE, A)->pfn = 0)
BAD(entry_513_is_refused, "more entries than a table has",
    table(PTAUDIT_PTE, A)->used = table(PTAUDIT_PTE, A)->present = 513)
BAD(an_unknown_type_is_refused, "neither a table nor a run",
    table(PTAUDIT_PTE, A)->type = 3)
BAD(a_table_with_a_kind_is_refused, "neither a table nor a run",
    table(PTAUDIT_PTE, A)->kind = PTAUDIT_K_CHILD)
BAD(a_wrong_sum_is_refused, "do not add up", table(PTAUDIT_PTE, A)->used--)
BAD(present_entries_of_an_upper_table_are_refused, "the level cannot have",
    table(PTAUDIT_PUD, A)->present++;
    table(PTAUDIT_PUD, A)->used++)
BAD(children_of_a_pte_table_are_refused, "the level cannot have",
    table(PTAUDIT_PTE, A)->children++;
    table(PTAUDIT_PTE, A)->present--)
BAD(leaves_of_a_pte_table_are_refused, "the level cannot have",
    table(PTAUDIT_PTE, A)->leaves++;
    table(PTAUDIT_PTE, A)->present--)
BAD(unwalked_ptes_are_refused, "the level cannot have",
    table(PTAUDIT_PTE, A)->unwalked++;
    table(PTAUDIT_PTE, A)->present--)
BAD(more_pfnmap_entries_than_entries_are_refused, "more entries in PFN",
    table(PTAUDIT_PTE, A + 2 * MIB)->pfnmap = 4)
BAD(deposits_with_a_pud_table_are_refused, "outside a PMD table",
    table(PTAUDIT_PUD, A)->deposited = 1)
BAD(deposits_with_a_pte_table_are_refused, "outside a PMD table",
    table(PTAUDIT_PTE, A)->deposited = 1)
BAD(sharers_of_a_pte_table_are_refused, "outside a PMD table",
    table(PTAUDIT_PTE, A)->sharers = 1)
BAD(deposit_513_is_refused, "more deposits",
    table(PTAUDIT_PMD, A)->deposited = 513)
REFUSED(deposit_512_is_taken_over, 0, "",
	table(PTAUDIT_PMD, A)->deposited = 512)
BAD(a_table_of_two_pages_is_refused, "wrong size",
    table(PTAUDIT_PTE, A)->pages = 2)
BAD(a_pgd_of_one_page_under_pti_is_refused, "wrong size",
    table(PTAUDIT_PGD, 0)->pages = 1)
BAD(a_pgd_of_two_pages_without_pti_is_refused, "wrong size", a.h->flags = 0)
BAD(a_table_that_starts_inside_another_is_refused, "inside another",
    table(PTAUDIT_PTE, A)->start += 4096)
BAD(a_whole_table_marked_partial_is_refused, "marked as partial",
    table(PTAUDIT_PTE, A)->flags |= PTAUDIT_T_PARTIAL)
BAD(a_part_not_marked_partial_is_refused, "marked as partial",
    a.h->range_end -= 2 * MIB)
BAD(a_table_with_the_flag_of_a_run_is_refused, "flags that the table",
    table(PTAUDIT_PMD, A)->flags |= PTAUDIT_T_PFNMAP)
BAD(a_hugetlb_pte_table_is_refused, "flags that the table",
    table(PTAUDIT_PTE, A)->flags |= PTAUDIT_T_HUGETLB)
BAD(sharers_outside_hugetlb_are_refused, "flags that the table",
    table(PTAUDIT_PMD, A)->sharers = 1)
BAD(an_ldt_in_the_user_half_is_refused, "marked as LDT",
    table(PTAUDIT_PTE, A)->flags |= PTAUDIT_T_LDT)
BAD(a_table_of_the_kernel_half_is_refused, "marked as LDT",
    table(PTAUDIT_PTE, LDT_4)->flags = 0)
BAD(an_ldt_without_pti_is_refused, "marked as LDT", a.h->flags = 0;
    a.r[0].pages = 1)

/* The fields of one run */
BAD(a_run_in_a_pte_table_is_refused, "a run of an unknown kind",
    run(PTAUDIT_PMD, A)->level = PTAUDIT_PTE)
BAD(a_run_without_a_kind_is_refused, "a run of an unknown kind",
    run(PTAUDIT_PMD, A)->kind = PTAUDIT_K_NONE)
BAD(a_run_of_an_unknown_kind_is_refused, "a run of an unknown kind",
    run(PTAUDIT_PMD, A)->kind = PTAUDIT_NR_KINDS)
BAD(an_empty_run_is_refused, "counts of a table", run(PTAUDIT_PMD, A)->used = 0)
BAD(a_run_with_sharers_is_refused, "counts of a table",
    run(PTAUDIT_PMD, A + GIB)->sharers = 1)
BAD(a_run_with_deposits_is_refused, "counts of a table",
    run(PTAUDIT_PMD, A)->deposited = 1)
BAD(a_run_with_pages_is_refused, "counts of a table",
    run(PTAUDIT_PMD, A)->pages = 1)
BAD(a_run_with_leaves_is_refused, "counts of a table",
    run(PTAUDIT_PMD, A)->leaves = 1)
BAD(a_run_with_pfnmap_entries_is_refused, "counts of a table",
    run(PTAUDIT_PMD, A)->pfnmap = 1)
BAD(a_run_that_was_moved_is_refused, "flags of a table",
    run(PTAUDIT_PMD, A + 16 * MIB)->flags = PTAUDIT_T_MOVED)
BAD(children_in_pfn_mappings_are_refused, "flags of a table",
    run(PTAUDIT_PMD, A)->flags = PTAUDIT_T_PFNMAP)
BAD(a_run_that_starts_inside_an_entry_is_refused, "inside an entry",
    run(PTAUDIT_PMD, A + 16 * MIB)->start += 4096)
BAD(a_run_that_leaves_its_table_is_refused, "extends beyond its table",
    run(PTAUDIT_PMD, A + 60 * MIB)->used = 483)
BAD(a_run_of_another_frame_is_refused, "has no record",
    run(PTAUDIT_PMD, A)->pfn++)
BAD(a_run_of_another_node_is_refused, "has no record",
    run(PTAUDIT_PMD, A)->node++)
BAD(a_run_between_the_halves_is_refused, "has no record",
    run(PTAUDIT_PGD, LDT_4)->start -= UINT64_C(1) << 48)
BAD(runs_that_overlap_are_refused, "runs that overlap",
    run(PTAUDIT_PMD, A + 16 * MIB)->used = 4)
BAD(a_run_in_two_pieces_is_refused, "split in two",
    struct ptaudit_table *r = repeat(run(PTAUDIT_PMD, A + 16 * MIB));
    (r - 1)->used = 2; r->used = 1; r->start += 4 * MIB)

/* Records among each other */
BAD(records_out_of_order_are_refused, "out of order",
    struct ptaudit_table *r = run(PTAUDIT_PMD, A + 16 * MIB), swap = r[0];
    r[0] = r[1]; r[1] = swap)
BAD(a_record_given_twice_is_refused, "out of order",
    repeat(table(PTAUDIT_PTE, A)))
BAD(a_second_pgd_is_refused, "out of order",
    struct ptaudit_table *r = repeat(a.r + a.h->nr_records - 1);
    *r = a.r[0])
BAD(an_answer_without_its_pgd_is_refused, "a run in a table that has no record",
    drop(a.r))
BAD(a_table_without_one_above_is_refused, "without a table above it", drop(a.r);
    drop(a.r))
BAD(a_run_behind_its_table_is_refused, "has no record",
    drop(table(PTAUDIT_PMD, A)))
BAD(a_child_without_a_record_is_refused, "has no record",
    drop(table(PTAUDIT_PTE, A + 2 * MIB)))
BAD(the_last_child_without_a_record_is_refused, "has no record",
    drop(table(PTAUDIT_PTE, LDT_4)))
BAD(a_record_without_an_entry_is_refused, "no entry points",
    repeat(table(PTAUDIT_PTE, A + 8 * MIB))->start += 2 * MIB)
BAD(a_table_under_a_leaf_is_refused, "no entry points",
    struct ptaudit_table *r = repeat(run(PTAUDIT_PMD, A + 16 * MIB));
    *r = *table(PTAUDIT_PTE, A); r->start = A + 16 * MIB)
BAD(a_table_one_entry_further_is_refused, "under another entry",
    table(PTAUDIT_PTE, A + 8 * MIB)->start += 2 * MIB)
BAD(a_missing_run_is_refused, "do not add up to its counts",
    drop(run(PTAUDIT_PMD, A + 16 * MIB)))
BAD(a_run_of_another_kind_is_refused, "do not add up to its counts",
    run(PTAUDIT_PMD, A + 60 * MIB)->kind = PTAUDIT_K_SWAP)
BAD(a_run_cut_by_one_is_refused, "do not add up to its counts",
    run(PTAUDIT_PMD, A + 16 * MIB)->used = 2)
BAD(a_leaf_whose_pfn_mapping_is_not_counted_is_refused,
    "do not add up to its counts", table(PTAUDIT_PMD, A)->pfnmap = 0)
REFUSED(a_page_frame_that_is_two_tables_is_unstable, -EAGAIN,
	"held two tables within one walk",
	table(PTAUDIT_PTE, A)->pfn = table(PTAUDIT_PTE, LDT_4)->pfn)
REFUSED(a_frame_of_which_only_the_later_table_is_shared_is_unstable, -EAGAIN,
	"held two tables within one walk",
	table(PTAUDIT_PTE, A)->pfn = table(PTAUDIT_PMD, A + GIB)->pfn)
REFUSED(a_frame_of_which_only_the_earlier_table_is_shared_is_unstable, -EAGAIN,
	"held two tables within one walk",
	table(PTAUDIT_PTE, LDT_4)->pfn = table(PTAUDIT_PMD, A + GIB)->pfn)

/* A process that maps a hugetlb file twice shares the table with itself. */
UNIT_TEST(a_shared_table_may_come_twice)
{
	struct ptaudit_table *first, *second;

	tear_down();
	build_init(&a.b, 4, false);
	first = build_entries(&a.b, PTAUDIT_PMD, A, 2, PTAUDIT_K_LEAF, 0);
	second = build_entries(&a.b, PTAUDIT_PMD, A + 4 * GIB, 2,
			       PTAUDIT_K_LEAF, 0);
	first->flags = second->flags = PTAUDIT_T_HUGETLB;
	first->sharers = second->sharers = 1;
	second->pfn = first->pfn;
	a.bytes = build_image(&a.b, &a.nr_bytes);
	CHECK_EQ(parse(""), 0);
}

/* Page frames that are far apart, so that some meet in the check's table of frames. */
UNIT_TEST(each_of_many_tables_has_a_page_frame_of_its_own)
{
	struct ptaudit_table *pte[BUILD_ENTRIES];
	uint64_t pfn = 4711;
	unsigned int round, i;

	tear_down();
	build_init(&a.b, 4, false);
	for (i = 0; i < BUILD_ENTRIES; i++)
		pte[i] = build_pte(&a.b, A + i * 2 * MIB, 1);
	for (round = 0; round < 100; round++) {
		/* the powers of a primitive root of this prime are all different */
		for (i = 0; i < BUILD_ENTRIES; i++)
			pte[i]->pfn = pfn = pfn * 16807 % 2147483647;
		a.bytes = build_image(&a.b, &a.nr_bytes);
		CHECK_EQ(parse(""), 0);
		free(a.bytes);
		pte[round + 1]->pfn = pte[4 * round + 2]->pfn;
		a.bytes = build_image(&a.b, &a.nr_bytes);
		CHECK_EQ(parse("held two tables"), -EAGAIN);
		free(a.bytes);
	}
	a.bytes = NULL;
}

UNIT_MAIN_WITH(set_up, tear_down)
