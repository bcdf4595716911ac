// SPDX-License-Identifier: GPL-2.0-only
/*
 * A library for LD_PRELOAD into any program.  A thread waits at the abstract socket
 * "give-back-PID" for lines `START END` (hexadecimal).  It calls madvise(MADV_DONTNEED) on
 * this range, as the program itself could, and answers errno.  With GIVE_BACK_ALIGN in
 * the environment there is no thread.  Then shared mappings of 2 MiB and more start at
 * multiples of 2 MiB, as the kernel places them if shmem_enabled allows huge pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define SLOT ((size_t)2 << 20)

/* This function does not call malloc(), which would change the measured memory. */
static void serve(int fd)
{
	unsigned long start, end;
	char line[64];
	size_t filled = 0;

	while (filled < sizeof(line) - 1 && read(fd, line + filled, 1) == 1) {
		if (line[filled++] != '\n')
			continue;
		line[filled] = '\0';
		filled = 0;
		if (sscanf(line, "%lx %lx", &start, &end) != 2)
			break;
		dprintf(fd, "%d\n",
			madvise((void *)start, end - start, MADV_DONTNEED) ?
				errno :
				0);
	}
	close(fd);
}

static void *wait_for_orders(void *listener)
{
	int fd;

	while ((fd = accept((int)(intptr_t)listener, NULL, NULL)) >= 0)
		serve(fd);
	return NULL;
}

static void __attribute__((constructor)) begin(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			      "give-back-%d", getpid());
	sigset_t all, old;
	pthread_t thread;
	int fd;

	if (getenv("GIVE_BACK_ALIGN"))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (bind(fd, (struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     (size_t)length)) ||
	    listen(fd, 1)) {
		close(fd);
		return;
	}
	/* signals must go to the program's own threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&thread, NULL, wait_for_orders,
			   (void *)(intptr_t)fd))
		close(fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void *map(void *addr, size_t length, int prot, int flags, int fd,
		 off_t offset)
{
	return (void *)syscall(SYS_mmap, addr, length, prot, flags, fd, offset);
}

/* An allocator calls mmap() before it can allocate, so this cannot use dlsym(). */
void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	char *area;

	if (addr || !(flags & MAP_SHARED) || length < SLOT ||
	    !getenv("GIVE_BACK_ALIGN"))
		return map(addr, length, prot, flags, fd, offset);
	area = map(NULL, length + SLOT, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return area;
	/* the unused rest stays reserved */
	area += -(uintptr_t)area & (SLOT - 1);
	return map(area, length, prot, flags | MAP_FIXED, fd, offset);
}

void *mmap64(void *, size_t, int, int, int, off_t)
	__attribute__((alias("mmap")));
