/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes with tables of a shared file and of other memory, for the tests of whatif. */
#ifndef WHATIF_SCENE_H
#define WHATIF_SCENE_H

#include "compare/whatif.h"

#include <stdlib.h>

#include "support/build.h"
#include "support/unit.h"

#define SLOT (2 * MIB)
#define BASE (16 * TIB)
#define DEVICE 7
#define INODE 99

static struct ptu_whatif_report report;
static struct ptu_vma vmas[8];
static struct ptu_table tables[64];
static size_t nr_vmas, nr_tables;
static char names[16] = "\0name";

/* Start a report with one shared file and @nr_mms processes. */
static void begin(size_t nr_mms)
{
	ptu_whatif_report_deinit(&report);
	report.base.page_bytes = 4096;
	report.slot_bytes = SLOT;
	report.madvise_frees = true;
	for (size_t i = 0; i < nr_mms; i++) {
		if (!ptu_whatif_room(&report.mms, i, sizeof(*report.mms)))
			abort();
		report.nr_mms++;
	}
	if (!ptu_whatif_room(&report.files, 0, sizeof(*report.files)))
		abort();
	report.nr_files = 1;
	report.files[0].device = DEVICE;
	report.files[0].inode = INODE;
	report.files[0].size_bytes = GIB;
	report.files[0].room_bytes = UINT64_MAX;
	nr_vmas = nr_tables = 0;
}

static void set_up(void)
{
	begin(1);
}

static inline struct ptu_vma *map(uint64_t start, uint64_t end,
				  const char *perms)
{
	struct ptu_vma *vma = &vmas[nr_vmas++];

	*vma = (struct ptu_vma){
		.start = start, .end = end, .has_flags = true, .path = 1
	};
	memcpy(vma->perms, perms, 5);
	return vma;
}

/* A shared mapping of the file from @offset on. */
static inline struct ptu_vma *map_file(uint64_t start, uint64_t end,
				       uint64_t offset)
{
	struct ptu_vma *vma = map(start, end, "rw-s");

	vma->device = DEVICE;
	vma->inode = INODE;
	vma->offset_bytes = offset;
	return vma;
}

static void table(uint64_t start, unsigned int entries)
{
	tables[nr_tables++] = (struct ptu_table){ .start = start,
						  .level = PTAUDIT_PTE,
						  .claim = PTU_CERTAIN,
						  .counted = true,
						  .entries = (uint16_t)entries };
}

/* A table with @entries in each of the first @nr slots. */
static void slots(unsigned int nr, unsigned int entries)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		table(BASE + i * SLOT, entries);
}

static inline struct ptu_whatif_space space(size_t mm)
{
	static struct ptu_vmas all;
	static struct ptu_tables set;

	all = (struct ptu_vmas){ .vmas = vmas,
				 .nr_vmas = nr_vmas,
				 .names = names,
				 .names_bytes = sizeof(names) };
	set = (struct ptu_tables){ .tables = tables,
				   .nr_tables = nr_tables,
				   .geo = &four_levels };
	return (struct ptu_whatif_space){ &four_levels, &all, &set, mm };
}

static void empties(void)
{
	const struct ptu_whatif_space s = space(0);

	CHECK(!ptu_whatif_add_empties(&s, &report));
}

#endif
