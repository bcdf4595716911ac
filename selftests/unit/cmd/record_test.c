// SPDX-License-Identifier: GPL-2.0-only
/* The sentence of `record` about processes that it may not read. */
#include "cmd/record.c"

#include "support/unit.h"

UNIT_TEST(a_long_list_of_denied_processes_ends_with_dots)
{
	struct outcome outcome = { 0 };

	add_denied(&outcome, 1);
	add_denied(&outcome, 4194304);
	CHECK_STR(outcome.denied, " 1 4194304");

	outcome = (struct outcome){ 0 };
	for (pid_t pid = 1000; pid < 1100; pid++)
		add_denied(&outcome, pid);
	CHECK_EQ(outcome.nr_denied, 100);
	/* 50 names of 5 characters, 4 of the end, and the terminating NUL fit into 256 bytes */
	CHECK_EQ(strlen(outcome.denied), 254);
	CHECK(!strncmp(outcome.denied, " 1000 1001 ", 11));
	CHECK_STR(outcome.denied + 245, " 1049 ...");
	CHECK_EQ(outcome.status, 0);
}

UNIT_MAIN
