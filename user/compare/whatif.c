// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find empty tables, and tables of shared memory, in one address space.  Pure. */
#include "compare/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_pte_table(const struct ptu_table *table)
{
	return table->level == PTAUDIT_PTE && table->claim == PTU_CERTAIN;
}

static bool is_empty(const struct ptu_table *table)
{
	return is_pte_table(table) && table->counted && !table->entries;
}

static bool is_anonymous(const struct ptu_vma *vma)
{
	return !vma->inode && vma->perms[3] == 'p' &&
	       !(vma->flags & (PTU_VM_PFNMAP | PTU_VM_MIXEDMAP));
}

/* Is it a huge page of anonymous memory?  The kernel deposits a PTE table for each. */
static bool is_anonymous_huge(const struct ptu_whatif_space *space,
			      const struct ptu_table *table)
{
	size_t i;

	if (table->claim != PTU_LEAF || table->level != PTAUDIT_PMD)
		return false;
	i = ptu_vmas_find(space->vmas, table->start);
	return i < space->vmas->nr_vmas && is_anonymous(&space->vmas->vmas[i]);
}

/* Are all mappings in the table's reach anonymous memory? */
static bool maps_anonymous(const struct ptu_whatif_space *space, uint64_t start)
{
	const uint64_t end = start +
			     ptu_geometry_reach(space->geo, PTAUDIT_PTE);
	const struct ptu_vmas *vmas = space->vmas;
	bool any = false;
	size_t i;

	for (i = ptu_vmas_find(vmas, start);
	     i < vmas->nr_vmas && vmas->vmas[i].start < end; i++) {
		if (!is_anonymous(&vmas->vmas[i]))
			return false;
		any = true;
	}
	return any;
}

void ptu_whatif_count(const struct ptu_whatif_space *space,
		      struct ptu_whatif_mm *ret)
{
	size_t i;

	for (i = 0; i < space->tables->nr_tables; i++) {
		const struct ptu_table *table = &space->tables->tables[i];

		ret->anon_huge_pages += is_anonymous_huge(space, table);
		if (!is_pte_table(table))
			continue;
		ret->pte_tables++;
		if (is_empty(table) || !maps_anonymous(space, table->start))
			continue;
		if (table->counted && table->entries == table->markers) {
			ret->marker_tables++;
			continue;
		}
		ret->anon_tables++;
		if (table->counted) {
			ret->anon_counted++;
			ret->anon_entries += table->entries - table->markers;
			ret->zero_tables += table->entries == table->zeros;
		}
	}
}

/*
 * Does sealing forbid MADV_DONTNEED in the mapping?  The kernel refuses the call in
 * sealed private anonymous memory without write permission, from 6.17 on also in sealed
 * private mappings of /dev/zero.  Source: mm/mseal.c, can_modify_vma_madv() (6.10);
 * mm/madvise.c, can_madvise_modify() (6.17).  The kernel also refuses the call if the
 * protection key of the calling thread forbids writing; that is not tested here.
 */
static bool is_sealed_data(const struct ptu_vmas *vmas,
			   const struct ptu_vma *vma)
{
	return vma->flags & PTU_VM_SEALED && vma->perms[3] == 'p' &&
	       vma->perms[1] != 'w' &&
	       (!vma->inode || !strcmp(ptu_vma_path(vmas, vma), "/dev/zero"));
}

/*
 * Find the call that frees the empty table at @start.
 * @ret: (out) PTU_NR_CALLS: sealing forbids the calls that would free it
 * @ret_vma: (out) the first mapping in its reach
 *
 * Return: false if the table is not proven to be empty, or if both calls may fail.
 * Source: mm/madvise.c, madvise_dontneed_free_valid_vma(): VM_PFNMAP and hugetlb are
 * refused or have their own rules, VM_LOCKED takes MADV_DONTNEED_LOCKED (5.18, so each
 * kernel on which madvise frees tables has it); mm/memory.c, zap_pte_range(): the
 * range must span the table (6.14); mm/mseal.c (6.10): a sealed mapping cannot be
 * unmapped.
 */
static bool find_call(const struct ptu_whatif_space *space, uint64_t start,
		      bool madvise_frees, enum ptu_whatif_call *ret,
		      const struct ptu_vma **ret_vma)
{
	const uint64_t end = start +
			     ptu_geometry_reach(space->geo, PTAUDIT_PTE);
	const struct ptu_vmas *vmas = space->vmas;
	size_t first = ptu_vmas_find(vmas, start);
	const struct ptu_vma *vma;
	bool any_sealed = false;
	size_t i;

	for (i = first; i < vmas->nr_vmas && vmas->vmas[i].start < end; i++) {
		vma = &vmas->vmas[i];
		if (!vma->has_flags ||
		    vma->flags & (PTU_VM_PFNMAP | PTU_VM_HUGETLB))
			return false;
		any_sealed |= vma->flags & PTU_VM_SEALED;
	}
	if (i == first)
		return false;
	vma = &vmas->vmas[first];
	*ret_vma = vma;
	if (!madvise_frees || vma->start > start || vma->end < end)
		*ret = any_sealed ? PTU_NR_CALLS : PTU_BY_MUNMAP;
	else if (is_sealed_data(vmas, vma))
		*ret = PTU_NR_CALLS;
	else
		*ret = vma->flags & PTU_VM_LOCKED ? PTU_BY_MADVISE_LOCKED :
						    PTU_BY_MADVISE;
	return true;
}

/* Does the table at @start continue the row? */
static bool joins(const struct ptu_whatif_empty *row, size_t mm,
		  enum ptu_whatif_call call, uint64_t start,
		  const struct ptu_vma *vma, const char *path)
{
	return row->mm == mm && row->call == call && row->end == start &&
	       vma->start < row->end && !strcmp(row->perms, vma->perms) &&
	       !strcmp(row->path, path);
}

int ptu_whatif_add_empties(const struct ptu_whatif_space *space,
			   struct ptu_whatif_report *report)
{
	const uint64_t reach = ptu_geometry_reach(space->geo, PTAUDIT_PTE);
	size_t i;

	for (i = 0; i < space->tables->nr_tables; i++) {
		const struct ptu_table *table = &space->tables->tables[i];
		struct ptu_whatif_empty *row = NULL;
		const struct ptu_vma *vma;
		enum ptu_whatif_call call;
		const char *path;

		if (!is_empty(table) ||
		    !find_call(space, table->start, report->madvise_frees,
			       &call, &vma))
			continue;
		if (call == PTU_NR_CALLS) {
			report->mms[space->mm].sealed_tables++;
			continue;
		}
		path = ptu_vma_path(space->vmas, vma);
		if (report->nr_empties)
			row = &report->empties[report->nr_empties - 1];
		if (row &&
		    joins(row, space->mm, call, table->start, vma, path)) {
			row->end = table->start + reach;
			row->tables++;
			continue;
		}
		row = ptu_whatif_room(&report->empties, report->nr_empties,
				      sizeof(*row));
		if (!row)
			return -ENOMEM;
		row->path = strdup(path);
		if (!row->path)
			return -ENOMEM;
		report->nr_empties++;
		row->mm = space->mm;
		row->start = table->start;
		row->end = table->start + reach;
		row->tables = 1;
		row->call = call;
		memcpy(row->perms, vma->perms, sizeof(row->perms));
	}
	return 0;
}

size_t ptu_whatif_find_file(const struct ptu_whatif_report *report,
			    const struct ptu_vma *vma)
{
	size_t i;

	for (i = 0; i < report->nr_files; i++)
		if (report->files[i].device == vma->device &&
		    report->files[i].inode == vma->inode)
			break;
	return ptu_vma_has_file(vma) ? i : report->nr_files;
}

/*
 * Why the table of a mapping at @start cannot be freed, whatever the file contains.
 * Source: mm/khugepaged.c, retract_page_tables(), collapse_file() and
 * hugepage_vma_check() (6.1); file_backed_vma_is_retractable() (7.2, 7.3).
 */
static enum ptu_whatif_block block_of(const struct ptu_vma *vma,
				      const struct ptu_whatif_mm *mm,
				      uint64_t start, uint64_t reach)
{
	if (vma->perms[3] != 's')
		return PTU_BLOCK_PRIVATE;
	if ((vma->start - vma->offset_bytes) % reach)
		return PTU_BLOCK_UNALIGNED;
	if (vma->start > start || vma->end < start + reach)
		return PTU_BLOCK_PARTIAL;
	if (!vma->has_flags)
		return PTU_BLOCK_UNKNOWN;
	if (vma->flags & PTU_VM_NOHUGE)
		return PTU_BLOCK_NOHUGEPAGE;
	if (vma->flags & (PTU_VM_UFFD | PTU_VM_UFFD_WP))
		return PTU_BLOCK_UFFD;
	if (vma->flags & PTU_VM_GUARD)
		return PTU_BLOCK_MARKERS;
	return mm->thp_disabled ? PTU_BLOCK_THP_DISABLED : PTU_BLOCK_NONE;
}

static int add_place(const struct ptu_whatif_space *space,
		     const struct ptu_table *table, const struct ptu_vma *vma,
		     size_t file, struct ptu_whatif_report *report)
{
	const uint64_t reach = ptu_geometry_reach(space->geo, PTAUDIT_PTE);
	struct ptu_whatif_place *place = ptu_whatif_room(&report->places,
							 report->nr_places,
							 sizeof(*place));

	if (!place)
		return -ENOMEM;
	report->nr_places++;
	place->file = file;
	place->mm = space->mm;
	place->addr = table->start;
	place->vma_start = vma->start;
	place->vma_end = vma->end;
	place->is_empty = is_empty(table);
	place->is_alone = vma->perms[3] == 's' &&
			  ptu_whatif_only_file(space, table);
	place->block = block_of(vma, &report->mms[space->mm], table->start,
				reach);
	if (vma->start <= table->start)
		place->offset = table->start - vma->start + vma->offset_bytes;
	return 0;
}

int ptu_whatif_add_places(const struct ptu_whatif_space *space,
			  struct ptu_whatif_report *report)
{
	const uint64_t reach = ptu_geometry_reach(space->geo, PTAUDIT_PTE);
	const struct ptu_vmas *vmas = space->vmas;
	size_t i, vma;

	for (i = 0; i < space->tables->nr_tables; i++) {
		const struct ptu_table *table = &space->tables->tables[i];

		if (!is_pte_table(table))
			continue;
		/* count a table only once: at the file's first mapping there */
		for (vma = ptu_vmas_find(vmas, table->start);
		     vma < vmas->nr_vmas &&
		     vmas->vmas[vma].start < table->start + reach;
		     vma++) {
			size_t file = ptu_whatif_find_file(report,
							   &vmas->vmas[vma]);

			if (file == report->nr_files)
				continue;
			if (add_place(space, table, &vmas->vmas[vma], file,
				      report))
				return -ENOMEM;
			break;
		}
	}
	return 0;
}
