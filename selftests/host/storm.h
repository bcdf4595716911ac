/* SPDX-License-Identifier: GPL-2.0-only */
/* Walks a child again and again while it changes its tables. */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>

#include "acquire/bpf_walk.h"

/**
 * struct storm_result - results of the walks
 * @attempts: number of walks
 * @accepted: walks that the acceptance rules let pass
 * @wrong: accepted walks with a set of tables that never existed
 */
struct storm_result {
	unsigned int attempts;
	unsigned int accepted;
	unsigned int wrong;
};

/**
 * storm_run() - Walk the child @attempts times, or until a wrong walk is accepted.
 *
 * Return: 0; -errno after printing a message.
 */
int storm_run(struct ptu_bpf *bpf, unsigned int attempts, bool in_pieces,
	      bool until_wrong, struct storm_result *ret);

#endif
