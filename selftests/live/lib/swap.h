/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap.  All functions except live_swap_off() are for builders. */
#ifndef LIVE_SWAP_H
#define LIVE_SWAP_H

#include <stdint.h>

/* Return a RAM disk of 128 MiB.  It has the content that an earlier test left. */
const char *live_disk(void);
/* Turn on swap on that disk.  The caller then runs on one CPU. */
void live_swap_on(void);
void live_swap_off(void);
/* Swap out all private or shared pages in the range, and no other page of the process. */
void live_page_out(uint64_t start, uint64_t end);

#endif
