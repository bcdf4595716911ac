// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes the page tables of the calling process by many kinds of operations.  A call that fails
 * is ignored: the operations are repeated, and some of the repetitions succeed.
 */
#define _GNU_SOURCE
#include "lib/mutators.h"

#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lib.h"

/* Source: include/uapi/asm-generic/mman-common.h (5.14) */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define SLOT (4 * HUGE)
#define NR_AREAS 32

static __thread uint32_t state;

void live_seed(uint32_t seed)
{
	state = seed * 2654435761U | 1;
}

uint32_t live_random(void)
{
	if (!state)
		live_seed((uint32_t)getpid());
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static char *area(void)
{
	return (char *)(FAR + (live_random() % NR_AREAS) * SLOT);
}

static char *map_at(char *at, size_t bytes, int flags, int fd)
{
	void *got = mmap(at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
			 fd, 0);

	return got == MAP_FAILED ? NULL : got;
}

/*
 * Write to the mapped pages of a range.  A hole, or a page that cannot be allocated,
 * raises no signal.  Kernels before 5.14 lack the advice: there the function writes as a
 * debugger does, which causes faults as well.
 */
static void populate(struct mutation *m, char *at, size_t bytes)
{
	bool is_done = !madvise(at, bytes, MADV_POPULATE_WRITE);

	if (!is_done && errno == EINVAL) {
		int fd = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);

		for (size_t i = 0; fd >= 0 && i < bytes; i += PAGE)
			is_done |= pwrite(fd, "x", 1, (off_t)(at + i)) == 1;
		close(fd);
	}
	if (is_done)
		__atomic_add_fetch(&m->populated, 1, __ATOMIC_RELAXED);
}

/* Before 6.1 only khugepaged collapses pages. */
static void collapse(char *at, size_t bytes)
{
	if (madvise(at, bytes, MADV_COLLAPSE) && errno == EINVAL)
		usleep(20000);
}

#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

void live_populate_area(struct mutation *m)
{
	populate(m, area(), (1 + live_random() % 1024) * PAGE);
}

static void round_maps(struct mutation *m)
{
	char *at = area(), *to = area();

	if (!map_at(at, SLOT, PRIVATE, -1))
		return;
	madvise(at, SLOT, live_random() % 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < 40; i++)
		populate(m, at + live_random() % (SLOT / PAGE) * PAGE, PAGE);
	mprotect(at + HUGE, HUGE, PROT_NONE);
	mprotect(at + HUGE, HUGE, PROT_READ | PROT_WRITE);
	/* MADV_DONTNEED frees complete tables on kernels with PT_RECLAIM. */
	madvise(at, 2 * HUGE, MADV_DONTNEED);
	munmap(at + 3 * HUGE, HUGE);
	if (to != at)
		mremap(at, 2 * HUGE, 2 * HUGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       to);
	munmap(area(), SLOT);
}

static void use_ldt(void)
{
	struct user_desc entry = { .entry_number = live_random() % 64,
				   .limit = 0xfffff,
				   .seg_32bit = 1,
				   .limit_in_pages = 1 };

	syscall(SYS_modify_ldt, 1, &entry, sizeof(entry));
}

/* The child copies pages, unmaps memory, executes another program, or only ends. */
static void round_fork(struct mutation *m)
{
	unsigned int how = live_random() % 4;
	char *at = (char *)FAR;
	pid_t pid;

	if (map_at(at, 2 * HUGE, PRIVATE, -1))
		populate(m, at, 2 * HUGE);
	pid = fork();
	if (!pid) {
		if (how == 0)
			use_ldt();
		populate(m, at, HUGE);
		if (how == 1)
			munmap(at + HUGE / 2, HUGE / 2);
		if (how == 2)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	if (pid > 0) {
		m->child = pid;
		madvise(at, 2 * HUGE, MADV_DONTNEED);
		waitpid(pid, NULL, 0);
	}
}

static void round_collapse(struct mutation *m)
{
	char *at = area();

	if (!map_at(at, 2 * HUGE, PRIVATE, -1))
		return;
	madvise(at, 2 * HUGE, MADV_NOHUGEPAGE);
	populate(m, at, 2 * HUGE);
	madvise(at, 2 * HUGE, MADV_HUGEPAGE);
	collapse(at, 2 * HUGE);
	/* Split one huge page by a hole, the other by a protection. */
	madvise(at + 5 * PAGE, PAGE, MADV_DONTNEED);
	mprotect(at + HUGE, PAGE, PROT_READ);
	collapse(at, 2 * HUGE);
}

static void round_swap(struct mutation *m)
{
	char *at = (char *)FAR + GIB;

	if (!map_at(at, 2 * HUGE, PRIVATE, -1))
		return;
	madvise(at, 2 * HUGE,
		live_random() % 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	populate(m, at, 2 * HUGE);
	madvise(at, 2 * HUGE, MADV_PAGEOUT);
	populate(m, at, HUGE);
	madvise(at + HUGE / 2, HUGE, MADV_DONTNEED);
}

/* Two of these mutators share one PMD table while both map the complete GiB. */
static void round_hugetlb(struct mutation *m)
{
	char *at = (char *)FAR + 8 * GIB;

	if (!map_at(at, GIB, MAP_SHARED | MAP_NORESERVE, m->hugetlb_fd))
		return;
	populate(m, at, 3 * HUGE);
	usleep(live_random() % 10000);
	switch (live_random() % 5) {
	case 0:
		mprotect(at, HUGE, PROT_READ);
		break;
	case 3:
		/* unmaps the pages in all processes without taking their mmap_lock */
		fallocate(m->hugetlb_fd,
			  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			  2 * HUGE);
		break;
	case 1:
		munmap(at + GIB - HUGE, HUGE);
		break;
	case 2:
		madvise(at, GIB, MADV_DONTNEED);
		break;
	default:
		munmap(at, GIB);
	}
}

/* Two of these mutators map one file.  A collapse by one removes the other's PTE table. */
static void round_shmem(struct mutation *m)
{
	char *at = (char *)FAR + 16 * GIB;

	if (!map_at(at, SLOT, MAP_SHARED, m->shmem_fd))
		return;
	madvise(at, SLOT, MADV_HUGEPAGE);
	populate(m, at, SLOT);
	collapse(at, SLOT);
	fallocate(m->shmem_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(live_random() % (SLOT / PAGE) * PAGE), 9 * PAGE);
}

/*
 * Small VMAs in 512 GiB of their own, which are unmapped together with the PMD and PUD
 * tables. A walk can release the lock between any two VMAs when another task waits.
 */
static void round_islands(struct mutation *m)
{
	char *at = (char *)FAR + 512 * GIB;

	for (unsigned int i = 0; i < 32; i++) {
		char *island = at + i * (GIB / 32);

		if (map_at(island, PAGE, PRIVATE, -1))
			populate(m, island, PAGE);
	}
	munmap(at, GIB);
}

const struct mutator live_mutators[] = {
	{ "maps", round_maps },		{ "fork", round_fork },
	{ "collapse", round_collapse }, { "swap", round_swap },
	{ "hugetlb", round_hugetlb },	{ "hugetlb too", round_hugetlb },
	{ "shmem", round_shmem },	{ "shmem too", round_shmem },
	{ "islands", round_islands },
};
const unsigned int live_nr_mutators = sizeof(live_mutators) /
				      sizeof(live_mutators[0]);

int live_mutation_open(struct mutation *m)
{
	m->hugetlb_fd = memfd_create("hugetlb", MFD_HUGETLB);
	m->shmem_fd = memfd_create("shmem", 0);
	if (m->hugetlb_fd < 0 || ftruncate(m->hugetlb_fd, GIB) ||
	    m->shmem_fd < 0 || ftruncate(m->shmem_fd, SLOT))
		return -errno;
	return 0;
}
