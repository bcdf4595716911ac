/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the text of `whatif` and `reclaim`, and what they share. */
#ifndef PTU_RENDER_TEXT_WHATIF_TEXT_H
#define PTU_RENDER_TEXT_WHATIF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "render/format.h"
#include "report/whatif.h"

/**
 * struct ptu_whatif_text - a report, and where and how to print it
 * @bytes: print sizes in bytes
 * @nr_named: number of processes that the user named
 */
struct ptu_whatif_text {
	const struct ptu_whatif_report *report;
	FILE *out;
	bool bytes;
	size_t nr_named;
};

/**
 * ptu_whatif_say_name() - Print what is mapped, escaped; "(anonymous)" if @name is empty.
 */
void ptu_whatif_say_name(const struct ptu_whatif_text *t, const char *name);

/**
 * ptu_whatif_tables_bytes() - Format the memory that @tables PTE tables occupy.
 *
 * Return: @ret.
 */
const char *ptu_whatif_tables_bytes(const struct ptu_whatif_text *t,
				    uint64_t tables, char ret[PTU_FORMAT_LEN]);

/**
 * ptu_whatif_say_more() - Print how many of @nr rows come after the first @most.
 */
void ptu_whatif_say_more(const struct ptu_whatif_text *t, size_t nr,
			 size_t most);

/**
 * ptu_whatif_say_shared() - Print the part on shared memory.
 */
void ptu_whatif_say_shared(const struct ptu_whatif_text *t);

#endif
