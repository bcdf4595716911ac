/* SPDX-License-Identifier: GPL-2.0-only */
/* A child that changes all the time, walked again and again. */
#ifndef STORM_H
#define STORM_H

#include <stdbool.h>

#include "acquire/bpf_walk.h"

/**
 * struct storm_result - what became of the walks
 * @attempts: walks
 * @accepted: of these, those that count
 * @wrong: of these, those with another set than there was at any moment
 */
struct storm_result {
	unsigned int attempts;
	unsigned int accepted;
	unsigned int wrong;
};

/**
 * storm_run() - Walk the child so often, or until a wrong walk counts.
 *
 * Return: 0; an error with a sentence on the output.
 */
int storm_run(struct ptu_bpf *bpf, unsigned int attempts, bool until_wrong,
	      struct storm_result *ret);

#endif
