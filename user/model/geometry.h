/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shape of page tables on this machine, derived from page size, machine and CPU
 * flags, never from the module.
 */
#ifndef PTU_MODEL_GEOMETRY_H
#define PTU_MODEL_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "module/ptaudit_abi.h"

/* Architectures whose page tables are known. */
enum ptu_arch { PTU_X86_64, PTU_ARM64, PTU_NR_ARCHS };

/**
 * struct ptu_geometry - levels of the user half of the page tables
 * @page_bytes: base page size
 * @unfolded: [level] the level has tables of its own
 * @shift: [level] log2 of the bytes that one entry maps
 * @nr_entries: [level] entries in one table
 * @pti: page-table isolation is on: a PGD takes two pages, and the LDT is mapped
 * @arch: the architecture
 */
struct ptu_geometry {
	uint64_t page_bytes;
	bool unfolded[PTAUDIT_NR_LEVELS];
	unsigned int shift[PTAUDIT_NR_LEVELS];
	unsigned int nr_entries[PTAUDIT_NR_LEVELS];
	bool pti;
	enum ptu_arch arch;
};

/**
 * ptu_geometry_init() - Derive the geometry.
 * @page_bytes: (in) base page size, from auxv
 * @machine: (in) machine name of uname -m: "x86_64", "aarch64"
 * @cpu_flags: (in) the flags line of /proc/cpuinfo, or ""; on arm64 the number of
 *	address bits of a process, such as "va48"
 * @ret: (out) untouched on failure
 *
 * Return: 0; -EOPNOTSUPP if the machine is not supported.
 * Source: arch/x86/include/asm/pgtable_64_types.h (6.1): P4D is folded unless the
 * CPU has the flag la57, which the kernel clears if it does not use it;
 * arch/x86/include/asm/cpufeatures.h, X86_FEATURE_PTI: the flag pti (5.10 to 7.3);
 * arch/arm64/include/asm/pgtable-hwdef.h, ARM64_HW_PGTABLE_LEVELS (6.1, 6.12): each
 * level but the highest resolves as many bits as a page has entries of 8 bytes.
 */
ptu_must_check int ptu_geometry_init(uint64_t page_bytes, const char *machine,
				     const char *cpu_flags,
				     struct ptu_geometry *ret,
				     struct ptu_err *err);

/* Size of the buffer for ptu_geometry_text(). */
#define PTU_GEOMETRY_TEXT 512

/**
 * ptu_geometry_text() - Format the geometry as in the module's file `geometry`.
 */
void ptu_geometry_text(const struct ptu_geometry *geo,
		       char ret[PTU_GEOMETRY_TEXT]);

/**
 * ptu_level_name() - "pte" to "pgd".
 */
const char *ptu_level_name(unsigned int level);

/**
 * ptu_geometry_reach() - Bytes that one table of the level maps.
 *
 * Return: bytes; 0 for the whole address space (2^64 and more).
 */
uint64_t ptu_geometry_reach(const struct ptu_geometry *geo, unsigned int level);

/**
 * ptu_geometry_base() - First address of the table at @level that maps @addr.
 */
uint64_t ptu_geometry_base(const struct ptu_geometry *geo, unsigned int level,
			   uint64_t addr);

/**
 * ptu_geometry_index() - Index of the entry for @addr in a table of @level.
 */
unsigned int ptu_geometry_index(const struct ptu_geometry *geo,
				unsigned int level, uint64_t addr);

/**
 * ptu_geometry_table_bytes() - Size of one table of the level in bytes.
 */
uint64_t ptu_geometry_table_bytes(const struct ptu_geometry *geo,
				  unsigned int level);

/**
 * ptu_geometry_user_end() - End of the addresses that the user half maps.
 */
uint64_t ptu_geometry_user_end(const struct ptu_geometry *geo);

/**
 * ptu_geometry_task_end() - End of the addresses that a process can map.
 *
 * Source: arch/x86/include/asm/page_64.h, TASK_SIZE_MAX (5.10 to 7.3): without the
 * last page; arch/arm64/include/asm/processor.h, TASK_SIZE_64 (6.1): all.
 */
uint64_t ptu_geometry_task_end(const struct ptu_geometry *geo);

/**
 * ptu_geometry_leaf_level() - Level of the tables whose entries map a huge page.
 * @bytes: (in) size of the huge page
 *
 * On arm64 several contiguous entries can map one huge page.
 * Source: arch/arm64/mm/hugetlbpage.c, num_contig_ptes() (6.1).
 *
 * Return: a level; PTAUDIT_NR_LEVELS if no level maps such pages.
 */
unsigned int ptu_geometry_leaf_level(const struct ptu_geometry *geo,
				     uint64_t bytes);

/**
 * ptu_geometry_above() - The next unfolded level above @level.
 *
 * Return: a level; PTAUDIT_NR_LEVELS above PTAUDIT_PGD.
 */
unsigned int ptu_geometry_above(const struct ptu_geometry *geo,
				unsigned int level);

#endif
