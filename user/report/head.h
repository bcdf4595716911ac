/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identity of a measured process. */
#ifndef PTU_REPORT_HEAD_H
#define PTU_REPORT_HEAD_H

#include <sys/types.h>

#include "model/host.h"

/**
 * struct ptu_mapped_head - identity of a measured process
 * @tid: the thread that was read; differs from @pid if the main thread has exited
 */
struct ptu_mapped_head {
	struct ptu_host host;
	char boot_id[64];
	pid_t pid;
	pid_t tid;
	char comm[64];
};

#endif
