// SPDX-License-Identifier: GPL-2.0-only
/* Which processes of two moments belong together, and what changed between them. */
#include "measure/change.c"

#include "support/build.h"
#include "support/unit.h"

#define A UINT64_C(0x7f0000000000)

static struct ptu_state befores[4], afters[4];
static struct ptu_moment before, after;
static struct ptu_change_report report;
static struct ptu_err err;

static void set_up(void)
{
	memset(befores, 0, sizeof(befores));
	memset(afters, 0, sizeof(afters));
	before = (struct ptu_moment){ .boot_id = "boot", .states = befores };
	after = (struct ptu_moment){ .boot_id = "boot", .states = afters };
	report = (struct ptu_change_report){ 0 };
	err.text[0] = '\0';
}

static void tear_down(void)
{
	for (size_t i = 0; i < 4; i++) {
		ptu_tables_deinit(&befores[i].view.tables);
		ptu_tables_deinit(&afters[i].view.tables);
	}
	ptu_change_report_deinit(&report);
}

/* A process with a PTE table, and the tables above it. */
static void add(struct ptu_moment *moment, pid_t pid, const char *comm,
		uint64_t vmpte_bytes)
{
	struct ptu_state *state = &moment->states[moment->nr++];

	state->pid = pid;
	state->start_time = 1000 + (uint64_t)pid;
	strcpy(state->comm, comm);
	state->vmpte_bytes = vmpte_bytes;
	build_claim(&state->view.tables, &four_levels, PTAUDIT_PTE, A,
		    PTU_CERTAIN);
}

UNIT_TEST(processes_are_matched_by_pid_and_sorted)
{
	static const struct {
		pid_t pid;
		const char *comm;
		bool in_before, in_after;
		uint64_t vmpte_before, vmpte_after;
	} expected[] = {
		{ 1, "a", true, false, 4096, 0 },
		{ 2, "b", false, true, 0, 8192 },
		{ 3, "new", true, true, 12288, 16384 },
		{ 5, "d", true, false, 20480, 0 },
		{ 7, "e", true, true, 24576, 28672 },
		{ 8, "f", false, true, 0, 32768 },
	};

	add(&before, 1, "a", 4096);
	add(&after, 2, "b", 8192);
	add(&before, 3, "old", 12288);
	add(&after, 3, "new", 16384);
	add(&before, 5, "d", 20480);
	add(&before, 7, "e", 24576);
	add(&after, 7, "e", 28672);
	/* the first moment has no more */
	add(&after, 8, "f", 32768);
	CHECK_EQ(ptu_moment_compare(&before, &after, &four_levels, &report,
				    &err),
		 0);
	CHECK_EQ(report.nr_processes, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct ptu_changed *p = &report.processes[i];

		CHECK_EQ(p->pid, expected[i].pid);
		CHECK_STR(p->comm, expected[i].comm);
		CHECK_EQ(p->in_before, expected[i].in_before);
		CHECK_EQ(p->in_after, expected[i].in_after);
		CHECK_EQ(p->vmpte_before, expected[i].vmpte_before);
		CHECK_EQ(p->vmpte_after, expected[i].vmpte_after);
		CHECK_EQ(p->growth.before[PTAUDIT_PTE], expected[i].in_before);
		CHECK_EQ(p->growth.after[PTAUDIT_PTE], expected[i].in_after);
	}
}

UNIT_TEST(tables_of_the_same_process_came_and_went)
{
	const struct ptu_growth *growth;

	add(&before, 3, "x", 4096);
	build_claim(&befores[0].view.tables, &four_levels, PTAUDIT_PTE,
		    A + 2 * MIB, PTU_CERTAIN);
	build_claim(&befores[0].view.tables, &four_levels, PTAUDIT_PTE,
		    A + 4 * MIB, PTU_CERTAIN);
	add(&after, 3, "x", 8192);
	build_claim(&afters[0].view.tables, &four_levels, PTAUDIT_PTE,
		    A + 6 * MIB, PTU_CERTAIN);
	CHECK_EQ(ptu_moment_compare(&before, &after, &four_levels, &report,
				    &err),
		 0);
	growth = &report.processes[0].growth;
	CHECK_EQ(growth->before[PTAUDIT_PTE], 3);
	CHECK_EQ(growth->after[PTAUDIT_PTE], 2);
	CHECK_EQ(growth->came[PTAUDIT_PTE], 1);
	CHECK_EQ(growth->went[PTAUDIT_PTE], 2);
	CHECK_EQ(growth->came[PTAUDIT_PMD] + growth->went[PTAUDIT_PMD], 0);
}

UNIT_TEST(reused_pid_is_not_compared)
{
	add(&before, 3, "x", 4096);
	add(&after, 3, "x", 4096);
	afters[0].start_time++;
	CHECK_EQ(ptu_moment_compare(&before, &after, &four_levels, &report,
				    &err),
		 -ESTALE);
	CHECK_EQ(report.nr_processes, 0);
	CHECK_STR(err.text,
		  "process 3 is not the same process on both sides: its addresses cannot be compared");
}

UNIT_TEST(process_of_another_boot_is_not_compared)
{
	add(&before, 3, "x", 4096);
	add(&after, 3, "x", 4096);
	strcpy(after.boot_id, "next");
	CHECK_EQ(ptu_moment_compare(&before, &after, &four_levels, &report,
				    &err),
		 -ESTALE);
}

UNIT_MAIN_WITH(set_up, tear_down)
