/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes selected by --all, --user, --cgroup, --unit, --name, --tree or a recording. */
#ifndef PTU_CMD_SELECT_H
#define PTU_CMD_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "cmd/options.h"

/**
 * ptu_select_is_group() - Were the processes not given individually?
 *
 * Return: true with one of these options, and for a complete recording.
 */
bool ptu_select_is_group(const struct ptu_options *options);

/**
 * ptu_select_name() - Describe the selection: "all processes", "user NAME" etc.
 * @ret: (out) [ret_bytes], cut if it is too small
 */
void ptu_select_name(const struct ptu_options *options, char *ret,
		     size_t ret_bytes);

/**
 * ptu_select_group() - List the processes of a group.
 * @pids: (out) ascending, including kernel threads and zombies; free() it
 *
 * Return: 0; -EINVAL no such user, or not a regular expression; -ESRCH no process
 * matches; -errno.
 */
ptu_must_check int ptu_select_group(const struct ptu_options *options,
				    pid_t **pids, size_t *nr_pids,
				    struct ptu_err *err);

#endif
