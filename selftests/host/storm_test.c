// SPDX-License-Identifier: GPL-2.0-only
/*
 * No accepted walk may be wrong, however fast tables change.  PTAUDIT_STORM_ATTEMPTS is
 * the number of walks at one moment (default 100000).  A tenth of that number is made in
 * pieces.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "storm.h"

/* @least: the least percentage of the walks that must be accepted */
static int walk(struct ptu_bpf *bpf, unsigned int attempts, bool in_pieces,
		unsigned int least)
{
	const char *how = in_pieces ? "piecewise_walk" : "walk";
	const unsigned int test = in_pieces ? 3 : 1;
	struct storm_result result;
	int error = storm_run(bpf, attempts, in_pieces, false, &result);
	bool is_rare = result.accepted * 100ull <
		       result.attempts * 1ull * least;

	printf("# %u walks, %u of them accepted (%.1f %%), %u of these wrong\n",
	       result.attempts, result.accepted,
	       100.0 * result.accepted /
		       (result.attempts ? result.attempts : 1),
	       result.wrong);
	printf("%s %u no_accepted_%s_is_wrong\n",
	       error || result.wrong ? "not ok" : "ok", test, how);
	printf("%s %u %u_percent_of_each_%s_are_accepted\n",
	       error || is_rare ? "not ok" : "ok", test + 1, least, how);
	return error || result.wrong || is_rare;
}

int main(void)
{
	const char *text = getenv("PTAUDIT_STORM_ATTEMPTS");
	const unsigned int attempts = text ? atoi(text) : 100000;
	struct ptu_bpf *bpf = host_open();
	int error;

	printf("1..4\n");
	error = walk(bpf, attempts, false, 1);
	error |= walk(bpf, attempts / 10, true, 90);
	ptu_bpf_close(bpf);
	return error;
}
