// SPDX-License-Identifier: GPL-2.0-only
/* Maps the device of hold/hold_leaves.c, whose leaves are huge, and opens a PCI device. */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE "/dev/hold_leaves"

/* Source: docs/specs/pci-ids.rst, docs/specs/pci-testdev.rst of QEMU */
#define TESTDEV "0x1b36\n0x0005\n"

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
	pid_t pid;
	int status;

	/* the module hold has no device on such a kernel */
	if (live_thp_missing())
		return live_thp_missing();
	pid = fork();
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

int live_open_bar(void)
{
	char path[512], vendor[16], device[16], both[64];
	struct stat stat;
	glob_t found;
	int fd = -1;

	if (glob("/sys/bus/pci/devices/*", 0, NULL, &found))
		return -1;
	for (size_t i = 0; i < found.gl_pathc && fd < 0; i++) {
		snprintf(path, sizeof(path), "%s/vendor", found.gl_pathv[i]);
		live_file(path, vendor, sizeof(vendor));
		snprintf(path, sizeof(path), "%s/device", found.gl_pathv[i]);
		live_file(path, device, sizeof(device));
		snprintf(both, sizeof(both), "%s%s", vendor, device);
		if (strcmp(both, TESTDEV))
			continue;
		snprintf(path, sizeof(path), "%s/resource2", found.gl_pathv[i]);
		fd = open(path, O_RDWR);
		if (fd >= 0 &&
		    (fstat(fd, &stat) || stat.st_size < (off_t)BAR_BYTES)) {
			close(fd);
			fd = -1;
		}
	}
	globfree(&found);
	return fd;
}
