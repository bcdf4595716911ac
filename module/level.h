/* SPDX-License-Identifier: GPL-2.0-only */
/* The levels of the running machine: which there are, and what they reach. */
#ifndef PTA_LEVEL_H
#define PTA_LEVEL_H

#include <linux/types.h>

#include "ptaudit_abi.h"

bool pta_level_folded(unsigned int level);
unsigned int pta_level_shift(unsigned int level);
unsigned int pta_level_entries(unsigned int level);
unsigned int pta_level_below(unsigned int level);
unsigned long pta_entry_reach(unsigned int level);
unsigned int pta_entry_index(unsigned int level, unsigned long addr);
unsigned long pta_table_start(unsigned int level, unsigned long addr);
unsigned int pta_user_entries(unsigned int level);
unsigned long pta_user_end(void);

#endif
