// SPDX-License-Identifier: GPL-2.0-only
/* What the VMAs of an mm say about a range of addresses; reads no table. */
#include "vma.h"

#include <linux/bitmap.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hugetlb.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>

#include "debug.h"

/**
 * pta_first_vma() - The first VMA that covers a part of a range.
 * @mm: whose VMAs
 * @start: first address
 * @end: end of the addresses
 *
 * Context: mmap_lock held.
 *
 * Return: the VMA; NULL if none reaches the range.
 */
struct vm_area_struct *pta_first_vma(struct mm_struct *mm, unsigned long start,
				     unsigned long end)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	return vma && vma->vm_start < end ? vma : NULL;
}

/**
 * pta_shareable_mapping() - The file whose PMD tables other mms may share.
 * @vma: a VMA, or NULL
 *
 * Context: mmap_lock held.
 *
 * Return: the mapping to lock by pta_mapping_trylock() before such a table is
 * looked at; NULL if the VMA cannot have one.
 */
struct address_space *pta_shareable_mapping(struct vm_area_struct *vma)
{
	if (!vma || !is_vm_hugetlb_page(vma) || !(vma->vm_flags & VM_MAYSHARE))
		return NULL;
	return vma->vm_file->f_mapping;
}

static unsigned int mark(struct mm_struct *mm, unsigned long start,
			 unsigned long vm_flags, unsigned long *pages)
{
	unsigned long addr = start, end = start + PMD_SIZE;
	unsigned int nr = 0;

	while (addr < end) {
		struct vm_area_struct *vma = pta_first_vma(mm, addr, end);
		unsigned long first, last;

		nr++;
		if (!vma)
			break;
		first = max(vma->vm_start, start);
		last = min(vma->vm_end, end);
		if ((vma->vm_flags & vm_flags) == vm_flags)
			bitmap_set(pages, (first - start) >> PAGE_SHIFT,
				   (last - first) >> PAGE_SHIFT);
		addr = vma->vm_end;
	}
	return nr;
}

/**
 * pta_mapping_trylock() - Hold off who unshares a file's PMD tables.
 * @mapping: of pta_shareable_mapping(); NULL for nothing to do
 *
 * Never waits: truncation of a large file holds the lock for seconds, and the
 * target's page faults would wait for us meanwhile.
 *
 * To lockdep we are in reclaim until pta_mapping_unlock(), so that an
 * allocation is reported that could wait for memory, and let all wait who map
 * or truncate the file.  The lock alone does not tell: huge_pmd_share()
 * allocates under it, and so it has a class of its own (fs/hugetlbfs/inode.c).
 *
 * Context: mmap_lock held.  Nothing may be allocated until
 * pta_mapping_unlock().
 *
 * Return: whether it is held; if not, drop mmap_lock and call
 * pta_mapping_wait().
 */
bool pta_mapping_trylock(struct address_space *mapping)
{
	if (!mapping)
		return true;
	if (!down_read_trylock(&mapping->i_mmap_rwsem))
		return false;
	pta_note_no_allocation();
	return true;
}

/**
 * pta_mapping_wait() - Wait in turn until a file's lock can be had.
 * @file: the file of the VMA; the reference is given back
 *
 * It is not held on return.
 *
 * Context: may sleep; no lock of the target held, and no pin.
 *
 * Return: 0; -EINTR.
 */
int pta_mapping_wait(struct file *file)
{
	struct rw_semaphore *sem = &file->f_mapping->i_mmap_rwsem;
	int err;

	pta_assert_not_pinned();
	err = down_read_killable(sem);
	if (!err)
		up_read(sem);
	fput(file);
	return err;
}

/**
 * pta_mapping_unlock() - Undo pta_mapping_trylock().
 * @mapping: the same
 */
void pta_mapping_unlock(struct address_space *mapping)
{
	if (!mapping)
		return;
	pta_note_allocation();
	i_mmap_unlock_read(mapping);
}

/**
 * pta_assert_mapping_held() - For the readers of PMD tables.
 * @mapping: of pta_shareable_mapping(), for a VMA that such a table maps a part of
 */
void pta_assert_mapping_held(struct address_space *mapping)
{
	if (mapping)
		lockdep_assert_held(&mapping->i_mmap_rwsem);
}

/**
 * pta_mark_pfnmap() - The pages of a PTE table's reach in VM_PFNMAP VMAs.
 * @mm: whose VMAs
 * @start: first address that the table maps
 * @pfnmap: (in, out) [PTRS_PER_PTE] bits, set for such pages
 *
 * Context: mmap_lock held.
 *
 * Return: how many look-ups of a VMA it took.
 */
unsigned int pta_mark_pfnmap(struct mm_struct *mm, unsigned long start,
			     unsigned long *pfnmap)
{
	return mark(mm, start, VM_PFNMAP, pfnmap);
}

/**
 * pta_mark_covered() - The pages of a PTE table's reach in any VMA.
 * @mm: whose VMAs
 * @start: first address that the table maps
 * @covered: (in, out) [PTRS_PER_PTE] bits, set for such pages
 *
 * Context: mmap_lock held.
 *
 * Return: how many look-ups of a VMA it took.
 */
unsigned int pta_mark_covered(struct mm_struct *mm, unsigned long start,
			      unsigned long *covered)
{
	return mark(mm, start, 0, covered);
}
