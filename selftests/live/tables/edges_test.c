// SPDX-License-Identifier: GPL-2.0-only
/*
 * Layouts at the ends of the address space, above 47 bits, and outside the user half
 * (the LDT under KPTI), which requests for a range leave out.
 */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixtures/layout.h"

/*
 * The layouts at the end of 47 bits need the last 2 MiB for themselves.  The stack lies there
 * once in 8192 runs.  In that case the program executes itself again.  The environment and, up
 * to 6.1, the vDSO lie in the 128 KiB above the arguments.
 */
__attribute__((constructor)) static void keep_stack_away(int argc, char *argv[])
{
	static const char again[] = "PTAUDIT_STACK_MOVED";

	if ((uint64_t)argv <= (1UL << 47) - HUGE - 128 * KIB || getenv(again))
		return;
	setenv(again, "1", 1);
	execv("/proc/self/exe", argv);
}

static const char *needs_4_levels(const struct shape *s)
{
	return live_system()->levels == 4 ? NULL : "4 levels";
}

static const char *needs_5_levels(const struct shape *s)
{
	return live_system()->levels == 5 ? NULL : "5 levels";
}

static pid_t build_pages(const struct shape *s)
{
	live_map_small(s->start, s->bytes);
	live_touch(s->start, s->start + s->bytes);
	return 0;
}

static pid_t build_lowest(const struct shape *s)
{
	live_must(live_set("/proc/sys/vm/mmap_min_addr", "0"));
	return build_pages(s);
}

LAYOUT(address_zero, build_lowest, expect_dense,
       SHAPE(.start = 0, .bytes = HUGE + PAGE), .region_start = 0,
       .region_end = 512 * GIB);

LAYOUT(last_page_of_4_levels, build_pages, expect_dense,
       SHAPE(.start = TOP_4_LEVELS - PAGE, .bytes = PAGE),
       .region_start = (1UL << 47) - HUGE, .region_end = 1UL << 47);

LAYOUT(last_page_of_5_levels, build_pages, expect_dense,
       SHAPE(.start = TOP_5_LEVELS - PAGE, .bytes = PAGE),
       .region_start = (1UL << 56) - (1UL << 48), .region_end = 1UL << 56,
       .missing = needs_5_levels);

/* Around the first address that does not exist with 4 levels. */
LAYOUT(above_47_bits, build_pages, expect_dense,
       SHAPE(.start = 1UL << 47, .bytes = 2 * HUGE), .region_start = 1UL << 47,
       .region_end = 1UL << 48, .missing = needs_5_levels);

/* The page below is the last one that mmap() gives without a hint above 47 bits. */
LAYOUT(across_47_bits, build_pages, expect_dense,
       SHAPE(.start = (1UL << 47) - 5 * PAGE, .bytes = 9 * PAGE),
       .region_start = (1UL << 47) - HUGE, .region_end = 1UL << 48,
       .missing = needs_5_levels);

LAYOUT(across_p4d_tables, build_pages, expect_dense,
       SHAPE(.start = (2UL << 48) - 5 * PAGE, .bytes = 8 * PAGE),
       .region_start = 1UL << 48, .region_end = 3UL << 48,
       .missing = needs_5_levels);

/* The neighbour keeps tables of all levels alive, up to the P4D table. */
static pid_t build_neighbour(const struct shape *s)
{
	build_pages(s);
	live_map(s->start + s->stride, PAGE, 0);
	live_must(munmap((void *)s->start, s->bytes));
	return 0;
}

static void expect_hollow_p4d(struct expect *e, const struct shape *s)
{
	expect_table(e, PTAUDIT_P4D, s->start);
	e->empty[PTAUDIT_P4D] = 1;
}

LAYOUT(neighbour_keeps_p4d_table, build_neighbour, expect_hollow_p4d,
       SHAPE(.start = 5UL << 48, .bytes = PAGE, .stride = 3 * TIB),
       .region_start = 5UL << 48, .region_end = 6UL << 48,
       .missing = needs_5_levels);

/*
 * The address at which KPTI maps the LDT.  Source: LDT_BASE_ADDR,
 * arch/x86/include/asm/pgtable_64_types.h, 5.10 to 7.2.
 */
#define LDT_4_LEVELS (-240UL << 39)
#define LDT_5_LEVELS (-240UL << 48)

static const char *needs_pti(const struct shape *s)
{
	unsigned int levels = s->start == LDT_5_LEVELS ? 5 : 4;

	if (!live_system()->pti)
		return "KPTI";
	return levels == 5 ? needs_5_levels(s) : needs_4_levels(s);
}

/* Call modify_ldt() .nr times: the kernel maps each new LDT beside the old one. */
static pid_t build_ldt(const struct shape *s)
{
	struct user_desc desc = {
		.entry_number = 0, .base_addr = 0, .limit = 1, .seg_32bit = 1
	};

	for (unsigned int i = 0; i < s->nr; i++) {
		desc.entry_number = i;
		live_must(syscall(SYS_modify_ldt, 1, &desc, sizeof(desc)));
	}
	return 0;
}

static void expect_ldt(struct expect *e, const struct shape *s)
{
	e->flags = PTAUDIT_T_LDT;
	expect_pages(e, s->start, s->start + PAGE);
}

LAYOUT(ldt_under_kpti_4_levels, build_ldt, expect_ldt,
       SHAPE(.start = LDT_4_LEVELS, .nr = 1), .region_start = LDT_4_LEVELS,
       .region_end = LDT_4_LEVELS + 512 * GIB, .missing = needs_pti);

LAYOUT(ldt_under_kpti_5_levels, build_ldt, expect_ldt,
       SHAPE(.start = LDT_5_LEVELS, .nr = 2), .region_start = LDT_5_LEVELS,
       .region_end = LDT_5_LEVELS + 256 * TIB, .missing = needs_pti);

/* The LDT, and pages in the user half. */
static pid_t build_beside_ldt(const struct shape *s)
{
	build_pages(s);
	return build_ldt(s);
}

static const struct shape beside_ldt = { .start = FAR,
					 .bytes = 2 * HUGE,
					 .nr = 1 };

FIXTURE(ldt)
{
	struct target target;
	bool skipped;
	int fd;
};

FIXTURE_VARIANT(ldt)
{
	const char *path;
};

FIXTURE_VARIANT_ADD(ldt, tables){
	.path = LIVE_DEBUGFS "tables",
};

FIXTURE_VARIANT_ADD(ldt, orphans){
	.path = LIVE_DEBUGFS "orphans",
};

FIXTURE_SETUP(ldt)
{
	SKIP_WITHOUT(live_system()->pti ? NULL : "KPTI");
	ASSERT_EQ(0, live_check_environment());
	ASSERT_EQ(0,
		  target_start(&self->target, build_beside_ldt, &beside_ldt));
	self->fd = open(variant->path, O_RDWR);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(ldt)
{
	target_stop(&self->target);
}

static size_t nr_of_ldt(const struct answer *answer)
{
	size_t nr = 0;

	for (size_t i = 0; i < answer->nr_records; i++)
		nr += !!(answer->records[i].flags & PTAUDIT_T_LDT);
	return nr;
}

/* Count table and run records in the kernel half, which no range can reach. */
static size_t nr_in_kernel_half(const struct answer *answer)
{
	size_t nr = 0;

	for (size_t i = 0; i < answer->nr_records; i++)
		nr += answer->records[i].start >> 63;
	return nr;
}

TEST_F(ldt, answer_of_a_range_has_no_ldt)
{
	struct answer answer;
	char request[LIVE_REQUEST];

	if (self->skipped)
		return;
	/* A request for the whole process shows the LDT's tables. */
	ASSERT_EQ(0, live_request_pid(self->fd, self->target.pid));
	ASSERT_EQ(0, live_answer(self->fd, &answer));
	ASSERT_LT(0, nr_of_ldt(&answer));
	ASSERT_LT(0, nr_in_kernel_half(&answer));
	live_answer_deinit(&answer);

	live_make_request(request, self->target.pid, FAR, FAR + GIB);
	ASSERT_EQ(0, live_request(self->fd, request));
	ASSERT_EQ(0, live_answer(self->fd, &answer));
	EXPECT_EQ(2, live_nr_tables(&answer, PTAUDIT_PTE, FAR, FAR + GIB));
	EXPECT_EQ(0, nr_of_ldt(&answer));
	EXPECT_EQ(0, nr_in_kernel_half(&answer));
	/* The PGD is the first record; one of its entries is in the range. */
	EXPECT_EQ(PTAUDIT_PGD, answer.records[0].level);
	EXPECT_EQ(1, answer.records[0].used);
	EXPECT_EQ(0, live_check_records(&answer));
	live_answer_deinit(&answer);
}

TEST_HARNESS_MAIN
