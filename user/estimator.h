/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an estimator is: evidence from /proc in, a set of claims out.  Pure.
 * One file each below estimators/.
 */
#ifndef PTU_ESTIMATOR_H
#define PTU_ESTIMATOR_H

#include "maps.h"
#include "pagemap.h"
#include "tables.h"

/* what of the evidence an estimator reads */
#define PTU_NEEDS_PAGEMAP	0x1u
#define PTU_NEEDS_SMAPS		0x2u

/**
 * struct ptu_evidence - what /proc says of one process
 * @geo: the machine's geometry
 * @vmas: its mappings
 * @slots: the populated slots of its pagemap, ascending
 * @start: first address at which the pagemap was read, 0 for all
 * @end: end of the addresses at which it was read, UINT64_MAX for all
 */
struct ptu_evidence {
	const struct ptu_geometry *geo;
	struct ptu_vmas vmas;
	struct ptu_slots slots;
	uint64_t start;
	uint64_t end;
};

/**
 * struct ptu_estimator - one way from evidence to tables
 * @name: as --estimator takes it
 * @summary: one line for --help
 * @needs: PTU_NEEDS_*
 * @blind: kinds of entries that its interface does not show,
 *	bits 1 << PTAUDIT_K_*
 * @estimate: fill @ret, which ptu_tables_init() made empty; 0, -ENOMEM, or
 *	-EINVAL for evidence that contradicts itself
 */
struct ptu_estimator {
	const char *name;
	const char *summary;
	unsigned int needs;
	unsigned int blind;
	int (*estimate)(const struct ptu_evidence *evidence,
			struct ptu_tables *ret, struct ptu_err *err);
};

extern const struct ptu_estimator ptu_estimator_naive;
extern const struct ptu_estimator ptu_estimator_pagemap;

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
