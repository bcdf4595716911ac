/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs here share: a child that lays out its memory and waits, and its
 * tables as BPF has them.
 */
#ifndef HOST_H
#define HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "acquire/bpf_walk.h"
#include "model/kernel_tables.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Slots of the PGD that nothing else is mapped in. */
#define BASE (UINT64_C(32) << 39)

/**
 * host_open() - The walker, and the geometry of this machine.
 *
 * Ends the program with a sentence and the status of a skip if it cannot be had.
 */
struct ptu_bpf *host_open(void);

const struct ptu_geometry *host_geometry(void);

/**
 * host_child() - Fork a child that calls @lay_out and waits.
 * @lay_out: tells 0, or 77 that this machine has not what it needs
 * @ret: (out) the child, which host_end() ends
 *
 * Return: what @lay_out returned.
 */
int host_child(int (*lay_out)(void), pid_t *ret);

void host_end(pid_t child);

/**
 * host_walk() - The tables of a process, from a walk that counts.
 *
 * Return: 0; -errno with a sentence on the output.
 */
int host_walk(struct ptu_bpf *bpf, pid_t pid, struct ptu_snapshot *ret);

/**
 * host_map() - Anonymous memory at an address, without huge pages.
 */
char *host_map(uint64_t addr, uint64_t bytes);

#endif
