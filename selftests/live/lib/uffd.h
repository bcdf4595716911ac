/* SPDX-License-Identifier: GPL-2.0-only */
/* Userfaultfd. */
#ifndef LIVE_UFFD_H
#define LIVE_UFFD_H

#include <stdbool.h>
#include <stdint.h>

/* A userfaultfd with these features, or -1 where the kernel lacks one. */
int live_uffd(uint64_t features);
/* Both are for builders; closing the descriptor takes it all away. */
void live_uffd_register(int fd, uint64_t start, uint64_t bytes, uint64_t mode);
void live_uffd_protect(int fd, uint64_t start, uint64_t bytes, bool protect);
/* Markers of pages that cannot be had back; in a registered range. */
void live_uffd_poison(int fd, uint64_t start, uint64_t bytes);
/* A userfaultfd that may do that, or -1. */
int live_uffd_for_poison(void);
/* What the kernel lacks for it; NULL: nothing. */
const char *live_uffd_poison_missing(void);

#endif
