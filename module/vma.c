// SPDX-License-Identifier: GPL-2.0-only
/* Look up VMAs of an address range; must not read tables. */
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
 * pta_first_vma() - Find the first VMA that overlaps a range.
 * @mm: the mm
 * @start: start of the range
 * @end: end of the range
 *
 * Context: mmap_lock held.
 *
 * Return: the VMA; NULL if there is none.
 */
struct vm_area_struct *pta_first_vma(struct mm_struct *mm, unsigned long start,
				     unsigned long end)
{
	struct vm_area_struct *vma = find_vma(mm, start);

	return vma && vma->vm_start < end ? vma : NULL;
}

/**
 * pta_shareable_mapping() - Find the file whose PMD tables other mms may share.
 * @vma: a VMA, or NULL
 *
 * Context: mmap_lock held.
 *
 * Return: the mapping to lock with pta_mapping_trylock() before reading such a
 * table; NULL if the VMA cannot have one.
 */
struct address_space *pta_shareable_mapping(struct vm_area_struct *vma)
{
	if (!vma || !is_vm_hugetlb_page(vma) || !(vma->vm_flags & VM_MAYSHARE))
		return NULL;
	return vma->vm_file->f_mapping;
}

/**
 * pta_mark_pages() - Mark the pages in VMAs in a PTE table's reach.
 * @mm: the mm
 * @start: first address that the table maps
 * @vm_flags: flags that the VMAs must have
 * @pages: (in, out) [PTRS_PER_PTE] bits, set for such pages
 *
 * Context: mmap_lock held.
 *
 * Return: number of VMA look-ups.
 */
unsigned int pta_mark_pages(struct mm_struct *mm, unsigned long start,
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
 * pta_mapping_trylock() - Prevent unsharing of a file's PMD tables.
 * @mapping: from pta_shareable_mapping(); NULL: nothing to do
 *
 * Never waits: truncation of a large file holds the lock for seconds, and the
 * target's page faults would wait for mmap_lock meanwhile.
 *
 * Until pta_mapping_unlock(), lockdep assumes that this task is in reclaim. So
 * it reports an allocation that could wait for memory and delay everyone who
 * maps or truncates the file.  The lock itself is not sufficient for this:
 * huge_pmd_share() allocates under it, so it has its own lock class
 * (fs/hugetlbfs/inode.c).
 *
 * Context: mmap_lock held.  Do not allocate until pta_mapping_unlock().
 *
 * Return: whether the lock was taken; if not, drop mmap_lock and call
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
 * pta_mapping_wait() - Wait until a file's lock is available.
 * @file: the VMA's file; releases the reference
 *
 * The lock is not held on return.
 *
 * Context: may sleep; without locks of the target and without a pin.
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
 * pta_mapping_unlock() - Release the lock of pta_mapping_trylock().
 * @mapping: the same mapping
 */
void pta_mapping_unlock(struct address_space *mapping)
{
	if (!mapping)
		return;
	pta_note_allocation();
	i_mmap_unlock_read(mapping);
}

/**
 * pta_assert_mapping_held() - Assert the lock, before a PMD table is read.
 * @mapping: from pta_shareable_mapping(), for a VMA in the table's reach
 */
void pta_assert_mapping_held(struct address_space *mapping)
{
	if (mapping)
		lockdep_assert_held(&mapping->i_mmap_rwsem);
}
