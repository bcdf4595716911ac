/* SPDX-License-Identifier: GPL-2.0-only */
/* userfaultfd for builders. */
#ifndef LIVE_UFFD_H
#define LIVE_UFFD_H

#include <stdbool.h>
#include <stdint.h>

/* Open a userfaultfd with these features; -1 if the kernel does not support them. */
int live_uffd(uint64_t features);
/* Both are for builders.  Closing the descriptor undoes them. */
void live_uffd_register(int fd, uint64_t start, uint64_t bytes, uint64_t mode);
void live_uffd_protect(int fd, uint64_t start, uint64_t bytes, bool protect);
/* Install poison markers (UFFDIO_POISON) in a registered range. */
void live_uffd_poison(int fd, uint64_t start, uint64_t bytes);
/* Open a userfaultfd that supports UFFDIO_POISON; -1 if the kernel does not. */
int live_uffd_for_poison(void);
/* What the kernel lacks for UFFDIO_POISON; NULL: nothing. */
const char *live_uffd_poison_missing(void);

#endif
