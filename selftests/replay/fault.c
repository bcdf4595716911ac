// SPDX-License-Identifier: GPL-2.0-only
/*
 * For LD_PRELOAD: makes one allocation fail, or the disk full, or stops the tool.
 *   FAULT=malloc:N: the Nth call of malloc(), calloc() or realloc() (or of a function
 *   that calls realloc()) fails; with malloc:N+, all later calls, too
 *   FAULT=mmap:N: the Nth call of mmap() by the tool fails
 *   FAULT=disk:N: write() to regular files fails with ENOSPC after N bytes in total;
 *   the part that fits is written
 *   FAULT=stop:PATH: the tool stops when it has opened this file for the first time;
 *   with stops:PATH, each time
 * When the fault occurs, a byte is written to the file FAULT_DONE.  Except with stop:,
 * dlopen() fails, because loading BPF programs for each of a thousand faults would take minutes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t nr, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

/* Set before main() begins; allocations of the dynamic loader do not count. */
static unsigned long failing_call;
static bool later_calls_fail;
static bool mmap_fails;
static bool disk_fills;
static size_t room;
static const char *stops_at;
static bool stops_again;
static unsigned long nr_calls;

static void __attribute__((constructor)) read_fault(void)
{
	const char *fault = getenv("FAULT");

	if (fault && !strncmp(fault, "malloc:", 7)) {
		failing_call = strtoul(fault + 7, NULL, 10);
		later_calls_fail = fault[strlen(fault) - 1] == '+';
	}
	if (fault && !strncmp(fault, "mmap:", 5)) {
		mmap_fails = true;
		failing_call = strtoul(fault + 5, NULL, 10);
	}
	if (fault && !strncmp(fault, "disk:", 5)) {
		disk_fills = true;
		room = strtoul(fault + 5, NULL, 10);
	}
	if (fault && !strncmp(fault, "stop:", 5))
		stops_at = fault + 5;
	if (fault && !strncmp(fault, "stops:", 6)) {
		stops_at = fault + 6;
		stops_again = true;
	}
}

static bool fail_with(int error)
{
	const char *done = getenv("FAULT_DONE");
	int fd = done ? open(done, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

	/* not write(), which is the function below */
	if (fd >= 0 && syscall(SYS_write, fd, "x", 1) != 1)
		abort();
	close(fd);
	errno = error;
	return true;
}

static bool fails(bool is_mmap)
{
	unsigned long call;

	if (!failing_call || is_mmap != mmap_fails)
		return false;
	call = __sync_add_and_fetch(&nr_calls, 1);
	if (call < failing_call || (call > failing_call && !later_calls_fail))
		return false;
	return fail_with(ENOMEM);
}

void *malloc(size_t bytes)
{
	return fails(false) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t nr, size_t bytes)
{
	return fails(false) ? NULL : __libc_calloc(nr, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return fails(false) ? NULL : __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t nr, size_t bytes)
{
	if (bytes && nr > SIZE_MAX / bytes) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, nr * bytes);
}

void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
	if (fails(true))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, bytes, access, flags, fd, offset);
}

void *dlopen(const char *name, int flags)
{
	static void *(*next)(const char *, int);

	if (!stops_at || stops_again)
		return NULL;
	if (!next)
		next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
	return next(name, flags);
}

int openat(int dirfd, const char *name, int flags, ...)
{
	char link[32], path[PATH_MAX];
	ssize_t length;
	mode_t mode;
	va_list more;
	int fd;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
	va_end(more);
	fd = (int)syscall(SYS_openat, dirfd, name, flags, mode);
	if (!stops_at || fd < 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path));
	if (length == (ssize_t)strlen(stops_at) &&
	    !memcmp(path, stops_at, (size_t)length)) {
		if (!stops_again)
			stops_at = "";
		raise(SIGSTOP);
	}
	return fd;
}

ssize_t write(int fd, const void *bytes, size_t nr_bytes)
{
	static ssize_t (*next)(int, const void *, size_t);
	struct stat st;

	if (!next)
		next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT,
								    "write");
	if (!disk_fills || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return next(fd, bytes, nr_bytes);
	if (!room && fail_with(ENOSPC))
		return -1;
	if (nr_bytes > room)
		nr_bytes = room;
	room -= nr_bytes;
	return next(fd, bytes, nr_bytes);
}
