/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load and unload the module. */
#ifndef PTU_CMD_LOAD_H
#define PTU_CMD_LOAD_H

#include <stdbool.h>

#include "base/err.h"

/**
 * ptu_modctl_load() - Load the module.
 * @file: (in) a module file, or NULL: the installed module ptaudit
 * @already: (out) it was loaded before
 *
 * Return: 0; -EOPNOTSUPP no libkmod; -ENOENT no module; -EPERM not allowed, or
 * others can write the file; -errno.
 */
ptu_must_check int ptu_modctl_load(const char *file, bool *already,
				   struct ptu_err *err);

/**
 * ptu_modctl_unload() - Unload the module.
 * @already: (out) it was not loaded
 *
 * Return: 0; -EOPNOTSUPP no libkmod; -EBUSY it is in use; -errno.
 */
ptu_must_check int ptu_modctl_unload(bool *already, struct ptu_err *err);

#endif
