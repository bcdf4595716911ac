/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an estimating program prints, as claims.  Pure. */
#ifndef PTU_ESTIMATE_PROGRAM_H
#define PTU_ESTIMATE_PROGRAM_H

#include "base/err.h"
#include "model/table_set.h"

/**
 * ptu_program_parse() - Lines to claims.
 * @text: (in) NUL-terminated; empty lines and lines that begin with # are
 *	skipped; addresses in hex and in the user half, any address that the
 *	table maps
 * @ret: (out) exactly the tables that were named, and no others: a table above
 *	them that is missing is the program's fault, to be seen
 *
 * Return: 0; -EINVAL with the number of the line; -ENOMEM.
 */
ptu_must_check int ptu_program_parse(const char *text, struct ptu_tables *ret,
				     struct ptu_err *err);

#endif
