/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The geometry of page tables, from the kernel's macros; reads no table.
 * Inline, because most of it is constant if the compiler knows the level.
 */
#ifndef PTA_LEVEL_H
#define PTA_LEVEL_H

#include <linux/build_bug.h>
#include <linux/mm.h>

#include "ptaudit_abi.h"

/**
 * pta_level_folded() - Is the level folded on this machine?
 * @level: enum ptaudit_level
 *
 * Return: true if the level is folded into the one above.
 */
static inline bool pta_level_folded(unsigned int level)
{
	/* x86-64 folds no other level, and this one for every mm */
	return level == PTAUDIT_P4D && mm_p4d_folded(NULL);
}

static inline unsigned int pta_level_shift(unsigned int level)
{
	switch (level) {
	case PTAUDIT_PTE:
		return PAGE_SHIFT;
	case PTAUDIT_PMD:
		return PMD_SHIFT;
	case PTAUDIT_PUD:
		return PUD_SHIFT;
	case PTAUDIT_P4D:
		return P4D_SHIFT;
	default:
		return PGDIR_SHIFT;
	}
}

/* Every table of x86-64 has as many entries, except that a folded P4D has one. */
static_assert(PTRS_PER_PMD == PTRS_PER_PTE && PTRS_PER_PUD == PTRS_PER_PTE &&
	      PTRS_PER_PGD == PTRS_PER_PTE);

static inline unsigned int pta_level_entries(unsigned int level)
{
	return level == PTAUDIT_P4D ? PTRS_PER_P4D : PTRS_PER_PTE;
}

/**
 * pta_user_end() - End of the user half.
 *
 * Return: the address, rounded up to a PTE table's reach.
 */
static inline unsigned long pta_user_end(void)
{
	return ALIGN(TASK_SIZE_MAX, PMD_SIZE);
}

/**
 * pta_level_below() - The next unfolded level below one.
 * @level: enum ptaudit_level, above PTAUDIT_PTE
 *
 * Return: enum ptaudit_level.
 */
static inline unsigned int pta_level_below(unsigned int level)
{
	do
		level--;
	while (pta_level_folded(level));
	return level;
}

/**
 * pta_entry_reach() - Bytes that one entry of a table maps.
 * @level: level of the table
 *
 * Return: bytes.
 */
static inline unsigned long pta_entry_reach(unsigned int level)
{
	return 1UL << pta_level_shift(level);
}

/**
 * pta_entry_index() - The entry that maps an address.
 * @level: level of the table
 * @addr: the address
 *
 * Return: index in the table.
 */
static inline unsigned int pta_entry_index(unsigned int level,
					   unsigned long addr)
{
	return (addr >> pta_level_shift(level)) &
	       (pta_level_entries(level) - 1);
}

/**
 * pta_table_start() - First address of the table that maps an address.
 * @level: level of the table
 * @addr: the address
 *
 * Return: the address; 0 for a PGD, which maps everything.
 */
static inline unsigned long pta_table_start(unsigned int level,
					    unsigned long addr)
{
	if (level == PTAUDIT_PGD)
		return 0;
	return addr & ~(pta_entry_reach(level) * pta_level_entries(level) - 1);
}

/**
 * pta_entry_behind() - Find the end of a range in a table.
 * @level: level of the table
 * @addr: an address in the range and in the table
 * @end: end of the range
 *
 * Return: index of the last entry that maps a part of the range, plus one.
 */
static inline unsigned int
pta_entry_behind(unsigned int level, unsigned long addr, unsigned long end)
{
	if (pta_table_start(level, end - 1) != pta_table_start(level, addr))
		return pta_level_entries(level);
	return pta_entry_index(level, end - 1) + 1;
}

/**
 * pta_user_entries() - Number of entries of a table that map user addresses.
 * @level: level of the table
 *
 * Return: all entries; for a PGD those of the user half.
 */
static inline unsigned int pta_user_entries(unsigned int level)
{
	if (level != PTAUDIT_PGD)
		return pta_level_entries(level);
	return pta_entry_index(level, pta_user_end() - 1) + 1;
}

#endif
