// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device whose memory is mapped by huge leaves of PFN mappings, as vfio maps the
 * memory of a PCI device.  Never load this outside of a VM.
 *
 * The offset selects the kind of mapping of /dev/hold_leaves: a PFN mapping of PMD leaves at
 * 0, a PFN mapping of PUD leaves at 1 GiB.  The latter may only be read.
 *
 * Each PMD leaf maps the same huge page, which belongs to the open file.  It is a compound
 * page of zeros, belongs to no file in the page cache and has no mapcount: only its
 * mapping distinguishes it from the huge zero page.  Each PUD leaf maps a GiB of addresses
 * where no VM has memory.  For memory in use, CONFIG_PAGE_TABLE_CHECK would see each
 * allocated page mapped.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#ifdef HOLD_PFN_T
#include <linux/pfn_t.h>
#endif

#include "hold.h"

#define PGOFF_PUD (SZ_1G >> PAGE_SHIFT)
#define PFN_OF_NOTHING (256ULL * SZ_1G >> PAGE_SHIFT)

#ifdef HOLD_PFN_T
#define to_leaf(pfn) __pfn_to_pfn_t(pfn, PFN_DEV)
#else
#define to_leaf(pfn) (pfn)
#endif

/* Does the leaf's range lie completely inside the mapping? */
static bool fits(const struct vm_fault *vmf, unsigned long size)
{
	unsigned long start = vmf->address & ~(size - 1);

	return start >= vmf->vma->vm_start && start + size <= vmf->vma->vm_end;
}

static vm_fault_t insert_pmd(struct vm_fault *vmf)
{
	struct page *page = vmf->vma->vm_private_data;

	if (!page || !fits(vmf, PMD_SIZE))
		return VM_FAULT_FALLBACK;
	return vmf_insert_pfn_pmd(vmf, to_leaf(page_to_pfn(page)),
				  vmf->flags & FAULT_FLAG_WRITE);
}

static vm_fault_t insert_pud(struct vm_fault *vmf)
{
	if (vmf->vma->vm_private_data || !fits(vmf, PUD_SIZE))
		return VM_FAULT_FALLBACK;
	return vmf_insert_pfn_pud(vmf, to_leaf(PFN_OF_NOTHING), false);
}

#ifdef HOLD_PAGE_ENTRY_SIZE
static vm_fault_t leaves_huge_fault(struct vm_fault *vmf,
				    enum page_entry_size size)
{
	if (size == PE_SIZE_PUD)
		return insert_pud(vmf);
	return size == PE_SIZE_PMD ? insert_pmd(vmf) : VM_FAULT_FALLBACK;
}
#else
static vm_fault_t leaves_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	if (order == PUD_SHIFT - PAGE_SHIFT)
		return insert_pud(vmf);
	return order == PMD_SHIFT - PAGE_SHIFT ? insert_pmd(vmf) :
						 VM_FAULT_FALLBACK;
}
#endif

/*
 * Some kernels accept a huge leaf in a PFN mapping, but do not call huge_fault() for it.  Source:
 * mm/huge_memory.c, hugepage_vma_check() (6.1).
 */
static vm_fault_t leaves_fault(struct vm_fault *vmf)
{
	vm_fault_t ret = pmd_none(*vmf->pmd) ? insert_pmd(vmf) :
					       VM_FAULT_FALLBACK;

	return ret == VM_FAULT_FALLBACK ? VM_FAULT_SIGBUS : ret;
}

static const struct vm_operations_struct leaves_vm_ops = {
	.fault = leaves_fault,
	.huge_fault = leaves_huge_fault,
};

static void set_flags(struct vm_area_struct *vma, unsigned long flags)
{
#ifdef HOLD_VM_FLAGS_SET
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

static int leaves_mmap(struct file *file, struct vm_area_struct *vma)
{
	/* VM_HUGEPAGE: huge leaves even if the machine's THP setting is madvise */
	unsigned long flags = VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP |
			      VM_HUGEPAGE;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	switch (vma->vm_pgoff) {
	case 0:
		break;
	case PGOFF_PUD:
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		break;
	default:
		return -EINVAL;
	}
	set_flags(vma, flags);
	vma->vm_private_data = vma->vm_pgoff == PGOFF_PUD ? NULL :
							    file->private_data;
	vma->vm_ops = &leaves_vm_ops;
	return 0;
}

static int leaves_open(struct inode *inode, struct file *file)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_COMP,
					PMD_SHIFT - PAGE_SHIFT);

	file->private_data = page;
	return page ? 0 : -ENOMEM;
}

/* Each mapping holds a reference to the file, so no mapping is left here. */
static int leaves_release(struct inode *inode, struct file *file)
{
	__free_pages(file->private_data, PMD_SHIFT - PAGE_SHIFT);
	return 0;
}

static const struct file_operations leaves_fops = {
	.owner = THIS_MODULE,
	.open = leaves_open,
	.release = leaves_release,
	.mmap = leaves_mmap,
};

static struct miscdevice leaves = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "hold_leaves",
	.fops = &leaves_fops,
};

int hold_leaves_init(void)
{
	return misc_register(&leaves);
}
