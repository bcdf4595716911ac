// SPDX-License-Identifier: GPL-2.0-only
/* The sentences of the text output. Each test uses different figures. */
#include "render/text/parts.h"
#include "render/text/verdict.h"

#include <stdlib.h>

#include "support/unit.h"

static struct ptu_report report;
/* The report has at most six of them.  The last one must never be read. */
static struct ptu_process processes[7];
static FILE *out;
static char *text;
static size_t text_bytes;

/* The two processes that are measured, and four that are not. */
static void set_up(void)
{
	struct ptu_process *p = processes;

	memset(processes, 0, sizeof(processes));
	report = (struct ptu_report){
		.is_check = true,
		.page_bytes = 4096,
		.estimator = "pagemap",
		.kernel_release = "6.1",
		.machine = "x86_64",
		.processes = processes,
		.nr_processes = 6,
		/* 18 tables in 20 pages, and 3 deposited ones */
		.set = { .nr_spaces = 2,
			 .tables = { 10, 4, 2, 0, 2 },
			 .bytes = { 40960, 16384, 8192, 0, 16384 },
			 .tree_bytes = 65536,
			 .deposited_tables = 3,
			 .vmpte_bytes = 65536 + 3 * 4096 },
	};
	p[0] = (struct ptu_process){
		.pid = 10,
		.comm = "one",
		.levels = { [PTAUDIT_PTE] = { .kernel_only = 3,
					      .unexplained = 2,
					      .kernel_bpf = 7 },
			    [PTAUDIT_PMD] = { .estimate_only = 1 } },
		/* behind .levels: not a level */
		.leaves = { 1, 1, 1, 1, 1 },
		.has_vmpte = true,
		.vmpte_bytes = 8192,
		.vmpte_before_bytes = 8192,
		.tree_bytes = 8192,
		.bpf = { .in_flux = 1, .unexplained = 4 },
		.orphans = { .tables = { [PTAUDIT_PTE] = 5 },
			     .in_flux = 2,
			     .nr_unexplained = 1 },
		.sees_empty = true,
		.fill = { .tables = 6,
			  .counted = 6,
			  .entries = 384,
			  .room = 6 * 512,
			  .in_class = { 2, 0, 4, 0, 0 } },
	};
	p[1] = p[0];
	p[1].pid = 11;
	p[1].tid = 12;
	p[1].levels[PTAUDIT_PTE] = (struct ptu_level_row){ .kernel_only = 5,
							   .unexplained = 1 };
	p[1].levels[PTAUDIT_PMD] = (struct ptu_level_row){ .kernel_bpf = 9 };
	p[1].bpf = (struct ptu_bpf_result){ .in_flux = 2, .unexplained = 6 };
	p[1].orphans = (struct ptu_orphans_result){
		.tables = { [PTAUDIT_PMD] = 3 },
		.in_flux = 4,
		.nr_unexplained = 2
	};
	p[1].sees_empty = false;
	p[1].fill = (struct ptu_fill){ .tables = 4,
				       .counted = 4,
				       .entries = 256,
				       .room = 4 * 512,
				       .in_class = { 1, 0, 3, 0, 0 } };
	for (unsigned int i = 2; i < 6; i++) {
		/* one that was measured in part has no sum */
		p[i] = p[1];
		p[i].pid = p[i].tid = 20 + (pid_t)i;
		p[i].vmpte_before_bytes = 0;
		p[i].fill = (struct ptu_fill){ 0 };
	}
	p[2].status = PTU_STATUS_GONE;
	p[3].status = PTU_STATUS_DENIED;
	p[4].status = PTU_STATUS_FAILED;
	p[5].status = PTU_STATUS_UNSTABLE;
	p[6] = p[1];
	text = NULL;
	text_bytes = 0;
	out = open_memstream(&text, &text_bytes);
	if (!out)
		abort();
}

/* What was printed since the last call. */
static const char *said(void)
{
	static char last[2000];

	fflush(out);
	snprintf(last, sizeof(last), "%.*s", (int)ftello(out), text);
	rewind(out);
	return last;
}

static void tear_down(void)
{
	fclose(out);
	free(text);
}

UNIT_TEST(thread_is_named_unless_it_is_the_main_one)
{
	ptu_prose_thread(10, 0, out);
	ptu_prose_thread(10, 10, out);
	CHECK_STR(said(), "");
	ptu_prose_thread(10, 12, out);
	CHECK_STR(said(),
		  "The main thread of process 10 has exited: read through thread 12.\n");
}

/* Eight processes: of six the main thread has exited, and one was not measured. */
UNIT_TEST(many_threads_are_counted_instead_of_named)
{
	struct ptu_process many[8] = { 0 };
	const struct ptu_report all = { .processes = many, .nr_processes = 8 };
	const char *named;

	for (int i = 0; i < 6; i++)
		many[i] = (struct ptu_process){ .pid = 10 + i, .tid = 20 + i };
	many[0].tid = 9; /* numbers of threads begin again after the largest */
	many[2].tid = many[2].pid;
	many[4].tid = many[4].pid;
	many[6] = (struct ptu_process){ .pid = 16, .tid = 26 };
	many[7].pid = 17;
	ptu_prose_threads(&all, out);
	named = said();
	CHECK(strstr(named, "process 10 has exited: read through thread 9."));
	CHECK(strstr(named, "process 16 has exited: read through thread 26."));
	CHECK(!strstr(named, "process 14") && !strstr(named, "process 17"));
	CHECK(!strstr(named, "5 processes"));
	many[4].tid++;
	ptu_prose_threads(&all, out);
	CHECK_STR(said(),
		  "The main threads of 6 processes have exited: read through other threads.\n");
}

UNIT_TEST(head_names_process_sides_and_kernel)
{
	ptu_prose_head(&report, &processes[0], out);
	CHECK_STR(said(),
		  "one (10): kernel against estimator pagemap, Linux 6.1 on x86_64\n");
	report.has_bpf = true;
	processes[1].self = true;
	strcpy(processes[1].comm, "a\tb");
	ptu_prose_head(&report, &processes[1], out);
	CHECK_STR(said(),
		  "a\\x09b (11), ptaudit itself: module and BPF against estimator pagemap, Linux 6.1 on x86_64\n"
		  "The main thread of process 11 has exited: read through thread 12.\n");
	report.is_check = report.has_bpf = false;
	processes[1].tid = 0;
	ptu_prose_head(&report, &processes[1], out);
	CHECK_STR(said(),
		  "a\\x09b (11), ptaudit itself: estimator pagemap, Linux 6.1 on x86_64\n");
}

UNIT_TEST(estimate_is_compared_with_vmpte)
{
	struct ptu_process *p = &processes[0];

	report.is_check = false;
	p->deposited_tables = 3;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "VmPTE 8 KiB, deposited 12 KiB: the estimate is equal to VmPTE\n");
	p->residual_bytes = 4096;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "VmPTE 8 KiB, deposited 12 KiB: 4 KiB in tables that the estimator does not see (check shows them)\n");
	p->residual_bytes = -20480;
	p->faulted = true;
	ptu_prose_vmpte(&report, p, true, out);
	CHECK_STR(said(),
		  "VmPTE 8192 bytes, deposited 12288 bytes: 20480 bytes too much in the estimate, or in tables that went meanwhile\n"
		  "The process had page faults while it was read: the figures may be of several moments (try --freeze).\n");
	p->vmpte_before_bytes = 28672;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "VmPTE 8 KiB, deposited 12 KiB: 20 KiB too much in the estimate, or in tables that went meanwhile\n"
		  "The process changed while it was read: VmPTE was 28 KiB before (try --freeze).\n");
	p->residual_bytes = 4096;
	p->faulted = false;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "VmPTE 8 KiB, deposited 12 KiB: 4 KiB in tables that came meanwhile, or that the estimator does not see (check shows them)\n"
		  "The process changed while it was read: VmPTE was 28 KiB before (try --freeze).\n");
	p->has_vmpte = false;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(), "The kernel shows no VmPTE for this process.\n");
}

UNIT_TEST(tree_and_deposited_tables_are_compared_with_vmpte)
{
	struct ptu_process *p = &processes[0];

	p->deposited_tables = 3;
	p->vmpte_bytes = 20480;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "tree 8 KiB + deposited 12 KiB = VmPTE 20 KiB, to the byte\n");
	p->vmpte_in_flux_bytes = 4096;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "tree 8 KiB + deposited 12 KiB is not VmPTE 20 KiB, which changed meanwhile: 4 KiB in flux\n");
	p->vmpte_in_flux_bytes = 0;
	p->vmpte_unexplained_bytes = 8192;
	ptu_prose_vmpte(&report, p, false, out);
	CHECK_STR(said(),
		  "tree 8 KiB + deposited 12 KiB is NOT VmPTE 20 KiB: 8 KiB unexplained\n");
}

UNIT_TEST(verdict_tells_agreement_causes_and_errors_apart)
{
	struct ptu_process *p = &processes[0];

	ptu_prose_verdict(&processes[0], false, out);
	/* two tables without a cause, and one on which the two walks differ */
	CHECK_STR(said(), "3 unexplained\n");
	ptu_prose_verdict(&processes[0], true, out);
	CHECK_STR(said(), "\033[31m3 unexplained\033[0m\n");
	p->orphans.nr_unexplained = 0;
	p->levels[PTAUDIT_PTE].unexplained = 0;
	ptu_prose_verdict(&processes[0], true, out);
	CHECK_STR(said(),
		  "the sides differ on 4 tables, and each is accounted for\n");
	p->levels[PTAUDIT_PTE].kernel_only = 0;
	ptu_prose_verdict(&processes[0], true, out);
	CHECK_STR(said(),
		  "the sides differ on 1 table, which is accounted for\n");
	p->levels[PTAUDIT_PMD].estimate_only = 0;
	ptu_prose_verdict(&processes[0], true, out);
	CHECK_STR(said(), "the sides agree on every table\n");
}

UNIT_TEST(empty_tables_that_may_be_more_have_a_hint)
{
	struct ptu_process *p = &processes[0];

	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(), "empty: 2 of 6 PTE tables, 8 KiB\n");
	p->fill.unasked = 1;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(),
		  "empty: at least 2 of 6 PTE tables, 8 KiB (--fill counts them all)\n");
	p->sees_empty = false;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(), "");
}

UNIT_TEST(summary_adds_up_what_was_measured)
{
	report.has_bpf = report.has_orphans = true;
	report.nr_kthreads = 7;
	report.nr_zombies = 1;
	report.nr_sharing = 3;
	ptu_prose_summary(&report, false, out);
	CHECK_STR(said(),
		  "\n2 processes (estimator: pagemap), 1 gone meanwhile, 1 permission denied, 2 NOT measured, 7 kernel threads left out, 1 zombie left out, 3 left out that share an address space\n"
		  /* 18 + 3 tables in 23 pages; 3 + 1 + 5; 2 + 1 tables, 1 + 2 of the walks */
		  "21 tables, 92K; the sides differ on 9; 6 unexplained\n"
		  "table memory 92 KiB: PTE, PMD and PUD 64 KiB, deposited 12 KiB, PGD and P4D 16 KiB\n"
		  "trees 64 KiB + deposited 12 KiB = sum of VmPTE 76 KiB, to the byte\n"
		  "empty: 3 of 10 PTE tables, 12 KiB\n"
		  "module and BPF do NOT see the same: 10 differences; BPF sees 16 tables; 3 came or went\n"
		  "the walk by mappings and the walk of all entries do NOT see the same tables: 3 different, 8 equal; 6 came or went\n"
		  "The main thread of process 11 has exited: read through thread 12.\n");
}

UNIT_TEST(summary_says_that_the_walks_agree)
{
	for (size_t i = 0; i < report.nr_processes; i++) {
		processes[i].tid = 0;
		processes[i].sees_empty = false;
		processes[i].bpf = (struct ptu_bpf_result){ .in_flux = 0 };
		processes[i].orphans.nr_unexplained = 0;
		processes[i].orphans.in_flux = 0;
		processes[i].levels[PTAUDIT_PTE].unexplained = 0;
	}
	report.has_bpf = report.has_orphans = true;
	ptu_prose_summary(&report, true, out);
	CHECK_STR(said(),
		  "\n2 processes (estimator: pagemap), 1 gone meanwhile, 1 permission denied, 2 NOT measured\n"
		  "21 tables, 94208; the sides differ on 9; 0 unexplained\n"
		  "table memory 94208 bytes: PTE, PMD and PUD 65536 bytes, deposited 12288 bytes, PGD and P4D 16384 bytes\n"
		  "trees 65536 bytes + deposited 12288 bytes = sum of VmPTE 77824 bytes, to the byte\n"
		  "module and BPF see the same 16 tables\n"
		  "the walk by mappings and the walk of all entries see the same 8 tables\n");
}

UNIT_TEST(summary_of_estimates_names_processes_that_changed)
{
	report.is_check = false;
	report.nr_processes = 2;
	ptu_prose_summary(&report, false, out);
	CHECK(!strstr(said(), "changed"));
	processes[0].faulted = true;
	ptu_prose_summary(&report, false, out);
	CHECK(strstr(said(), ", 1 changed while they were read\n"));
	processes[1].vmpte_before_bytes = 4096;
	report.set.residual_bytes = 4096;
	/* the others were not measured */
	report.nr_processes = 6;
	ptu_prose_summary(&report, false, out);
	CHECK_STR(said(),
		  "\n2 processes (estimator: pagemap), 1 gone meanwhile, 1 permission denied, 2 NOT measured, 2 changed while they were read\n"
		  "21 tables, 92K\n"
		  "table memory 92 KiB: PTE, PMD and PUD 64 KiB, deposited 12 KiB, PGD and P4D 16 KiB\n"
		  "VmPTE 76 KiB, deposited 12 KiB: 4 KiB in tables that came meanwhile, or that the estimator does not see (check shows them)\n"
		  "empty: 3 of 10 PTE tables, 12 KiB\n"
		  "The main thread of process 11 has exited: read through thread 12.\n");
}

UNIT_TEST(summary_of_fill_counts_each_table_once)
{
	report.is_check = false;
	report.has_fill = true;
	processes[0].sees_empty = false;
	processes[1].tid = 0;
	ptu_prose_summary(&report, false, out);
	/* 640 of 5120 entries */
	CHECK(strstr(said(),
		     "\nempty: 3 of 10 PTE tables, 12 KiB; 12.5 % of the entries of PTE tables are used\n"));
}

UNIT_TEST(summary_without_an_address_space_has_no_sum)
{
	report.nr_processes = 1;
	processes[0].status = PTU_STATUS_DENIED;
	processes[0].sees_empty = false;
	processes[0].fill = (struct ptu_fill){ 0 };
	report.set = (struct ptu_set){ 0 };
	ptu_prose_summary(&report, false, out);
	CHECK_STR(said(),
		  "\n0 processes (estimator: pagemap), 1 permission denied\n"
		  "0 tables, 0; the sides differ on 0; 0 unexplained\n");
}

UNIT_TEST(upper_tables_that_hold_nothing_are_counted)
{
	struct ptu_process *p = &processes[0];

	p->fill.hollow = 1;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(),
		  "empty: 2 of 6 PTE tables, 8 KiB; 1 upper table holds nothing, 4 KiB\n");
	p->fill.hollow = 3;
	p->fill.unasked = 1;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(),
		  "empty: at least 2 of 6 PTE tables, 8 KiB; at least 3 upper tables hold nothing, 12 KiB (--fill counts them all)\n");
	/* an upper table can hold nothing at all */
	p->fill.unasked = 0;
	p->fill.in_class[PTU_FILL_EMPTY] = 0;
	ptu_prose_fill(&report, p, true, out);
	CHECK_STR(said(),
		  "empty: 0 of 6 PTE tables, 0 bytes; 3 upper tables hold nothing, 12288 bytes\n");
	p->fill.hollow = 0;
	ptu_prose_fill(&report, p, true, out);
	CHECK_STR(said(), "");
}

UNIT_TEST(tables_whose_entries_are_not_known_are_counted)
{
	struct ptu_process *p = &processes[0];

	report.has_fill = true;
	p->sees_empty = false;
	p->fill.counted = 4;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(),
		  "empty: 2 of 6 PTE tables, 8 KiB; the used entries of 2 of 6 PTE tables are not known\n");
	p->fill.in_class[PTU_FILL_EMPTY] = 0;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(),
		  "the used entries of 2 of 6 PTE tables are not known\n");
	/* 384 of 3072 */
	p->fill.counted = 6;
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(), "12.5 % of the entries of PTE tables are used\n");
	p->fill = (struct ptu_fill){ 0 };
	ptu_prose_fill(&report, p, false, out);
	CHECK_STR(said(), "");
}

UNIT_TEST(several_address_spaces_are_one_set)
{
	ptu_prose_set(&report, false, out);
	CHECK_STR(said(),
		  "\n2 address spaces as one: 21 tables, 92K\n"
		  "table memory 92 KiB: PTE, PMD and PUD 64 KiB, deposited 12 KiB, PGD and P4D 16 KiB\n"
		  "trees 64 KiB + deposited 12 KiB = sum of VmPTE 76 KiB, to the byte\n");
	report.set.nr_spaces = 1;
	report.set.residual_bytes = -4096;
	/* one that was not measured is not in the sum */
	processes[5].vmpte_unexplained_bytes = 4096;
	ptu_prose_set(&report, true, out);
	CHECK_STR(said(),
		  "\n1 address space: 21 tables, 94208\n"
		  "table memory 94208 bytes: PTE, PMD and PUD 65536 bytes, deposited 12288 bytes, PGD and P4D 16384 bytes\n"
		  "trees 65536 bytes + deposited 12288 bytes are not the sum of VmPTE 77824 bytes, which changed meanwhile: 4096 bytes in flux\n");
	processes[0].vmpte_unexplained_bytes = 4096;
	ptu_prose_set(&report, true, out);
	CHECK(strstr(said(),
		     " are NOT the sum of VmPTE 77824 bytes: the difference is 4096 bytes\n"));
	report.is_check = false;
	ptu_prose_set(&report, false, out);
	CHECK(strstr(said(),
		     "\nVmPTE 76 KiB, deposited 12 KiB: 4 KiB too much in the estimate\n"));
}

UNIT_TEST(shared_tables_are_counted_once)
{
	report.set.shared_tables = report.set.counted_again = 1;
	report.set.again_bytes = 4096;
	ptu_prose_set(&report, false, out);
	CHECK(strstr(said(),
		     "\n1 shared table, counted once; VmPTE has it once more\n"
		     "trees 64 KiB + deposited 12 KiB + counted again 4 KiB = sum of VmPTE "));
	report.set.shared_tables = 3;
	report.set.counted_again = 5;
	report.set.again_bytes = 5 * 4096;
	report.set.shared_outside = 2;
	ptu_prose_set(&report, false, out);
	CHECK(strstr(said(),
		     "\n3 shared tables, each counted once; VmPTE has them 5 times more; others share 2 of them\n"
		     "trees 64 KiB + deposited 12 KiB + counted again 20 KiB = sum of VmPTE "));
	/* each table is in one of these processes, but other processes share some */
	report.set.counted_again = 0;
	ptu_prose_summary(&report, false, out);
	CHECK(strstr(said(),
		     "; VmPTE has them 0 times more; others share 2 of them\n"
		     "trees 64 KiB + deposited 12 KiB = sum of VmPTE "));
	report.is_check = false;
	ptu_prose_summary(&report, false, out);
	CHECK(!strstr(said(), "shared"));
}

/* The lines are a blank one, the headings, 20 rows, and the sentence. */
UNIT_TEST(twenty_differences_are_listed)
{
	static const struct ptu_render_options plain;
	static struct ptu_unexplained many[21];
	const struct ptu_text printing = { &report, &plain, out, false };
	struct ptu_process p = { .unexplained = many, .nr_unexplained = 20 };
	struct ptu_err err = { "" };
	const char *at;
	int nr = 0;

	CHECK_EQ(ptu_text_unexplained(&printing, &p, &err), 0);
	CHECK(!strstr(said(), "more"));
	p.nr_unexplained++;
	CHECK_EQ(ptu_text_unexplained(&printing, &p, &err), 0);
	for (at = said(); *at; at++)
		nr += *at == '\n';
	CHECK_EQ(nr, 1 + 1 + 20 + 1);
	CHECK(strstr(text, "\nand 1 more; --json lists all of them\n"));
}

UNIT_MAIN_WITH(set_up, tear_down)
