// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sums of tables and pages of `footprint`, and its report of processes that cannot be read.
 * The test defines the processes.
 */
#include "measure/footprint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "acquire/file.h"
#include "acquire/module.h"
#include "acquire/page_caps.h"
#include "compare/footprint.h"
#include "measure/footprint_inside.h"
#include "measure/footprint_read.h"
#include "measure/footprint_recount.h"
#include "measure/processes.h"
#include "measure/tables.h"
#include "model/pagemap.h"
#include "support/build.h"
#include "support/unit.h"

/* The PTE tables, and a hugetlb mapping. */
#define A UINT64_C(0x7f0000000000)
#define B (A + GIB)
#define NR 3
#define PID 10

/**
 * struct fake - a process
 * @pte_tables: number of its PTE tables, from A on
 * @open: [number of earlier calls] errors of opening it
 * @status: the same for reading its status
 * @tables: the same for reading its tables
 * @pages: the same for reading its pages
 * @same: return value of ptu_proc_same()
 * @pfn: its page; 0: none
 * @shmem: the page belongs to shared memory, and has a second mapping
 * @shared: it has a PMD table that another process has, too
 * @how: (out) PTU_FOOTPRINT_* of its hugetlb memory when it was read
 */
static struct fake {
	unsigned int pte_tables;
	int open[2], status[1], tables[3], pages[3];
	int same;
	uint64_t pfn;
	bool shmem;
	bool shared;
	bool ksm_unknown;
	unsigned int how;
	unsigned int nr_open, nr_tables, nr_pages, nr_reopened, nr_closed;
} fakes[NR];

static struct ptu_process processes[NR];
static struct ptu_footprint_row rows[NR];
static struct ptu_footprint_report report;
static struct ptu_err err;
static struct ptu_geometry geometry;
static int geometry_error, module_error, counts_error, settled;
static const char *module_text;
static bool is_recording;
static enum ptu_counts counts;
static bool may_round, smaps_wanted;
static uint64_t hugetlb_end;
static unsigned int nr_maps;
static size_t nr_recounted;
static int recount_error;
static bool is_inside;
static unsigned int nr_asked;
static struct ptu_footprint_ask ask;

static struct fake *fake_of(const struct ptu_proc *proc)
{
	return &fakes[proc->pid - PID];
}

int ptu_page_counts(uint64_t page_bytes, enum ptu_counts *ret,
		    struct ptu_err *error)
{
	(void)page_bytes, (void)error;
	*ret = counts;
	return counts_error;
}

int ptu_proc_geometry(struct ptu_geometry *ret, struct ptu_err *error)
{
	(void)error;
	if (!geometry_error)
		*ret = geometry;
	return geometry_error;
}

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *error)
{
	(void)geo;
	if (module_text)
		strcpy(error->text, module_text);
	return module_error;
}

bool ptu_file_is_recording(void)
{
	return is_recording;
}

int ptu_footprint_recount_all(struct ptu_footprint *footprint,
			      struct ptu_err *error)
{
	(void)error;
	nr_recounted = footprint->frames.nr_chunks;
	return recount_error;
}

void ptu_footprint_files_begin(struct ptu_footprint_files *ret)
{
	*ret = (struct ptu_footprint_files){ .device = 1 };
}

void ptu_footprint_files_deinit(struct ptu_footprint_files *files)
{
	files->device = 0;
}

bool ptu_footprint_files_inside(const struct ptu_footprint_report *base,
				const struct ptu_footprint_ask *asked,
				struct ptu_footprint_files *files)
{
	if (base != &report || asked != &ask || !files->device)
		abort();
	nr_asked++;
	return is_inside;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *error)
{
	(void)error;
	/* it was found with this start time; the second process of the PID has another one */
	*ret = (struct ptu_proc){ .pid = pid, .tid = pid, .start_time = 100 };
	return fake_of(ret)->open[fake_of(ret)->nr_open++ % 2];
}

void ptu_proc_close(struct ptu_proc *proc)
{
	fake_of(proc)->nr_closed++;
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	(void)proc;
	return tries < 3;
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *error)
{
	(void)error;
	return fake_of(proc)->same;
}

int ptu_proc_reopen(struct ptu_proc *proc)
{
	if (fake_of(proc)->nr_reopened++)
		return -ESTALE;
	proc->tid += 100;
	return 0;
}

int ptu_proc_status_of_living(struct ptu_proc *proc,
			      struct ptu_proc_status *ret,
			      struct ptu_err *error)
{
	(void)error;
	*ret = (struct ptu_proc_status){
		.has_mm = true,
		.vmpte_bytes = 4096 * (uint64_t)(proc->pid - PID + 7),
		.vmrss_bytes = 4096 * (uint64_t)(proc->pid - PID + 70),
	};
	return fake_of(proc)->status[0];
}

/* Two mappings, each below a P4D table of its own. */
int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *error)
{
	(void)proc, (void)error;
	nr_maps++;
	*ret = (struct ptu_vmas){ .vmas = calloc(2, sizeof(*ret->vmas)),
				  .nr_vmas = 2 };
	ret->vmas[0] = (struct ptu_vma){ .start = 4096, .end = 8192 };
	ret->vmas[1] = (struct ptu_vma){ .start = 512 * TIB,
					 .end = 512 * TIB + 4096 };
	return 0;
}

/* The PGD, and the tables below it. */
int ptu_truth_read(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		   enum ptu_walk walk, const struct ptu_geometry *geo,
		   struct ptu_snapshot *ret, struct ptu_err *error)
{
	struct fake *fake = fake_of(proc);
	int failed = fake->tables[fake->nr_tables++ % 3];
	struct build b;
	unsigned int i;

	(void)walk, (void)geo;
	if (start || end || error->text[0])
		abort();
	if (failed) {
		strcpy(error->text, "cannot walk");
		return failed;
	}
	build_init(&b, 4, false);
	for (i = 0; i < fake->pte_tables; i++)
		build_pte(&b, A + i * 2 * MIB, 1);
	if (fake->shared) {
		struct ptaudit_table *r = build_entries(&b, PTAUDIT_PMD, B, 1,
							PTAUDIT_K_LEAF, 0);

		r->flags = PTAUDIT_T_HUGETLB;
		r->sharers = 1;
		r->pfn = 0x77;
	}
	*ret = build_snapshot(&b);
	build_deinit(&b);
	return 0;
}

int ptu_footprint_read(const struct ptu_proc *proc,
		       const struct ptu_footprint_tables *tables,
		       const struct ptu_process *process, bool wants_smaps,
		       struct ptu_footprint_files *files,
		       struct ptu_footprint *footprint,
		       struct ptu_footprint_row *ret, struct ptu_err *error)
{
	const struct ptu_vma vma = { .start = B,
				     .end = hugetlb_end,
				     .flags = PTU_VM_HUGETLB |
					      PTU_VM_MAYSHARE };
	struct fake *fake = fake_of(proc);
	struct ptu_page page = { .word = PTU_PM_PRESENT | fake->pfn,
				 .flags = fake->shmem ? PTU_KPF_SWAPBACKED :
							PTU_KPF_ANON,
				 .count = fake->shmem ? 2 : 1 };
	int failed = fake->pages[fake->nr_pages++ % 3];
	uint64_t end;

	if (error->text[0] || process->pid != proc->pid)
		abort();
	may_round = footprint->may_round;
	smaps_wanted = wants_smaps;
	fake->how = ptu_footprint_tables_how(tables, process, &vma, B, &end);
	if (failed) {
		strcpy(error->text, "cannot read");
		return failed;
	}
	if (!files->device || ptu_footprint_begin(footprint) ||
	    ptu_footprint_add(footprint, &page,
			      fake->shmem ? PTU_FOOTPRINT_INTERNAL : 0))
		abort();
	ret->sum = footprint->sum;
	ret->ksm_unknown = fake->ksm_unknown;
	return 0;
}

void ptu_measure_failed(struct ptu_process *process, int error,
			const struct ptu_err *why)
{
	process->status = error == -ESRCH ? PTU_STATUS_GONE : PTU_STATUS_FAILED;
	snprintf(process->error, sizeof(process->error), "%s", why->text);
}

void ptu_survey_settle(struct ptu_process *process)
{
	(void)process;
	settled++;
}

/* Three processes with one, two and three PTE tables, and a page each. */
static void set_up(void)
{
	unsigned int i;

	memset(fakes, 0, sizeof(fakes));
	memset(processes, 0, sizeof(processes));
	memset(rows, 0, sizeof(rows));
	report = (struct ptu_footprint_report){
		.base = { .page_bytes = 4096,
			  .processes = processes,
			  .nr_processes = NR },
		.rows = rows,
	};
	for (i = 0; i < NR; i++) {
		fakes[i].pte_tables = i + 1;
		fakes[i].pfn = 0x100 + i;
		processes[i].pid = PID + (pid_t)i;
		processes[i].start_time = 100;
		processes[i].mm = 0x1000 + i;
	}
	geometry = four_levels;
	geometry_error = module_error = counts_error = settled = 0;
	module_text = NULL;
	is_recording = false;
	counts = PTU_COUNTS_EXACT;
	nr_maps = 0;
	nr_recounted = 0;
	recount_error = 0;
	is_inside = false;
	nr_asked = 0;
	ask.wants_smaps = false;
	hugetlb_end = B + GIB;
	err.text[0] = '\0';
}

static void tear_down(void)
{
	unsigned int i;

	for (i = 0; i < NR; i++)
		ptu_process_deinit(&processes[i]);
}

static int measure(void)
{
	return ptu_footprint_measure(&report, &ask, &err);
}

UNIT_TEST(tables_of_each_process_are_counted_by_the_module)
{
	unsigned int i;

	fakes[1].ksm_unknown = true;
	CHECK_EQ(measure(), 0);
	for (i = 0; i < NR; i++) {
		/* PGD, PUD table, PMD table */
		CHECK_EQ(rows[i].tables.bytes, 4096 * (3 + 1 + i));
		CHECK_EQ(rows[i].sum.rss_bytes, 4096);
		CHECK_EQ(processes[i].status, PTU_STATUS_OK);
		CHECK(processes[i].has_vmpte);
		CHECK_EQ(processes[i].vmpte_bytes, 4096 * (7 + i));
		CHECK_EQ(processes[i].rss_bytes, 4096 * (70 + i));
		CHECK_EQ(processes[i].tid, PID + i);
		CHECK_EQ(fakes[i].nr_tables, 1);
		CHECK_EQ(fakes[i].nr_pages, 1);
		CHECK_EQ(fakes[i].nr_open, 2);
		CHECK_EQ(fakes[i].nr_closed, 2);
	}
	CHECK_EQ(report.tables.bytes, 4096 * (4 + 5 + 6));
	CHECK_EQ(report.set.rss_bytes, NR * 4096);
	CHECK(report.by_module);
	CHECK_STR(report.tables_note, "");
	CHECK(report.ksm_unknown);
	CHECK_EQ(report.counts, PTU_COUNTS_EXACT);
	CHECK(report.base.level_unfolded[PTAUDIT_PTE]);
	CHECK(!report.base.level_unfolded[PTAUDIT_P4D]);
	CHECK_EQ(nr_maps, 0);
	CHECK_EQ(settled, 0);
}

UNIT_TEST(mappings_are_counted_again_at_the_end_except_in_a_recording)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_recounted, 1);
	recount_error = -EIO;
	CHECK_EQ(measure(), -EIO);
	is_recording = true;
	CHECK_EQ(measure(), 0);
}

UNIT_TEST(other_processes_are_asked_for_shared_memory_that_they_may_map)
{
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_asked, 0);
	fakes[1].shmem = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_asked, 1);
	CHECK_EQ(report.set.uss_bytes, 2 * 4096);
	is_inside = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(nr_asked, 2);
	CHECK_EQ(report.set.uss_bytes, NR * 4096);
	/* the processes of a recording are not those of this machine */
	is_recording = true;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.set.uss_bytes, 2 * 4096);
	/* the other mappings of a single process were read, too */
	is_recording = false;
	fakes[0].shmem = true;
	report.base.nr_processes = 1;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(report.set.uss_bytes, 0);
	CHECK_EQ(nr_asked, 2);
}

UNIT_TEST(counts_of_large_folios_may_be_rounded_unless_they_are_exact)
{
	static const enum ptu_counts cases[] = { PTU_COUNTS_EXACT,
						 PTU_COUNTS_UNKNOWN,
						 PTU_COUNTS_ROUNDED };
	size_t i;

	for (i = 0; i < 3; i++) {
		tear_down();
		set_up();
		counts = cases[i];
		CHECK_EQ(measure(), 0);
		CHECK_EQ(report.counts, cases[i]);
		CHECK_EQ(may_round, i > 0);
	}
	counts_error = -EBADMSG;
	CHECK_EQ(measure(), -EBADMSG);
}

UNIT_TEST(walk_is_repeated_if_the_tables_changed)
{
	fakes[0].tables[0] = -EAGAIN;
	fakes[0].tables[1] = -ESTALE;
	fakes[1].tables[0] = fakes[1].tables[1] = fakes[1].tables[2] = -EAGAIN;
	fakes[2].tables[0] = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].nr_tables, 3);
	CHECK_EQ(rows[0].tables.bytes, 4 * 4096);
	CHECK_EQ(fakes[1].nr_tables, 3);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(processes[1].error, "cannot walk");
	CHECK_EQ(fakes[2].nr_tables, 1);
	CHECK_EQ(processes[2].status, PTU_STATUS_FAILED);
	/* the pages of the other two were not read */
	CHECK_EQ(fakes[1].nr_pages + fakes[2].nr_pages, 0);
	CHECK_EQ(report.tables.bytes, 4 * 4096);
	CHECK_EQ(report.set.rss_bytes, 4096);
	CHECK_EQ(fakes[2].nr_closed, 1);
}

UNIT_TEST(without_the_module_vmpte_and_the_pgd_are_added)
{
	module_error = -ENOENT;
	module_text = "not loaded";
	CHECK_EQ(measure(), 0);
	CHECK(!report.by_module);
	CHECK_STR(report.tables_note, "not loaded");
	CHECK_EQ(fakes[0].nr_tables, 0);
	CHECK_EQ(rows[0].tables.bytes, (7 + 1) * 4096);
	CHECK_EQ(rows[2].tables.bytes, (9 + 1) * 4096);
	CHECK_EQ(nr_maps, 0);
	CHECK_EQ(report.tables.bytes, (8 + 9 + 10) * 4096);
	CHECK_EQ(fakes[0].how, PTU_FOOTPRINT_UNKNOWN);
	/* the kernel shares a PMD table only if one mapping covers its 1 GiB */
	hugetlb_end -= 2 * MIB;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].how, 0);
}

UNIT_TEST(p4d_tables_are_found_by_the_mappings)
{
	module_error = -EPERM;
	geometry = five_levels;
	CHECK_EQ(measure(), 0);
	CHECK_STR(report.tables_note, "Operation not permitted");
	CHECK_EQ(nr_maps, NR);
	CHECK_EQ(rows[0].tables.bytes, (7 + 1 + 2) * 4096);
}

UNIT_TEST(smaps_is_read_only_for_its_figures)
{
	CHECK_EQ(measure(), 0);
	CHECK(!smaps_wanted);
	ask.wants_smaps = true;
	CHECK_EQ(measure(), 0);
	CHECK(smaps_wanted);
}

UNIT_TEST(unknown_geometry_is_noted)
{
	geometry_error = -ENOTSUP;
	hugetlb_end -= 2 * MIB;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].how, PTU_FOOTPRINT_UNKNOWN);
	CHECK(!report.by_module);
	CHECK_STR(report.tables_note, strerror(ENOTSUP));
	CHECK_EQ(rows[0].tables.bytes, 7 * 4096);
}

UNIT_TEST(recording_may_lack_walks_but_not_be_damaged)
{
	is_recording = true;
	module_error = -ENOENT;
	CHECK_EQ(measure(), 0);
	module_error = -EBADMSG;
	module_text = "damaged";
	CHECK_EQ(measure(), -EBADMSG);
	CHECK_STR(err.text, "damaged");
	is_recording = false;
	CHECK_EQ(measure(), 0);
}

UNIT_TEST(process_that_ended_is_left_out)
{
	processes[0].start_time = 99;
	fakes[1].open[1] = -ESRCH;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(processes[0].status, PTU_STATUS_GONE);
	CHECK_STR(processes[0].error, "process 10 ended");
	CHECK_EQ(fakes[0].nr_closed, 1);
	CHECK_EQ(fakes[0].nr_tables + fakes[0].nr_pages, 0);
	CHECK_EQ(processes[1].status, PTU_STATUS_GONE);
	CHECK_EQ(fakes[1].nr_closed, 1);
	CHECK_EQ(fakes[1].nr_pages, 0);
	CHECK_EQ(processes[2].status, PTU_STATUS_OK);
	CHECK_EQ(report.tables.bytes, 6 * 4096);
	CHECK_EQ(report.set.rss_bytes, 4096);
	CHECK_EQ(settled, 0);
}

UNIT_TEST(failure_of_a_process_of_a_group_is_settled)
{
	report.base.is_all = true;
	fakes[0].status[0] = -EIO;
	fakes[1].pages[0] = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(settled, 2);
	CHECK_EQ(processes[0].status, PTU_STATUS_FAILED);
	CHECK_EQ(fakes[0].nr_tables, 0);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(processes[1].error, "cannot read");
	CHECK_EQ(report.tables.bytes, 6 * 4096);
}

UNIT_TEST(refusal_by_a_process_that_ended_means_that_it_ended)
{
	fakes[0].pages[0] = fakes[1].pages[0] = -EACCES;
	fakes[0].same = -ESRCH;
	fakes[2].pages[0] = -EIO;
	fakes[2].same = -ESRCH;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(processes[0].status, PTU_STATUS_GONE);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_EQ(processes[2].status, PTU_STATUS_FAILED);
}

UNIT_TEST(lack_of_memory_or_privilege_ends_the_measurement)
{
	fakes[1].pages[0] = -EPERM;
	CHECK_EQ(measure(), -EPERM);
	CHECK_STR(err.text, "cannot read");
	CHECK_EQ(fakes[1].nr_closed, 2);
	CHECK_EQ(fakes[2].nr_pages, 0);
	tear_down();
	set_up();
	fakes[1].open[0] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_STR(err.text, "Cannot allocate memory");
	CHECK_EQ(fakes[1].nr_closed + fakes[2].nr_open, 0);
	tear_down();
	set_up();
	fakes[1].open[1] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_EQ(fakes[2].nr_open, 1);
	tear_down();
	set_up();
	fakes[1].status[0] = -ENOMEM;
	CHECK_EQ(measure(), -ENOMEM);
	CHECK_EQ(fakes[1].nr_closed, 1);
	CHECK_EQ(fakes[2].nr_open, 0);
}

UNIT_TEST(process_is_read_through_another_thread)
{
	fakes[0].pages[0] = -ESTALE;
	fakes[1].pages[0] = fakes[1].pages[1] = fakes[1].pages[2] = -ESTALE;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[0].nr_pages, 2);
	CHECK_EQ(fakes[0].nr_reopened, 1);
	CHECK_EQ(processes[0].tid, PID + 100);
	CHECK_EQ(processes[0].status, PTU_STATUS_OK);
	CHECK_EQ(fakes[1].nr_pages, 2);
	CHECK_EQ(fakes[1].nr_reopened, 2);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_EQ(fakes[2].nr_reopened, 0);
}

UNIT_TEST(memory_behind_a_shared_table_is_new_only_once)
{
	fakes[0].shared = fakes[1].shared = fakes[2].shared = true;
	/* this process was not read, so the table counts with the next one */
	fakes[0].pages[0] = -EIO;
	CHECK_EQ(measure(), 0);
	/* one sharer, but three processes of the set: no process outside has it */
	CHECK_EQ(fakes[1].how, PTU_FOOTPRINT_SHARED);
	CHECK_EQ(fakes[2].how, PTU_FOOTPRINT_SHARED | PTU_FOOTPRINT_AGAIN);
	CHECK_EQ(rows[1].tables.inside_bytes, 4096);
	CHECK_EQ(report.tables.bytes, (6 + 7 - 1) * 4096);
}

UNIT_TEST(process_with_the_same_mm_gets_the_same_result)
{
	rows[2].same_as = 4711;
	processes[2].mm = processes[1].mm;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(fakes[2].nr_open, 0);
	CHECK_EQ(rows[2].same_as, PID + 1);
	CHECK_EQ(rows[2].tables.bytes, 5 * 4096);
	CHECK_EQ(rows[2].sum.rss_bytes, 4096);
	CHECK_EQ(processes[2].vmpte_bytes, 8 * 4096);
	CHECK_EQ(processes[2].rss_bytes, 71 * 4096);
	CHECK_EQ(rows[0].same_as + rows[1].same_as, 0);
	CHECK_EQ(report.tables.bytes, (4 + 5) * 4096);
	CHECK_EQ(report.set.rss_bytes, 2 * 4096);
}

UNIT_TEST(process_with_the_same_mm_fails_too_unless_it_had_failed)
{
	rows[1].same_as = rows[2].same_as = PID;
	processes[1].mm = processes[2].mm = processes[0].mm;
	processes[2].status = PTU_STATUS_DENIED;
	strcpy(processes[2].error, "denied");
	fakes[0].pages[0] = -EIO;
	CHECK_EQ(measure(), 0);
	CHECK_EQ(processes[1].status, PTU_STATUS_FAILED);
	CHECK_STR(processes[1].error, "cannot read");
	CHECK_EQ(processes[2].status, PTU_STATUS_DENIED);
	CHECK_STR(processes[2].error, "denied");
}

UNIT_MAIN_WITH(set_up, tear_down)
