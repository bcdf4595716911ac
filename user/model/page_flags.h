/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page flags of /proc/kpageflags and their names. */
#ifndef PTU_MODEL_PAGE_FLAGS_H
#define PTU_MODEL_PAGE_FLAGS_H

#include <stdint.h>

/*
 * Flags that are tested individually.
 * Source: include/uapi/linux/kernel-page-flags.h (6.1 to 7.3)
 */
#define PTU_KPF_ANON (UINT64_C(1) << 12)
#define PTU_KPF_SWAPBACKED (UINT64_C(1) << 14)
#define PTU_KPF_COMPOUND_HEAD (UINT64_C(1) << 15)
#define PTU_KPF_COMPOUND_TAIL (UINT64_C(1) << 16)
#define PTU_KPF_HUGE (UINT64_C(1) << 17)
#define PTU_KPF_NOPAGE (UINT64_C(1) << 20)
#define PTU_KPF_KSM (UINT64_C(1) << 21)
#define PTU_KPF_THP (UINT64_C(1) << 22)
#define PTU_KPF_ZERO_PAGE (UINT64_C(1) << 24)
#define PTU_KPF_PGTABLE (UINT64_C(1) << 26)
#define PTU_KPF_RESERVED (UINT64_C(1) << 32)
/*
 * For anonymous pages, from 5.19 on; for other pages the bit has another meaning.
 * Source: include/linux/page-flags.h, PG_anon_exclusive (6.1, 6.12, 7.2); fs/proc/
 * page.c, KPF_MAPPEDTODISK (6.1), KPF_OWNER_2 (6.12, 7.2)
 */
#define PTU_KPF_ANON_EXCLUSIVE (UINT64_C(1) << 34)

#define PTU_PAGEFLAGS_BITS 64

/* Buffer size for all names. */
#define PTU_PAGEFLAGS_LEN 1024
/* Buffer size for one name. */
#define PTU_PAGEFLAG_LEN 24

/**
 * ptu_pageflag_name() - The kernel's name of a flag without KPF_: "LRU".
 * @bit: (in) bit number; an unnamed bit is called "bit27"
 *
 * Return: @ret.
 */
const char *ptu_pageflag_name(unsigned int bit, char ret[PTU_PAGEFLAG_LEN]);

/**
 * ptu_pageflags_format() - Names in the order of the bits: "UPTODATE,LRU"; "-" if
 *	no flag is set.
 *
 * Return: @ret.
 */
const char *ptu_pageflags_format(uint64_t flags, char ret[PTU_PAGEFLAGS_LEN]);

#endif
