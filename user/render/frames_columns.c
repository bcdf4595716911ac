// SPDX-License-Identifier: LGPL-2.1-or-later
/* The columns of the flags of page frames.  Must not compare anything. */
#include "render/frames_columns.h"

#include <stdio.h>

/*
 * The numbers of the kernel's bits. SWAPCACHE has two: it is valid only together with
 * another flag.
 */
static void fill_bit(struct ptu_grid_cell *cell, const void *row)
{
	uint64_t bits = ((const struct ptu_frames_line *)row)->bits;
	size_t used = 0;

	for (; bits; bits &= bits - 1)
		used += (size_t)snprintf(cell->text + used,
					 sizeof(cell->text) - used, "%s%d",
					 !used	    ? "" :
					 cell->json ? "," :
						      "+",
					 __builtin_ctzll(bits));
	if (cell->json)
		cell->kind = PTU_CELL_LIST;
}

static void fill_tally(struct ptu_grid_cell *cell, const void *row)
{
	ptu_fill_pages(cell, ((const struct ptu_frames_line *)row)->tally);
}

#define ROW(member) offsetof(struct ptu_frames_line, member)
#define TALLY(member) offsetof(struct ptu_kpagemap_tally, member)
#define END(end) TALLY(ends[PTU_KPAGEMAP_##end])

const struct ptu_grid_column ptu_frames_columns[] = {
	{ "FLAG", "name of the flag in kpageflags", 0, ptu_fill_string, "flag",
	  ROW(name) },
	{ "KPF", "number of the flag in kpageflags", PTU_RIGHT, ptu_fill_id,
	  "kpf", ROW(kpf) },
	{ "PG", "page flag of the kernel that FLAG shows", 0, ptu_fill_string,
	  "pg", ROW(pg) },
	{ "BIT", "number of PG in the running kernel", PTU_RIGHT, fill_bit,
	  "bits", 0 },
	{ "SET", "page frames with this flag in kpageflags", PTU_RIGHT,
	  fill_tally, "set", TALLY(set) },
	{ "AGREE", "page frames on which both sides agree", PTU_RIGHT,
	  fill_tally, "agree", END(AGREED) },
	{ "HEAD", "tail pages in AGREE that show the flag of their head",
	  PTU_RIGHT, fill_tally, "head", TALLY(head) },
	{ "CHANGED", "page frames that agree when read again", PTU_RIGHT,
	  fill_tally, "changed", END(CHANGED) },
	{ "IN-FLUX", "page frames that kept changing", PTU_RIGHT, fill_tally,
	  "in_flux", END(IN_FLUX) },
	{ "UNEXPLAINED", "page frames that differ at each reading", PTU_RIGHT,
	  fill_tally, "unexplained", END(UNEXPLAINED) },
	{ 0 },
};

const struct ptu_grid ptu_frames_table = {
	.columns = ptu_frames_columns,
	.defaults = "FLAG,PG,BIT,SET,AGREE,HEAD,CHANGED,IN-FLUX,UNEXPLAINED",
	.row_bytes = sizeof(struct ptu_frames_line),
};

size_t ptu_frames_lines(const struct ptu_kpagemap *compared,
			struct ptu_frames_line ret[PTU_KPAGEMAP_BITS])
{
	unsigned int bit;
	size_t nr = 0;

	for (bit = 0; bit < PTU_KPAGEMAP_BITS; bit++) {
		struct ptu_frames_line *line = &ret[nr];

		if (!compared->flags[bit].bits)
			continue;
		line->name = ptu_pageflag_name(bit, line->buffer);
		line->pg = compared->flags[bit].pg;
		line->kpf = bit;
		line->bits = compared->flags[bit].bits;
		line->tally = &compared->by_flag[bit];
		nr++;
	}
	return nr;
}
