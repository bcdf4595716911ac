// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find estimators by the names given to --estimator; must not run them. */
#include "measure/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/scan.h"
#include "base/nearest.h"

int ptu_best_estimator(const struct ptu_estimator **ret, struct ptu_err *err)
{
	struct ptu_err why = { "" };
	struct ptu_scan_caps caps;
	int has_scan = ptu_scan_calibrate(&caps, &why);

	/* a kernel without pagemap, or a filter of system calls */
	if (has_scan == -ENOENT || has_scan == -EPERM || has_scan == -EACCES)
		has_scan = 0;
	/* fail on lack of resources: pagemap would miss empty tables */
	if (has_scan < 0)
		return ptu_err_set(err, has_scan, "%s", why.text);
	if (!has_scan)
		*ret = &ptu_estimator_pagemap;
	else if (caps.empty_is_seen && caps.hole_is_silent)
		*ret = &ptu_estimator_written;
	else
		*ret = &ptu_estimator_scan;
	return 0;
}

/* List all estimators; the best available one comes first and is compared. */
static int all_estimators(const struct ptu_estimator **ret, size_t *ret_nr,
			  struct ptu_err *err)
{
	const struct ptu_estimator *best;
	int error = ptu_best_estimator(&best, err);
	size_t nr = 0;
	size_t i;

	if (error)
		return error;
	while (ptu_estimators[nr])
		nr++;
	ret[0] = best;
	*ret_nr = 1;
	for (i = nr; i-- > 0 && *ret_nr < PTU_MAX_ESTIMATORS;)
		if (ptu_estimators[i] != best)
			ret[(*ret_nr)++] = ptu_estimators[i];
	return 0;
}

/* @rest: (in) further accepted words, printed after the names of the estimators */
static int unknown_estimator(const char *name, size_t name_len,
			     const char *rest, struct ptu_err *err)
{
	struct ptu_nearest nearest = { .word = name, .length = name_len };
	char hint[PTU_NEAREST_HINT], names[256] = "there are ";
	size_t used = strlen(names);
	size_t i;

	for (i = 0; ptu_estimators[i] && used < sizeof(names); i++) {
		used += (size_t)snprintf(names + used, sizeof(names) - used,
					 "%s%s", i ? ", " : "",
					 ptu_estimators[i]->name);
		ptu_nearest_try(&nearest, ptu_estimators[i]->name);
	}
	return ptu_err_set(err, -EINVAL, "unknown estimator '%.*s'; %s%s",
			   (int)name_len, name,
			   ptu_nearest_hint(&nearest, names, hint),
			   nearest.name ? "" : rest);
}

/* A name with a slash is a program.  The estimator is never freed. */
static const struct ptu_estimator *program_estimator(const char *path,
						     size_t path_len)
{
	struct ptu_estimator *estimator = calloc(1, sizeof(*estimator));

	if (!estimator)
		return NULL;
	estimator->program = strndup(path, path_len);
	if (!estimator->program) {
		free(estimator);
		return NULL;
	}
	estimator->name = estimator->program;
	/* it is unknown which entries the program sees */
	estimator->blind = ~0u;
	return estimator;
}

int ptu_choose_estimators(const char *names, const struct ptu_estimator **ret,
			  size_t *ret_nr, struct ptu_err *err)
{
	int error;

	*ret_nr = 0;
	if (!names || !strcmp(names, "all")) {
		error = all_estimators(ret, ret_nr, err);
		if (!error && !names)
			*ret_nr = 1;
		return error;
	}
	for (;;) {
		size_t name_len = strcspn(names, ",");
		const struct ptu_estimator *found;
		char name[64];

		if (*ret_nr == PTU_MAX_ESTIMATORS)
			return ptu_err_set(err, -EINVAL,
					   "more than %d estimators",
					   PTU_MAX_ESTIMATORS);
		snprintf(name, sizeof(name), "%.*s", (int)name_len, names);
		if (!strcmp(name, "all"))
			return ptu_err_set(err, -EINVAL,
					   "estimator 'all' excludes other names");
		found = memchr(names, '/', name_len) ?
				program_estimator(names, name_len) :
				ptu_estimator_find(name);
		if (!found)
			return unknown_estimator(names, name_len, ", and all",
						 err);
		ret[(*ret_nr)++] = found;
		names += name_len;
		if (!*names)
			return 0;
		names++;
	}
}

int ptu_choose_built_in(const char *names, const char *sentence,
			const struct ptu_estimator **ret, struct ptu_err *err)
{
	const struct ptu_estimator *estimators[PTU_MAX_ESTIMATORS];
	size_t nr;
	int error;

	if (names && (!strcmp(names, "all") || strpbrk(names, ",/")))
		return ptu_err_set(err, -EINVAL, "%s", sentence);
	if (names && !ptu_estimator_find(names))
		return unknown_estimator(names, strlen(names), "", err);
	error = ptu_choose_estimators(names, estimators, &nr, err);
	if (!error)
		*ret = estimators[0];
	return error;
}
