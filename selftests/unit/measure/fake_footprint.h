/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Three processes with tables and a page each, and the functions that read them, for tests of
 * ptu_footprint_measure().  Included once by each program.
 */
#ifndef FAKE_FOOTPRINT_H
#define FAKE_FOOTPRINT_H

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
 * @nr_anon: further pages, which are anonymous
 * @shared: it has a PMD table that another process has, too
 * @how: (out) PTU_FOOTPRINT_* of its hugetlb memory when it was read
 */
static struct fake {
	unsigned int pte_tables;
	int open[2], status[1], tables[3], pages[3];
	int same;
	uint64_t pfn;
	bool shmem;
	unsigned int nr_anon;
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
	*ret = counts;
	return counts_error;
}

int ptu_proc_geometry(struct ptu_geometry *ret, struct ptu_err *error)
{
	if (!geometry_error)
		*ret = geometry;
	return geometry_error;
}

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *error)
{
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
	return tries < 3;
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *error)
{
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

	if (start || end || error->text[0])
		abort();
	if (failed) {
		strcpy(error->text, "cannot walk");
		return failed;
	}
	build_init(&b, 4, false);
	for (unsigned int i = 0; i < fake->pte_tables; i++)
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
	struct ptu_page anon = { .flags = PTU_KPF_ANON, .count = 1 };
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
	for (unsigned int i = 0; i < fake->nr_anon; i++) {
		anon.word = PTU_PM_PRESENT | (fake->pfn + 1000 + i);
		if (ptu_footprint_add(footprint, &anon, 0))
			abort();
	}
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
	settled++;
}

/* Three processes with one, two and three PTE tables, and a page each. */
static void set_up(void)
{
	memset(fakes, 0, sizeof(fakes));
	memset(processes, 0, sizeof(processes));
	memset(rows, 0, sizeof(rows));
	report = (struct ptu_footprint_report){
		.base = { .page_bytes = 4096,
			  .processes = processes,
			  .nr_processes = NR },
		.rows = rows,
	};
	for (unsigned int i = 0; i < NR; i++) {
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
	for (unsigned int i = 0; i < NR; i++)
		ptu_process_deinit(&processes[i]);
}

static int measure(void)
{
	return ptu_footprint_measure(&report, &ask, &err);
}

#endif
