// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of page flags.  Must not count anything. */
#include "render/flags_columns.h"

#include "model/page_flags.h"

static void fill_run_pages(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_flag_run *run = row;

	ptu_grid_pages(cell, (run->end - run->start) / cell->page_bytes);
}

/* The names of the flags in the word at the column's offset. */
static void fill_names(struct ptu_grid_cell *cell, const void *row)
{
	const uint64_t *flags = (const void *)((const char *)row +
					       cell->column->offset);
	char text[PTU_PAGEFLAGS_LEN];

	ptu_grid_words(cell, ptu_pageflags_format(*flags, text));
	cell->kind = PTU_CELL_LIST;
}

#define RUN(member) offsetof(struct ptu_flag_run, member)
#define GROUP(member) offsetof(struct ptu_flag_group, member)

#define PAGES "PAGES", "base pages", PTU_RIGHT
#define RAW                                                     \
	"RAW", "page flags as one number, as in kpageflags", PTU_RIGHT, \
		ptu_fill_address, "raw"
#define FLAGS "FLAGS", "names of the page flags", 0, fill_names, "flags"

/* clang-format off */
const struct ptu_grid_column ptu_flag_run_columns[] = {
	{ "START", "first address of a run", PTU_RIGHT, ptu_fill_address, "start", RUN(start) },
	{ "END", "end address, exclusive", PTU_RIGHT, ptu_fill_end, "end", RUN(end) },
	{ PAGES, fill_run_pages, "pages", 0 },
	{ RAW, RUN(flags) },
	{ FLAGS, RUN(flags) },
	{ 0 },
};

const struct ptu_grid_column ptu_flag_group_columns[] = {
	{ PAGES, ptu_fill_pages, "pages", GROUP(pages) },
	{ RAW, GROUP(flags) },
	{ FLAGS, GROUP(flags) },
	{ 0 },
};
/* clang-format on */

struct ptu_grid ptu_flags_table(const struct ptu_flags_report *report,
				bool with_runs)
{
	const struct ptu_pageflags *counted = &report->counted;

	if (with_runs)
		return (struct ptu_grid){
			.columns = ptu_flag_run_columns,
			.defaults = "START,END,PAGES,FLAGS",
			.rows = counted->runs,
			.nr_rows = counted->nr_runs,
			.row_bytes = sizeof(*counted->runs),
			.page_bytes = report->head.host.page_bytes,
		};
	return (struct ptu_grid){
		.columns = ptu_flag_group_columns,
		.defaults = "PAGES,FLAGS",
		.rows = counted->groups,
		.nr_rows = counted->nr_groups,
		.row_bytes = sizeof(*counted->groups),
		.page_bytes = report->head.host.page_bytes,
	};
}
