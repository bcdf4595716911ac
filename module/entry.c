// SPDX-License-Identifier: GPL-2.0-only
/* Read each page-table entry once; must not use VMAs or keep records. */
#include "entry.h"

#include <linux/mm.h>

#include "arch/arch.h"
#include "compat.h"
#include "level.h"

/**
 * pta_read_entry() - Read an entry of an upper table exactly once.
 * @level: level of the table
 * @entries: the table
 * @index: index of the entry
 *
 * The accessors of a folded level read the table above it.  So the entries of
 * a table have the type of the level just above the next lower unfolded level.
 *
 * Test in this order: none, not present, leaf, table.  Source:
 * arch/x86/include/asm/pgtable.h: pmd_present() is true for a huge page that is
 * being split and for a PROT_NONE one.
 *
 * Context: the table is protected as described in LOCKING.md.
 *
 * Return: the kind of the entry, and the table that it points to.
 */
struct pta_entry pta_read_entry(unsigned int level, const void *entries,
				unsigned int index)
{
	struct pta_entry entry = { .kind = PTAUDIT_K_CHILD,
				   .section = pta_section_now() };
	unsigned int type = pta_level_below(level) + 1;

	if (type == PTAUDIT_PMD) {
		pmd_t pmd = READ_ONCE(((const pmd_t *)entries)[index]);

		entry.pmd = pmd;
		if (pmd_none(pmd)) {
			entry.kind = PTAUDIT_K_NONE;
		} else if (!pmd_present(pmd)) {
			entry.kind = pta_pte_kind(__pte(pmd_val(pmd)));
		} else if (pmd_leaf(pmd)) {
			entry.kind = PTAUDIT_K_LEAF;
			entry.pfn = pmd_pfn(pmd);
		} else {
			entry.pfn = pmd_pfn(pmd);
			entry.entries = pte_offset_kernel(&pmd, 0);
		}
	} else if (type == PTAUDIT_PUD) {
		pud_t pud = READ_ONCE(((const pud_t *)entries)[index]);

		if (pud_none(pud)) {
			entry.kind = PTAUDIT_K_NONE;
		} else if (pta_pud_leaf(pud)) {
			entry.kind = PTAUDIT_K_LEAF;
			entry.pfn = pud_pfn(pud);
		} else if (!pud_present(pud)) {
			entry.kind = pta_pte_kind(__pte(pud_val(pud)));
		} else {
			entry.pfn = pud_pfn(pud);
			entry.entries = pmd_offset(&pud, 0);
		}
	} else if (type == PTAUDIT_P4D) {
		p4d_t p4d = READ_ONCE(((const p4d_t *)entries)[index]);

		if (p4d_none(p4d)) {
			entry.kind = PTAUDIT_K_NONE;
		} else if (!p4d_present(p4d)) {
			entry.kind = PTAUDIT_K_OTHER;
		} else {
			entry.entries = pud_offset(&p4d, 0);
			entry.pfn = PHYS_PFN(__pa(entry.entries));
		}
	} else {
		pgd_t pgd = READ_ONCE(((const pgd_t *)entries)[index]);

		if (pgd_none(pgd)) {
			entry.kind = PTAUDIT_K_NONE;
		} else if (!pgd_present(pgd)) {
			entry.kind = PTAUDIT_K_OTHER;
		} else {
			entry.entries = p4d_offset(&pgd, 0);
			entry.pfn = PHYS_PFN(__pa(entry.entries));
		}
	}
	return entry;
}

/**
 * pta_none_behind() - Find the end of a run of empty entries.
 * @level: level of the table
 * @entries: the table
 * @from: index of the first entry to test
 * @behind: index behind the last entry to test
 *
 * Most of the reserved address space is empty: this costs a few instructions
 * per entry.  The entry that ends the run is only tested; the caller reads it
 * again.
 *
 * Context: as in pta_read_entry().
 *
 * Return: index of the first entry that is not empty; @behind if there is none.
 */
unsigned int pta_none_behind(unsigned int level, const void *entries,
			     unsigned int from, unsigned int behind)
{
	unsigned int i = from;

	switch (pta_level_below(level) + 1) {
	case PTAUDIT_PMD:
		while (i < behind &&
		       pmd_none(READ_ONCE(((const pmd_t *)entries)[i])))
			i++;
		break;
	case PTAUDIT_PUD:
		while (i < behind &&
		       pud_none(READ_ONCE(((const pud_t *)entries)[i])))
			i++;
		break;
	case PTAUDIT_P4D:
		while (i < behind &&
		       p4d_none(READ_ONCE(((const p4d_t *)entries)[i])))
			i++;
		break;
	default:
		while (i < behind &&
		       pgd_none(READ_ONCE(((const pgd_t *)entries)[i])))
			i++;
	}
	return i;
}

/**
 * pta_count_entry() - Count one entry by its kind.
 * @table: record of the table that contains it
 * @kind: kind of the entry; not PTAUDIT_K_NONE
 */
void pta_count_entry(struct ptaudit_table *table, enum ptaudit_kind kind)
{
	static const u8 member[PTAUDIT_NR_KINDS] = {
		[PTAUDIT_K_CHILD] = offsetof(struct ptaudit_table, children),
		[PTAUDIT_K_LEAF] = offsetof(struct ptaudit_table, leaves),
		[PTAUDIT_K_SWAP] = offsetof(struct ptaudit_table, swap),
		[PTAUDIT_K_MIGRATION] = offsetof(struct ptaudit_table,
						 migration),
		[PTAUDIT_K_UFFD_WP] = offsetof(struct ptaudit_table, uffd_wp),
		[PTAUDIT_K_GUARD] = offsetof(struct ptaudit_table, guard),
		[PTAUDIT_K_OTHER] = offsetof(struct ptaudit_table, other),
		[PTAUDIT_K_UNWALKED] = offsetof(struct ptaudit_table, unwalked),
	};

	table->used++;
	++*(u16 *)((char *)table + member[kind]);
}

/**
 * pta_count_ptes() - Count the entries of the PTE table that a PMD entry points
 *	to.
 * @table: (out) record of the table, zeroed by the caller
 * @pmd: the PMD entry
 * @pfnmap: [PTRS_PER_PTE] bits of the pages in VM_PFNMAP VMAs; NULL: none
 *
 * Context: interrupts off since before the PMD entry was read.
 */
void pta_count_ptes(struct ptaudit_table *table, const struct pta_entry *pmd,
		    const unsigned long *pfnmap)
{
	pte_t *ptes = pmd->entries;
	unsigned int i, nr_present = 0, nr_pfnmap = 0;

	pta_assert_same_section(pmd);
	for (i = 0; i < PTRS_PER_PTE; i++) {
		pte_t pte = ptep_get(ptes + i);

		if (pte_none(pte))
			continue;
		if (!pte_present(pte)) {
			pta_count_entry(table, pta_pte_kind(pte));
			continue;
		}
		nr_present++;
		if (pfnmap)
			nr_pfnmap += test_bit(i, pfnmap);
	}
	table->used += nr_present;
	table->present = nr_present;
	table->pfnmap = nr_pfnmap;
}

#ifdef CONFIG_TRANSPARENT_HUGEPAGE
static unsigned int length_of_list(struct mm_struct *mm, pmd_t *pmds)
{
	pgtable_t head = pmd_huge_pte(mm, pmds);
	struct list_head *link;
	unsigned int nr = 1;

	lockdep_assert_held(pmd_lockptr(mm, pmds));
	if (!head)
		return 0;
	list_for_each(link, &head->lru)
		nr++;
	return nr;
}
#endif

/**
 * pta_count_deposits() - Count the PTE tables deposited with a PMD table.
 * @mm: mm of the table
 * @pmds: the table
 *
 * Each anonymous huge page that the table maps has a deposited PTE table, which
 * is used when the huge page is split.
 *
 * Context: mmap_lock held, or the LDT's lock; interrupts on; takes the PMD
 * lock.
 *
 * Return: their number.
 */
unsigned int pta_count_deposits(struct mm_struct *mm, pmd_t *pmds)
{
	unsigned int nr = 0;
#ifdef CONFIG_TRANSPARENT_HUGEPAGE
	spinlock_t *ptl;

	/* Take the lock with interrupts on: see LOCKING.md, "Deposits". */
	lockdep_assert_irqs_enabled();
	ptl = pmd_lock(mm, pmds);
	nr = length_of_list(mm, pmds);
	spin_unlock(ptl);
#endif
	return nr;
}
