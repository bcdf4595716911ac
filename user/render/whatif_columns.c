// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of tables that could be freed.  Must not predict anything. */
#include "render/whatif_columns.h"

#include <stdlib.h>

static void fill_pid(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_whatif_line *line = row;

	if (line->mm)
		ptu_grid_number(cell, (uint64_t)line->mm->pid);
	else
		ptu_grid_unknown(cell);
}

static void fill_comm(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_whatif_line *line = row;

	if (line->mm)
		ptu_grid_words(cell, line->mm->comm);
	else
		ptu_grid_unknown(cell);
}

static void fill_start(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_whatif_line *line = row;

	if (line->start || line->end)
		ptu_grid_address(cell, line->start);
	else
		ptu_grid_unknown(cell);
}

static void fill_end(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_whatif_line *line = row;

	if (line->start || line->end)
		ptu_grid_end(cell, line->end);
	else
		ptu_grid_unknown(cell);
}

static void fill_bytes(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_whatif_line *line = row;

	ptu_grid_size(cell,
		      (line->tables + line->upper_tables) * cell->page_bytes);
}

static void fill_path(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_whatif_line *line = row;

	ptu_grid_words(cell,
		       *line->path || cell->json ? line->path : "(anonymous)");
}

#define AT(member) offsetof(struct ptu_whatif_line, member)

static const struct ptu_grid_column columns[] = {
	{ "TABLES", "PTE tables that are freed", PTU_RIGHT, ptu_fill_number,
	  "tables", AT(tables) },
	{ "UPPER", "upper tables that are freed", PTU_RIGHT, ptu_fill_number,
	  "upper_tables", AT(upper_tables) },
	{ "SIZE", "memory of both", PTU_RIGHT, fill_bytes, "bytes", 0 },
	{ "TAKES", "memory that filling the huge pages takes, or hugetlb pages",
	  PTU_RIGHT, ptu_fill_size, "fill_bytes", AT(fill_bytes) },
	{ "WAY",
	  "madvise[-locked], munmap[-file, -twice], huge-pages or hugetlb", 0,
	  ptu_fill_string, "way", AT(way) },
	{ "PID", "process, if it is a single one", PTU_RIGHT | PTU_UP, fill_pid,
	  "pid", 0 },
	{ "COMM", "process name", 0, fill_comm, "comm", 0 },
	{ "PROCESSES", "address spaces that have tables there", PTU_RIGHT,
	  ptu_fill_number, "processes", AT(nr_mms) },
	{ "START", "first address, if it is a range", PTU_RIGHT, fill_start,
	  "start", 0 },
	{ "END", "end address, exclusive", PTU_RIGHT, fill_end, "end", 0 },
	{ "PATH", "what is mapped", 0, fill_path, "path", 0 },
	{ 0 },
};

static bool goes(const void *row)
{
	const struct ptu_whatif_line *line = row;

	return line->tables || line->upper_tables;
}

const struct ptu_grid ptu_whatif_table = {
	.columns = columns,
	.defaults = "TABLES,SIZE,TAKES,WAY,PID,START,END,PATH",
	.order = "SIZE",
	.row_bytes = sizeof(struct ptu_whatif_line),
	.is_shown = goes,
};

/* One line for each file: tables that hugetlb memory, or huge pages, would save. */
static size_t file_lines(const struct ptu_whatif_report *report,
			 bool is_hugetlb, struct ptu_whatif_line *ret)
{
	size_t i;

	for (i = 0; i < report->nr_files; i++) {
		const struct ptu_whatif_file *file =
			&report->files[report->files[i].shown];

		ret[i] = (struct ptu_whatif_line){
			.way = is_hugetlb ? "hugetlb" : "huge-pages",
			.mm = file->nr_mms == 1 ? &report->mms[file->mm] : NULL,
			.nr_mms = file->nr_mms,
			.tables = is_hugetlb ? ptu_whatif_hugetlb_tables(report,
									 file) :
					       file->tables,
			.fill_bytes = is_hugetlb ?
					      ptu_whatif_hugetlb_pages(report,
								       file) *
						      report->slot_bytes :
					      file->fill_bytes,
			.path = file->path,
		};
	}
	return i;
}

static size_t empty_lines(const struct ptu_whatif_report *report,
			  struct ptu_whatif_line *ret)
{
	size_t i;

	for (i = 0; i < report->nr_empties; i++) {
		const struct ptu_whatif_empty *empty = &report->empties[i];

		ret[i] = (struct ptu_whatif_line){
			.way = ptu_whatif_call_name(empty->call),
			.mm = &report->mms[empty->mm],
			.nr_mms = 1,
			.start = empty->start,
			.end = empty->end,
			.tables = empty->tables,
			.path = empty->path,
		};
	}
	return i;
}

static size_t unmap_lines(const struct ptu_whatif_report *report,
			  struct ptu_whatif_line *ret)
{
	size_t i;

	for (i = 0; i < report->nr_unmaps; i++) {
		const struct ptu_whatif_unmap *unmap = &report->unmaps[i];

		ret[i] = (struct ptu_whatif_line){
			.way = "munmap-file",
			.mm = unmap->nr_mms == 1 ? &report->mms[unmap->mm] :
						   NULL,
			.nr_mms = unmap->nr_mms,
			.tables = unmap->tables,
			.upper_tables = unmap->upper_tables,
			.path = unmap->path,
		};
	}
	return i;
}

static size_t doubled_lines(const struct ptu_whatif_report *report,
			    struct ptu_whatif_line *ret)
{
	size_t i;

	for (i = 0; i < report->nr_doubled; i++) {
		const struct ptu_whatif_doubled *doubled = &report->doubled[i];

		ret[i] = (struct ptu_whatif_line){
			.way = "munmap-twice",
			.mm = &report->mms[doubled->mm],
			.nr_mms = 1,
			.start = doubled->start,
			.end = doubled->end,
			.tables = doubled->tables,
			.upper_tables = doubled->upper_tables,
			.path = doubled->path,
		};
	}
	return i;
}

struct ptu_whatif_line *ptu_whatif_lines(const struct ptu_whatif_report *report,
					 size_t *ret_nr)
{
	struct ptu_whatif_line *lines = calloc(report->nr_empties +
						       2 * report->nr_files +
						       report->nr_unmaps +
						       report->nr_doubled + 1,
					       sizeof(*lines));
	size_t nr = 0;

	if (!lines)
		return NULL;
	/* reclaim changes only shared memory */
	if (!report->is_reclaim)
		nr += empty_lines(report, lines);
	nr += file_lines(report, false, lines + nr);
	if (!report->is_reclaim) {
		nr += file_lines(report, true, lines + nr);
		nr += unmap_lines(report, lines + nr);
		nr += doubled_lines(report, lines + nr);
	}
	*ret_nr = nr;
	return lines;
}
