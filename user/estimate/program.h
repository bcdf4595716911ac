/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an estimating program prints: claims, or bare counts.  Pure. */
#ifndef PTU_ESTIMATE_PROGRAM_H
#define PTU_ESTIMATE_PROGRAM_H

#include "base/err.h"
#include "model/table_set.h"

/* No program is taken to mean more tables than these at one level. */
#define PTU_PROGRAM_MOST_TABLES (UINT64_C(1) << 48)

/**
 * ptu_program_parse() - Lines to claims, or to counts.
 * @text: (in) NUL-terminated; empty lines and lines that begin with # are
 *	skipped; addresses in hex and in the user half, any address that the
 *	table maps; or `level count N`, a line a level, N in decimal
 * @ret: (out) exactly the tables that were named, and no others: a table above
 *	them that is missing is the program's fault, to be seen
 * @counts: (out) what was stated instead; NULL: counts are refused
 *
 * A program names tables or states counts, not both.
 *
 * Return: 0; -EINVAL with the number of the line; -ENOMEM.
 */
ptu_must_check int ptu_program_parse(const char *text, struct ptu_tables *ret,
				     struct ptu_stated *counts,
				     struct ptu_err *err);

#endif
