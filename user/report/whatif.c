// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and sums of tables that could be freed. */
#include "report/whatif.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *sentence;
} blocks[PTU_NR_BLOCKS] = {
	[PTU_BLOCK_NONE] = { "", "" },
	[PTU_BLOCK_PRIVATE] = { "private",
				"private mappings: the kernel skips a mapping that ever had a copied page" },
	[PTU_BLOCK_UNALIGNED] = { "unaligned",
				  "mapped at addresses that do not fit a huge page of the file" },
	[PTU_BLOCK_PARTIAL] = { "partial",
				"the mapping covers only a part of the huge page" },
	[PTU_BLOCK_NOHUGEPAGE] = { "nohugepage",
				   "the program called madvise(MADV_NOHUGEPAGE)" },
	[PTU_BLOCK_UFFD] = { "userfaultfd", "userfaultfd watches the mapping" },
	[PTU_BLOCK_MARKERS] = { "markers",
				"the tables hold guard regions or userfaultfd markers" },
	[PTU_BLOCK_THP_DISABLED] = { "thp-disabled",
				     "prctl(PR_SET_THP_DISABLE) is in effect for the process" },
	[PTU_BLOCK_UNKNOWN] = { "unknown",
				"the flags of the mapping, or the file, could not be read" },
	[PTU_BLOCK_BEYOND] = { "beyond-end",
			       "a huge page would reach beyond the end of the file" },
	[PTU_BLOCK_HOLE] = { "all-hole",
			     "the file has no page there: the kernel makes huge pages only of existing pages" },
	[PTU_BLOCK_LIMIT] = { "max-fill",
			      "filling the holes takes more memory than --max-fill allows" },
	[PTU_BLOCK_ROOM] = { "tmpfs-space",
			     "filling the holes takes more than half of the free space of the tmpfs" },
};

const char *ptu_whatif_call_name(enum ptu_whatif_call call)
{
	static const char *const names[PTU_NR_CALLS] = {
		[PTU_BY_MADVISE] = "madvise",
		[PTU_BY_MADVISE_LOCKED] = "madvise-locked",
		[PTU_BY_MUNMAP] = "munmap",
	};

	return names[call];
}

const char *ptu_whatif_block_name(enum ptu_whatif_block block)
{
	return blocks[block].name;
}

const char *ptu_whatif_block_sentence(enum ptu_whatif_block block)
{
	return blocks[block].sentence;
}

void *ptu_whatif_room(void *array, size_t nr, size_t one)
{
	char *elements;

	memcpy(&elements, array, sizeof(elements));
	/* the array is full at each power of two: double it then */
	if (!(nr & (nr - 1))) {
		char *grown = reallocarray(elements, nr ? 2 * nr : 1, one);

		if (!grown)
			return NULL;
		elements = grown;
		memcpy(array, &elements, sizeof(elements));
	}
	return memset(elements + nr * one, 0, one);
}

uint64_t ptu_whatif_empty_tables(const struct ptu_whatif_report *report,
				 enum ptu_whatif_call call)
{
	uint64_t tables = 0;
	size_t i;

	for (i = 0; i < report->nr_empties; i++)
		if (report->empties[i].call == call)
			tables += report->empties[i].tables;
	return tables;
}

uint64_t ptu_whatif_all_empty_tables(const struct ptu_whatif_report *report)
{
	uint64_t tables = 0;
	unsigned int call;

	for (call = 0; call < PTU_NR_CALLS; call++)
		tables += ptu_whatif_empty_tables(report, call);
	return tables;
}

uint64_t ptu_whatif_sealed_tables(const struct ptu_whatif_report *report)
{
	uint64_t tables = 0;
	size_t i;

	for (i = 0; i < report->nr_mms; i++)
		tables += report->mms[i].sealed_tables;
	return tables;
}

uint64_t ptu_whatif_shared_tables(const struct ptu_whatif_report *report)
{
	uint64_t tables = 0;
	size_t i;

	for (i = 0; i < report->nr_files; i++)
		tables += report->files[i].tables;
	return tables;
}

/* Is the place's table in one of the rows of empty tables? */
static bool is_in_empties(const struct ptu_whatif_report *report,
			  const struct ptu_whatif_place *place)
{
	size_t i;

	for (i = 0; i < report->nr_empties; i++)
		if (report->empties[i].mm == place->mm &&
		    report->empties[i].start <= place->addr &&
		    place->addr < report->empties[i].end)
			return true;
	return false;
}

uint64_t ptu_whatif_all_tables(const struct ptu_whatif_report *report)
{
	uint64_t tables = ptu_whatif_shared_tables(report) +
			  ptu_whatif_all_empty_tables(report);
	size_t i;

	for (i = 0; i < report->nr_places; i++)
		tables -= !report->places[i].block &&
			  report->places[i].is_empty &&
			  is_in_empties(report, &report->places[i]);
	return tables;
}

struct ptu_whatif_anon
ptu_whatif_anonymous(const struct ptu_whatif_report *report,
		     bool only_scattered)
{
	struct ptu_whatif_anon anon = { 0 };
	size_t i;

	for (i = 0; i < report->nr_mms; i++) {
		const struct ptu_whatif_mm *mm = &report->mms[i];

		if (only_scattered ? !ptu_whatif_is_scattered(report, mm) :
				     !mm->named)
			continue;
		anon.tables += mm->anon_tables;
		anon.counted += mm->anon_counted;
		anon.huge_pages += mm->anon_huge_pages;
		anon.entries += mm->anon_entries;
		anon.marker_tables += mm->marker_tables;
		anon.zero_tables += mm->zero_tables;
		anon.dense_tables += ptu_whatif_dense_tables(report, mm);
	}
	return anon;
}

uint64_t ptu_whatif_dense_tables(const struct ptu_whatif_report *report,
				 const struct ptu_whatif_mm *mm)
{
	const uint64_t nr = report->slot_bytes / report->base.page_bytes;

	return (mm->anon_entries + nr - 1) / nr;
}

bool ptu_whatif_is_scattered(const struct ptu_whatif_report *report,
			     const struct ptu_whatif_mm *mm)
{
	return mm->named && mm->anon_counted &&
	       ptu_whatif_dense_tables(report, mm) <= mm->anon_counted / 2;
}

uint64_t ptu_whatif_hugetlb_tables(const struct ptu_whatif_report *report,
				   const struct ptu_whatif_file *file)
{
	return file->is_internal && file->size_bytes >= report->slot_bytes ?
		       file->hugetlb_tables :
		       0;
}

enum ptu_whatif_kept ptu_whatif_kept(const struct ptu_whatif_report *report,
				     const struct ptu_whatif_file *file)
{
	if (file->tables || ptu_whatif_hugetlb_tables(report, file))
		return PTU_NOT_KEPT;
	if (file->size_bytes < report->slot_bytes)
		return PTU_KEPT_SMALL;
	return file->is_internal ? PTU_KEPT_INTERNAL : PTU_KEPT_IN_TMPFS;
}

size_t ptu_whatif_kept_sum(const struct ptu_whatif_report *report,
			   enum ptu_whatif_kept kept,
			   struct ptu_whatif_file *ret)
{
	unsigned int block;
	size_t i, nr = 0;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < report->nr_files; i++) {
		const struct ptu_whatif_file *file = &report->files[i];

		if (!file->nr_mms || ptu_whatif_kept(report, file) != kept)
			continue;
		nr++;
		ret->shown = i;
		ret->is_internal = file->is_internal;
		ret->size_bytes = file->size_bytes;
		for (block = 0; block < PTU_NR_BLOCKS; block++)
			ret->blocked[block] += file->blocked[block];
	}
	return nr;
}

uint64_t ptu_whatif_blocked_tables(const struct ptu_whatif_file *file)
{
	uint64_t tables = 0;
	unsigned int block;

	for (block = PTU_BLOCK_NONE + 1; block < PTU_NR_BLOCKS; block++)
		tables += file->blocked[block];
	return tables;
}

uint64_t ptu_whatif_all_hugetlb_tables(const struct ptu_whatif_report *report)
{
	uint64_t tables = 0;
	size_t i;

	for (i = 0; i < report->nr_files; i++)
		tables += ptu_whatif_hugetlb_tables(report, &report->files[i]);
	return tables;
}

uint64_t ptu_whatif_hugetlb_pages(const struct ptu_whatif_report *report,
				  const struct ptu_whatif_file *file)
{
	return (file->size_bytes + report->slot_bytes - 1) / report->slot_bytes;
}

uint64_t ptu_whatif_fill_bytes(const struct ptu_whatif_report *report)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < report->nr_files; i++)
		bytes += report->files[i].fill_bytes;
	return bytes;
}

void ptu_whatif_report_deinit(struct ptu_whatif_report *report)
{
	size_t i;

	for (i = 0; i < report->nr_empties; i++)
		free(report->empties[i].path);
	for (i = 0; i < report->nr_files; i++)
		free(report->files[i].path);
	for (i = 0; i < report->nr_unmaps; i++)
		free(report->unmaps[i].path);
	for (i = 0; i < report->nr_doubled; i++)
		free(report->doubled[i].path);
	free(report->unread);
	free(report->unmaps);
	free(report->doubled);
	free(report->mms);
	free(report->empties);
	free(report->files);
	free(report->places);
	free(report->windows);
	free(report->holes);
	ptu_report_deinit(&report->base);
	memset(report, 0, sizeof(*report));
}
