/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the tool's figures for PMD tables that actors share. */
#ifndef LIVE_SET_H
#define LIVE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "lib/actor.h"

struct sums {
	uint64_t tables;  /* number of shared tables */
	uint64_t outside; /* shared tables that processes outside the set use as well */
	uint64_t again;	  /* how often a shared table is counted again inside the set */
};

/*
 * Check `ptaudit check --json`: the list of shared tables of each process, and the totals
 * of the set.  @nr: the first @nr actors; 0: run with --all.
 */
int check_set(const struct actor *actors, size_t nr, struct sums sums);
/* Does the text output for the first @nr actors contain @words? */
int check_text(const struct actor *actors, size_t nr, const char *words);

#endif
