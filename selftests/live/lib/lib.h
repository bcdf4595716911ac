/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code shared by the live tests.  Expected tables are computed from addresses alone
 * (expect.c), never from ptaudit's output.  Of ptaudit's own code only the ABI header is
 * used.
 *
 * Each check prints every difference as a `# ` line and returns their number: a test can
 * assert 0, and a test of the checks can assert more.
 */
#ifndef LIVE_LIB_H
#define LIVE_LIB_H

#include "lib/counters.h"
#include "lib/expect.h"
#include "lib/held_walk.h"
#include "lib/hold.h"
#include "lib/ksm.h"
#include "lib/leaves.h"
#include "lib/memcg.h"
#include "lib/migrate.h"
#include "lib/module.h"
#include "lib/mutators.h"
#include "lib/orphans.h"
#include "lib/pages.h"
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

/* x86-64's geometry, defined independently of ptaudit's code. */
#define PAGE (4 * KIB)
#define HUGE (2 * MIB)

/* sysfs settings of transparent huge pages. */
#define THP "/sys/kernel/mm/transparent_hugepage/"

/*
 * Address at which layouts are built: far from other mappings, and the start of a PUD
 * table.
 */
#define FAR (16 * TIB)

/* End of the user address space.  Source: TASK_SIZE_MAX, arch/x86. */
#define TOP_4_LEVELS ((1UL << 47) - PAGE)
#define TOP_5_LEVELS ((1UL << 56) - PAGE)

/* Source: include/uapi/asm-generic/mman-common.h (6.1) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Source: include/uapi/asm-generic/mman-common.h (6.13 on) */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#define MADV_GUARD_REMOVE 103
#endif

/* The harness's default of 30 s is too short where several emulated machines share a CPU. */
#ifdef TEST_TIMEOUT_DEFAULT
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120
#endif

#endif
