/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables that stand below a process's levels in the text output, each
 * behind an empty line, and nothing at all where it would be empty.
 */
#ifndef PTU_RENDER_TEXT_PARTS_H
#define PTU_RENDER_TEXT_PARTS_H

#include "render/text/grid.h"

/**
 * struct ptu_text - what is shown, how, and where
 * @colours: the output takes them
 */
struct ptu_text {
	const struct ptu_report *report;
	const struct ptu_render_options *options;
	FILE *out;
	bool colours;
};

/**
 * ptu_text_part() - One such table, with its own columns.
 *
 * Return, of all here: 0; -EIO; -ENOMEM.
 */
ptu_must_check int ptu_text_part(const struct ptu_text *text,
				 const struct ptu_grid *part,
				 struct ptu_err *err);

/**
 * ptu_text_causes() - Tables that differ for a cause, and those in flux.
 */
ptu_must_check int ptu_text_causes(const struct ptu_text *text,
				   const struct ptu_process *process,
				   struct ptu_err *err);

/**
 * ptu_text_unexplained() - Tables without a cause; the first few.
 */
ptu_must_check int ptu_text_unexplained(const struct ptu_text *text,
					const struct ptu_process *process,
					struct ptu_err *err);

/**
 * ptu_text_orphans() - Tables that only one of the two walks has; the first few.
 */
ptu_must_check int ptu_text_orphans(const struct ptu_text *text,
				    const struct ptu_process *process,
				    struct ptu_err *err);

/**
 * ptu_text_shared() - Tables that are mapped elsewhere too; the first few.
 */
ptu_must_check int ptu_text_shared(const struct ptu_text *text,
				   const struct ptu_process *process,
				   struct ptu_err *err);

/**
 * ptu_text_estimators() - All estimators beside the kernel, if several ran.
 */
ptu_must_check int ptu_text_estimators(const struct ptu_text *text,
				       const struct ptu_process *process,
				       struct ptu_err *err);

/**
 * ptu_text_mappings() - What is counted with each mapping.
 *
 * --output is about its columns.
 */
ptu_must_check int ptu_text_mappings(const struct ptu_text *text,
				     const struct ptu_process *process,
				     struct ptu_err *err);

/**
 * ptu_text_mappings_check() - Does it have the columns that --output names?
 *
 * Return: 0; -EINVAL an unknown column.
 */
ptu_must_check int ptu_text_mappings_check(const struct ptu_text *text,
					   struct ptu_err *err);

/**
 * ptu_text_mappings_want_fill() - Does --output name how full PTE tables are?
 */
bool ptu_text_mappings_want_fill(const struct ptu_text *text);

/**
 * ptu_text_fill() - PTE tables by used entries, if these were counted.
 */
ptu_must_check int ptu_text_fill(const struct ptu_text *text,
				 const struct ptu_process *process,
				 struct ptu_err *err);

#endif
