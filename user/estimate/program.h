/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of an estimating program: claims or counts.  Pure. */
#ifndef PTU_ESTIMATE_PROGRAM_H
#define PTU_ESTIMATE_PROGRAM_H

#include "base/err.h"
#include "model/table_set.h"

/* Upper limit of the tables that a program may claim at one level. */
#define PTU_PROGRAM_MOST_TABLES (UINT64_C(1) << 48)

/**
 * ptu_program_parse() - Parse lines into claims or counts.
 * @text: (in) NUL-terminated; empty lines and lines that begin with # are skipped.
 *	`level address`: a table, by any address that it maps, in hex and in the
 *	user half. `level count N`: the number of tables at a level, in decimal.
 * @ret: (out) exactly the tables that were named; missing tables above them are not
 *	added, so that the comparison shows them
 * @counts: (out) the counts if the program states counts; NULL: counts are refused
 *
 * A program may name tables or state counts, not both.
 *
 * Return: 0; -EINVAL with the number of the line; -ENOMEM.
 */
ptu_must_check int ptu_program_parse(const char *text, struct ptu_tables *ret,
				     struct ptu_stated *counts,
				     struct ptu_err *err);

#endif
