// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts a child that builds one layout and then sleeps until it is killed.  Also the
 * memory operations that builders use.
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A builder that fails writes -errno here. */
static int answer_fd = -1;

static void report(pid_t answer)
{
	if (write(answer_fd, &answer, sizeof(answer)) != sizeof(answer))
		_exit(2);
}

/* SYS_write: the child is still in the write that reports. */
static bool is_asleep(pid_t pid)
{
	long call = live_call_of(pid);

	return call >= 0 && call != SYS_write;
}

/*
 * The child has reported that the layout is built, but does not sleep yet: until then it
 * may fault in pages of code.
 */
static void wait_until_asleep(pid_t pid)
{
	if (!live_until(is_asleep(pid)))
		live_note("process %d does not sleep: call %ld", pid,
			  live_call_of(pid));
}

int target_start(struct target *target, live_build build,
		 const struct shape *shape)
{
	pid_t answer;
	ssize_t got;
	int fds[2];

	memset(target, 0, sizeof(*target));
	if (pipe(fds))
		return -errno;
	target->child = memcg_fork(&target->memcg);
	if (target->child < 0)
		return target->child;
	if (!target->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		answer_fd = fds[1];
		answer = build(shape);
		report(answer ? answer : getpid());
		for (;;)
			pause();
	}
	close(fds[1]);
	got = read(fds[0], &answer, sizeof(answer));
	close(fds[0]);
	if (got == sizeof(answer) && answer > 0) {
		target->pid = answer;
		wait_until_asleep(target->child);
		if (target->pid != target->child)
			wait_until_asleep(target->pid);
		return 0;
	}
	target_stop(target);
	return got == sizeof(answer) ? answer : -ECHILD;
}

void target_stop(struct target *target)
{
	if (target->child <= 0)
		return;
	if (target->pid > 0 && target->pid != target->child)
		kill(target->pid, SIGKILL);
	kill(target->child, SIGKILL);
	waitpid(target->child, NULL, 0);
	target->child = 0;
	memcg_remove(&target->memcg);
}

void live_must(long ret)
{
	if (ret >= 0)
		return;
	report(errno ? -errno : -EIO);
	_exit(1);
}

void live_must_be(bool as_expected, const char *what)
{
	if (as_expected)
		return;
	live_note("the layout was not built as intended; a check failed: %s",
		  what);
	report(-EUCLEAN);
	_exit(1);
}

void live_must_run(char *const argv[])
{
	struct tool_run done;

	live_must_be(!live_run(argv, &done), argv[0]);
	if (done.status)
		live_note("%s: %s", argv[0], done.err);
	live_must_be(!done.status, argv[0]);
	live_run_deinit(&done);
}

pid_t live_fork(uint64_t start, uint64_t end)
{
	pid_t parent = getpid(), pid;
	char byte;
	int fds[2];

	live_must(pipe(fds));
	pid = fork();
	live_must(pid);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		live_touch(start, end);
		live_must(write(fds[1], "", 1));
		for (;;)
			pause();
	}
	close(fds[1]);
	live_must_be(read(fds[0], &byte, 1) == 1,
		     "the child has touched its memory");
	return pid;
}

char *live_map_fd(uint64_t start, uint64_t bytes, int prot, int flags, int fd)
{
	void *got = mmap((void *)start, bytes, prot,
			 flags | MAP_FIXED_NOREPLACE, fd, 0);

	if (got == MAP_FAILED)
		live_must(-1);
	return got;
}

int live_map_memfd(uint64_t start, uint64_t bytes, int flags)
{
	int fd = memfd_create("layout", 0);

	live_must(ftruncate(fd, (off_t)bytes));
	live_map_fd(start, bytes, PROT_READ | PROT_WRITE, flags, fd);
	return fd;
}

int live_map_small_memfd(uint64_t start, uint64_t bytes, int flags)
{
	int fd = live_map_memfd(start, bytes, flags);

	live_no_huge((void *)start, bytes);
	return fd;
}

char *live_map(uint64_t start, uint64_t bytes, int flags)
{
	return live_map_fd(start, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags,
			   -1);
}

static sigjmp_buf back;

static void jump_back(int signal)
{
	siglongjmp(back, signal);
}

static bool try_access(uint64_t addr, bool write)
{
	struct sigaction jump = { .sa_handler = jump_back }, saved;
	bool accessed = false;

	sigaction(SIGBUS, &jump, &saved);
	if (!sigsetjmp(back, 1)) {
		if (write)
			*(volatile char *)addr = 1;
		else
			(void)*(volatile char *)addr;
		accessed = true;
	}
	sigaction(SIGBUS, &saved, NULL);
	return accessed;
}

bool live_try_touch(uint64_t addr)
{
	return try_access(addr, true);
}

bool live_try_read(uint64_t addr)
{
	return try_access(addr, false);
}

static void go_on(int signal)
{
}

/*
 * Newer kernels send the signal with the madvise() call, as if the page had been touched.
 * Source: mm/madvise.c, MF_ACTION_REQUIRED (6.12, 7.2).
 */
void live_fail_memory(uint64_t start, uint64_t end)
{
	struct sigaction ignore = { .sa_handler = go_on }, saved;

	sigaction(SIGBUS, &ignore, &saved);
	for (uint64_t addr = start; addr < end; addr += PAGE)
		live_must(madvise((void *)addr, PAGE, MADV_HWPOISON));
	sigaction(SIGBUS, &saved, NULL);
}

void live_no_huge(void *start, uint64_t bytes)
{
	if (!access(THP "enabled", F_OK))
		live_must(madvise(start, bytes, MADV_NOHUGEPAGE));
}

void live_map_small(uint64_t start, uint64_t bytes)
{
	live_no_huge(live_map(start, bytes, 0), bytes);
}

void live_touch(uint64_t start, uint64_t end)
{
	for (uint64_t addr = start; addr < end; addr += PAGE)
		*(volatile char *)addr = 1;
}

void live_collapse(uint64_t start, uint64_t bytes)
{
	int ret;

	live_until(!(ret = madvise((void *)start, bytes, MADV_COLLAPSE)) ||
		   errno != EAGAIN);
	live_must(ret);
}

void live_touch_each(uint64_t start, uint64_t end, uint64_t stride)
{
	for (uint64_t at = start; at < end; at += stride)
		live_touch(at, at + PAGE);
}

void live_map_zeros(uint64_t start, uint64_t end, uint64_t stride)
{
	live_must(live_set(THP "enabled", "madvise"));
	live_must(live_set(THP "use_zero_page", "1"));
	live_must(madvise(live_map(start, end - start, 0), end - start,
			  MADV_HUGEPAGE));
	for (; start < end; start += stride)
		(void)*(volatile char *)start;
}

const char *live_guard_missing(void)
{
	void *area = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	int ret = madvise(area, PAGE, MADV_GUARD_INSTALL);

	munmap(area, PAGE);
	return ret ? "MADV_GUARD_INSTALL" : NULL;
}

void live_drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capset, &header, data))
		_exit(99);
}
