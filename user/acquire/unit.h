/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find the processes of a systemd unit through /proc/PID/cgroup. */
#ifndef PTU_ACQUIRE_UNIT_H
#define PTU_ACQUIRE_UNIT_H

#include <limits.h>
#include <stdbool.h>

#include "acquire/procfs.h"
#include "base/err.h"

/**
 * ptu_unit_name() - Complete the name of a unit.
 * @name: (in) a name without a suffix is a service, as in systemctl
 *
 * Return: 0; -EINVAL no unit can have this name.
 */
ptu_must_check int ptu_unit_name(const char *name, char ret[NAME_MAX + 1],
				 struct ptu_err *err);

/**
 * ptu_unit_owns() - Does a cgroup path contain the cgroup of the unit?
 * @text: (in) /proc/PID/cgroup; uses the line of version 2 and that of systemd's
 *	own hierarchy of version 1
 * @unit: (in) from ptu_unit_name()
 */
bool ptu_unit_owns(const char *text, const char *unit);

/**
 * ptu_unit_has() - Is a process in the unit, or in a cgroup below it?
 *
 * Return: 1; 0; -ESRCH it ended; -errno.
 */
ptu_must_check int ptu_unit_has(const char *unit, const struct ptu_proc *proc);

#endif
