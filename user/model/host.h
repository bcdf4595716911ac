/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measured machine: the running one, or the one of a recording. */
#ifndef PTU_MODEL_HOST_H
#define PTU_MODEL_HOST_H

#include <stdint.h>

/**
 * struct ptu_host - machine and time of a measurement
 * @release: kernel release (uname -r)
 * @machine: machine name (uname -m)
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
