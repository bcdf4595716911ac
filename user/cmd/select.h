/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes --all, --user, --cgroup, --unit, --name and a recording stand for. */
#ifndef PTU_CMD_SELECT_H
#define PTU_CMD_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_select_is_group() - Were the processes not named one by one?
 *
 * Return: true with one of these options, and for a whole recording.
 */
bool ptu_select_is_group(const struct ptu_options *options);

/**
 * ptu_select_name() - "all processes", "user NAME", "cgroup PATH" and so on.
 * @ret: (out) [ret_bytes], cut if it is too small
 */
void ptu_select_name(const struct ptu_options *options, char *ret,
		     size_t ret_bytes);

/**
 * ptu_select_group() - List the processes of a group.
 * @pids: (out) ascending, also kernel threads and zombies; free() it
 *
 * Return: 0; -EINVAL no such user, no regular expression; -ESRCH there is no process; -errno.
 */
ptu_must_check int ptu_select_group(const struct ptu_options *options,
				    pid_t **pids, size_t *nr_pids,
				    struct ptu_err *err);

#endif
