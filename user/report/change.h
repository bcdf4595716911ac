/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the tables of processes differ between two moments, as data. */
#ifndef PTU_REPORT_CHANGE_H
#define PTU_REPORT_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/host.h"
#include "report/growth.h"

/**
 * struct ptu_changed - one process
 * @in_before: it was there
 * @in_after: it is there
 * @vmpte_before: VmPTE, bytes
 * @vmpte_after: likewise
 * @growth: tables that came and went
 */
struct ptu_changed {
	pid_t pid;
	char comm[64];
	bool in_before;
	bool in_after;
	uint64_t vmpte_before;
	uint64_t vmpte_after;
	struct ptu_growth growth;
};

/**
 * struct ptu_change_report - two moments
 * @host: of the later one
 * @before: name of the first one, and when it was
 * @after: likewise
 * @estimator: what draws the tables of both
 * @processes: [nr_processes] by PID
 */
struct ptu_change_report {
	struct ptu_host host;
	char boot_id[64];
	struct {
		const char *name;
		char time[32];
	} before, after;
	const char *estimator;
	uint64_t page_bytes;
	struct ptu_changed *processes;
	size_t nr_processes;
};

/**
 * ptu_change_any() - Did any table come or go, or VmPTE change?
 */
bool ptu_change_any(const struct ptu_change_report *report);

void ptu_change_report_deinit(struct ptu_change_report *report);

#endif
