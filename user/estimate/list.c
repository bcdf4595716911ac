// SPDX-License-Identifier: LGPL-2.1-or-later
/* The list of estimators.  Pure. */
#include "estimate/estimator.h"

#include <string.h>

const struct ptu_estimator *const ptu_estimators[] = {
	&ptu_estimator_naive,
	&ptu_estimator_pagemap,
	&ptu_estimator_scan,
	&ptu_estimator_written,
	NULL,
};

const struct ptu_estimator *ptu_estimator_find(const char *name)
{
	size_t i;

	for (i = 0; ptu_estimators[i]; i++) {
		if (!strcmp(ptu_estimators[i]->name, name))
			return ptu_estimators[i];
	}
	return NULL;
}
