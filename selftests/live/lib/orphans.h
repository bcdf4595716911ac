/* SPDX-License-Identifier: GPL-2.0-only */
/* The walk by VMAs against the one that follows every entry. */
#ifndef LIVE_ORPHANS_H
#define LIVE_ORPHANS_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/module.h"

/*
 * Both answers have the same tables with the same in them, but for entries that
 * are unwalked in @tables; those are followed in @orphans, and marked.  Returns
 * also how many tables are so marked.
 */
int live_compare_walks(const struct answer *tables,
		       const struct answer *orphans, uint64_t *ret_outside);
/* At rest: no table is outside, and VmPTE is met by both walks. */
int live_check_orphans(pid_t pid, const struct answer *tables);

#endif
