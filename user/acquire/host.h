/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine that is measured: this one, or the one of a recording. */
#ifndef PTU_HOST_H
#define PTU_HOST_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/* Version of the layout that record.c writes. */
#define PTU_RECORDING 1

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

/**
 * ptu_host_read() - From the system, or from the recording in use.
 *
 * Return: 0; -EPROTO a recording of another version; -errno.
 */
ptu_must_check int ptu_host_read(struct ptu_host *ret, struct ptu_err *err);

/**
 * ptu_host_write() - The file `about` of a recording.
 */
void ptu_host_write(const struct ptu_host *host, FILE *out);

#endif
