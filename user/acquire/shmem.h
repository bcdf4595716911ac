/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared memory files (tmpfs) behind mappings: their identity and their pages in
 * memory.  Reads no contents and faults in no pages.
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
 * struct ptu_shmem - a shared memory file
 * @fd: open for reading
 * @is_internal: it is on the kernel's internal mount, like memfd and System V
 *	memory
 * @size_bytes: its size
 * @used_bytes: memory and swap that it uses
 * @free_bytes: what its tmpfs has left; UINT64_MAX if that has no size limit
 */
struct ptu_shmem {
	int fd;
	bool is_internal;
	uint64_t size_bytes;
	uint64_t used_bytes;
	uint64_t free_bytes;
};

/**
 * ptu_shmem_internal() - Get the device of the kernel's internal mount.
 * @ret: (out) in the form of ptu_vma.device
 *
 * memfd, System V memory and shared anonymous memory are files of this mount.  No file of
 * it has a second inode in another file system (overlayfs), so all mappings of the file
 * show the same device and inode.
 *
 * Return: 0; -errno of memfd_create() or fstat().
 */
ptu_must_check int ptu_shmem_internal(uint64_t *ret);

/**
 * ptu_shmem_open() - Open the file of a mapping.
 * @vma: (in) the file must have its device and inode
 * @path: (in) the mapping's name, used if map_files cannot be read
 * @ret: (out) close with ptu_shmem_close()
 *
 * The file's type is checked before it is opened: devices are never opened.
 *
 * Return: 0; -EMEDIUMTYPE it is not a regular file in a tmpfs; -ESTALE it is now
 * another file; -errno: it cannot be examined.
 */
ptu_must_check int ptu_shmem_open(const struct ptu_proc *proc,
				  const struct ptu_vma *vma, const char *path,
				  struct ptu_shmem *ret);

/**
 * ptu_shmem_same() - Does the mapping [@start, @end) still map the file?
 */
bool ptu_shmem_same(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		    const struct ptu_shmem *shmem);

/**
 * ptu_shmem_resident() - Find the pages of a range that are in memory.
 * @vec: (out) one byte per page, as in mincore(2)
 *
 * A page that fallocate() reserved and that was never written counts as absent.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_shmem_resident(const struct ptu_shmem *shmem,
				      uint64_t offset, uint64_t bytes,
				      unsigned char *vec);

/**
 * ptu_shmem_data() - Count the bytes of a range with data in memory or swap.
 *
 * Return: 0; -errno.
 */
ptu_must_check int ptu_shmem_data(const struct ptu_shmem *shmem,
				  uint64_t offset, uint64_t bytes,
				  uint64_t *ret);

void ptu_shmem_close(struct ptu_shmem *shmem);

#endif
