// SPDX-License-Identifier: LGPL-2.1-or-later
/* Run estimators, both built-in ones and programs; must not compare their claims. */
#include "measure/estimators.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/program.h"
#include "compare/table_rows.h"
#include "estimate/program.h"

static int run_program(const char *path, pid_t pid, struct ptu_tables *ret,
		       struct ptu_stated *stated, struct ptu_err *err)
{
	char *text;
	int error = ptu_program_run(path, pid, PTU_PROGRAM_MOST_S, &text, err);

	if (error)
		return error;
	error = ptu_program_parse(text, ret, stated, err);
	free(text);
	return error;
}

int ptu_estimator_run(const struct ptu_estimator *estimator, pid_t pid,
		      const struct ptu_evidence *evidence,
		      struct ptu_tables *ret, struct ptu_stated *stated,
		      struct ptu_err *err)
{
	int error;

	ptu_tables_init(ret, evidence->geo);
	if (estimator->program) {
		error = run_program(estimator->program, pid, ret, stated, err);
	} else {
		error = ptu_tables_add_pgd(ret);
		if (!error)
			error = estimator->estimate(evidence, ret, err);
	}
	if (error)
		ptu_tables_deinit(ret);
	return error;
}

unsigned int ptu_estimators_need(const struct ptu_measure *measure)
{
	unsigned int needs = 0;
	size_t i;

	for (i = 0; i < measure->nr_estimators; i++)
		needs |= measure->estimators[i]->needs;
	return needs;
}

int ptu_estimators_run_all(const struct ptu_measure *measure,
			   const struct ptu_evidence *evidence,
			   const struct ptu_tables *first,
			   struct ptu_process *p)
{
	size_t i;

	p->estimators = calloc(measure->nr_estimators, sizeof(*p->estimators));
	if (!p->estimators)
		return -ENOMEM;
	p->nr_estimators = measure->nr_estimators;
	for (i = 0; i < measure->nr_estimators; i++) {
		struct ptu_estimator_row *row = &p->estimators[i];
		struct ptu_tables claims;
		struct ptu_err err = { "" };
		int error;

		row->name = measure->estimators[i]->name;
		if (!i) {
			ptu_tally_claims(first, row->low, row->high);
			continue;
		}
		error = ptu_estimator_run(measure->estimators[i], p->pid,
					  evidence, &claims, NULL, &err);
		if (error == -ENOMEM)
			return error;
		if (error) {
			snprintf(row->error, sizeof(row->error), "%.255s",
				 err.text[0] ? err.text : strerror(-error));
			continue;
		}
		ptu_tally_claims(&claims, row->low, row->high);
		ptu_tables_deinit(&claims);
	}
	return 0;
}
