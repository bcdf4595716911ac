/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data of a comparison of page tables at two moments. */
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
 * @in_before: it existed before
 * @in_after: it exists after
 * @vmpte_before: VmPTE in bytes
 * @vmpte_after: VmPTE in bytes
 * @growth: tables that were added and freed
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
 * struct ptu_change_report - comparison of two moments
 * @host: the machine at the later moment
 * @before: name and time of the first moment
 * @after: name and time of the second moment
 * @estimator: estimator of the tables at both moments
 * @processes: [nr_processes] sorted by PID
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
 * ptu_changed_differs() - Was a table of the process added or freed, or did its VmPTE
 * change?
 */
bool ptu_changed_differs(const struct ptu_changed *p);

/**
 * ptu_change_any() - Was any table added or freed, or did any VmPTE change?
 */
bool ptu_change_any(const struct ptu_change_report *report);

void ptu_change_report_deinit(struct ptu_change_report *report);

#endif
