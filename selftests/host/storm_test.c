// SPDX-License-Identifier: GPL-2.0-only
/*
 * No accepted walk may be wrong, however fast tables change.  PTAUDIT_STORM_ATTEMPTS:
 * number of walks (default 100000).
 */
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "storm.h"

int main(void)
{
	const char *attempts = getenv("PTAUDIT_STORM_ATTEMPTS");
	struct ptu_bpf *bpf = host_open();
	struct storm_result result;
	int error = storm_run(bpf, attempts ? atoi(attempts) : 100000, false,
			      &result);

	printf("1..2\n# %u walks, %u of them accepted (%.1f %%), %u of these wrong\n",
	       result.attempts, result.accepted,
	       100.0 * result.accepted /
		       (result.attempts ? result.attempts : 1),
	       result.wrong);
	printf("%s 1 no_accepted_walk_is_wrong\n",
	       error || result.wrong ? "not ok" : "ok");
	printf("%s 2 one_walk_in_a_hundred_is_accepted\n",
	       error || result.accepted * 100 < result.attempts ? "not ok" :
								  "ok");
	ptu_bpf_close(bpf);
	return error || result.wrong || result.accepted * 100 < result.attempts;
}
