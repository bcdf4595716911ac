/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check that a module file can be trusted. */
#ifndef PTU_ACQUIRE_MODFILE_H
#define PTU_ACQUIRE_MODFILE_H

#include "base/err.h"

/**
 * ptu_modfile_check() - Refuse a module file that another user can write.
 * @file: (in) path of the module
 * @ret: (out) path of the same file without symbolic links; load this one; free()
 *	it
 *
 * The file and all its parent directories must belong to root or to the caller, and
 * must not be writable by others; a directory may have the sticky bit instead.
 * Under sudo the caller is the user who called sudo.  Therefore no other user can
 * replace @ret afterwards.
 *
 * Return: 0; -ENOENT no such file; -EPERM another user may write it; -ENOMEM;
 * -errno.
 */
ptu_must_check int ptu_modfile_check(const char *file, char **ret,
				     struct ptu_err *err);

#endif
