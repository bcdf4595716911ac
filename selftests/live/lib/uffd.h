/* SPDX-License-Identifier: GPL-2.0-only */
/* userfaultfd for builders. */
#ifndef LIVE_UFFD_H
#define LIVE_UFFD_H

#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <stdint.h>

/* Source: include/uapi/linux/userfaultfd.h (5.19, 6.4, 6.7, 6.8, 7.3) */
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif
#ifndef UFFD_FEATURE_MOVE
#define UFFD_FEATURE_MOVE (1 << 16)
#endif
#ifndef UFFD_FEATURE_RWP
#define UFFD_FEATURE_RWP (1 << 17)
#define UFFDIO_REGISTER_MODE_RWP (1 << 3)
#endif

/* Open a userfaultfd with these features; -1 if the kernel does not support them. */
int live_uffd(uint64_t features);
/* Both are for builders.  Closing the descriptor undoes them. */
void live_uffd_register(int fd, uint64_t start, uint64_t bytes, uint64_t mode);
void live_uffd_protect(int fd, uint64_t start, uint64_t bytes, bool protect);
/*
 * Write-protect a range with these further features; returns the userfaultfd.  With
 * UFFD_FEATURE_RWP, protect it from all accesses instead.
 */
int live_uffd_wp(uint64_t features, uint64_t start, uint64_t bytes);
/* The first of these features that the kernel lacks; NULL: none. */
const char *live_uffd_missing(uint64_t features);
/* Move pages into a registered range (UFFDIO_MOVE). */
void live_uffd_move(int fd, uint64_t from, uint64_t to, uint64_t bytes);
/* Install poison markers (UFFDIO_POISON) in a registered range. */
void live_uffd_poison(int fd, uint64_t start, uint64_t bytes);
/* Open a userfaultfd that supports UFFDIO_POISON; -1 if the kernel does not. */
int live_uffd_for_poison(void);
/* What the kernel lacks for UFFDIO_POISON; NULL: nothing. */
const char *live_uffd_poison_missing(void);

#endif
