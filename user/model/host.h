/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine that is measured: this one, or the one of a recording. */
#ifndef PTU_MODEL_HOST_H
#define PTU_MODEL_HOST_H

#include <stdint.h>

/**
 * struct ptu_host - who and when
 * @release: as uname -r
 * @machine: as uname -m
 * @page_bytes: base page size
 * @time: ISO 8601, UTC
 */
struct ptu_host {
	char release[65];
	char machine[65];
	uint64_t page_bytes;
	char time[32];
};

#endif
