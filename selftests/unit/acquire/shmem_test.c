// SPDX-License-Identifier: GPL-2.0-only
/* Shared memory without a name is on the kernel's internal mount; this program's file is not. */
#include "acquire/shmem.h"

#include <sys/mman.h>
#include <unistd.h>

#include "support/unit.h"

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
	ptu_vmas_deinit(&vmas);
	ptu_proc_close(&proc);
	munmap(map, 4096);
}

UNIT_MAIN
