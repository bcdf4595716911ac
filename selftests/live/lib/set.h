/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tool says of the PMD tables that actors share. */
#ifndef LIVE_SET_H
#define LIVE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "lib/actor.h"

struct sums {
	uint64_t tables;  /* that are shared */
	uint64_t outside; /* of these, with processes outside too */
	uint64_t again;	  /* further places inside */
};

/*
 * `ptaudit check --json`: what each lists as shared, and all of them as one.
 * The first @nr actors, or --all where @nr is 0.
 */
int check_set(const struct actor *actors, size_t nr, struct sums sums);
/* Has its text, for the first @nr, these words? */
int check_text(const struct actor *actors, size_t nr, const char *words);

#endif
