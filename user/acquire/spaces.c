// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compare address spaces; must not look at their contents. */
#define _GNU_SOURCE
#include "acquire/spaces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

/* Source: include/uapi/linux/kcmp.h, enum kcmp_type */
#define KCMP_VM 1

/* Return: 0 the same; 1 below, 2 above in the kernel's order; -errno. */
static int compare(pid_t a, pid_t b)
{
	long ret = syscall(SYS_kcmp, a, b, KCMP_VM, 0ul, 0ul);

	return ret < 0 ? -errno : (int)ret;
}

static void drop(struct ptu_spaces *spaces, size_t at)
{
	spaces->nr--;
	memmove(&spaces->spaces[at], &spaces->spaces[at + 1],
		(spaces->nr - at) * sizeof(*spaces->spaces));
}

static int insert(struct ptu_spaces *spaces, size_t at,
		  const struct ptu_proc *proc)
{
	if (ptu_array_grow(&spaces->spaces, spaces->nr, &spaces->capacity,
			   sizeof(*spaces->spaces)))
		return -ENOMEM;
	memmove(&spaces->spaces[at + 1], &spaces->spaces[at],
		(spaces->nr - at) * sizeof(*spaces->spaces));
	spaces->spaces[at] = (struct ptu_space){
		.pid = proc->pid,
		.tid = proc->tid,
		.start_time = proc->start_time,
	};
	spaces->nr++;
	return 0;
}

/*
 * Is the compared process still alive?  It may have become a zombie, or its PID may be reused.
 *
 * Return: 1; 0; -errno if descriptors or memory ran out.
 */
static int is_still(const struct ptu_space *space)
{
	struct ptu_proc now;
	int ret = ptu_proc_open(space->pid, &now, NULL);

	if (ret)
		return ptu_proc_shortage(ret) ? ret : 0;
	ret = now.start_time == space->start_time && now.tid == space->tid &&
	      !ptu_proc_has_memory(&now, NULL);
	ptu_proc_close(&now);
	return ret;
}

static int check_same(const struct ptu_proc *proc)
{
	const struct ptu_space own = {
		.pid = proc->pid,
		.tid = proc->tid,
		.start_time = proc->start_time,
	};

	int still;

	if (proc->dirfd >= 0)
		return ptu_proc_same(proc, NULL);
	still = is_still(&own);
	return still > 0 ? 0 : still ? still : -ESRCH;
}

int ptu_spaces_add(struct ptu_spaces *spaces, const struct ptu_proc *proc,
		   pid_t *ret)
{
	size_t low = 0, high = spaces->nr;
	int order = compare(proc->tid, proc->tid);

	if (order < 0)
		return order;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct ptu_space *space = &spaces->spaces[middle];

		order = compare(proc->tid, space->tid);
		if (order == -ESRCH || !order) {
			int error = check_same(proc);

			if (error)
				return error;
		}
		if (!order) {
			int still = is_still(space);

			if (still < 0)
				return still;
			if (!still)
				order = -ESRCH;
		}
		if (order == -ESRCH) {
			/* this entry's process has ended */
			drop(spaces, middle);
			low = 0;
			high = spaces->nr;
			continue;
		}
		if (order < 0)
			return order;
		if (!order) {
			*ret = space->pid;
			return 0;
		}
		if (order == 1)
			high = middle;
		else
			low = middle + 1;
	}
	*ret = proc->pid;
	return insert(spaces, low, proc);
}

void ptu_spaces_deinit(struct ptu_spaces *spaces)
{
	free(spaces->spaces);
	memset(spaces, 0, sizeof(*spaces));
}
