// SPDX-License-Identifier: GPL-2.0-only
/* storm_test with a planted fault: every walk is accepted.  Wrong walks must be found. */
#include <stdio.h>

#include "host.h"
#include "storm.h"

int main(void)
{
	struct ptu_bpf *bpf = host_open();
	struct storm_result result;
	int error = storm_run(bpf, 20000, true, &result);

	printf("1..1\n# walk %u was the first wrong one\n", result.attempts);
	printf("%s 1 without_the_check_a_wrong_walk_is_found\n",
	       error || !result.wrong ? "not ok" : "ok");
	ptu_bpf_close(bpf);
	return error || !result.wrong;
}
