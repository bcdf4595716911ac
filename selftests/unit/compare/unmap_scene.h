/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that map one file, each with its tables, for the tests of munmap(). */
#ifndef UNMAP_SCENE_H
#define UNMAP_SCENE_H

#include "compare/whatif.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define SLOT (2 * MIB)
#define HALF (SLOT / 2)
#define BASE (16 * TIB)
#define OTHER (BASE + GIB) /* has a PMD table of its own */
#define INODE 99

static struct ptu_whatif_report report;
static struct ptu_vma vmas[8];
static struct ptu_tables tables;
static size_t nr_vmas;
#define ANON_INODE 6
#define OTHER_NAME 28
static char names[] = "\0name\0anon_inode:kvm-vcpu:0\0other";

static inline void begin_process(void)
{
	ptu_tables_deinit(&tables);
	ptu_tables_init(&tables, &four_levels);
	nr_vmas = 0;
}

static inline void begin(void)
{
	ptu_whatif_report_deinit(&report);
	begin_process();
}

/* A shared mapping of the file from @offset on. */
static inline struct ptu_vma *map(uint64_t start, uint64_t end, uint64_t offset)
{
	struct ptu_vma *vma = &vmas[nr_vmas++];

	*vma = (struct ptu_vma){ .start = start,
				 .end = end,
				 .offset_bytes = offset,
				 .device = 7,
				 .inode = INODE,
				 .perms = "rw-s",
				 .has_flags = true,
				 .path = 1 };
	return vma;
}

/* A mapping without a file. */
static inline void map_anon(uint64_t start, uint64_t end)
{
	struct ptu_vma *vma = map(start, end, 0);

	vma->device = vma->inode = 0;
}

/* Add a PTE table and the tables above it. */
static inline void table(uint64_t start)
{
	CHECK(!ptu_tables_add(&tables, PTAUDIT_PTE, start, PTU_CERTAIN));
	ptu_tables_count_entries(&tables, 1);
}

/*
 * Put one letter for each slot: t a table, e an empty one, ? a possible one, L a leaf,
 * - nothing.
 */
static inline void put(uint64_t start, const char *slots)
{
	for (; *slots; slots++, start += SLOT) {
		if (*slots == 'L')
			CHECK(!ptu_tables_add(&tables, PTAUDIT_PMD, start,
					      PTU_LEAF));
		else if (*slots == '?')
			CHECK(!ptu_tables_add(&tables, PTAUDIT_PTE, start,
					      PTU_MAYBE));
		else if (*slots != '-')
			table(start);
		if (*slots == 'e')
			tables.tables[tables.nr_tables - 1].entries = 0;
	}
}

static inline void look(size_t mm)
{
	const struct ptu_vmas all = { .vmas = vmas,
				      .nr_vmas = nr_vmas,
				      .names = names,
				      .names_bytes = sizeof(names) };
	const struct ptu_whatif_space space = { &four_levels, &all, &tables,
						mm };

	while (report.nr_mms <= mm) {
		if (!ptu_whatif_room(&report.mms, report.nr_mms,
				     sizeof(*report.mms)))
			abort();
		report.nr_mms++;
	}
	CHECK(!ptu_whatif_add_unmaps(&space, &report));
	CHECK(!ptu_whatif_add_doubled(&space, &report));
}

#endif
