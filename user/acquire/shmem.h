/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of shared memory (tmpfs) behind mappings: which they are, and what of
 * them is in memory.  Nothing is read from them, no page of them is faulted in.
 */
#ifndef PTU_ACQUIRE_SHMEM_H
#define PTU_ACQUIRE_SHMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acquire/procfs.h"
#include "base/err.h"
#include "model/vma.h"

/**
 * struct ptu_shmem - such a file
 * @fd: open for reading
 * @is_internal: of the kernel's own mount, as memfd and System V memory are
 * @size_bytes: its size
 * @used_bytes: memory and swap that it has
 */
struct ptu_shmem {
	int fd;
	bool is_internal;
	uint64_t size_bytes;
	uint64_t used_bytes;
};

/**
 * ptu_shmem_open() - The file that a mapping is of.
 * @vma: (in) with its device and inode, which the file has to have
 * @path: (in) the mapping's name, tried where map_files must not be read
 * @ret: (out) close with ptu_shmem_close()
 *
 * No device is opened: what a file is is found out before.
 *
 * Return: 0; -EMEDIUMTYPE it is no regular file in a tmpfs; -ESTALE another file
 * is there by now; -errno: it cannot be looked at.
 */
ptu_must_check int ptu_shmem_open(const struct ptu_proc *proc,
				  const struct ptu_vma *vma, const char *path,
				  struct ptu_shmem *ret);

/**
 * ptu_shmem_same() - Is the mapping [@start, @end) still one of the file?
 */
bool ptu_shmem_same(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		    const struct ptu_shmem *shmem);

/**
 * ptu_shmem_resident() - Which pages of a range are in memory.
 * @vec: (out) a byte a page, as mincore(2) fills it
 *
 * A page that fallocate() reserved and nobody wrote counts as absent.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_shmem_resident(const struct ptu_shmem *shmem,
				      uint64_t offset, uint64_t bytes,
				      unsigned char *vec);

/**
 * ptu_shmem_data() - Bytes of a range that the file has data for, in memory or swap.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_shmem_data(const struct ptu_shmem *shmem,
				  uint64_t offset, uint64_t bytes,
				  uint64_t *ret);

void ptu_shmem_close(struct ptu_shmem *shmem);

#endif
