/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Totals of mapped pages by kind: the compared quantities and the module's answer. */
#ifndef PTU_MODEL_KERNEL_PAGES_H
#define PTU_MODEL_KERNEL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "module/ptaudit_abi.h"

/* The compared quantities.  Unit: base pages. */
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
	PTU_TOTAL_RSS, /* anon, file, shmem, migration, device memory */
	PTU_TOTAL_SWAP,
	PTU_TOTAL_MOVING, /* migration, device memory, hardware poison, other */
	PTU_TOTAL_UFFD_WP, /* PTE markers, as are the next two */
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
	PTU_TOTAL_COW_ORIGINAL, /* private mappings; terms of `cow` */
	PTU_TOTAL_COW_COPIED,
	PTU_TOTAL_COW_SHARED,
	PTU_TOTAL_COW_SWAPPED,
	PTU_NR_TOTALS
};

/**
 * struct ptu_totals - the module's totals of a range
 * @pid: the requested PID, in this process's PID namespace
 * @tgid: its thread group, in the same namespace
 * @tid: the thread that the mm was taken from, in the same namespace
 * @start_ticks: start time of @pid, as in field 22 of its stat
 * @mm: identity of the mm
 * @start: first address
 * @end: end, exclusive
 * @known: [PTAUDIT_P_*] the kernel provides this key
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
 * ptu_total_name() - Name in JSON, such as "pmd_pages".
 */
const char *ptu_total_name(enum ptu_total total);

/**
 * ptu_totals_key_name() - Name in the module's file `pages`.
 */
const char *ptu_totals_key_name(enum ptaudit_pages_key key);

/**
 * ptu_totals_parse() - Parse the module's answer.
 * @text: (in) contents of the file `pages`, NUL-terminated
 * @ret: (out) untouched on failure
 *
 * Return: 0; -EPROTO for an unknown or repeated line, a missing key that every
 * kernel provides, or a violated sum of ptaudit_abi.h.
 */
ptu_must_check int ptu_totals_parse(const char *text, struct ptu_totals *ret,
				    struct ptu_err *err);

/**
 * ptu_totals_value() - Derive a compared quantity from the module's totals.
 * @is_private: (in) the mapping is private: only then copies are counted
 * @known: (out) false if this kernel does not provide it
 */
uint64_t ptu_totals_value(const struct ptu_totals *totals, bool is_private,
			  enum ptu_total total, bool *known);

/**
 * ptu_totals_same() - Are two answers of the module equal?
 */
bool ptu_totals_same(const struct ptu_totals *a, const struct ptu_totals *b);

/**
 * ptu_totals_add() - Add a mapping's totals to a sum.
 */
void ptu_totals_add(struct ptu_totals *sum, const struct ptu_totals *totals);

#endif
