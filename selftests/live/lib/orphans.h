/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares the walk along VMAs with the walk that follows every entry. */
#ifndef LIVE_ORPHANS_H
#define LIVE_ORPHANS_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/module.h"

/*
 * Both answers must have the same tables with the same content.  Entries that are unwalked
 * in @tables are followed in @orphans; the tables below them are flagged as outside, and
 * @ret_outside is their number.
 */
int live_compare_walks(const struct answer *tables,
		       const struct answer *orphans, uint64_t *ret_outside);
/* For a process at rest: no table lies outside the VMAs, and both walks match VmPTE. */
int live_check_orphans(pid_t pid, const struct answer *tables);

#endif
