// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of tables that came and went.  Must not compare anything. */
#include "render/change_columns.h"

#include <stdio.h>

#include "render/format.h"

/* No row is about the PGD, so each table is one page. */
static void fill_size(struct ptu_grid_cell *cell, const void *row)
{
	const struct ptu_change_line *r = row;
	const uint64_t came = r->came, went = r->went;
	char text[PTU_FORMAT_LEN];

	ptu_grid_signed(cell,
			(int64_t)(came - went) * (int64_t)cell->page_bytes);
	snprintf(cell->text, sizeof(cell->text), "%s%s",
		 came > went ? "+" :
		 came < went ? "-" :
			       "",
		 ptu_format_size((came > went ? came - went : went - came) *
					 cell->page_bytes,
				 cell->bytes, text));
}

#define AT(member) offsetof(struct ptu_change_line, member)

const struct ptu_grid_column ptu_change_columns[] = {
	{ "PID", "process", PTU_RIGHT | PTU_UP, ptu_fill_id, "pid", AT(pid) },
	{ "COMM", "process name", 0, ptu_fill_string, "comm", AT(comm) },
	{ "LEVEL", "pte to p4d", 0, ptu_fill_level, "level", AT(level) },
	{ "CAME", "tables that exist only on the second side", PTU_RIGHT,
	  ptu_fill_number, "came", AT(came) },
	{ "WENT", "tables that exist only on the first side", PTU_RIGHT,
	  ptu_fill_number, "went", AT(went) },
	{ "SIZE", "memory of CAME minus that of WENT", PTU_RIGHT, fill_size,
	  "growth_bytes", 0 },
	{ "START", "first address of the mappings", PTU_RIGHT, ptu_fill_address,
	  "start", AT(start) },
	{ "END", "end of the mappings, exclusive", PTU_RIGHT, ptu_fill_end,
	  "end", AT(end) },
	{ "NAME", "what is mapped", 0, ptu_fill_string, "name", AT(name) },
	{ 0 },
};

size_t ptu_change_lines(const struct ptu_changed *p,
			struct ptu_change_line *ret)
{
	unsigned int level;
	size_t i, nr = 0;

	for (i = 0; i < p->growth.nr_rows; i++) {
		const struct ptu_growth_row *mapping = &p->growth.rows[i];

		for (level = 0; level < PTAUDIT_NR_LEVELS; level++) {
			if (!mapping->came[level] && !mapping->went[level])
				continue;
			ret[nr++] = (struct ptu_change_line){
				.pid = p->pid,
				.comm = p->comm,
				.level = level,
				.came = mapping->came[level],
				.went = mapping->went[level],
				.start = mapping->start,
				.end = mapping->end,
				.name = mapping->name,
				.mapping = mapping,
			};
		}
	}
	return nr;
}
