/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the live tests share.  Expected tables come from addresses alone
 * (expect.c) and never from anything that ptaudit says; of ptaudit's own
 * code only the ABI header is used.
 *
 * The checks print each difference as a `# ` line and return how many there
 * are, so that a test can assert 0 and a test of the checks can assert more.
 */
#ifndef LIVE_LIB_H
#define LIVE_LIB_H

#include "lib/expect.h"
#include "lib/ksm.h"
#include "lib/leaves.h"
#include "lib/memcg.h"
#include "lib/module.h"
#include "lib/orphans.h"
#include "lib/swap.h"
#include "lib/system.h"
#include "lib/target.h"
#include "lib/tool.h"
#include "lib/trace.h"
#include "lib/uffd.h"
#include "lib/wait.h"
#include "lib/witness.h"

#define KIB 1024UL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/* x86-64's geometry, written down here once more on purpose. */
#define PAGE (4 * KIB)
#define HUGE (2 * MIB)

/* Settings of transparent huge pages. */
#define THP "/sys/kernel/mm/transparent_hugepage/"

/* Where layouts are built: far from all else, and the start of a PUD table. */
#define FAR (16 * TIB)

/* First address behind user space.  Source: TASK_SIZE_MAX, arch/x86. */
#define TOP_4_LEVELS ((1UL << 47) - PAGE)
#define TOP_5_LEVELS ((1UL << 56) - PAGE)

/* Source: include/uapi/asm-generic/mman-common.h (6.1) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* The harness's 30 s are few where several emulated machines share a CPU. */
#ifdef TEST_TIMEOUT_DEFAULT
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120
#endif

#endif
