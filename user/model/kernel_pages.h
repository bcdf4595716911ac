/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many pages of which kind a process maps: what is counted, and the module's answer. */
#ifndef PTU_MODEL_KERNEL_PAGES_H
#define PTU_MODEL_KERNEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "module/ptaudit_abi.h"

/* What is compared.  Unit: base pages. */
enum ptu_total {
	PTU_TOTAL_PRESENT,
	PTU_TOTAL_ANON,
	PTU_TOTAL_FILE,
	PTU_TOTAL_SHMEM,
	PTU_TOTAL_ZERO,
	PTU_TOTAL_SPECIAL,
	PTU_TOTAL_KSM,
	PTU_TOTAL_PTE_PAGES,
	PTU_TOTAL_PMD_PAGES,
	PTU_TOTAL_PUD_PAGES,
	PTU_TOTAL_MAPPED_ONCE,
	PTU_TOTAL_ANON_ONCE,
	PTU_TOTAL_EXCLUSIVE,
	PTU_TOTAL_RSS, /* anon, file, shmem, and what is being moved */
	PTU_TOTAL_SWAP,
	PTU_TOTAL_MOVING, /* migration, device memory, hardware poison, other */
	PTU_TOTAL_UFFD_WP, /* pte markers; so are the next two */
	PTU_TOTAL_GUARD,
	PTU_TOTAL_POISON,
	PTU_TOTAL_HUGETLB,
	PTU_TOTAL_HUGETLB_PMD,
	PTU_TOTAL_HUGETLB_PUD,
	PTU_TOTAL_HUGETLB_ANON,
	PTU_TOTAL_HUGETLB_ONCE,
	PTU_TOTAL_HUGETLB_ANON_ONCE,
	PTU_TOTAL_HUGETLB_EXCLUSIVE,
	PTU_TOTAL_HUGETLB_UFFD_WP,
	PTU_TOTAL_HUGETLB_OTHER,
	PTU_TOTAL_COW_ORIGINAL, /* of private mappings, as `cow` calls them */
	PTU_TOTAL_COW_COPIED,
	PTU_TOTAL_COW_SHARED,
	PTU_TOTAL_COW_SWAPPED,
	PTU_NR_TOTALS
};

/**
 * struct ptu_totals - what the module says of a range
 * @pid: the PID asked for, in this process's PID namespace
 * @tgid: its thread group, likewise
 * @tid: the thread through which the mm was found, likewise
 * @start_ticks: start of @pid, as field 22 of its stat
 * @mm: identity of the mm
 * @start: first address
 * @end: end, exclusive
 * @known: [PTAUDIT_P_*] the kernel can tell it
 * @nr: [PTAUDIT_P_*] base pages
 */
struct ptu_totals {
	uint64_t pid;
	uint64_t tgid;
	uint64_t tid;
	uint64_t start_ticks;
	uint64_t mm;
	uint64_t start;
	uint64_t end;
	bool known[PTAUDIT_NR_PAGES_KEYS];
	uint64_t nr[PTAUDIT_NR_PAGES_KEYS];
};

/**
 * ptu_total_name() - As JSON has it: "pmd_pages".
 */
const char *ptu_total_name(enum ptu_total total);

/**
 * ptu_totals_key_name() - As the module calls it.
 */
const char *ptu_totals_key_name(enum ptaudit_pages_key key);

/**
 * ptu_totals_parse() - Read the module's answer.
 * @text: (in) of the file `pages`, NUL-terminated
 * @ret: (out) untouched on failure
 *
 * Return: 0; -EPROTO a line that is not understood or comes twice, a key that
 * each kernel tells is missing, or the sums that ptaudit_abi.h promises are not
 * met.
 */
ptu_must_check int ptu_totals_parse(const char *text, struct ptu_totals *ret,
				    struct ptu_err *err);

/**
 * ptu_totals_value() - The module's side of what is compared.
 * @is_private: (in) the mapping is: only then copies are counted
 * @known: (out) false: this kernel cannot tell
 */
uint64_t ptu_totals_value(const struct ptu_totals *totals, bool is_private,
			  enum ptu_total total, bool *known);

/**
 * ptu_totals_same() - Does the module say the same twice?
 */
bool ptu_totals_same(const struct ptu_totals *a, const struct ptu_totals *b);

/**
 * ptu_totals_add() - Add a mapping's totals to a sum.
 */
void ptu_totals_add(struct ptu_totals *sum, const struct ptu_totals *totals);

#endif
