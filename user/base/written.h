/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Was all output written? */
#ifndef PTU_BASE_WRITTEN_H
#define PTU_BASE_WRITTEN_H

#include <stdio.h>

#include "base/err.h"

/**
 * ptu_written() - Write what @out still holds, and report failed writes.
 * @error: (in) an earlier error; if it is not 0, only return it
 *
 * Return: @error; negative errno of the write; -EIO if an earlier write failed
 * for an unknown reason.
 */
ptu_must_check int ptu_written(FILE *out, int error, struct ptu_err *err);

#endif
