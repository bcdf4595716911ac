/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assign the tables of processes to cgroups.  Pure. */
#ifndef PTU_COMPARE_SYSTEM_CGROUPS_H
#define PTU_COMPARE_SYSTEM_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Tables of the processes of one cgroup. */
struct ptu_system_use {
	char *path;
	uint64_t bytes;
};

/**
 * struct ptu_system_uses - tables by cgroup
 * @uses: [nr]
 */
struct ptu_system_uses {
	struct ptu_system_use *uses;
	size_t nr;
};

/**
 * ptu_system_use() - Add the tables of a process.
 * @text: (in) contents of /proc/PID/cgroup; the line "0::PATH" names the cgroup
 *
 * Return: 0, also without such a line; -ENOMEM.
 */
ptu_must_check int ptu_system_use(struct ptu_system_uses *uses,
				  const char *text, uint64_t bytes);

/**
 * ptu_system_uses_below() - Tables of the processes in a cgroup and its
 *	descendants.
 */
uint64_t ptu_system_uses_below(const struct ptu_system_uses *uses,
			       const char *path);

/**
 * ptu_system_uses_reset() - Start again; the names are kept.
 */
void ptu_system_uses_reset(struct ptu_system_uses *uses);

void ptu_system_uses_deinit(struct ptu_system_uses *uses);

#endif
