// SPDX-License-Identifier: GPL-2.0-only
/* Shared memory without a name is on the kernel's internal mount; this program's file is not. */
#define _GNU_SOURCE
#include "acquire/shmem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "support/unit.h"

/*
 * For a file that is not on tmpfs, maps and stat() can show different devices.  A caller
 * without privilege opens the file by its path, and the path can name another file.
 */
static void check_other_device(const struct ptu_proc *proc,
			       const struct ptu_vma *vma)
{
	struct ptu_vma other = *vma;
	struct ptu_shmem shmem;
	struct statfs fs;
	char link[64];
	int fd;

	other.device++;
	snprintf(link, sizeof(link),
		 "/proc/self/map_files/%" PRIx64 "-%" PRIx64, vma->start,
		 vma->end);
	fd = open(link, O_PATH | O_CLOEXEC);
	CHECK_EQ(statfs("/proc/self/exe", &fs), 0);
	CHECK_EQ(ptu_shmem_open(proc, &other, "/proc/self/exe", &shmem),
		 fd < 0 || fs.f_type == TMPFS_MAGIC ? -ESTALE : -EMEDIUMTYPE);
	if (fd >= 0)
		close(fd);
}

UNIT_TEST(shared_memory_without_a_name_is_internal)
{
	void *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1,
			 0);
	const struct ptu_vma *vma;
	uint64_t device = 0;
	struct ptu_vmas vmas;
	struct ptu_proc proc;

	CHECK(map != MAP_FAILED);
	CHECK_EQ(ptu_proc_open(getpid(), &proc, NULL), 0);
	CHECK_EQ(ptu_proc_maps(&proc, &vmas, NULL), 0);
	CHECK_EQ(ptu_shmem_internal(&device), 0);
	vma = &vmas.vmas[ptu_vmas_find(&vmas, (uintptr_t)map)];
	CHECK_EQ(vma->start, (uintptr_t)map);
	CHECK_EQ(vma->device, device);
	vma = &vmas.vmas[ptu_vmas_find(&vmas, (uintptr_t)ptu_shmem_internal)];
	CHECK(vma->inode && vma->device != device);
	check_other_device(&proc, vma);
	ptu_vmas_deinit(&vmas);
	ptu_proc_close(&proc);
	munmap(map, 4096);
}

UNIT_MAIN
