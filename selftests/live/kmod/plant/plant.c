// SPDX-License-Identifier: GPL-2.0-only
/*
 * Installs an empty PTE table where a process has no mapping, as if the kernel had lost a
 * mapping, and removes it when unloaded.  A PMD table must exist for the address.  The
 * address space is pinned meanwhile: tearing it down would not free the planted table.
 * Never load this outside of a VM.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

#include <asm/pgalloc.h>

static int pid;
module_param(pid, int, 0);
MODULE_PARM_DESC(pid, "the process");

static unsigned long addr;
module_param(addr, ulong, 0);
MODULE_PARM_DESC(addr, "what the table maps");

static struct mm_struct *mm;
static struct page *table;
static pmd_t *slot;

static struct mm_struct *find_mm(void)
{
	struct pid *struct_pid = find_get_pid(pid);
	struct task_struct *task = get_pid_task(struct_pid, PIDTYPE_PID);
	struct mm_struct *ret = NULL;

	if (task) {
		ret = get_task_mm(task);
		put_task_struct(task);
	}
	put_pid(struct_pid);
	return ret;
}

/* The PMD entry that maps the address; NULL if there is no PMD table. */
static pmd_t *find_slot(void)
{
	pgd_t *pgd = pgd_offset(mm, addr);
	p4d_t *p4d;
	pud_t *pud;

	if (pgd_none(*pgd))
		return NULL;
	p4d = p4d_offset(pgd, addr);
	if (p4d_none(*p4d))
		return NULL;
	pud = pud_offset(p4d, addr);
	if (!pud_present(*pud) || pud_val(*pud) & _PAGE_PSE)
		return NULL;
	return pmd_offset(pud, addr);
}

static int plant(void)
{
	unsigned long start = addr & PMD_MASK;
	struct vm_area_struct *vma = find_vma(mm, start);

	if (addr >= TASK_SIZE_MAX || (vma && vma->vm_start < start + PMD_SIZE))
		return -EINVAL;
	slot = find_slot();
	if (!slot)
		return -ENOENT;
	if (!pmd_none(*slot))
		return -EEXIST;
	pmd_populate(mm, slot, table);
	mm_inc_nr_ptes(mm);
	return 0;
}

static int __init plant_init(void)
{
	int err;

	mm = find_mm();
	if (!mm)
		return -ESRCH;
	table = alloc_page(GFP_KERNEL | __GFP_ZERO);
	err = -ENOMEM;
	if (!table)
		goto put_mm;
	mmap_write_lock(mm);
	err = plant();
	mmap_write_unlock(mm);
	if (!err)
		return 0;
	__free_page(table);
put_mm:
	mmput(mm);
	return err;
}

static void __exit plant_exit(void)
{
	mmap_write_lock(mm);
	pmd_clear(slot);
	mm_dec_nr_ptes(mm);
	mmap_write_unlock(mm);
	__free_page(table);
	mmput(mm);
}

module_init(plant_init);
module_exit(plant_exit);
MODULE_DESCRIPTION(
	"Adds a page table that no mapping covers, for the tests of ptaudit");
MODULE_LICENSE("GPL");
