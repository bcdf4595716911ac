// SPDX-License-Identifier: GPL-2.0-only
/* Selection of processes by name and by the word self, with the complete tool. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "altered.h"
#include "child.h"
#include "unit.h"

/* The output of a command, including its error messages. */
static char text[1 << 16];

static int run(const char *command)
{
	FILE *pipe = popen(command, "re");
	size_t nr = pipe ? fread(text, 1, sizeof(text) - 1, pipe) : 0;

	text[nr] = '\0';
	return pipe ? WEXITSTATUS(pclose(pipe)) : -1;
}

/*
 * Start a process; it has this name when the function returns.
 * @ret_second: (out) PID of a second process with the same address space; with NULL,
 *	there is only one process
 */
static pid_t begin_sharers(const char *name, pid_t *ret_second)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	pid_t child, second = 0;
	int ready[2];

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (ret_second)
			second = clone(child_pause, stack + sizeof(stack),
				       CLONE_VM | SIGCHLD, NULL);
		if (write(ready[1], &second, sizeof(second)) == sizeof(second))
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &second, sizeof(second)) != sizeof(second))
		child = -1;
	close(ready[0]);
	if (ret_second)
		*ret_second = second;
	return child;
}

static pid_t begin(const char *name)
{
	return begin_sharers(name, NULL);
}

static int by_pid(const void *a, const void *b)
{
	return *(const pid_t *)a - *(const pid_t *)b;
}

/*
 * Does the output have a line for each of these processes, ascending by PID, followed by @rest, and no
 * other line?  PIDs wrap at pid_max, so a process can have a lower PID than its parent.
 */
static bool lists(pid_t *pids, size_t nr, const char *rest)
{
	char expected[64] = "";
	size_t i;

	qsort(pids, nr, sizeof(*pids), by_pid);
	for (i = 0; i < nr; i++)
		snprintf(expected + strlen(expected),
			 sizeof(expected) - strlen(expected), "%d\n",
			 (int)pids[i]);
	strcat(expected, rest);
	if (strcmp(text, expected) != 0)
		printf("# listed: %s", text);
	return !strcmp(text, expected);
}

#define LISTS(...)                            \
	CHECK(lists((pid_t[]){ __VA_ARGS__ }, \
		    sizeof((pid_t[]){ __VA_ARGS__ }) / sizeof(pid_t), ""))

#define LIST TOOL " estimate -rno PID --name "

UNIT_TEST(a_name_is_a_part_unless_it_is_anchored)
{
	char command[128], name[16];
	pid_t one, longer;

	/* the PID makes the name unique: other runs of the test would match as well */
	snprintf(name, sizeof(name), "q%d-", (int)getpid());
	one = begin(name);
	strcat(name, "x");
	longer = begin(name);
	CHECK(one > 0 && longer > 0);
	snprintf(command, sizeof(command), LIST "q%d-", (int)getpid());
	CHECK_EQ(run(command), 0);
	LISTS(one, longer);
	snprintf(command, sizeof(command), LIST "'^q%d-$'", (int)getpid());
	CHECK_EQ(run(command), 0);
	LISTS(one);
	/* an extended regular expression: an alternative, and an interval */
	snprintf(command, sizeof(command), LIST "'^(a|q)%d-x{1}$'",
		 (int)getpid());
	CHECK_EQ(run(command), 0);
	LISTS(longer);
	child_end(one);
	child_end(longer);
}

/* A shell, its child, and the child's child in the background. */
UNIT_TEST(a_tree_has_the_children_of_children)
{
	char command[128];
	pid_t pids[3] = { 0 };
	FILE *pipe;
	size_t i;

	pipe = popen("echo $$; sh -c 'echo $$; sleep 1000 & echo $!; wait'; :",
		     "re");
	for (i = 0; i < 3; i++) {
		CHECK(pipe && fgets(text, sizeof(text), pipe));
		pids[i] = (pid_t)strtol(text, NULL, 10);
	}
	snprintf(command, sizeof(command),
		 TOOL " estimate -rno PID --sort PID --tree %d", (int)pids[1]);
	CHECK_EQ(run(command), 0);
	LISTS(pids[1], pids[2]);
	snprintf(command, sizeof(command),
		 TOOL " estimate -rno PID --sort PID --tree %d", (int)pids[0]);
	CHECK_EQ(run(command), 0);
	LISTS(pids[0], pids[1], pids[2]);
	kill(pids[2], SIGKILL);
	pclose(pipe);
}

/* In the recording, 221 is the parent of 226. */
UNIT_TEST(a_recording_has_trees)
{
	CHECK_EQ(run(TOOL " estimate -rno PID --from " DATA
			  "/6.12/fork --tree 221"),
		 0);
	CHECK_STR(text, "221\n226\n");
	CHECK_EQ(run(TOOL " estimate -rno PID --from " DATA
			  "/6.12/fork --tree 226"),
		 0);
	CHECK_STR(text, "226\n");
	CHECK_EQ(run(TOOL " estimate --from " DATA "/6.12/fork --tree 1 2>&1"),
		 2);
	CHECK_STR(text, "ptaudit: tree 1: there is no process to measure\n");
}

UNIT_TEST(an_address_space_is_counted_once)
{
	char command[128], name[16];
	pid_t first, second;

	snprintf(name, sizeof(name), "v%d", (int)getpid());
	first = begin_sharers(name, &second);
	CHECK(first > 0 && second > 0);
	snprintf(command, sizeof(command), LIST "'^%s$'", name);
	CHECK_EQ(run(command), 0);
	LISTS(first < second ? first : second);
	/* named PIDs are all shown, but the sum has each table once */
	snprintf(command, sizeof(command), TOOL " estimate --json %d %d %d",
		 (int)first, (int)second, (int)first);
	CHECK_EQ(run(command), 0);
	CHECK(strstr(text, "\"address_spaces\": 1,") != NULL);
	kill(second, SIGKILL);
	child_end(first);
}

/* Start a process with this name and kill it; a zombie keeps its name. */
static pid_t begin_zombie(const char *name)
{
	pid_t child = begin(name);
	siginfo_t ended;

	if (child <= 0 || kill(child, SIGKILL) ||
	    waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT))
		abort();
	return child;
}

UNIT_TEST(a_zombie_is_left_out_and_counted)
{
	char command[128], name[16];
	pid_t alive, dead;

	snprintf(name, sizeof(name), "z%d", (int)getpid());
	alive = begin(name);
	dead = begin_zombie(name);
	CHECK(alive > 0);
	snprintf(command, sizeof(command), TOOL " estimate --name '^%s$' 2>&1",
		 name);
	CHECK_EQ(run(command), 0);
	CHECK(strstr(text, "\n1 process (estimator: ") != NULL);
	CHECK(strstr(text, ", 1 zombie left out\n") != NULL);
	CHECK(!strstr(text, "kernel threads"));
	child_end(dead);
	child_end(alive);
}

UNIT_TEST(names_with_special_characters_are_found)
{
	char command[128], name[16];
	pid_t child;

	snprintf(name, sizeof(name), "\n\xff)%d-", (int)getpid());
	child = begin(name);
	CHECK(child > 0);
	snprintf(command, sizeof(command), LIST "'[)]%d-$'", (int)getpid());
	CHECK_EQ(run(command), 0);
	LISTS(child);
	child_end(child);
}

UNIT_TEST(unmatched_name_and_bad_expression_are_status_2)
{
	CHECK_EQ(run(LIST "'^(no|such)process' 2>&1"), 2);
	CHECK_STR(text,
		  "ptaudit: name ^(no|such)process: there is no process to measure\n");
	CHECK_EQ(run(LIST "'(' 2>&1"), 2);
	CHECK(strstr(text, "--name '(' is not a regular expression: ") != NULL);
	CHECK_EQ(run(TOOL " estimate --unit a/b 2>&1"), 2);
	CHECK(strstr(text, "'a/b' cannot be the name of a unit") != NULL);
	CHECK_EQ(run(TOOL " estimate --unit no-such-unit 2>&1"), 2);
	CHECK_STR(text,
		  "ptaudit: unit no-such-unit: there is no process to measure\n");
}

UNIT_TEST(a_group_without_a_process_to_measure_says_so)
{
	static const char *const commands[] = { "estimate -n", "whatif",
						"reclaim" };
	char command[128], name[16];
	pid_t child;
	size_t i;

	snprintf(name, sizeof(name), "z%d", (int)getpid());
	child = begin_zombie(name);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		snprintf(command, sizeof(command),
			 TOOL " %s --name '^%s$' 2>&1", commands[i], name);
		CHECK_EQ(run(command), 2);
		CHECK(strstr(text, "no process was measured: ") != NULL);
	}
	child_end(child);
}

UNIT_TEST(top_takes_one_estimator_and_counts_one_group)
{
	char command[128], name[16];
	pid_t child;

	CHECK_EQ(run(TOOL " top -e pagemap,naive self 2>&1"), 2);
	CHECK_STR(text, "ptaudit: top takes one built-in estimator\n");
	snprintf(name, sizeof(name), "o%d", (int)getpid());
	child = begin(name);
	CHECK(child > 0);
	snprintf(command, sizeof(command), TOOL " top --name '^%s$'", name);
	CHECK_EQ(run(command), 0);
	CHECK(strstr(text, "\n1 of 1 process; ") != NULL);
	strcat(command, " --by comm");
	CHECK_EQ(run(command), 0);
	CHECK(strstr(text, "\n1 of 1 group; ") != NULL);
	child_end(child);
}

UNIT_TEST(self_is_the_process_of_the_tool)
{
	char *end_of_line;

	CHECK_EQ(run("sh -c 'echo $$; exec " TOOL
		     " estimate self -rno PID,COMM'"),
		 0);
	/* the PID, and on the next line the same one */
	end_of_line = strchr(text, '\n');
	CHECK(end_of_line != NULL);
	CHECK(!strncmp(text, end_of_line + 1, (size_t)(end_of_line - text)));
	CHECK(!strncmp(end_of_line + 1 + (end_of_line - text), " ptaudit\n",
		       9));
}

/* The PIDs of the recording belong here to two processes that share an address space. */
UNIT_TEST(processes_of_a_recording_are_not_compared_here)
{
	char dir[] = "/tmp/select.XXXXXX", change[256], command[128];
	char name[16];
	pid_t one, two;

	snprintf(name, sizeof(name), "r%d", (int)getpid());
	one = begin_sharers(name, &two);
	CHECK(one > 0 && two > 0);
	snprintf(change, sizeof(change),
		 "mv 221 %d && sed -i 's/^221/%d/' %d/stat && mv 226 %d && sed -i 's/^226/%d/' %d/stat",
		 one, one, one, two, two, two);
	CHECK_EQ(altered(dir, "6.12/fork", change), 0);
	snprintf(command, sizeof(command),
		 TOOL " footprint -rno PID --from %s/b", dir);
	CHECK_EQ(run(command), 0);
	CHECK(lists((pid_t[]){ one, two }, 2, "set\n"));
	CHECK_EQ(altered_end(dir), 0);
	child_end(two);
	child_end(one);
}

UNIT_MAIN
