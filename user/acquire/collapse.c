// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ask the kernel to make huge pages in other processes.  Must not discard a page, nor
 * make another process call anything.
 */
#define _GNU_SOURCE
#include "acquire/collapse.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/scan_abi.h"
#include "model/meminfo.h"

/* Source: include/uapi/asm-generic/mman-common.h (6.1) */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

#define FREES_LINE(digit) "madvise_frees " #digit "\n"
#define SHMEM_ENABLED "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

/* VmPTE of this process, 0 if it cannot be read. Must not allocate memory, which can make a table. */
static uint64_t own_vmpte(int status_fd)
{
	char text[8192];
	ssize_t bytes = pread(status_fd, text, sizeof(text) - 1, 0);
	uint64_t vmpte;

	text[bytes < 0 ? 0 : bytes] = '\0';
	return ptu_meminfo_bytes(text, "VmPTE", &vmpte) ? vmpte : 0;
}

/*
 * Make a table in the slot, empty it, and discard the whole slot: is VmPTE lower by one
 * table then?  No other thread may run.
 */
static bool sees_it_go(int status_fd, char *slot, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t before;

	*(volatile char *)slot = 1;
	if (madvise(slot, page, MADV_DONTNEED))
		return false;
	/* the first call can make tables: of the stack, and of code of the C library */
	own_vmpte(status_fd);
	before = own_vmpte(status_fd);
	return before && !madvise(slot, bytes, MADV_DONTNEED) &&
	       own_vmpte(status_fd) == before - page;
}

static bool own_table_goes(void)
{
	const size_t slot = ptu_scan_own_slot();
	char *area = mmap(NULL, 2 * slot, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool ret = false;
	int fd;

	if (area == MAP_FAILED)
		return false;
	madvise(area, 2 * slot, MADV_NOHUGEPAGE);
	fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ret = sees_it_go(fd, area + (-(uintptr_t)area & (slot - 1)),
				 slot);
		close(fd);
	}
	munmap(area, 2 * slot);
	return ret;
}

static int recorded(struct ptu_err *err)
{
	char *text;
	int ret = ptu_file_read(PTU_PROC_ROOT, PTU_COLLAPSE_RECORDED, 0, &text);

	if (ret == -ENOENT)
		return 0;
	if (ret)
		return ptu_err_set(err, ret,
				   "cannot read the recording's %s: %s",
				   PTU_COLLAPSE_RECORDED, strerror(-ret));
	if (!strcmp(text, FREES_LINE(1)))
		ret = 1;
	else if (strcmp(text, FREES_LINE(0)) != 0)
		ret = ptu_err_set(err, -EBADMSG,
				  "the recording is damaged: the file %s does not have the format that record writes",
				  PTU_COLLAPSE_RECORDED);
	free(text);
	return ret;
}

int ptu_collapse_madvise_frees(struct ptu_err *err)
{
	return ptu_file_is_recording() ? recorded(err) : own_table_goes();
}

const char *ptu_collapse_record(void)
{
	return own_table_goes() ? FREES_LINE(1) : FREES_LINE(0);
}

void ptu_collapse_shmem_enabled(char *ret, size_t ret_bytes)
{
	char text[256] = "";
	int fd = open(SHMEM_ENABLED, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *word = bytes > 0 ? strchr(text, '[') : NULL;

	if (fd >= 0)
		close(fd);
	ret[0] = '\0';
	if (word)
		snprintf(ret, ret_bytes, "%.*s", (int)strcspn(word + 1, "]"),
			 word + 1);
}

/* Some kernels require CAP_SYS_NICE only for the memory of other processes. */
static bool has_sys_nice(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_SYS_NICE)].effective &
		       CAP_TO_MASK(CAP_SYS_NICE);
}

int ptu_collapse_ready(struct ptu_err *err)
{
	char enabled[32];
	int self, error;

	ptu_collapse_shmem_enabled(enabled, sizeof(enabled));
	if (!enabled[0])
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this kernel makes no huge pages of shared memory (there is no %s)",
				   SHMEM_ENABLED);
	if (!strcmp(enabled, "deny"))
		return ptu_err_set(err, -EOPNOTSUPP,
				   "%s is `deny`: the kernel makes no huge pages of shared memory",
				   SHMEM_ENABLED);
	self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (self < 0)
		return ptu_err_set(err, -errno, "pidfd_open: %m");
	/* an empty vector tests only whether the advice is known */
	error = syscall(SYS_process_madvise, self, NULL, 0, MADV_COLLAPSE, 0) <
				0 ?
			errno :
			0;
	close(self);
	if (error == EINVAL || error == ENOSYS)
		return ptu_err_set(err, -EOPNOTSUPP,
				   "this kernel has no MADV_COLLAPSE (6.1 and later have it)");
	if (error == EPERM || (!error && !has_sys_nice()))
		return ptu_err_set(err, -EPERM,
				   "process_madvise() needs CAP_SYS_NICE: run it as root");
	return error ? ptu_err_set(err, -error, "process_madvise: %s",
				   strerror(error)) :
		       0;
}

bool ptu_collapse_disabled(const struct ptu_proc *proc)
{
	const char *enabled;
	char *text;
	bool ret;

	if (ptu_file_read(proc->dirfd, "status", 0, &text))
		return false;
	enabled = ptu_proc_line(text, "THP_enabled");
	ret = enabled && strtol(enabled, NULL, 10) == 0;
	free(text);
	return ret;
}

int ptu_collapse_open(const struct ptu_proc *proc)
{
	int fd = (int)syscall(SYS_pidfd_open, proc->pid, 0);

	if (fd < 0)
		return -errno;
	/* the pidfd refers to the opened process if that process still exists */
	if (ptu_proc_same(proc, NULL)) {
		close(fd);
		return -ESRCH;
	}
	return fd;
}

int ptu_collapse(int pidfd, uint64_t start, uint64_t bytes)
{
	const struct iovec range = { .iov_base = (void *)(uintptr_t)start,
				     .iov_len = bytes };

	if (syscall(SYS_process_madvise, pidfd, &range, 1, MADV_COLLAPSE, 0) <
	    0)
		return -errno;
	return 0;
}
