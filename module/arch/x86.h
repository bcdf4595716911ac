/* SPDX-License-Identifier: GPL-2.0-only */
/* What page tables of x86-64 have that those of others need not have. */
#ifndef PTA_ARCH_X86_H
#define PTA_ARCH_X86_H

#include <linux/io.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>

#include <asm/cpufeature.h>

/*
 * The number that an mm is given when it is created.  The address would not do:
 * the next mm may get the memory of one that is gone.
 */
static inline u64 pta_mm_identity(const struct mm_struct *mm)
{
	return mm->context.ctx_id;
}

/* Kernel page-table isolation: is a PGD two pages at this boot? */
static inline bool pta_pti(void)
{
	return boot_cpu_has(X86_FEATURE_PTI);
}

/*
 * pud_leaf() looks at the PRESENT bit, which a PROT_NONE leaf lacks: test the
 * bits themselves, as pmd_present() and pmd_leaf() do.
 */
static inline bool pta_pud_leaf(pud_t pud)
{
	return (pud_val(pud) & _PAGE_PSE) &&
	       (pud_val(pud) & (_PAGE_PRESENT | _PAGE_PROTNONE));
}

/*
 * max_pfn is not exported.  high_memory lies at the end of the same memory and
 * moves with it.
 * Source: arch/x86/kernel/setup.c, setup_arch(); arch/x86/mm/init_64.c,
 * update_end_of_memory_vars() (5.10 to 7.2); mm/mm_init.c (7.2)
 */
static inline unsigned long pta_max_pfn(void)
{
	return PHYS_PFN(virt_to_phys((char *)READ_ONCE(high_memory) - 1)) + 1;
}

/* Under PTI the LDT is mapped by tables of its own, in the kernel half. */
#ifdef CONFIG_MODIFY_LDT_SYSCALL
#define PTA_LDT_BASE LDT_BASE_ADDR
static inline int pta_ldt_lock(struct mm_struct *mm)
{
	return down_read_killable(&mm->context.ldt_usr_sem);
}

static inline void pta_ldt_unlock(struct mm_struct *mm)
{
	up_read(&mm->context.ldt_usr_sem);
}

static inline void pta_ldt_assert_held(struct mm_struct *mm)
{
	lockdep_assert_held(&mm->context.ldt_usr_sem);
}
#elif defined(PTA_HAVE_LDT_USR_SEM)
#error "ptaudit does not know whether this kernel maps LDTs"
#else
#define PTA_LDT_BASE 0UL
static inline int pta_ldt_lock(struct mm_struct *mm)
{
	return 0;
}
static inline void pta_ldt_unlock(struct mm_struct *mm)
{
}
static inline void pta_ldt_assert_held(struct mm_struct *mm)
{
}
#endif

#endif
