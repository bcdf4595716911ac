/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap; all but live_swap_off() are for builders. */
#ifndef LIVE_SWAP_H
#define LIVE_SWAP_H

#include <stdint.h>

/* A disk of 128 MiB in memory, its content as an earlier test left it. */
const char *live_disk(void);
/* Swap on that disk; the caller then runs on one CPU. */
void live_swap_on(void);
void live_swap_off(void);
/* Private or shared pages go out, all of them and no other of the process. */
void live_page_out(uint64_t start, uint64_t end);

#endif
