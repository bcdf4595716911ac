// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find the tables that munmap() would free, for all mappings of a file, and for a
 * mapping of memory that the process has mapped a second time.  Pure.
 *
 * A table is freed if all mappings in its reach are unmapped.  Source: mm/memory.c,
 * free_pgtables(): it covers the range from the end of the previous mapping to the
 * start of the next one, whatever these contain (6.1 to 7.3).
 */
#include "compare/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/place.h"

/*
 * What identifies a file.  A btrfs snapshot keeps the inode numbers of the original, and
 * maps shows the same device for both.  Only the paths differ.
 */
struct file {
	uint64_t device;
	uint64_t inode;
	const char *path;
};

static struct file file_of(const struct ptu_vmas *vmas,
			   const struct ptu_vma *vma)
{
	return (struct file){ vma->device, vma->inode,
			      ptu_vma_path(vmas, vma) };
}

static struct file file_of_row(const struct ptu_whatif_unmap *row)
{
	return (struct file){ row->device, row->inode, row->path };
}

static int compare_files(struct file x, struct file y)
{
	if (x.device != y.device)
		return x.device < y.device ? -1 : 1;
	if (x.inode != y.inode)
		return x.inode < y.inode ? -1 : 1;
	return strcmp(x.path, y.path);
}

/* A process keeps its PGD. */
static bool is_table(const struct ptu_table *table)
{
	return table->claim == PTU_CERTAIN && table->level < PTAUDIT_PGD;
}

const struct ptu_vma *ptu_whatif_only_file(const struct ptu_whatif_space *space,
					   const struct ptu_table *table)
{
	const uint64_t end = table->start +
			     ptu_geometry_reach(space->geo, table->level);
	const struct ptu_vmas *vmas = space->vmas;
	const size_t first = ptu_vmas_find(vmas, table->start);
	size_t i;

	if (first == vmas->nr_vmas || vmas->vmas[first].start >= end ||
	    !ptu_vma_has_file(&vmas->vmas[first]))
		return NULL;
	for (i = first + 1; i < vmas->nr_vmas && vmas->vmas[i].start < end; i++)
		if (compare_files(file_of(vmas, &vmas->vmas[i]),
				  file_of(vmas, &vmas->vmas[first])))
			return NULL;
	return &vmas->vmas[first];
}

/* Is a mapping in the table's reach sealed? munmap() of it would fail. */
static bool is_sealed(const struct ptu_whatif_space *space,
		      const struct ptu_table *table)
{
	const uint64_t end = table->start +
			     ptu_geometry_reach(space->geo, table->level);
	const struct ptu_vmas *vmas = space->vmas;
	size_t i;

	for (i = ptu_vmas_find(vmas, table->start);
	     i < vmas->nr_vmas && vmas->vmas[i].start < end; i++)
		if (vmas->vmas[i].flags & PTU_VM_SEALED)
			return true;
	return false;
}

/*
 * May other processes use the table?  Then munmap() leaves it to them.  The kernel shares only
 * PMD tables, and only if one shared hugetlb mapping covers the whole reach of the table.
 * Source: mm/hugetlb.c, page_table_shareable(), vma_shareable() (5.10 to 7.3).
 */
static bool can_be_shared(const struct ptu_whatif_space *space,
			  const struct ptu_table *table)
{
	return table->level == PTAUDIT_PMD &&
	       ptu_place_one(space->vmas, table->start,
			     table->start + ptu_geometry_reach(space->geo,
							       PTAUDIT_PMD),
			     PTU_VM_HUGETLB | PTU_VM_MAYSHARE);
}

/*
 * Does MADV_DONTNEED over the mapping free the PTE table and keep the data?  A shared
 * mapping keeps its data in the file, and page faults map it again.  Some drivers insert
 * all pages in mmap() and handle no page faults: exclude VM_PFNMAP and VM_MIXEDMAP.  The
 * call leaves the markers of userfaultfd and of guard regions in the table: exclude their
 * flags.  Linux 6.15 to 6.17 have guard regions and no flag for them.
 * Source: mm/madvise.c, madvise_dontneed_free_valid_vma(); mm/memory.c,
 * zap_pte_range() (6.14).
 */
static bool goes_by_madvise(const struct ptu_whatif_space *space,
			    const struct ptu_table *table,
			    const struct ptu_vma *vma)
{
	const unsigned int no = PTU_VM_HUGETLB | PTU_VM_PFNMAP |
				PTU_VM_MIXEDMAP | PTU_VM_UFFD_WP |
				PTU_VM_GUARD | PTU_VM_LOCKED;
	const uint64_t end = table->start +
			     ptu_geometry_reach(space->geo, PTAUDIT_PTE);

	return table->level == PTAUDIT_PTE && vma->perms[3] == 's' &&
	       vma->has_flags && !(vma->flags & no) &&
	       vma->start <= table->start && end <= vma->end;
}

static struct ptu_whatif_unmap *add_unmap(const struct ptu_whatif_space *space,
					  const struct ptu_vma *vma,
					  struct ptu_whatif_report *report)
{
	struct ptu_whatif_unmap *row = ptu_whatif_room(&report->unmaps,
						       report->nr_unmaps,
						       sizeof(*row));

	if (!row)
		return NULL;
	row->path = strdup(ptu_vma_path(space->vmas, vma));
	if (!row->path)
		return NULL;
	report->nr_unmaps++;
	row->mm = space->mm;
	row->nr_mms = 1;
	row->device = vma->device;
	row->inode = vma->inode;
	return row;
}

/* Mark the files that the process executes: it cannot run without them. */
static int add_code(const struct ptu_whatif_space *space,
		    struct ptu_whatif_report *report)
{
	size_t i;

	for (i = 0; i < space->vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &space->vmas->vmas[i];
		struct ptu_whatif_unmap *row;

		if (!ptu_vma_has_file(vma) || vma->perms[2] != 'x')
			continue;
		row = add_unmap(space, vma, report);
		if (!row)
			return -ENOMEM;
		row->is_code = true;
	}
	return 0;
}

int ptu_whatif_add_unmaps(const struct ptu_whatif_space *space,
			  struct ptu_whatif_report *report)
{
	struct ptu_whatif_unmap *row = NULL;
	size_t i;

	for (i = 0; i < space->tables->nr_tables; i++) {
		const struct ptu_table *table = &space->tables->tables[i];
		const struct ptu_vma *vma;

		if (table->claim == PTU_LEAF || table->level >= PTAUDIT_PGD)
			continue;
		vma = ptu_whatif_only_file(space, table);
		if (!vma || is_sealed(space, table) ||
		    can_be_shared(space, table))
			continue;
		if (!row ||
		    compare_files(file_of_row(row), file_of(space->vmas, vma)))
			row = add_unmap(space, vma, report);
		if (!row)
			return -ENOMEM;
		row->is_open |= table->claim != PTU_CERTAIN;
		row->tables += table->level == PTAUDIT_PTE;
		row->madvise_tables += report->madvise_frees &&
				       goes_by_madvise(space, table, vma);
		row->upper_tables += table->level != PTAUDIT_PTE;
	}
	return add_code(space, report);
}

static int by_file(const void *a, const void *b)
{
	const struct ptu_whatif_unmap *x = a, *y = b;
	const int files = compare_files(file_of_row(x), file_of_row(y));

	return files ? files : x->mm < y->mm ? -1 : x->mm > y->mm;
}

static int by_tables(const void *a, const void *b)
{
	const struct ptu_whatif_unmap *x = a, *y = b;

	if (x->tables != y->tables)
		return x->tables > y->tables ? -1 : 1;
	return by_file(a, b);
}

void ptu_whatif_sum_unmaps(struct ptu_whatif_report *report)
{
	size_t i, nr = 0;

	if (!report->nr_unmaps)
		return;
	qsort(report->unmaps, report->nr_unmaps, sizeof(*report->unmaps),
	      by_file);
	for (i = 1; i < report->nr_unmaps; i++) {
		struct ptu_whatif_unmap *sum = &report->unmaps[nr];
		struct ptu_whatif_unmap *row = &report->unmaps[i];

		if (compare_files(file_of_row(sum), file_of_row(row))) {
			report->unmaps[++nr] = *row;
			continue;
		}
		sum->nr_mms += sum->mm != row->mm;
		sum->mm = row->mm;
		sum->is_open |= row->is_open;
		sum->is_code |= row->is_code;
		sum->tables += row->tables;
		sum->madvise_tables += row->madvise_tables;
		sum->upper_tables += row->upper_tables;
		free(row->path);
	}
	report->nr_unmaps = nr + 1;
	for (i = nr = 0; i < report->nr_unmaps; i++) {
		if (report->unmaps[i].is_open || report->unmaps[i].is_code)
			free(report->unmaps[i].path);
		else
			report->unmaps[nr++] = report->unmaps[i];
	}
	report->nr_unmaps = nr;
	if (nr)
		qsort(report->unmaps, nr, sizeof(*report->unmaps), by_tables);
}

/* Is there a PTE table or a leaf at @start, so that an access needs no new table? */
static bool is_mapped(const struct ptu_whatif_space *space, uint64_t start)
{
	const struct ptu_tables *tables = space->tables;
	size_t i;

	for (i = ptu_tables_find(tables, start);
	     i < tables->nr_tables && tables->tables[i].start == start; i++)
		if ((tables->tables[i].level == PTAUDIT_PTE &&
		     tables->tables[i].claim == PTU_CERTAIN) ||
		    (tables->tables[i].level == PTAUDIT_PMD &&
		     tables->tables[i].claim == PTU_LEAF))
			return true;
	return false;
}

/* Can all of @vma in [@start, @end) be accessed through @kept without new tables? */
static bool can_be_had(const struct ptu_whatif_space *space,
		       const struct ptu_vma *vma, const struct ptu_vma *kept,
		       uint64_t start, uint64_t end)
{
	const uint64_t moved = kept->start + vma->offset_bytes -
			       kept->offset_bytes - vma->start;
	uint64_t at;

	if (start < vma->start)
		start = vma->start;
	if (end > vma->end)
		end = vma->end;
	for (at = ptu_geometry_base(space->geo, PTAUDIT_PTE, start + moved);
	     at < end + moved;
	     at += ptu_geometry_reach(space->geo, PTAUDIT_PTE))
		if (!is_mapped(space, at))
			return false;
	return true;
}

/*
 * Count the tables that are freed with @vma, if its memory is reachable through
 * @kept.
 *
 * Return: false if it is not proven that no new tables are needed.
 */
static bool count_doubled(const struct ptu_whatif_space *space, size_t vma_nr,
			  const struct ptu_vma *kept,
			  struct ptu_whatif_doubled *ret)
{
	const struct ptu_vmas *vmas = space->vmas;
	const struct ptu_vma *vma = &vmas->vmas[vma_nr];
	const uint64_t floor = vma_nr ? vma[-1].end : 0;
	const uint64_t ceiling = vma_nr + 1 < vmas->nr_vmas ? vma[1].start :
							      UINT64_MAX;
	size_t i;

	/* an upper table can begin below the mapping */
	for (i = ptu_tables_find(space->tables, floor);
	     i < space->tables->nr_tables; i++) {
		const struct ptu_table *table = &space->tables->tables[i];
		uint64_t end = table->start +
			       ptu_geometry_reach(space->geo, table->level);

		if (table->start >= vma->end)
			break;
		if (is_table(table) && end > vma->start && end <= ceiling) {
			ret->tables += table->level == PTAUDIT_PTE;
			ret->upper_tables += table->level != PTAUDIT_PTE;
		}
	}
	for (i = ptu_tables_find(space->tables,
				 ptu_geometry_base(space->geo, PTAUDIT_PTE,
						   vma->start));
	     i < space->tables->nr_tables &&
	     space->tables->tables[i].start < vma->end;
	     i++) {
		const struct ptu_table *table = &space->tables->tables[i];
		const bool is_leaf = table->claim == PTU_LEAF;

		if (table->claim != PTU_CERTAIN &&
		    !(is_leaf && table->level == PTAUDIT_PMD))
			return false;
		if (table->counted && !table->entries)
			continue;
		if ((is_leaf || table->level == PTAUDIT_PTE) &&
		    !can_be_had(space, vma, kept, table->start,
				table->start + ptu_geometry_reach(space->geo,
								  PTAUDIT_PTE)))
			return false;
	}
	return ret->tables || ret->upper_tables;
}

struct mapping {
	const struct ptu_vma *vma;
	struct file file;
	size_t index;
};

static uint64_t end_in_file(const struct ptu_vma *vma)
{
	return vma->offset_bytes + (vma->end - vma->start);
}

/* Sort by file and offset; at the same offset the longer mapping comes first. */
static int by_offset(const void *a, const void *b)
{
	const struct ptu_vma *x = ((const struct mapping *)a)->vma;
	const struct ptu_vma *y = ((const struct mapping *)b)->vma;
	const int files = compare_files(((const struct mapping *)a)->file,
					((const struct mapping *)b)->file);

	if (files)
		return files;
	if (x->offset_bytes != y->offset_bytes)
		return x->offset_bytes < y->offset_bytes ? -1 : 1;
	if (end_in_file(x) != end_in_file(y))
		return end_in_file(x) > end_in_file(y) ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int add_doubled(const struct ptu_whatif_space *space,
		       const struct mapping *mapping,
		       const struct ptu_vma *kept,
		       struct ptu_whatif_report *report)
{
	const struct ptu_vma *vma = mapping->vma;
	struct ptu_whatif_doubled *row;

	row = ptu_whatif_room(&report->doubled, report->nr_doubled,
			      sizeof(*row));
	if (!row)
		return -ENOMEM;
	if (!count_doubled(space, mapping->index, kept, row))
		return 0;
	row->path = strdup(ptu_vma_path(space->vmas, vma));
	if (!row->path)
		return -ENOMEM;
	report->nr_doubled++;
	row->mm = space->mm;
	row->start = vma->start;
	row->end = vma->end;
	row->kept_start = kept->start + vma->offset_bytes - kept->offset_bytes;
	return 0;
}

/*
 * Do two mappings of this file at one offset map the same memory?  Not if the mapping is
 * private: it may have copies.  Not if the file is an anonymous inode: all BPF maps,
 * perf buffers and virtual CPUs share one inode number.  Not if a device driver maps
 * the pages (VM_PFNMAP, VM_MIXEDMAP): it can map other memory for each open file.
 * The rules for hugetlb differ.
 */
static bool is_identified(const struct ptu_vmas *vmas,
			  const struct ptu_vma *vma)
{
	const unsigned int no = PTU_VM_HUGETLB | PTU_VM_PFNMAP |
				PTU_VM_MIXEDMAP;

	return ptu_vma_has_file(vma) && vma->perms[3] == 's' &&
	       vma->has_flags && !(vma->flags & no) &&
	       strncmp(ptu_vma_path(vmas, vma),
		       "anon_inode:", strlen("anon_inode:"));
}

int ptu_whatif_add_doubled(const struct ptu_whatif_space *space,
			   struct ptu_whatif_report *report)
{
	const struct ptu_vmas *vmas = space->vmas;
	struct mapping *mappings = calloc(vmas->nr_vmas + 1, sizeof(*mappings));
	const struct ptu_vma *kept = NULL;
	size_t i, nr = 0;
	int error = 0;

	if (!mappings)
		return -ENOMEM;
	for (i = 0; i < vmas->nr_vmas; i++)
		if (is_identified(vmas, &vmas->vmas[i]))
			mappings[nr++] = (struct mapping){
				&vmas->vmas[i], file_of(vmas, &vmas->vmas[i]), i
			};
	if (nr)
		qsort(mappings, nr, sizeof(*mappings), by_offset);
	for (i = 0; !error && i < nr; i++) {
		const struct ptu_vma *vma = mappings[i].vma;

		if (kept &&
		    !compare_files(file_of(vmas, kept), mappings[i].file) &&
		    end_in_file(kept) >= end_in_file(vma)) {
			if (!(vma->flags & PTU_VM_SEALED) &&
			    !strcmp(kept->perms, vma->perms))
				error = add_doubled(space, &mappings[i], kept,
						    report);
			continue;
		}
		kept = vma;
	}
	free(mappings);
	return error;
}
