// SPDX-License-Identifier: GPL-2.0-only
/* The code that members run, and the functions that give them orders. */
#define _GNU_SOURCE
#include "lib/members.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct member members[NR];
int shared_fd, hugetlb_fd;
uint64_t stride;

static uint64_t hash(void)
{
	const uint64_t *at = (const uint64_t *)START;
	uint64_t ret = 14695981039346656037UL;

	for (size_t i = 0; i < BYTES / sizeof(*at); i++)
		ret = (ret ^ at[i]) * 1099511628211UL;
	return ret;
}

uint64_t member_pattern(uint64_t page, uint64_t generation)
{
	return (page + 1) * 0x9e3779b97f4a7c15UL + generation;
}

static void touch(uint64_t start)
{
	for (uint64_t at = start; at < start + BYTES; at += stride)
		*(volatile char *)at;
}

/* Map the file at @start and touch all its pages. */
static uint64_t map_file(uint64_t start, int fd)
{
	if (mmap((void *)start, BYTES, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0) != (void *)start)
		return (uint64_t)errno;
	touch(start);
	return 0;
}

/*
 * Until an order arrives: check that each page holds what was written last, and write a
 * new value.  Punch one page out of each slot, so that its huge page is split again.
 */
static uint64_t check_on(int from)
{
	volatile uint64_t *first;
	uint64_t generation = 0, failures = 0;
	char stop;

	fcntl(from, F_SETFL, O_NONBLOCK);
	while (read(from, &stop, sizeof(stop)) != 1) {
		for (uint64_t page = 0; page < BYTES / PAGE; page++) {
			first = (uint64_t *)(START + page * PAGE);
			failures += generation &&
				    *first != member_pattern(page, generation);
			*first = member_pattern(page, generation + 1);
			failures += *first !=
				    member_pattern(page, generation + 1);
		}
		generation++;
		for (uint64_t slot = 0; slot < SLOTS; slot++) {
			uint64_t page = slot * 512 + generation % 512;

			if (fallocate(shared_fd,
				      FALLOC_FL_PUNCH_HOLE |
					      FALLOC_FL_KEEP_SIZE,
				      (off_t)(page * PAGE), PAGE))
				failures++;
			first = (uint64_t *)(START + page * PAGE);
			failures += *first != 0;
			*first = member_pattern(page, generation);
		}
	}
	fcntl(from, F_SETFL, 0);
	return generation ? failures : UINT64_MAX;
}

static uint64_t obey(enum order order, int from)
{
	uint64_t end = EMPTY_START + EMPTY_SLOTS * HUGE;

	switch (order) {
	case HASH:
		return hash();
	case TOUCH:
		touch(START);
		return 0;
	case DONTNEED:
		return (uint64_t)madvise((void *)EMPTY_START, end - EMPTY_START,
					 MADV_DONTNEED);
	case UNMAP:
		return (uint64_t)munmap((void *)EMPTY_START, end - EMPTY_START);
	case CHECK:
		return check_on(from);
	case HUGETLB:
		return munmap((void *)START, BYTES) ?
			       (uint64_t)errno :
			       map_file(START, hugetlb_fd);
	case MAP_AGAIN:
		return map_file(AGAIN, shared_fd);
	case UNMAP_AGAIN:
		return (uint64_t)munmap((void *)AGAIN, BYTES);
	case UNMAP_SHARED:
		return (uint64_t)munmap((void *)START, BYTES);
	case DONTNEED_SHARED:
		return (uint64_t)madvise((void *)START, BYTES, MADV_DONTNEED);
	case STOP:
		break;
	}
	_exit(0);
}

/*
 * Make the calls that orders make.  The pages of their code, which fork() does not map,
 * would otherwise get PTE tables while the test counts.
 */
static void rehearse(int from, int to)
{
	const uint64_t ready = 0;
	char none;
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		_exit(1);
	*(volatile char *)page = 1;
	if (madvise(page, PAGE, MADV_DONTNEED) || munmap(page, PAGE) ||
	    read(from, &none, 0) ||
	    write(to, &ready, sizeof(ready)) != sizeof(ready))
		_exit(1);
}

static void serve(int from, int to)
{
	char byte;

	rehearse(from, to);
	while (read(from, &byte, 1) == 1) {
		uint64_t answer = obey((enum order)byte, from);

		if (write(to, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(1);
}

int member_start(struct member *m)
{
	int orders[2], answers[2];

	if (pipe(orders) || pipe(answers))
		return -errno;
	m->pid = fork();
	if (m->pid < 0)
		return -errno;
	if (!m->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	m->to = orders[1];
	m->from = answers[0];
	return member_answer(m) ? -EPIPE : 0;
}

void member_order(const struct member *m, enum order what)
{
	char byte = (char)what;

	if (write(m->to, &byte, 1) != 1)
		live_note("cannot send an order to member %d", m->pid);
}

uint64_t member_answer(const struct member *m)
{
	uint64_t ret;

	return read(m->from, &ret, sizeof(ret)) == sizeof(ret) ? ret :
								 UINT64_MAX;
}

uint64_t member_tell(const struct member *m, enum order what)
{
	member_order(m, what);
	return member_answer(m);
}

uint64_t member_vmpte(size_t nr)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += live_vmpte_bytes(members[i].pid);
	return bytes;
}

bool member_have_tables(size_t nr, size_t expected)
{
	struct answer answer;
	bool ret = true;

	if (access(LIVE_DEBUGFS "tables", R_OK))
		return true;
	for (size_t i = 0; i < nr; i++) {
		if (live_tables(members[i].pid, &answer))
			return false;
		ret = ret && live_nr_tables(&answer, PTAUDIT_PTE, START,
					    START + BYTES) == expected;
		live_answer_deinit(&answer);
	}
	return ret;
}

int member_share(size_t nr, uint64_t each)
{
	stride = each;
	shared_fd = memfd_create("shared", MFD_CLOEXEC);
	if (shared_fd < 0 || ftruncate(shared_fd, BYTES))
		return -errno;
	if (mmap((void *)START, BYTES, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED_NOREPLACE, shared_fd,
		 0) != (void *)START)
		return -errno;
	for (uint64_t at = START; at < START + BYTES; at += each)
		*(volatile uint64_t *)at = member_pattern((at - START) / PAGE,
							  1);
	for (size_t i = 0; i < nr; i++) {
		if (member_start(&members[i]))
			return -1;
		if (member_tell(&members[i], TOUCH))
			return -1;
	}
	/* the test's own tables would count as those of one more process */
	return munmap((void *)START, BYTES);
}

void member_stop(size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		kill(members[i].pid, SIGKILL);
		waitpid(members[i].pid, NULL, 0);
	}
}
