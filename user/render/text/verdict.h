/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sentences around the tables of the text output. */
#ifndef PTU_RENDER_TEXT_VERDICT_H
#define PTU_RENDER_TEXT_VERDICT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/**
 * ptu_prose_head() - Who was measured, by what.
 */
void ptu_prose_head(const struct ptu_report *report,
		    const struct ptu_process *process, FILE *out);

/**
 * ptu_prose_tables() - Table memory, and what it consists of.
 * @bytes: (in) sizes in bytes
 */
void ptu_prose_tables(const struct ptu_report *report,
		      const struct ptu_process *process, bool bytes, FILE *out);

/**
 * ptu_prose_thread() - Name the thread that was read, if it was not the main one.
 */
void ptu_prose_thread(pid_t pid, pid_t tid, FILE *out);

/**
 * ptu_prose_vmpte() - How the sum compares with VmPTE.
 * @bytes: (in) sizes in bytes
 */
void ptu_prose_vmpte(const struct ptu_report *report,
		     const struct ptu_process *process, bool bytes, FILE *out);

/**
 * ptu_prose_fill() - Which tables are empty; with --fill, how full they are.
 */
void ptu_prose_fill(const struct ptu_report *report,
		    const struct ptu_process *process, bool in_bytes,
		    FILE *out);

/**
 * ptu_prose_bpf() - Do module and BPF see the same?
 * @tables: that BPF sees
 */
void ptu_prose_bpf(uint64_t tables, uint64_t in_flux, uint64_t differ,
		   FILE *out);

/**
 * ptu_prose_orphans() - Whether the kernel's two walks saw the same tables.
 * @tables: (in) that both saw
 * @differ: (in) that only one saw, or in another page frame
 */
void ptu_prose_orphans(uint64_t tables, uint64_t in_flux, uint64_t differ,
		       FILE *out);

/**
 * ptu_prose_verdict() - Whether every table of the process is accounted for.
 * @colours: (in) bad news in red
 */
void ptu_prose_verdict(const struct ptu_process *process, bool colours,
		       FILE *out);

/**
 * ptu_prose_set() - All processes as one, each table once.
 */
void ptu_prose_set(const struct ptu_report *report, bool in_bytes, FILE *out);

/**
 * ptu_prose_summary() - What --all found, and what it left out.
 */
void ptu_prose_summary(const struct ptu_report *report, bool in_bytes,
		       FILE *out);

#endif
