/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sentences around the tables of the text output. */
#ifndef PTU_PROSE_H
#define PTU_PROSE_H

#include <stdbool.h>
#include <stdio.h>

#include "report.h"

/**
 * ptu_prose_head() - Who was measured, by what.
 */
void ptu_prose_head(const struct ptu_report *report,
		    const struct ptu_process *process, FILE *out);

/**
 * ptu_prose_vmpte() - How the sum compares with VmPTE.
 * @bytes: (in) sizes in bytes
 */
void ptu_prose_vmpte(const struct ptu_report *report,
		     const struct ptu_process *process, bool bytes, FILE *out);

/**
 * ptu_prose_verdict() - Whether every table of the process is accounted for.
 * @colours: (in) bad news in red
 */
void ptu_prose_verdict(const struct ptu_process *process, bool colours,
		       FILE *out);

/**
 * ptu_prose_summary() - What --all found, and what it left out.
 */
void ptu_prose_summary(const struct ptu_report *report, bool in_bytes,
		       FILE *out);

#endif
