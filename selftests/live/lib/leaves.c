// SPDX-License-Identifier: GPL-2.0-only
/* Maps the device of hold/hold_leaves.c: huge leaves in VM_PFNMAP mappings. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE "/dev/hold_leaves"

/* Offsets in the device; see hold/hold_leaves.c. */
#define OFFSET_PMD 0
#define OFFSET_PUD GIB

static void map_device(uint64_t start, uint64_t bytes, int prot, off_t offset)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	live_must(fd);
	live_must_be(mmap((void *)start, bytes, prot,
			  MAP_SHARED | MAP_FIXED_NOREPLACE, fd,
			  offset) == (void *)start,
		     DEVICE);
	close(fd);
}

static void read_each(uint64_t start, uint64_t bytes, uint64_t stride)
{
	for (uint64_t addr = start; addr < start + bytes; addr += stride)
		(void)*(volatile char *)addr;
}

/* Map PMD leaves.  The first one is made by a read, the others by writes. */
void live_map_pfn_pmds(uint64_t start, uint64_t bytes)
{
	map_device(start, bytes, PROT_READ | PROT_WRITE, OFFSET_PMD);
	read_each(start, HUGE, HUGE);
	live_touch_each(start + HUGE, start + bytes, HUGE);
}

void live_map_pfn_puds(uint64_t start, uint64_t bytes)
{
	map_device(start, bytes, PROT_READ, OFFSET_PUD);
	read_each(start, bytes, GIB);
}

/* The device raises SIGBUS if the kernel makes no PUD leaf. */
const char *live_pfn_puds_missing(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		live_map_pfn_puds(FAR, GIB);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	if (!WIFSIGNALED(status))
		return NULL;
	return "PUD leaves of PFN mappings";
}
