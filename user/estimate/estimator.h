/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An estimator takes evidence from /proc and returns a set of claims.  Pure. */
#ifndef PTU_ESTIMATE_ESTIMATOR_H
#define PTU_ESTIMATE_ESTIMATOR_H

#include "model/evidence.h"
#include "model/table_set.h"

/**
 * struct ptu_estimator - one way to derive tables from evidence
 * @name: name for --estimator
 * @summary: one line for --help
 * @needs: PTU_NEEDS_*
 * @blind: kinds of entries that its interface does not show, bits 1 << PTAUDIT_K_*.
 *	PTAUDIT_K_NONE: it finds a PTE table only by entries that are not none; see
 *	ptu_estimator_sees_empty().
 *	PTAUDIT_K_LEAF: it claims tables under leaves.
 * @program: path of the user's program, which replaces @estimate; else NULL
 * @estimate: fill @ret, which is empty; 0, -ENOMEM, or -EINVAL for evidence that
 *	contradicts itself
 */
struct ptu_estimator {
	const char *name;
	const char *summary;
	unsigned int needs;
	unsigned int blind;
	const char *program;
	int (*estimate)(const struct ptu_evidence *evidence,
			struct ptu_tables *ret, struct ptu_err *err);
};

extern const struct ptu_estimator ptu_estimator_naive;
extern const struct ptu_estimator ptu_estimator_pagemap;
extern const struct ptu_estimator ptu_estimator_scan;
extern const struct ptu_estimator ptu_estimator_written;

/* All built-in estimators, the best last, NULL-terminated. */
extern const struct ptu_estimator *const ptu_estimators[];

/**
 * ptu_estimator_sees_empty() - Do the claims show which PTE tables are empty?
 *
 * Then EMPTY has a figure.  Each certain PTE table must have the number of its used
 * entries, or be marked by ptu_tables_leave_open(), if it may be empty.
 */
static inline bool
ptu_estimator_sees_empty(const struct ptu_estimator *estimator)
{
	return !(estimator->blind & 1u << PTAUDIT_K_NONE);
}

/**
 * ptu_estimator_find() - Find an estimator by name.
 *
 * Return: the estimator, or NULL.
 */
const struct ptu_estimator *ptu_estimator_find(const char *name);

#endif
