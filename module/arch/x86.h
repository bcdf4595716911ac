/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of x86-64 page tables that other architectures may not have. */
#ifndef PTA_ARCH_X86_H
#define PTA_ARCH_X86_H

#include <linux/io.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/pgtable.h>

#include <asm/cpufeature.h>

/*
 * The number given to an mm when it is created.  The address is not an
 * identity: the memory of a freed mm may be reused for the next one.
 */
static inline u64 pta_mm_identity(const struct mm_struct *mm)
{
	return mm->context.ctx_id;
}

/* Is kernel page-table isolation on, so that a PGD is two pages? */
static inline bool pta_pti(void)
{
	return boot_cpu_has(X86_FEATURE_PTI);
}

/*
 * pud_leaf() tests the PRESENT bit, which a PROT_NONE leaf lacks: test the bits
 * directly, as pmd_present() and pmd_leaf() do.
 */
static inline bool pta_pud_leaf(pud_t pud)
{
	return (pud_val(pud) & _PAGE_PSE) &&
	       (pud_val(pud) & (_PAGE_PRESENT | _PAGE_PROTNONE));
}

/*
 * max_pfn is not exported.  high_memory is the end of the same memory and
 * changes together with it.
 * Source: arch/x86/kernel/setup.c, setup_arch(); arch/x86/mm/init_64.c,
 * update_end_of_memory_vars() (5.10 to 7.3); mm/mm_init.c (7.2)
 */
static inline unsigned long pta_max_pfn(void)
{
	return PHYS_PFN(virt_to_phys((char *)READ_ONCE(high_memory) - 1)) + 1;
}

/* With PTI the LDT is mapped by separate tables in the kernel half. */
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
