// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes that change their page tables by many operations of the kernel.  Any call may fail.
 * The operations are repeated, and some of the repetitions succeed.
 */
#define _GNU_SOURCE
#include "stress.h"

#include <asm/ldt.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/lib.h"

/* Source: include/uapi/asm-generic/mman-common.h (5.14, 6.1) */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define SLOT (4 * HUGE)
#define NR_AREAS 32
#define NR_HUGE "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
#define SWAP_DEVICE "/dev/ram0"

uint32_t stress_random(void)
{
	static __thread uint32_t state;

	if (!state)
		state = (uint32_t)getpid() * 2654435761U | 1;
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static char *area(void)
{
	return (char *)(FAR + (stress_random() % NR_AREAS) * SLOT);
}

static char *map_at(char *at, size_t bytes, int flags, int fd)
{
	void *got = mmap(at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
			 fd, 0);

	return got == MAP_FAILED ? NULL : got;
}

/* Number of ranges that populate() has filled in this process. */
static uint64_t *populated;

/*
 * Write to the mapped pages of a range.  A hole, or a page that cannot be allocated,
 * raises no signal.  Kernels before 5.14 lack the advice: there the function writes as a
 * debugger does, which causes faults as well.
 */
static void populate(char *at, size_t bytes)
{
	bool is_done = !madvise(at, bytes, MADV_POPULATE_WRITE);

	if (!is_done && errno == EINVAL) {
		int fd = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);

		for (size_t i = 0; fd >= 0 && i < bytes; i += PAGE)
			is_done |= pwrite(fd, "x", 1, (off_t)(at + i)) == 1;
		close(fd);
	}
	if (is_done)
		__atomic_add_fetch(populated, 1, __ATOMIC_RELAXED);
}

/* Before 6.1 only khugepaged collapses pages. */
static void collapse(char *at, size_t bytes)
{
	if (madvise(at, bytes, MADV_COLLAPSE) && errno == EINVAL)
		usleep(20000);
}

#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* A second thread causes faults by madvise(): a hole does not kill it. */
static void *populate_on(void *arg)
{
	struct stress *stress = arg;

	while (!__atomic_load_n(&stress->stop, __ATOMIC_RELAXED))
		populate(area(), (1 + stress_random() % 1024) * PAGE);
	return NULL;
}

static void begin_threads(struct stress *stress)
{
	pthread_t thread;

	pthread_create(&thread, NULL, populate_on, stress);
}

static void round_maps(struct stress *stress, unsigned int slot)
{
	char *at = area(), *to = area();

	if (!map_at(at, SLOT, PRIVATE, -1))
		return;
	madvise(at, SLOT,
		stress_random() % 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < 40; i++)
		populate(at + stress_random() % (SLOT / PAGE) * PAGE, PAGE);
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
	struct user_desc entry = { .entry_number = stress_random() % 64,
				   .limit = 0xfffff,
				   .seg_32bit = 1,
				   .limit_in_pages = 1 };

	syscall(SYS_modify_ldt, 1, &entry, sizeof(entry));
}

/* The child copies pages, unmaps memory, executes another program, or only ends. */
static void round_fork(struct stress *stress, unsigned int slot)
{
	unsigned int how = stress_random() % 4;
	char *at = (char *)FAR;
	pid_t pid;

	if (map_at(at, 2 * HUGE, PRIVATE, -1))
		populate(at, 2 * HUGE);
	pid = fork();
	if (!pid) {
		if (how == 0)
			use_ldt();
		populate(at, HUGE);
		if (how == 1)
			munmap(at + HUGE / 2, HUGE / 2);
		if (how == 2)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	if (pid > 0) {
		stress->targets[slot + 1] = pid;
		madvise(at, 2 * HUGE, MADV_DONTNEED);
		waitpid(pid, NULL, 0);
	}
}

static void round_collapse(struct stress *stress, unsigned int slot)
{
	char *at = area();

	if (!map_at(at, 2 * HUGE, PRIVATE, -1))
		return;
	madvise(at, 2 * HUGE, MADV_NOHUGEPAGE);
	populate(at, 2 * HUGE);
	madvise(at, 2 * HUGE, MADV_HUGEPAGE);
	collapse(at, 2 * HUGE);
	/* Split one huge page by a hole, the other by a protection. */
	madvise(at + 5 * PAGE, PAGE, MADV_DONTNEED);
	mprotect(at + HUGE, PAGE, PROT_READ);
	collapse(at, 2 * HUGE);
}

static void round_swap(struct stress *stress, unsigned int slot)
{
	char *at = (char *)FAR + GIB;

	if (!map_at(at, 2 * HUGE, PRIVATE, -1))
		return;
	madvise(at, 2 * HUGE,
		stress_random() % 2 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	populate(at, 2 * HUGE);
	madvise(at, 2 * HUGE, MADV_PAGEOUT);
	populate(at, HUGE);
	madvise(at + HUGE / 2, HUGE, MADV_DONTNEED);
}

/* Two of these mutators share one PMD table while both map the complete GiB. */
static void round_hugetlb(struct stress *stress, unsigned int slot)
{
	char *at = (char *)FAR + 8 * GIB;

	if (!map_at(at, GIB, MAP_SHARED | MAP_NORESERVE, stress->hugetlb_fd))
		return;
	populate(at, 3 * HUGE);
	usleep(stress_random() % 10000);
	switch (stress_random() % 5) {
	case 0:
		mprotect(at, HUGE, PROT_READ);
		break;
	case 3:
		/* unmaps the pages in all processes without taking their mmap_lock */
		fallocate(stress->hugetlb_fd,
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
static void round_shmem(struct stress *stress, unsigned int slot)
{
	char *at = (char *)FAR + 16 * GIB;

	if (!map_at(at, SLOT, MAP_SHARED, stress->shmem_fd))
		return;
	madvise(at, SLOT, MADV_HUGEPAGE);
	populate(at, SLOT);
	collapse(at, SLOT);
	fallocate(stress->shmem_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(stress_random() % (SLOT / PAGE) * PAGE), 9 * PAGE);
}

/*
 * Small VMAs in 512 GiB of their own, which are unmapped together with the PMD and PUD
 * tables. A walk can release the lock between any two VMAs when another task waits.
 */
static void round_islands(struct stress *stress, unsigned int slot)
{
	char *at = (char *)FAR + 512 * GIB;

	for (unsigned int i = 0; i < 32; i++) {
		char *island = at + i * (GIB / 32);

		if (map_at(island, PAGE, PRIVATE, -1))
			populate(island, PAGE);
	}
	munmap(at, GIB);
}

const struct mutator mutators[] = {
	{ "maps", begin_threads, round_maps },
	{ "fork", NULL, round_fork },
	{ "collapse", NULL, round_collapse },
	{ "swap", NULL, round_swap },
	{ "hugetlb", NULL, round_hugetlb },
	{ "hugetlb too", NULL, round_hugetlb },
	{ "shmem", NULL, round_shmem },
	{ "shmem too", NULL, round_shmem },
	{ "islands", NULL, round_islands },
};
const unsigned int nr_mutators = sizeof(mutators) / sizeof(mutators[0]);

void mutator_begin(const struct mutator *mutator, struct stress *stress,
		   unsigned int nr)
{
	populated = &stress->populated[nr];
	if (mutator->begin)
		mutator->begin(stress);
}

static int run(char *const argv[])
{
	struct tool_run done;
	int err = live_run(argv, &done);

	if (!err) {
		err = done.status ? -EIO : 0;
		live_run_deinit(&done);
	}
	return err;
}

int mutators_prepare(struct stress *stress)
{
	int err = run((char *[]){ "modprobe", "brd", "rd_nr=1",
				  "rd_size=131072", NULL });

	swapoff(SWAP_DEVICE);
	if (!err)
		err = run((char *[]){ "mkswap", SWAP_DEVICE, NULL });
	if (!err && swapon(SWAP_DEVICE, 0))
		err = -errno;
	if (!err)
		err = live_set(NR_HUGE, "16");
	if (!err)
		err = live_set(THP "enabled", "madvise");
	if (!err)
		err = live_set(THP "shmem_enabled", "advise");
	if (!err)
		err = live_set(THP "khugepaged/scan_sleep_millisecs", "10");
	stress->hugetlb_fd = memfd_create("hugetlb", MFD_HUGETLB);
	stress->shmem_fd = memfd_create("shmem", 0);
	if (stress->hugetlb_fd < 0 || ftruncate(stress->hugetlb_fd, GIB) ||
	    stress->shmem_fd < 0 || ftruncate(stress->shmem_fd, SLOT))
		err = err ? err : -errno;
	return err;
}

void mutators_undo(void)
{
	swapoff(SWAP_DEVICE);
	live_set(NR_HUGE, "0");
}
