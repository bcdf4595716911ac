// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of footprints.  Must not add up anything. */
#include "render/footprint_columns.h"

#include <stdio.h>

static bool is_measured(const struct ptu_footprint_line *line)
{
	return !line->process || line->process->status == PTU_STATUS_OK;
}

/* A size of the row. */
static void fill_size(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;

	if (is_measured(line))
		ptu_fill_size(cell, line->row);
	else
		ptu_grid_unknown(cell);
}

static void fill_shared(struct ptu_grid_cell *cell, const void *arg)
{
	if (((const struct ptu_footprint_line *)arg)->by_module)
		fill_size(cell, arg);
	else
		ptu_grid_unknown(cell);
}

/* Members of processes that the set does not have. */
static void fill_own_size(struct ptu_grid_cell *cell, const void *arg)
{
	if (((const struct ptu_footprint_line *)arg)->process)
		fill_size(cell, arg);
	else
		ptu_grid_unknown(cell);
}

static void fill_pid(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;

	if (line->process)
		ptu_grid_number(cell, (uint64_t)line->process->pid);
	else
		ptu_grid_words(cell, "set");
}

static void fill_comm(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;

	/* the table escapes unsafe characters */
	ptu_grid_words(cell, line->process && line->process->comm[0] ?
				     line->process->comm :
				     "-");
}

static void fill_uid(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;

	if (line->process)
		ptu_grid_number(cell, line->process->uid);
	else
		ptu_grid_unknown(cell);
}

static void fill_ksm(struct ptu_grid_cell *cell, const void *arg)
{
	if (((const struct ptu_footprint_line *)arg)->row->ksm_unknown)
		ptu_grid_unknown(cell);
	else
		fill_size(cell, arg);
}

static void fill_vmpte(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;

	/* /proc/PID/status, which everybody may read */
	if (line->process &&
	    (is_measured(line) || line->process->status == PTU_STATUS_DENIED))
		ptu_grid_size(cell, line->process->vmpte_bytes);
	else
		ptu_grid_unknown(cell);
}

static void fill_status(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;

	ptu_grid_words(cell, line->process ?
				     ptu_status_name(line->process->status) :
				     "-");
}

static void fill_note(struct ptu_grid_cell *cell, const void *arg)
{
	const struct ptu_footprint_line *line = arg;
	const struct ptu_process *process = line->process;

	if (process && process->status != PTU_STATUS_OK && process->error[0])
		ptu_grid_words(cell, process->error);
	else if (process && line->row->same_as)
		snprintf(cell->text, sizeof(cell->text),
			 "same address space as %d", (int)line->row->same_as);
	else if (process && process->self)
		ptu_grid_words(cell, "ptaudit itself");
	else if (process && process->nr_sharing)
		snprintf(cell->text, sizeof(cell->text),
			 "%u more have its address space", process->nr_sharing);
	else
		ptu_grid_unknown(cell);
}

#define AT(member) offsetof(struct ptu_footprint_row, member)
#define SUM(member) AT(sum.member)
#define KIND(array, kind) AT(sum.array[PTU_FOOTPRINT_##kind])

/* clang-format off */
const struct ptu_grid_column ptu_footprint_columns[] = {
	{ "PID", "PID; set: all processes together", PTU_RIGHT | PTU_UP, fill_pid, "pid", 0 },
	{ "COMM", "process name", 0, fill_comm, "comm", 0 },
	{ "UID", "real UID of the process", PTU_RIGHT | PTU_UP, fill_uid, "uid", 0 },
	{ "RSS", "mapped pages; set: each page once", PTU_RIGHT,
	  fill_size, "rss_bytes", SUM(rss_bytes) },
	{ "PSS", "RSS with each page divided by its number of mappings", PTU_RIGHT,
	  fill_size, "pss_bytes", SUM(pss_bytes) },
	{ "USS", "pages that are mapped nowhere else", PTU_RIGHT,
	  fill_size, "uss_bytes", SUM(uss_bytes) },
	{ "SWAP", "swapped out; set: each slot once", PTU_RIGHT,
	  fill_size, "swap_bytes", SUM(swap_bytes) },
	{ "TABLES", "page tables; set: each table once", PTU_RIGHT,
	  fill_size, "tables_bytes", AT(tables.bytes) },
	{ "TABLES-INSIDE", "tables that are shared within the set", PTU_RIGHT,
	  fill_shared, "tables_inside_bytes", AT(tables.inside_bytes) },
	{ "TABLES-OUTSIDE", "tables that are shared with others", PTU_RIGHT,
	  fill_shared, "tables_outside_bytes", AT(tables.outside_bytes) },
	{ "HUGETLB", "hugetlb pages, which RSS does not include", PTU_RIGHT,
	  fill_size, "rss.hugetlb_bytes", KIND(kinds, HUGETLB) },
	{ "ANON", "anonymous memory in RSS", PTU_RIGHT,
	  fill_size, "rss.anon_bytes", KIND(kinds, ANON) },
	{ "FILE", "pages of files in RSS", PTU_RIGHT,
	  fill_size, "rss.file_bytes", KIND(kinds, FILE) },
	{ "SHMEM", "shared memory and tmpfs in RSS", PTU_RIGHT,
	  fill_size, "rss.shmem_bytes", KIND(kinds, SHMEM) },
	{ "USS-ANON", "anonymous memory in USS", PTU_RIGHT,
	  fill_size, "uss.anon_bytes", KIND(uss_kinds, ANON) },
	{ "USS-FILE", "pages of files in USS", PTU_RIGHT,
	  fill_size, "uss.file_bytes", KIND(uss_kinds, FILE) },
	{ "USS-SHMEM", "shared memory and tmpfs in USS", PTU_RIGHT,
	  fill_size, "uss.shmem_bytes", KIND(uss_kinds, SHMEM) },
	{ "USS-HUGETLB", "hugetlb pages that are mapped nowhere else", PTU_RIGHT,
	  fill_size, "uss.hugetlb_bytes", KIND(uss_kinds, HUGETLB) },
	{ "LARGE", "pages of large folios in RSS", PTU_RIGHT,
	  fill_size, "large_bytes", SUM(large_bytes) },
	{ "HUGE", "mapped by huge entries, according to smaps", PTU_RIGHT | PTU_COL_SMAPS,
	  fill_own_size, "huge_bytes", AT(huge_bytes) },
	{ "KSM", "pages in RSS that KSM merged", PTU_RIGHT,
	  fill_ksm, "ksm_bytes", SUM(ksm_bytes) },
	{ "ROUNDED", "pages in LARGE whose PSS is a rounded average", PTU_RIGHT,
	  fill_size, "rounded_bytes", SUM(rounded_bytes) },
	{ "KERNEL-RSS", "Rss of smaps", PTU_RIGHT | PTU_COL_SMAPS,
	  fill_own_size, "kernel_rss_bytes", AT(kernel_rss_bytes) },
	{ "KERNEL-PSS", "Pss of smaps, added up", PTU_RIGHT | PTU_COL_SMAPS,
	  fill_own_size, "kernel_pss_bytes", AT(kernel_pss_bytes) },
	{ "VMPTE", "VmPTE", PTU_RIGHT, fill_vmpte, "vmpte_bytes", 0 },
	{ "STATUS", "ok, gone, failed, unstable or denied", 0, fill_status, "status", 0 },
	{ "NOTE", "remarks about the process", 0, fill_note, "note", 0 },
	{ "PSS-ANON", NULL, PTU_RIGHT,
	  fill_size, "pss.anon_bytes", KIND(pss_kinds, ANON) },
	{ "PSS-FILE", NULL, PTU_RIGHT,
	  fill_size, "pss.file_bytes", KIND(pss_kinds, FILE) },
	{ "PSS-SHMEM", NULL, PTU_RIGHT,
	  fill_size, "pss.shmem_bytes", KIND(pss_kinds, SHMEM) },
	{ "PSS-HUGETLB", NULL, PTU_RIGHT,
	  fill_size, "pss.hugetlb_bytes", KIND(pss_kinds, HUGETLB) },
	{ "HUGETLB-UNKNOWN", NULL, PTU_RIGHT,
	  fill_size, "hugetlb_unknown_bytes", SUM(hugetlb_unknown_bytes) },
	{ "MIGRATING", NULL, PTU_RIGHT,
	  fill_size, "migrating_bytes", SUM(migrating_bytes) },
	{ "KERNEL-SWAP", NULL, PTU_RIGHT | PTU_COL_SMAPS,
	  fill_own_size, "kernel_swap_bytes", AT(kernel_swap_bytes) },
	{ 0 },
};
/* clang-format on */

const char ptu_footprint_sum_members[] =
	"RSS,PSS,USS,SWAP,TABLES,TABLES-INSIDE,TABLES-OUTSIDE,ANON,FILE,SHMEM,HUGETLB,PSS-ANON,PSS-FILE,PSS-SHMEM,PSS-HUGETLB,USS-ANON,USS-FILE,USS-SHMEM,USS-HUGETLB,LARGE,KSM,ROUNDED,HUGETLB-UNKNOWN,MIGRATING";
const char ptu_footprint_own_members[] =
	"HUGE,KERNEL-RSS,KERNEL-PSS,KERNEL-SWAP,VMPTE";
