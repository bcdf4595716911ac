// SPDX-License-Identifier: GPL-2.0-only
/* What `system` adds up on a machine that the test defines. */
#include "measure/fake_system.h"

#include "measure/system.c"

#include <inttypes.h>

#include "support/unit.h"

static struct ptu_system_report report;
static struct ptu_err err;
static bool is_measured;
static const struct ptu_watcher *watcher;

/* Make the page frames of tables visible as tables. */
static void flag(const struct fake_frame *frames)
{
	size_t i, k;

	for (i = 0; i < MOST_TABLES && frames[i].pages; i++)
		for (k = 0; k < frames[i].pages; k++)
			machine.flags[frames[i].pfn + k] = PTU_KPF_PGTABLE;
}

/*
 * The machine has three processes with 4, 2 and 3 tables; the second one is ptaudit itself.
 * Two further tables are deposited, and two belong to the kernel half.  A kernel thread has
 * no tables.
 */
static void set_up(void)
{
	memset(&machine, 0, sizeof(machine));
	machine.geo = four_levels;
	machine.which = PTU_SIDE_MODULE;
	machine.procs[0] = (struct fake_proc){
		.pid = 10,
		.tables = { { PTAUDIT_PGD, 1, 1, 0 },
			    { PTAUDIT_PUD, 2, 1, 0 },
			    { PTAUDIT_PMD, 3, 1, 2 },
			    { PTAUDIT_PTE, 4, 1, 0 } },
		.vmpte_bytes = 5 * PAGE,
		.cgroup = "/a",
	};
	machine.procs[1] = (struct fake_proc){ .pid = 11, .kthread = true };
	machine.procs[2] = (struct fake_proc){
		.pid = SELF,
		.tables = { { PTAUDIT_PGD, 8, 1, 0 },
			    { PTAUDIT_PMD, 9, 1, 0 } },
		.vmpte_bytes = PAGE,
		.cgroup = "/b",
	};
	machine.procs[3] = (struct fake_proc){
		.pid = 120,
		.tables = { { PTAUDIT_PGD, 5, 1, 0 },
			    { PTAUDIT_PMD, 6, 1, 0 },
			    { PTAUDIT_PTE, 7, 1, 0 } },
		.vmpte_bytes = 2 * PAGE,
		.cgroup = "/a/below",
	};
	machine.kernel[0] = (struct fake_frame){ PTAUDIT_PUD, 20, 1, 0 };
	machine.kernel[1] = (struct fake_frame){ PTAUDIT_PTE, 21, 1, 0 };
	machine.counter[0] = 4 + 2 + 3 + 2 + 2;
	flag(machine.procs[0].tables);
	flag(machine.procs[2].tables);
	flag(machine.procs[3].tables);
	flag(machine.kernel);
	err.text[0] = '\0';
}

static void tear_down(void)
{
	if (is_measured)
		ptu_system_report_deinit(&report);
	is_measured = false;
}

static int measure_by(enum ptu_side_choice choice)
{
	int error;

	tear_down();
	error = ptu_measure_system(choice, watcher, &report, &err);
	is_measured = !error;
	if (machine.nr_open || machine.nr_sides || machine.nr_kcores)
		UNIT_FAIL("something is still open");
	return error;
}

static int measure(void)
{
	return measure_by(PTU_SIDE_AUTO);
}

/* The sum of all levels of processes, in pages. */
static uint64_t in_trees(void)
{
	uint64_t bytes = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		bytes += report.parts[level];
	return bytes / PAGE;
}

#define PART(part) (report.parts[part] / PAGE)

UNIT_TEST(all_parts_add_up)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(ptu_system_remainder(&report), 0);
	CHECK_EQ(report.pagetables_bytes, 13 * PAGE);
	CHECK_EQ(PART(PTAUDIT_PGD), 3);
	CHECK_EQ(PART(PTAUDIT_PUD), 1);
	CHECK_EQ(PART(PTAUDIT_PMD), 3);
	CHECK_EQ(PART(PTAUDIT_PTE), 2);
	CHECK_EQ(PART(PTU_SYSTEM_DEPOSITED), 2);
	CHECK_EQ(PART(PTU_SYSTEM_KERNEL), 2);
	CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 0);
	CHECK_EQ(report.flagged_bytes, 11 * PAGE);
	CHECK_EQ(report.nr_mms, 3);
	CHECK_EQ(report.nr_kthreads, 1);
	CHECK_EQ(report.nr_gone + report.nr_sharing + report.nr_unwalked, 0);
	CHECK_EQ(report.nr_tries, 1);
	CHECK_EQ(machine.nr_pauses, 0);
	CHECK(report.held_still && report.has_refresh && report.has_flags);
	CHECK(report.has_kernel && report.has_no_process && !report.hides);
	CHECK_EQ(report.source, PTU_SYSTEM_BY_MODULE);
	CHECK_EQ(machine.nr_alone, 1);
	CHECK_STR(report.boot_id, "boot");
	CHECK_STR(report.host.release, "7.2.0");
	CHECK_STR(report.source_note, "");
	CHECK_STR(report.flags_note, "");
	CHECK_STR(report.kernel_note, "");
}

UNIT_TEST(this_process_is_measured_last)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(machine.nr_order, 4);
	CHECK_EQ(machine.order[0], 10);
	CHECK_EQ(machine.order[2], 120);
	CHECK_EQ(machine.order[3], SELF);
}

UNIT_TEST(bpf_is_named)
{
	machine.which = PTU_SIDE_BPF;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.source, PTU_SYSTEM_BY_BPF);
}

UNIT_TEST(without_module_and_bpf_vmpte_is_used)
{
	machine.side = -EPERM;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.source, PTU_SYSTEM_BY_VMPTE);
	CHECK_STR(report.source_note, "no side");
	CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 5 + 1 + 2);
	CHECK_EQ(in_trees(), 0);
	CHECK_EQ(report.nr_unwalked, 3);
	CHECK_EQ(report.nr_mms, 3);
	/* 13 - 8 - 2 pages, which no walk can explain */
	CHECK_EQ(ptu_system_remainder(&report), 3 * PAGE);
	CHECK(report.has_kernel && !report.has_no_process);
}

/* The process with the PID of this one is another process. */
UNIT_TEST(a_recording_is_read_once_and_by_vmpte)
{
	machine.is_recording = true;
	machine.counter[1] = 20;
	machine.nodes[0] = (struct ptu_pagetables_node){ 0, PAGE };
	machine.cgroups[0] = (struct ptu_pagetables_cgroup){ "/", 0, PAGE };
	/* the second process would share the address space of the first one */
	machine.procs[3].first = 10;
	CHECK_EQ(measure(), 0);
	CHECK(report.is_recording && !report.held_still);
	CHECK_EQ(report.source, PTU_SYSTEM_BY_VMPTE);
	CHECK_EQ(report.pagetables_bytes, 20 * PAGE);
	CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 5 + 1 + 2);
	CHECK_EQ(ptu_system_accounted(&report), 8 * PAGE);
	CHECK_EQ(report.nr_mms, 3);
	CHECK_EQ(report.nr_sharing, 0);
	CHECK_EQ(report.nr_tries, 1);
	CHECK(!report.has_flags && !report.has_kernel);
	CHECK_EQ(report.nr_nodes + report.nr_cgroups, 0);
	CHECK_EQ(machine.nr_order, 4);
}

UNIT_TEST(a_recording_without_a_change_held_still)
{
	machine.is_recording = true;
	CHECK_EQ(measure(), 0);
	CHECK(report.held_still);
	machine.counting = -ENOENT;
	CHECK_EQ(measure(), -ENOENT);
	CHECK_STR(err.text, "no counter");
}

UNIT_TEST(a_chosen_side_must_be_available)
{
	machine.side = -EPERM;
	CHECK_EQ(measure_by(PTU_SIDE_MODULE), -EPERM);
	CHECK_STR(err.text, "no side");
}

UNIT_TEST(without_flags_walks_cannot_tell_what_is_counted)
{
	machine.flags_error = -EPERM;
	CHECK_EQ(measure(), 0);
	CHECK(!report.has_flags && !report.has_kernel);
	CHECK_STR(report.flags_note, "no flags");
	CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 8);
	CHECK_EQ(PART(PTU_SYSTEM_KERNEL), 0);
	machine.flags_error = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_STR(err.text, "no memory for the page frames");
}

UNIT_TEST(a_walk_is_tried_three_times)
{
	struct fake_proc *proc = &machine.procs[0];

	proc->walks[0] = -EAGAIN;
	proc->walks[1] = -ESTALE;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(proc->nr_walks, 3);
	/* after -ESTALE, another thread is read */
	CHECK_EQ(machine.nr_reopened, 1);
	CHECK_EQ(report.nr_unwalked, 0);
	CHECK_EQ(ptu_system_remainder(&report), 0);
}

UNIT_TEST(a_process_that_cannot_be_walked_counts_by_vmpte)
{
	static const int errors[][3] = { { -EPERM },
					 { -EAGAIN, -EAGAIN, -EAGAIN },
					 { -EAGAIN, -EBADMSG } };
	static const unsigned int walks[] = { 1, 3, 2 };

	for (unsigned int i = 0; i < 3; i++) {
		set_up();
		memcpy(machine.procs[3].walks, errors[i], sizeof(errors[i]));
		/* the PGD is in no part then, as VmPTE does not contain it */
		machine.counter[0]--;
		CHECK_EQ(measure(), 0);
		CHECK_EQ(machine.procs[3].nr_walks, walks[i]);
		CHECK_EQ(report.nr_unwalked, 1);
		CHECK_EQ(report.nr_mms, 3);
		CHECK_EQ(report.nr_gone, 0);
		CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 2);
		CHECK_EQ(in_trees(), 6);
		CHECK_EQ(ptu_system_remainder(&report), 0);
		CHECK(report.has_kernel && !report.has_no_process);
	}
}

UNIT_TEST(an_ended_process_is_gone)
{
	static const int errors[] = { -ESRCH, -EINVAL };

	for (unsigned int i = 0; i < 2; i++) {
		set_up();
		machine.procs[3].walks[0] = errors[i];
		machine.counter[0] -= 3;
		CHECK_EQ(measure(), 0);
		CHECK_EQ(report.nr_gone, 1);
		CHECK_EQ(report.nr_mms, 2);
		CHECK_EQ(report.nr_unwalked, 0);
		CHECK_EQ(ptu_system_remainder(&report), 0);
	}
	set_up();
	machine.procs[3].opening = -ESRCH;
	machine.counter[0] -= 3;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_gone, 1);
	CHECK_EQ(report.nr_mms, 2);
	set_up();
	machine.procs[3].walks[0] = -EPERM;
	machine.procs[3].lacks_mm = true;
	machine.counter[0] -= 3;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_gone, 1);
	CHECK_EQ(report.nr_unwalked, 0);
}

UNIT_TEST(lack_of_memory_or_descriptors_ends_the_measurement)
{
	machine.procs[3].opening = -EMFILE;
	CHECK_EQ(measure(), -EMFILE);
	CHECK_STR(err.text, "cannot read all processes: Too many open files");
	set_up();
	machine.procs[3].walks[0] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	set_up();
	machine.side = -EPERM;
	machine.procs[0].status = -ENFILE;
	CHECK_EQ(measure(), -ENFILE);
	set_up();
	machine.side = -EPERM;
	machine.procs[0].space = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
}

UNIT_TEST(processes_with_one_mm_count_once)
{
	/* a walk recognizes it by the PGD */
	memcpy(machine.procs[3].tables, machine.procs[0].tables,
	       sizeof(machine.procs[0].tables));
	machine.counter[0] -= 3;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_mms, 2);
	CHECK_EQ(report.nr_sharing, 1);
	CHECK_EQ(ptu_system_remainder(&report), 0);
	/* without a walk, kcmp() does */
	machine.side = -EPERM;
	machine.procs[3].first = 10;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_mms, 2);
	CHECK_EQ(report.nr_sharing, 1);
	CHECK_EQ(report.nr_uncompared, 0);
	CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 6);
	/* without permission for kcmp(), each counts */
	machine.procs[3].space = -EPERM;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_mms, 3);
	CHECK_EQ(report.nr_uncompared, 1);
	CHECK_EQ(PART(PTU_SYSTEM_VMPTE), 8);
	machine.procs[3].space = -ESTALE;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_mms, 2);
	CHECK_EQ(report.nr_gone, 1);
}

UNIT_TEST(mms_without_a_process_are_found_by_their_pgd)
{
	machine.mms[0] = (struct fake_mm){ .pfn = 1, .mm = 500 };
	machine.mms[1] = (struct fake_mm){
		.pfn = 30,
		.mm = 501,
		.tables = { { PTAUDIT_PUD, 38, 1, 0 },
			    { PTAUDIT_PMD, 32, 1, 0 } },
	};
	machine.mms[2] = (struct fake_mm){
		.pfn = 33,
		.mm = 502,
		.tables = { { PTAUDIT_PUD, 35, 1, 0 },
			    { PTAUDIT_PMD, 36, 1, 0 },
			    { PTAUDIT_PTE, 37, 1, 0 } },
	};
	/* under page-table isolation a PGD has two pages */
	machine.geo.pti = true;
	machine.flags[30] = machine.flags[31] = PTU_KPF_PGTABLE;
	flag(machine.mms[1].tables);
	/* its PGD is not counted */
	flag(machine.mms[2].tables);
	machine.text_poke = 502;
	machine.counter[0] += 4 + 3;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(PART(PTU_SYSTEM_NO_PROCESS), 4);
	CHECK_EQ(PART(PTU_SYSTEM_TEXT_POKE), 3);
	CHECK_EQ(ptu_system_remainder(&report), 0);
	/* if a process is unknown, its PGD would look like one without a process */
	machine.hides = "it hides";
	CHECK_EQ(measure(), 0);
	CHECK_EQ(PART(PTU_SYSTEM_NO_PROCESS), 0);
	CHECK_EQ(PART(PTU_SYSTEM_TEXT_POKE), 3);
	CHECK(report.has_kernel && !report.has_no_process);
	machine.text_poke = 0;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(PART(PTU_SYSTEM_TEXT_POKE), 0);
	machine.geo.pti = false;
	machine.hides = NULL;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(PART(PTU_SYSTEM_NO_PROCESS), 3 + 3);
}

UNIT_TEST(the_kernel_half_can_be_unreadable)
{
	machine.kcore = -EPERM;
	CHECK_EQ(measure(), 0);
	CHECK(!report.has_kernel && !report.has_no_process);
	CHECK_STR(report.kernel_note, "no kcore");
	CHECK_EQ(ptu_system_remainder(&report), 2 * PAGE);
	/* without the kernel's tables, two equal remainders are enough */
	CHECK_EQ(report.nr_tries, 2);
	set_up();
	machine.pgds = -EAGAIN;
	CHECK_EQ(measure(), 0);
	CHECK(!report.has_kernel && !report.has_no_process);
	CHECK_STR(report.kernel_note,
		  "the kernel's own tables could not be followed in /proc/kcore: Resource temporarily unavailable");
	set_up();
	machine.pgds = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_STR(err.text, "no memory for the kernel's tables");
	set_up();
	machine.geo.arch = PTU_ARM64;
	CHECK_EQ(measure(), 0);
	CHECK_STR(report.kernel_note,
		  "ptaudit can follow the kernel's own page tables only on x86-64");
}

UNIT_TEST(a_later_measurement_replaces_what_failed)
{
	machine.kernel_half[0] = -EFAULT;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_tries, 2);
	CHECK_EQ(machine.nr_pauses, 1);
	CHECK(report.has_kernel && report.has_no_process);
	CHECK_STR(report.kernel_note, "");
	CHECK_EQ(PART(PTU_SYSTEM_KERNEL), 2);
	CHECK_EQ(PART(PTAUDIT_PGD), 3);
	CHECK_EQ(report.nr_mms, 3);
	CHECK_EQ(ptu_system_remainder(&report), 0);
}

UNIT_TEST(a_change_of_the_counter_needs_another_measurement)
{
	machine.counter[0] = 12;
	machine.counter[1] = machine.counter[2] = 13;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_tries, 2);
	CHECK(report.held_still);
	CHECK_EQ(machine.nr_pauses, 1);
	set_up();
	machine.counter[1] = 14;
	machine.counter[2] = 15;
	machine.counter[3] = 16;
	machine.counter[4] = 17;
	machine.counter[5] = 18;
	machine.counter[6] = 19;
	machine.counter[7] = 20;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_tries, 4);
	CHECK(!report.held_still);
	CHECK_EQ(report.pagetables_bytes, 20 * PAGE);
}

UNIT_TEST(remainders_that_always_differ_end_after_twelve_measurements)
{
	for (unsigned int i = 0; i < 32; i++)
		machine.counter[i] = 20 + i / 2;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_tries, 12);
	CHECK_EQ(machine.nr_pauses, 11);
}

UNIT_TEST(both_refreshes_must_succeed)
{
	for (unsigned int i = 1; i <= 2; i++) {
		set_up();
		machine.refuses_refresh = i;
		CHECK_EQ(measure(), 0);
		CHECK(!report.has_refresh);
		CHECK_EQ(machine.nr_refreshes, 2);
	}
}

UNIT_TEST(nodes_have_the_flagged_frames_of_their_spans)
{
	machine.nodes[0] = (struct ptu_pagetables_node){ 0, 9 * PAGE };
	machine.nodes[1] = (struct ptu_pagetables_node){ 2, 4 * PAGE };
	machine.spans[0] = (struct ptu_node_span){ 0, 8, 0 };
	machine.spans[1] = (struct ptu_node_span){ 8, NR_FRAMES, 2 };
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_nodes, 2);
	CHECK_EQ(report.nodes[0].node, 0);
	CHECK_EQ(report.nodes[0].pagetables_bytes, 9 * PAGE);
	CHECK_EQ(report.nodes[0].flagged_bytes, 7 * PAGE);
	CHECK_EQ(report.nodes[1].node, 2);
	CHECK_EQ(report.nodes[1].flagged_bytes, 4 * PAGE);
	machine.finding_spans = -EIO;
	CHECK_EQ(measure(), -EIO);
	CHECK_STR(err.text, "no spans");
	/* without nodes, their spans are not needed */
	machine.nodes[0].bytes = 0;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_nodes, 0);
	machine.naming_nodes = -EIO;
	err.text[0] = '\0';
	CHECK_EQ(measure(), -EIO);
	CHECK_STR(err.text, "no nodes");
}

UNIT_TEST(cgroups_have_the_tables_of_their_processes)
{
	machine.cgroups[0] = (struct ptu_pagetables_cgroup){ (char *)"/", 0,
							     1 };
	machine.cgroups[1] = (struct ptu_pagetables_cgroup){ (char *)"/a", 1,
							     8 * PAGE };
	machine.cgroups[2] = (struct ptu_pagetables_cgroup){ (char *)"/a/below",
							     2, 3 * PAGE };
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_cgroups, 3);
	CHECK_STR(report.cgroups[0].path, "/");
	CHECK_EQ(report.cgroups[0].pagetables_bytes, 1);
	/* the processes have 4 tables and 2 deposited ones, 3 tables, and 2 tables */
	CHECK_EQ(report.cgroups[0].processes_bytes, 11 * PAGE);
	CHECK_STR(report.cgroups[1].path, "/a");
	CHECK_EQ(report.cgroups[1].depth, 1);
	CHECK_EQ(report.cgroups[1].pagetables_bytes, 8 * PAGE);
	CHECK_EQ(report.cgroups[1].processes_bytes, 9 * PAGE);
	CHECK_EQ(report.cgroups[2].depth, 2);
	CHECK_EQ(report.cgroups[2].processes_bytes, 3 * PAGE);
	/* a process whose cgroup cannot be read is in none */
	machine.procs[2].cgroup = NULL;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.cgroups[0].processes_bytes, 9 * PAGE);
	machine.naming_cgroups = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_STR(err.text, "no memory for the cgroups");
}

/* Each attempt replaces the uses of cgroups instead of adding to them. */
UNIT_TEST(cgroups_count_only_the_last_measurement)
{
	machine.cgroups[0] = (struct ptu_pagetables_cgroup){ (char *)"/", 0,
							     1 };
	machine.kernel_half[0] = -EFAULT;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_tries, 2);
	CHECK_EQ(report.cgroups[0].processes_bytes, 11 * PAGE);
}

UNIT_TEST(each_failure_ends_the_measurement)
{
	static int *const errors[] = { &machine.host, &machine.boot,
				       &machine.geometry, &machine.counting,
				       &machine.listing };
	static const char *const texts[] = { "no host", "no boot",
					     "no geometry", "no counter",
					     "no list" };

	for (unsigned int i = 0; i < 5; i++) {
		set_up();
		*errors[i] = -EIO;
		CHECK_EQ(measure(), -EIO);
		CHECK_STR(err.text, texts[i]);
	}
}

static char watched[128];

static void watch(void *arg, uint64_t done, uint64_t all)
{
	const size_t used = strlen(watched);

	CHECK(arg == &machine);
	snprintf(watched + used, sizeof(watched) - used,
		 "%" PRIu64 "/%" PRIu64 " ", done, all);
}

/* Half of the frames are read at a time; zones are not in order. */
UNIT_TEST(each_measurement_shows_how_many_frames_were_read)
{
	const struct ptu_watcher looks = { .show = watch, .arg = &machine };

	watched[0] = '\0';
	machine.spans[0] = (struct ptu_node_span){ 4, 8, 0 };
	machine.spans[1] = (struct ptu_node_span){ 8, NR_FRAMES, 0 };
	machine.spans[2] = (struct ptu_node_span){ 0, 4, 0 };
	/* another process exists during the first measurement */
	machine.counter[0] = machine.counter[1] = 14;
	machine.counter[2] = 13;
	watcher = &looks;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.nr_tries, 2);
	CHECK_STR(watched, "32/64 64/64 32/64 64/64 ");
	/* the end of the frames is unknown */
	watched[0] = '\0';
	machine.finding_spans = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_STR(watched, "32/0 64/0 ");
	watcher = NULL;
}

UNIT_MAIN_WITH(set_up, tear_down)
