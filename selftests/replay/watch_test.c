// SPDX-License-Identifier: GPL-2.0-only
/*
 * `ptaudit watch` on processes that allocate known numbers of tables on order.  The
 * tests do not depend on timing: growth that is split over several lines is summed up.
 */
#define _GNU_SOURCE
#include "grower.h"

#include <pty.h>
#include <time.h>

/* More lines than fit into a pipe. */
#define LINES "1000"

/* Start watch and wait for its baseline; its first line is then in @line. */
static char line[1 << 16];

static bool next_line(FILE *watch)
{
	return fgets(line, sizeof(line), watch) &&
	       line[strlen(line) - 1] == '\n';
}

static FILE *watch(const char *options, const struct grower *g)
{
	char command[256];
	FILE *ret;

	snprintf(command, sizeof(command), "exec " TOOL " watch %s %d 2>&1",
		 options, (int)g->pid);
	ret = popen(command, "re");
	if (!ret || !next_line(ret))
		UNIT_FAIL("the command printed nothing: %s", command);
	return ret;
}

UNIT_TEST(each_table_that_comes_is_counted_with_its_mapping)
{
	struct grower g = begin("grower");
	long came = 0, growth = 0, other;
	const char *mapping;
	FILE *out;

	CHECK(g.pid > 0);
	out = watch("-J -i 0.02 -c " LINES, &g);
	CHECK(number_after(line, "\"pid\":") == g.pid);
	CHECK(strstr(line, "\"seconds\":0.0,") != NULL);
	CHECK_EQ(number_after(line, "\"growth_bytes\":"), 0);
	CHECK(tell(&g, 37));
	while (came < 37 && next_line(out)) {
		growth += number_after(line, "\"growth_bytes\":");
		mapping = strstr(line, "\"start\":\"" START "\"");
		if (!mapping)
			continue;
		came += number_after(mapping, "\"pte_came\":");
		CHECK_EQ(number_after(mapping, "\"pte_went\":"), 0);
		other = number_after(strstr(line, "\"level\":\"pte\""),
				     "\"came\":");
		CHECK_EQ(other, number_after(mapping, "\"pte_came\":"));
	}
	CHECK_EQ(came, 37);
	/* VmPTE may be read before the tables: then the next line has the missing growth */
	if (growth < 37 * TABLE && next_line(out))
		growth += number_after(line, "\"growth_bytes\":");
	CHECK_EQ(growth, 37 * TABLE);
	end(&g);
	/* watch ends by itself when the last process has ended */
	while (next_line(out) && !strstr(line, "\"status\":\"ended\""))
		;
	CHECK(strstr(line, "\"status\":\"ended\"") != NULL);
	/* the last sample was the largest: two tables of begin(), and the others */
	CHECK(next_line(out) && strstr(line, "\"peak\":{"));
	mapping = strstr(line, "\"start\":\"" START "\"");
	if (!mapping || number_after(mapping, "\"pte_tables\":") != 2 + 37)
		UNIT_FAIL("this line is unexpected: %s", line);
	CHECK(!next_line(out));
	CHECK_EQ(pclose(out), 0);
}

UNIT_TEST(growth_above_the_limit_ends_watch_with_status_1)
{
	struct grower g = begin("fast");
	char who[64];
	FILE *out;

	CHECK(g.pid > 0);
	out = watch("-J -i 0.02 --over 1K", &g);
	/* 64 tables are more than 1 KiB per second for four minutes */
	CHECK(tell(&g, 64));
	while (next_line(out) && line[0] == '{')
		;
	snprintf(who, sizeof(who), "process %d (fast): ", (int)g.pid);
	CHECK(strstr(line, who) != NULL);
	if (!strstr(line, "[anon] " START "-"))
		UNIT_FAIL("this line is unexpected: %s", line);
	CHECK(next_line(out) && strstr(line, "\"peak\":{"));
	CHECK_EQ(WEXITSTATUS(pclose(out)), 1);
	end(&g);
}

UNIT_TEST(watch_without_growth_does_not_end)
{
	struct grower g = begin("idle");
	unsigned int nr = 1;
	FILE *out;

	CHECK(g.pid > 0);
	out = watch("-J -i 0.02 -c 3 --over 0", &g);
	while (next_line(out) && !strstr(line, "\"peak\":{")) {
		CHECK_EQ(number_after(line, "\"growth_bytes\":"), 0);
		nr++;
	}
	CHECK_EQ(nr, 4);
	CHECK_EQ(pclose(out), 0);
	end(&g);
}

/* Only these two processes form the group: their name contains the test's PID. */
UNIT_TEST(a_group_has_one_line_and_names_who_grew_most)
{
	struct grower a, b;
	char name[16], command[128];
	long growth = 0;
	FILE *out;

	snprintf(name, sizeof(name), "g%d", (int)getpid());
	a = begin(name);
	b = begin(name);
	CHECK(a.pid > 0 && b.pid > 0);
	snprintf(command, sizeof(command),
		 "exec " TOOL " watch -J -i 0.02 --over 0 --name '^%s$' 2>&1",
		 name);
	out = popen(command, "re");
	CHECK(out && next_line(out));
	CHECK_EQ(number_after(line, "\"processes\":"), 2);
	CHECK(strstr(line, "\"most\":null") != NULL);
	CHECK(tell(&b, 20));
	while (!growth && next_line(out))
		growth = number_after(line, "\"growth_bytes\":");
	CHECK(growth > 0 && growth <= 20 * TABLE);
	CHECK_EQ(number_after(strstr(line, "\"most\":"), "\"pid\":"), b.pid);
	CHECK(strstr(line, "\"start\":\"" START "\"") != NULL);
	CHECK(next_line(out));
	if (!strstr(line, "[anon] " START "-"))
		UNIT_FAIL("this line is unexpected: %s", line);
	CHECK(next_line(out) && strstr(line, "\"peak\":{"));
	CHECK_EQ(WEXITSTATUS(pclose(out)), 1);
	end(&a);
	end(&b);
}

UNIT_TEST(a_group_tells_how_many_ended_and_started)
{
	struct grower a, b;
	char name[16], command[128];
	FILE *out;

	snprintf(name, sizeof(name), "e%d", (int)getpid());
	a = begin(name);
	b = begin(name);
	CHECK(a.pid > 0 && b.pid > 0);
	snprintf(command, sizeof(command),
		 "exec " TOOL " watch -J -i 0.02 -c " LINES " --name '^%s$'",
		 name);
	out = popen(command, "re");
	CHECK(out && next_line(out));
	CHECK_EQ(number_after(line, "\"ended\":"), 0);
	end(&a);
	while (next_line(out) && !number_after(line, "\"ended\":"))
		;
	CHECK_EQ(number_after(line, "\"ended\":"), 1);
	CHECK_EQ(number_after(line, "\"processes\":"), 1);
	CHECK(number_after(line, "\"growth_bytes\":") < 0);
	a = begin(name);
	while (next_line(out) && !number_after(line, "\"started\":"))
		;
	CHECK_EQ(number_after(line, "\"started\":"), 1);
	CHECK_EQ(number_after(line, "\"ended\":"), 0);
	CHECK(number_after(line, "\"growth_bytes\":") > 0);
	/* the new process has a copy of the pipe's end, which would keep the pipe open */
	end(&a);
	end(&b);
	/* watch waits for others */
	while (next_line(out) && number_after(line, "\"processes\":"))
		;
	CHECK_EQ(number_after(line, "\"processes\":"), 0);
	CHECK(next_line(out));
	pclose(out);
}

UNIT_TEST(each_line_has_the_time_of_day)
{
	struct grower g = begin("clock");
	bool is_now = false;
	char now[16];
	time_t at;
	FILE *out;

	CHECK(g.pid > 0);
	at = time(NULL);
	out = watch("-rn -o TIME -i 0.001 -c 1", &g);
	for (; !is_now && at <= time(NULL); at++) {
		strftime(now, sizeof(now), "%H:%M:%S\n", localtime(&at));
		is_now = !strcmp(line, now);
	}
	if (!is_now)
		UNIT_FAIL("this line is unexpected: %s", line);
	pclose(out);
	end(&g);
}

static unsigned int nr_lines; /* of the last run of headings() */

/* Run watch on a terminal for 25 intervals. Return: the number of headings. */
static unsigned int headings(const struct grower *g, const char *option)
{
	unsigned int nr = 0;
	char pid[16];
	FILE *out;
	int fd;
	pid_t tool = forkpty(&fd, NULL, NULL, NULL);

	snprintf(pid, sizeof(pid), "%d", (int)g->pid);
	if (!tool) {
		execl(TOOL, TOOL, "watch", "-i", "0.001", "-c", "25", "-o",
		      "PID", pid, option, NULL);
		_exit(127);
	}
	out = fdopen(fd, "r");
	for (nr_lines = 0; out && fgets(line, sizeof(line), out); nr_lines++)
		nr += strstr(line, "PID") != NULL;
	waitpid(tool, NULL, 0);
	fclose(out);
	return nr;
}

UNIT_TEST(a_terminal_gets_headings_again_after_20_lines)
{
	struct grower g = begin("long");

	CHECK(g.pid > 0);
	CHECK_EQ(headings(&g, NULL), 2);
	CHECK_EQ(headings(&g, "--raw"), 1);
	CHECK_EQ(nr_lines, 1 + 1 + 25);
	CHECK_EQ(headings(&g, "--noheadings"), 0);
	/* no summary */
	CHECK_EQ(nr_lines, 1 + 25);
	end(&g);
}

UNIT_TEST(a_child_of_vfork_counts_with_its_parent)
{
	char name[16], command[128];
	struct grower g;
	FILE *out;

	snprintf(name, sizeof(name), "v%d", (int)getpid());
	g = begin(name);
	CHECK(g.pid > 0 && tell(&g, 0));
	snprintf(command, sizeof(command),
		 TOOL " watch -J -i 0.02 -c 1 --name '^%s$'", name);
	out = popen(command, "re");
	CHECK(out && next_line(out));
	CHECK_EQ(number_after(line, "\"processes\":"), 1);
	CHECK(next_line(out));
	CHECK_EQ(number_after(line, "\"processes\":"), 1);
	CHECK_EQ(number_after(line, "\"started\":"), 0);
	CHECK(next_line(out) && strstr(line, "\"peak\":{"));
	CHECK_EQ(pclose(out), 0);
	end(&g);
}

/*
 * The next line would come a quarter of an hour later; a test that waits is ended only
 * by SIGALRM.
 */
UNIT_TEST(a_pipe_gets_each_line_at_once)
{
	struct grower g = begin("patient");
	char command[128];
	pid_t tool;
	FILE *out;

	CHECK(g.pid > 0);
	alarm(300);
	snprintf(command, sizeof(command),
		 "sh -c 'echo $$; exec " TOOL " watch -J -i 1000 %d'",
		 (int)g.pid);
	out = popen(command, "re");
	CHECK(out && next_line(out));
	tool = (pid_t)strtol(line, NULL, 10);
	CHECK(tool > 0 && next_line(out));
	kill(tool, SIGTERM);
	CHECK_EQ(number_after(line, "\"pid\":"), g.pid);
	pclose(out);
	alarm(0);
	end(&g);
}

UNIT_TEST(sigint_ends_watch_between_lines_and_shows_the_peak)
{
	struct grower g = begin("interrupted");
	int pipe_fds[2], status;
	bool has_peak = false;
	char pid[16];
	pid_t tool;
	FILE *out;

	CHECK(g.pid > 0 && !pipe2(pipe_fds, O_CLOEXEC));
	snprintf(pid, sizeof(pid), "%d", (int)g.pid);
	tool = fork();
	if (!tool) {
		dup2(pipe_fds[1], STDOUT_FILENO);
		execl(TOOL, TOOL, "watch", "-i", "0.001", pid, NULL);
		_exit(127);
	}
	close(pipe_fds[1]);
	out = fdopen(pipe_fds[0], "r");
	/* the headings, and one line */
	CHECK(next_line(out) && strstr(line, "GROWTH"));
	CHECK(next_line(out) && strstr(line, "interrupted"));
	kill(tool, SIGINT);
	line[0] = '\n';
	while (fgets(line, sizeof(line), out)) {
		CHECK(line[strlen(line) - 1] == '\n');
		has_peak |= strstr(line, "had most page tables") != NULL;
	}
	CHECK(has_peak);
	CHECK_EQ(waitpid(tool, &status, 0), tool);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	fclose(out);
	end(&g);
}

/* Let a process without a parent execute the orders, and wait until it has ended. */
static void serve_in_orphan(void)
{
	int ended[2];
	pid_t child;
	char byte;

	if (pipe(ended))
		_exit(1);
	child = fork();
	if (!child) {
		if (!fork())
			serve(STDIN_FILENO, STDOUT_FILENO);
		_exit(0);
	}
	close(ended[1]);
	waitpid(child, NULL, 0);
	if (read(ended[0], &byte, 1))
		_exit(1);
}

/*
 * This program as the COMMAND of watch.  It reads orders from its standard input and writes
 * answers to its standard output, which is the standard error of watch.
 */
static void __attribute__((constructor)) command(int argc, char *argv[])
{
	if (argc < 2)
		return;
	if (!strcmp(argv[1], "command"))
		serve(STDIN_FILENO, STDOUT_FILENO);
	else
		serve_in_orphan();
	_exit(3);
}

/**
 * struct watched - a watch that runs this program
 * @tool: the PID of watch
 * @g: the program; its answers come among the messages of watch
 * @out: the lines of watch
 */
struct watched {
	pid_t tool;
	struct grower g;
	FILE *out;
};

/*
 * Start watch of this program, wait for its first line, and let it touch a slot twice.
 * @more: an additional option of watch.  With --tree, an orphaned child of the program executes
 *	the orders, and .g.pid is unknown
 */
static bool watch_command(const char *interval, const char *more,
			  struct watched *ret)
{
	int orders[2], answers[2], lines[2];
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	/* SIGALRM ends a process that waits for ever */
	alarm(300);
	if (n < 0 || pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC) ||
	    pipe2(lines, O_CLOEXEC))
		return false;
	self[n] = '\0';
	ret->tool = fork();
	if (!ret->tool) {
		dup2(orders[0], STDIN_FILENO);
		dup2(lines[1], STDOUT_FILENO);
		dup2(answers[1], STDERR_FILENO);
		execl(TOOL, TOOL, "watch", "-J", "-i", interval, more, "--",
		      self, strcmp(more, "--tree") ? "command" : "orphan",
		      (char *)NULL);
		_exit(127);
	}
	close(orders[0]);
	close(answers[1]);
	close(lines[1]);
	ret->out = fdopen(lines[0], "r");
	ret->g = (struct grower){ .to = orders[1], .from = answers[0] };
	if (!ret->out || !next_line(ret->out))
		return false;
	ret->g.pid = (pid_t)number_after(line, "\"pid\":");
	return tell(&ret->g, 1) && tell(&ret->g, 1);
}

/* Read the remaining output of watch and of the program, and the exit status of watch. */
static int end_of(struct watched *watched, char *text, size_t text_bytes)
{
	size_t used = 0;
	int status = -1;
	ssize_t n;

	while ((n = read(watched->g.from, text + used, text_bytes - 1 - used)) >
	       0)
		used += (size_t)n;
	text[used] = '\0';
	waitpid(watched->tool, &status, 0);
	fclose(watched->out);
	close(watched->g.from);
	alarm(0);
	return status;
}

static long vmpte_of(pid_t pid)
{
	char path[64], text[256];
	long kib = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(text, sizeof(text), file))
		sscanf(text, "VmPTE: %ld", &kib);
	if (file)
		fclose(file);
	return kib << 10;
}

/* As in a terminal, SIGINT goes to the command. At its exit the command has no tables left. */
UNIT_TEST(the_peak_is_that_before_a_command_freed_its_memory)
{
	struct watched watched;
	const char *mapping;
	char text[256];
	long most, left;

	CHECK(watch_command("0.02", "-J", &watched));
	CHECK(!kill(watched.tool, SIGINT) && !kill(watched.tool, SIGQUIT));
	CHECK(tell(&watched.g, 41));
	most = vmpte_of(watched.g.pid);
	while (next_line(watched.out) &&
	       number_after(line, "\"vmpte_bytes\":") != most)
		;
	CHECK(tell(&watched.g, FREE));
	left = vmpte_of(watched.g.pid);
	CHECK(left < most);
	/* a line can show a part of what was freed */
	while (next_line(watched.out) &&
	       number_after(line, "\"vmpte_bytes\":") != left)
		;
	CHECK_EQ(number_after(line, "\"vmpte_bytes\":"), left);
	close(watched.g.to);
	while (next_line(watched.out) && !strstr(line, "\"peak\":{"))
		;
	CHECK_EQ(number_after(line, "\"pid\":"), watched.g.pid);
	CHECK_EQ(number_after(line, "\"vmpte_bytes\":"), most);
	mapping = strstr(line, "\"mappings\":[{");
	CHECK(mapping && strstr(mapping, "\"start\":\"" START "\""));
	CHECK_EQ(number_after(mapping, "\"pte_tables\":"), 1 + 1 + 41);
	CHECK(!next_line(watched.out));
	CHECK_EQ(end_of(&watched, text, sizeof(text)), 0);
	if (!strstr(text, " ended with status 3\n"))
		UNIT_FAIL("the exit status is not in: %s", text);
}

/* The orphan has ended when the peak is shown: it was the child of watch until then. */
UNIT_TEST(the_peak_includes_all_that_a_command_started)
{
	struct watched watched;
	unsigned int nr_lines = 0;
	const char *most;
	long vmpte;
	char text[256];
	pid_t orphan;

	CHECK(watch_command("0.02", "--tree", &watched));
	CHECK(tell(&watched.g, 41));
	/* the first growth may be that of the command itself */
	do {
		/* else watch does not see the orphan */
		CHECK(next_line(watched.out) && ++nr_lines < 100);
		most = strstr(line, "\"most\":{");
	} while (!most || number_after(most, "\"vmpte_bytes\":") <= 41 * TABLE);
	orphan = (pid_t)number_after(most, "\"pid\":");
	vmpte = vmpte_of(orphan);
	CHECK(vmpte > 41 * TABLE);
	/* growth may be split over several lines */
	while (next_line(watched.out) &&
	       number_after(line, "\"growth_bytes\":"))
		;
	CHECK(tell(&watched.g, FREE));
	while (next_line(watched.out) &&
	       !number_after(line, "\"growth_bytes\":"))
		;
	close(watched.g.to);
	while (next_line(watched.out) && !strstr(line, "\"peak\":{"))
		;
	/* the orphan and the command that waits for it */
	CHECK_EQ(number_after(line, "\"processes\":"), 2);
	CHECK(number_after(line, "\"vmpte_bytes\":") > vmpte);
	most = strstr(line, "\"most\":[{");
	CHECK_EQ(number_after(most, "\"pid\":"), orphan);
	CHECK_EQ(number_after(most, "\"vmpte_bytes\":"), vmpte);
	CHECK(!next_line(watched.out));
	CHECK_EQ(end_of(&watched, text, sizeof(text)), 0);
	if (!strstr(text, " ended with status 3\n"))
		UNIT_FAIL("the exit status is not in: %s", text);
}

/* The interval is a quarter of an hour, so no further line comes by itself. */
UNIT_TEST(watch_ends_with_its_command)
{
	struct watched watched;
	char text[256];

	CHECK(watch_command("1000", "-J", &watched));
	close(watched.g.to);
	CHECK(next_line(watched.out) && strstr(line, "\"status\":\"ended\""));
	CHECK(next_line(watched.out) && strstr(line, "\"peak\":{"));
	CHECK_EQ(end_of(&watched, text, sizeof(text)), 0);
}

static char state_of(pid_t pid)
{
	char path[64], text[512], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(text, sizeof(text), file))
		sscanf(text, "State: %c", &state);
	if (file)
		fclose(file);
	return state;
}

UNIT_TEST(a_command_runs_on_after_the_last_interval)
{
	struct watched watched;
	char text[256];

	CHECK(watch_command("0.01", "-c1", &watched));
	while (next_line(watched.out) && !strstr(line, "\"peak\":{"))
		;
	/* watch waits for the command */
	while (state_of(watched.tool) == 'R')
		;
	CHECK(tell(&watched.g, 1));
	close(watched.g.to);
	CHECK_EQ(end_of(&watched, text, sizeof(text)), 0);
	if (!strstr(text, " ended with status 3\n"))
		UNIT_FAIL("the exit status is not in: %s", text);
}

UNIT_TEST(a_signal_that_ends_watch_ends_its_command)
{
	struct watched watched;
	char text[256];
	int status;

	CHECK(watch_command("1000", "-J", &watched));
	kill(watched.tool, SIGHUP);
	CHECK(next_line(watched.out) && strstr(line, "\"peak\":{"));
	/* end_of() also waits for the command, which has not been told to end */
	status = end_of(&watched, text, sizeof(text));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
	CHECK_EQ(text[0], '\0');
	close(watched.g.to);
}

UNIT_MAIN
