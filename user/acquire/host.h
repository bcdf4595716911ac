/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read machine, kernel and time of a measurement. */
#ifndef PTU_ACQUIRE_HOST_H
#define PTU_ACQUIRE_HOST_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/host.h"

/* Version of the recording layout written by record.c. */
#define PTU_RECORDING 1

/**
 * ptu_host_read() - Read from the system, or from the recording in use.
 *
 * Return: 0; -EPROTO a recording of another version; -errno.
 */
ptu_must_check int ptu_host_read(struct ptu_host *ret, struct ptu_err *err);

/**
 * ptu_host_write() - Write the file `about` of a recording.
 */
void ptu_host_write(const struct ptu_host *host, FILE *out);

/**
 * ptu_host_address_bits() - Address bits of a process on arm64.
 *
 * The kernel's configuration and the CPU limit the number.  /proc does not show it.
 *
 * Return: bits; 0: unknown, for lack of address space.
 * Source: arch/arm64/Kconfig, ARM64_VA_BITS; arch/arm64/include/asm/processor.h,
 * arch_get_mmap_end(): with an address above 2^48, mmap() may use all bits (6.1).
 */
unsigned int ptu_host_address_bits(uint64_t page_bytes);

#endif
