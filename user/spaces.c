// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compares address spaces; must not know what is in them. */
#define _GNU_SOURCE
#include "spaces.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Source: include/uapi/linux/kcmp.h, enum kcmp_type */
#define KCMP_VM 1

/* Return: 0 the same; 1, 2 below, above in the kernel's order; -errno. */
static int compare(pid_t a, pid_t b)
{
	long ret = syscall(SYS_kcmp, a, b, KCMP_VM, 0ul, 0ul);

	return ret < 0 ? -errno : (int)ret;
}

static void drop(struct ptu_spaces *spaces, size_t at)
{
	spaces->nr_pids--;
	memmove(&spaces->pids[at], &spaces->pids[at + 1],
		(spaces->nr_pids - at) * sizeof(*spaces->pids));
}

static int insert(struct ptu_spaces *spaces, size_t at, pid_t pid)
{
	if (spaces->nr_pids == spaces->capacity) {
		size_t capacity = spaces->capacity ? 2 * spaces->capacity : 64;
		pid_t *more = realloc(spaces->pids, capacity * sizeof(*more));

		if (!more)
			return -ENOMEM;
		spaces->pids = more;
		spaces->capacity = capacity;
	}
	memmove(&spaces->pids[at + 1], &spaces->pids[at],
		(spaces->nr_pids - at) * sizeof(*spaces->pids));
	spaces->pids[at] = pid;
	spaces->nr_pids++;
	return 0;
}

int ptu_spaces_add(struct ptu_spaces *spaces, pid_t pid, pid_t *ret)
{
	size_t low = 0, high = spaces->nr_pids;
	int order = compare(pid, pid);

	if (order < 0)
		return order;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		order = compare(pid, spaces->pids[middle]);
		if (order == -ESRCH && kill(pid, 0) && errno == ESRCH)
			return order;
		if (order == -ESRCH) {
			/* that one has ended, and compares with nothing */
			drop(spaces, middle);
			low = 0;
			high = spaces->nr_pids;
			continue;
		}
		if (order < 0)
			return order;
		if (!order) {
			*ret = spaces->pids[middle];
			return 0;
		}
		if (order == 1)
			high = middle;
		else
			low = middle + 1;
	}
	*ret = pid;
	return insert(spaces, low, pid);
}

void ptu_spaces_deinit(struct ptu_spaces *spaces)
{
	free(spaces->pids);
	memset(spaces, 0, sizeof(*spaces));
}
