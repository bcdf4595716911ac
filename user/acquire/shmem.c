// SPDX-License-Identifier: LGPL-2.1-or-later
/* Examine shared memory files; must not read or write their contents. */
#define _GNU_SOURCE
#include "acquire/shmem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static uint64_t device_of(const struct stat *file)
{
	return (uint64_t)major(file->st_dev) << 32 | minor(file->st_dev);
}

static bool is_of(const struct stat *file, const struct ptu_vma *vma)
{
	return device_of(file) == vma->device && file->st_ino == vma->inode;
}

/*
 * Open the file of a mapping with O_PATH: without it, open() of a device calls the driver.
 * @by_path: (out) true: the file was opened by @path, because the caller may not open the
 * link of the mapping. It can be another file than the mapped one.
 */
static int find(const struct ptu_proc *proc, const struct ptu_vma *vma,
		const char *path, struct stat *ret, bool *by_path)
{
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "map_files/%" PRIx64 "-%" PRIx64,
		 vma->start, vma->end);
	fd = openat(proc->dirfd, link, O_PATH | O_CLOEXEC);
	*by_path = fd < 0 && (errno == EPERM || errno == EACCES) &&
		   path[0] == '/';
	if (*by_path)
		fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, ret)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

int ptu_shmem_internal(uint64_t *ret)
{
	int fd = memfd_create("ptaudit", MFD_CLOEXEC);
	struct stat own;
	int error = fd < 0 || fstat(fd, &own) ? -errno : 0;

	if (!error)
		*ret = device_of(&own);
	if (fd >= 0)
		close(fd);
	return error;
}

int ptu_shmem_open(const struct ptu_proc *proc, const struct ptu_vma *vma,
		   const char *path, struct ptu_shmem *ret)
{
	struct stat file;
	struct statfs fs;
	char link[32];
	uint64_t internal;
	bool by_path, is_tmpfs;
	int error = 0, fd = find(proc, vma, path, &file, &by_path);

	if (fd < 0)
		return fd;
	is_tmpfs = !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC;
	/* On other file systems, such as btrfs, stat() and maps can show different devices. */
	if ((by_path || is_tmpfs) && !is_of(&file, vma))
		error = -ESTALE;
	else if (!is_tmpfs || !S_ISREG(file.st_mode))
		error = -EMEDIUMTYPE;
	if (!error) {
		struct ptu_shmem shmem = {
			.is_internal = !ptu_shmem_internal(&internal) &&
				       internal == device_of(&file),
			.size_bytes = (uint64_t)file.st_size,
			.used_bytes = (uint64_t)file.st_blocks * 512,
			.free_bytes = fs.f_blocks ?
					      (uint64_t)fs.f_bavail *
						      (uint64_t)fs.f_bsize :
					      UINT64_MAX,
		};

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		shmem.fd = open(link, O_RDONLY | O_CLOEXEC);
		error = shmem.fd < 0 ? -errno : 0;
		if (!error)
			*ret = shmem;
	}
	close(fd);
	return error;
}

bool ptu_shmem_same(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		    const struct ptu_shmem *shmem)
{
	struct stat now, file;
	char link[64];

	snprintf(link, sizeof(link), "map_files/%" PRIx64 "-%" PRIx64, start,
		 end);
	return !fstatat(proc->dirfd, link, &now, 0) &&
	       !fstat(shmem->fd, &file) && now.st_dev == file.st_dev &&
	       now.st_ino == file.st_ino;
}

int ptu_shmem_resident(const struct ptu_shmem *shmem, uint64_t offset,
		       uint64_t bytes, unsigned char *vec)
{
	void *view = mmap(NULL, bytes, PROT_READ, MAP_SHARED, shmem->fd,
			  (off_t)offset);
	int error;

	if (view == MAP_FAILED)
		return -errno;
	error = mincore(view, bytes, vec) ? -errno : 0;
	munmap(view, bytes);
	return error;
}

int ptu_shmem_data(const struct ptu_shmem *shmem, uint64_t offset,
		   uint64_t bytes, uint64_t *ret)
{
	const off_t end = (off_t)(offset + bytes);
	off_t at = (off_t)offset;
	uint64_t data = 0;

	while (at < end) {
		off_t from = lseek(shmem->fd, at, SEEK_DATA);

		if (from < 0 && errno != ENXIO)
			return -errno;
		if (from < 0 || from >= end)
			break;
		at = lseek(shmem->fd, from, SEEK_HOLE);
		if (at < 0)
			return -errno;
		data += (uint64_t)((at < end ? at : end) - from);
	}
	*ret = data;
	return 0;
}

void ptu_shmem_close(struct ptu_shmem *shmem)
{
	close(shmem->fd);
	shmem->fd = -1;
}
