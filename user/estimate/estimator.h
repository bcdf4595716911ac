/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an estimator is: evidence from /proc in, a set of claims out.  Pure.
 * One file each below estimators/.
 */
#ifndef PTU_ESTIMATE_ESTIMATOR_H
#define PTU_ESTIMATE_ESTIMATOR_H

#include "model/evidence.h"
#include "model/table_set.h"

/**
 * struct ptu_estimator - one way from evidence to tables
 * @name: as --estimator takes it
 * @summary: one line for --help
 * @needs: PTU_NEEDS_*
 * @blind: kinds of entries that its interface does not show,
 *	bits 1 << PTAUDIT_K_*; PTAUDIT_K_NONE: it knows of a PTE table only by
 *	entries that are not none; PTAUDIT_K_LEAF: it draws tables under leaves
 * @program: for a program of the user's: its path; it has no @estimate
 * @estimate: fill @ret, which ptu_tables_init() made empty; 0, -ENOMEM, or
 *	-EINVAL for evidence that contradicts itself
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

/**
 * ptu_estimators - all built-in estimators, the best last, NULL-terminated.
 */
extern const struct ptu_estimator *const ptu_estimators[];

/**
 * ptu_estimator_find() - By name.
 *
 * Return: the estimator, or NULL.
 */
const struct ptu_estimator *ptu_estimator_find(const char *name);

#endif
