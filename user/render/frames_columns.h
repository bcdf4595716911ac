/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns of the flags of page frames, for text and JSON. */
#ifndef PTU_RENDER_FRAMES_COLUMNS_H
#define PTU_RENDER_FRAMES_COLUMNS_H

#include "model/page_flags.h"
#include "render/cells.h"
#include "report/frames.h"

/* A row: a flag; the text also has rows for the rules of counts. */
struct ptu_frames_line {
	const char *name;
	const char *pg;
	unsigned int kpf;
	uint64_t bits;
	const struct ptu_kpagemap_tally *tally;
	char buffer[PTU_PAGEFLAG_LEN];
};

/* All columns; the last element has no name. */
extern const struct ptu_grid_column ptu_frames_columns[];

/* The table that --output selects columns of, without rows. */
extern const struct ptu_grid ptu_frames_table;

/**
 * ptu_frames_lines() - Make a row for each compared flag.
 *
 * Return: the number of rows in @ret.
 */
size_t ptu_frames_lines(const struct ptu_kpagemap *compared,
			struct ptu_frames_line ret[PTU_KPAGEMAP_BITS]);

#endif
