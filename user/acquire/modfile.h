/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose word is a module file? */
#ifndef PTU_ACQUIRE_MODFILE_H
#define PTU_ACQUIRE_MODFILE_H

#include "base/err.h"

/**
 * ptu_modfile_check() - Refuse a file that somebody else may have written.
 * @file: (in) of the module
 * @ret: (out) the same file without symbolic links, to be loaded instead;
 *	free() it
 *
 * The file and each directory above it belong to root or to the caller, and
 * nobody else may write them; a directory may also have the sticky bit.  Behind
 * sudo the caller is who called it.  So nobody else can replace @ret afterwards.
 *
 * Return: 0; -ENOENT no such file; -EPERM somebody else may write it; -ENOMEM;
 * -errno.
 */
ptu_must_check int ptu_modfile_check(const char *file, char **ret,
				     struct ptu_err *err);

#endif
