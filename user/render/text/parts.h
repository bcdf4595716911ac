/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables printed below a process's levels, each after an empty line. An empty
 * table is not printed.
 */
#ifndef PTU_RENDER_TEXT_PARTS_H
#define PTU_RENDER_TEXT_PARTS_H

#include "render/text/grid.h"

/**
 * struct ptu_text - contents, format and destination of the output
 * @colours: the output supports colours
 */
struct ptu_text {
	const struct ptu_report *report;
	const struct ptu_render_options *options;
	FILE *out;
	bool colours;
};

/**
 * ptu_text_part() - Print one of these tables with its own columns.
 *
 * Return (all functions here): 0; -EIO; -ENOMEM.
 */
ptu_must_check int ptu_text_part(const struct ptu_text *text,
				 const struct ptu_grid *part,
				 struct ptu_err *err);

/**
 * ptu_text_causes() - Tables that differ for a proven cause, and tables in flux.
 */
ptu_must_check int ptu_text_causes(const struct ptu_text *text,
				   const struct ptu_process *process,
				   struct ptu_err *err);

/**
 * ptu_text_unexplained() - The first tables without a cause.
 */
ptu_must_check int ptu_text_unexplained(const struct ptu_text *text,
					const struct ptu_process *process,
					struct ptu_err *err);

/**
 * ptu_text_orphans() - The first tables on which the two walks differ.
 */
ptu_must_check int ptu_text_orphans(const struct ptu_text *text,
				    const struct ptu_process *process,
				    struct ptu_err *err);

/**
 * ptu_text_shared() - The first tables that are mapped at several places.
 */
ptu_must_check int ptu_text_shared(const struct ptu_text *text,
				   const struct ptu_process *process,
				   struct ptu_err *err);

/**
 * ptu_text_estimators() - All estimators and the kernel, if several estimators ran.
 */
ptu_must_check int ptu_text_estimators(const struct ptu_text *text,
				       const struct ptu_process *process,
				       struct ptu_err *err);

/**
 * ptu_text_mappings() - The tables counted with each mapping.
 *
 * --output selects its columns.
 */
ptu_must_check int ptu_text_mappings(const struct ptu_text *text,
				     const struct ptu_process *process,
				     struct ptu_err *err);

/**
 * ptu_text_mappings_check() - Do the columns named by --output exist?
 *
 * Return: 0; -EINVAL an unknown column.
 */
ptu_must_check int ptu_text_mappings_check(const struct ptu_text *text,
					   struct ptu_err *err);

/**
 * ptu_text_mappings_want_fill() - Does --output name a column about fill?
 */
bool ptu_text_mappings_want_fill(const struct ptu_text *text);

/**
 * ptu_text_fill() - PTE tables by used entries, if these were counted.
 */
ptu_must_check int ptu_text_fill(const struct ptu_text *text,
				 const struct ptu_process *process,
				 struct ptu_err *err);

#endif
