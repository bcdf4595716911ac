// SPDX-License-Identifier: GPL-2.0-only
/* storm_test with a planted fault: every walk is accepted.  Wrong walks must be found. */
#include <stdio.h>

#include "host.h"
#include "storm.h"

int main(void)
{
	static const char *const names[] = { "walk", "piecewise_walk" };
	struct ptu_bpf *bpf = host_open();
	unsigned int in_pieces;
	int failed = 0;

	printf("1..2\n");
	for (in_pieces = 0; in_pieces < 2; in_pieces++) {
		struct storm_result result;
		int error = storm_run(bpf, in_pieces ? 2000 : 20000, in_pieces,
				      true, &result);

		printf("# walk %u was the first wrong one\n", result.attempts);
		printf("%s %u without_the_check_a_wrong_%s_is_found\n",
		       error || !result.wrong ? "not ok" : "ok", in_pieces + 1,
		       names[in_pieces]);
		failed |= error || !result.wrong;
	}
	ptu_bpf_close(bpf);
	return failed;
}
