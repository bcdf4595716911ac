/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sentences around the tables of the text output. */
#ifndef PTU_RENDER_TEXT_VERDICT_H
#define PTU_RENDER_TEXT_VERDICT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/**
 * ptu_prose_head() - Process and method of the measurement.
 */
void ptu_prose_head(const struct ptu_report *report,
		    const struct ptu_process *process, FILE *out);

/**
 * ptu_prose_tables() - Table memory and its parts.
 * @bytes: (in) show sizes in bytes
 */
void ptu_prose_tables(const struct ptu_report *report,
		      const struct ptu_process *process, bool bytes, FILE *out);

/**
 * ptu_prose_thread() - Name the thread that was read, unless it is the main thread.
 */
void ptu_prose_thread(pid_t pid, pid_t tid, FILE *out);

/**
 * ptu_prose_threads() - Name the threads through which processes with an exited main
 *	thread were read; if there are many, print only their number.
 */
void ptu_prose_threads(const struct ptu_report *report, FILE *out);

/**
 * ptu_prose_vmpte() - Comparison of the sum with VmPTE.
 * @bytes: (in) show sizes in bytes
 */
void ptu_prose_vmpte(const struct ptu_report *report,
		     const struct ptu_process *process, bool bytes, FILE *out);

/**
 * ptu_prose_fill() - Empty tables; with --fill, the fill of all tables.
 */
void ptu_prose_fill(const struct ptu_report *report,
		    const struct ptu_process *process, bool in_bytes,
		    FILE *out);

/**
 * ptu_prose_bpf() - Comparison of module and BPF.
 * @tables: number of tables found by BPF
 */
void ptu_prose_bpf(uint64_t tables, uint64_t in_flux, uint64_t differ,
		   FILE *out);

/**
 * ptu_prose_orphans() - Comparison of the module's two walks.
 * @tables: (in) tables found by both
 * @differ: (in) tables found by only one, or at different page frames
 */
void ptu_prose_orphans(uint64_t tables, uint64_t in_flux, uint64_t differ,
		       FILE *out);

/**
 * ptu_prose_verdict() - Tell whether every table of the process is accounted for.
 * @colours: (in) show problems in red
 */
void ptu_prose_verdict(const struct ptu_process *process, bool colours,
		       FILE *out);

/**
 * ptu_prose_set() - Sum over all processes, each table once.
 */
void ptu_prose_set(const struct ptu_report *report, bool in_bytes, FILE *out);

/**
 * ptu_prose_summary() - Results of --all, and the processes left out.
 */
void ptu_prose_summary(const struct ptu_report *report, bool in_bytes,
		       FILE *out);

#endif
