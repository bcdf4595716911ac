/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the programs of this folder: a child that lays out its memory and waits, and
 * the BPF walk of its tables.
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

/*
 * First address of PGD entry 32. Neither the program nor its heap, libraries or stack are
 * in this entry or the next ones, so all tables there are those of the test.
 */
#define BASE (UINT64_C(32) << 39)

/**
 * host_open() - Open the BPF walker and read the geometry of this machine.
 *
 * If that fails, it ends the program with a message and a skipped plan.
 */
struct ptu_bpf *host_open(void);

const struct ptu_geometry *host_geometry(void);

/**
 * host_child() - Fork a child that calls @lay_out and waits.
 * @lay_out: returns 0, or 77 if this machine lacks what it needs
 * @ret: (out) the child, which host_end() ends
 *
 * Return: what @lay_out returned.
 */
int host_child(int (*lay_out)(void), pid_t *ret);

void host_end(pid_t child);

/**
 * host_walk() - Walk the tables of a process, until a walk is accepted.
 *
 * Return: 0; -errno after printing a message.
 */
int host_walk(struct ptu_bpf *bpf, pid_t pid, struct ptu_snapshot *ret);

/**
 * host_map() - Map anonymous memory at an address, without huge pages.
 */
char *host_map(uint64_t addr, uint64_t bytes);

#endif
