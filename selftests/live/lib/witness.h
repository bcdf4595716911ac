/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of the module's answer against other sources. */
#ifndef LIVE_WITNESS_H
#define LIVE_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/module.h"

int live_check_records(const struct answer *answer);
/* Page flags and NUMA node of each table. */
int live_check_pages_of_tables(const struct answer *answer);
/* Does the kernel set the page-table type on tables of this level? */
bool live_has_page_type(unsigned int level);
int live_check_vmpte(pid_t pid, const struct answer *answer);
int live_check_counts(pid_t pid, const struct answer *answer);

#endif
