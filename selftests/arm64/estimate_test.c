// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: estimate_test TOOL ADDRESS-BITS pagemap|written
 *
 * Runs as root on arm64.  A child builds a layout of layouts.c and notes each entry that it
 * made.  The tables for these entries follow from the addresses.  They are compared with the
 * changes of VmPTE and of the estimate since before the layout.  The sum of the estimate and
 * the deposited tables must be VmPTE, to the byte, except for tables that the estimator cannot
 * see.  The last argument is the estimator that the kernel allows.  Prints KTAP.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "layouts.h"

struct counts {
	long tables[NR_LEVELS];
	long deposited;
};

struct range {
	uint64_t start, end;
};

struct figures {
	struct range *ranges; /* all mappings */
	unsigned int nr_ranges;
	struct counts estimate;
	long residual;
	uint64_t json_vmpte_bytes;
	uint64_t vmpte_bytes;
	long high[NR_LEVELS];
};

static const char *tool, *estimator;
static bool has_scan;
static unsigned int nr_tests, nr_failed;

static void __attribute__((format(printf, 2, 3)))
result(bool ok, const char *format, ...)
{
	va_list args;

	nr_tests++;
	nr_failed += !ok;
	printf("%sok %u ", ok ? "" : "not ", nr_tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* Return the value of a line "NAME: N kB" in bytes, or UINT64_MAX. */
static uint64_t proc_bytes(pid_t pid, const char *name, const char *key)
{
	uint64_t kib = 0, ret = UINT64_MAX;
	char path[64], line[300];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)) &&
		    sscanf(line + strlen(key), ": %" SCNu64 " kB", &kib) == 1)
			ret = kib * KIB;
	if (file)
		fclose(file);
	return ret;
}

/* Run the tool. Return its exit status; the output of both streams is in @ret. */
static int run_tool(char *const argv[], char *ret, size_t ret_bytes)
{
	int status, fds[2];
	size_t used = 0;
	ssize_t got;
	pid_t pid;

	if (pipe(fds))
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		execv(tool, argv);
		_exit(127);
	}
	close(fds[1]);
	while ((got = read(fds[0], ret + used, ret_bytes - 1 - used)) > 0)
		used += (size_t)got;
	close(fds[0]);
	ret[used] = '\0';
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static long member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_integer(value) ? (long)json_integer_value(value) : -1;
}

static bool read_json(const char *text, const char *want, struct figures *ret)
{
	json_t *root = json_loads(text, 0, NULL), *level;
	const json_t *process = json_array_get(json_object_get(root,
							       "processes"),
					       0);
	const json_t *vmpte = json_object_get(process, "vmpte");
	const char *used = json_string_value(
		json_object_get(json_object_get(root, "ptaudit"), "estimator"));
	bool ok = process && vmpte && used && !strcmp(used, want);
	size_t i;

	json_array_foreach(json_object_get(process, "levels"), i, level)
	{
		const char *name = json_string_value(
			json_object_get(level, "level"));
		unsigned int l;

		for (l = 0; name && l < NR_LEVELS; l++) {
			if (strcmp(name, level_names[l]))
				continue;
			ret->estimate.tables[l] = member(level, "estimate");
			ret->high[l] = member(level, "high");
			ok &= member(level, "low") == ret->estimate.tables[l];
		}
	}
	ret->estimate.deposited = member(vmpte, "deposited_tables");
	ret->residual = member(vmpte, "residual_tables");
	ret->json_vmpte_bytes = (uint64_t)member(vmpte, "bytes");
	json_decref(root);
	return ok;
}

/* Estimate the process. @name: name of the estimator; NULL: the tool chooses it */
static bool measure(pid_t pid, const char *name, struct figures *ret)
{
	static char text[1 << 16];
	char arg[20];
	char *const argv[] = { (char *)tool,
			       "estimate",
			       "--json",
			       arg,
			       name ? "--estimator" : NULL,
			       (char *)name,
			       NULL };
	struct figures figures = { 0 };
	int status;

	snprintf(arg, sizeof(arg), "%d", (int)pid);
	status = run_tool(argv, text, sizeof(text));
	if (status || !read_json(text, name ? name : estimator, &figures)) {
		printf("# estimate: status %d\n", status);
		fputs(text, stdout);
		return false;
	}
	figures.vmpte_bytes = proc_bytes(pid, "status", "VmPTE");
	*ret = figures;
	return true;
}

/* Return the used entries of the PTE tables of the mappings at BASE, or -1. */
static long used_entries(pid_t pid)
{
	static char text[1 << 18];
	char arg[20];
	char *const argv[] = { (char *)tool, "estimate", "--json", "--fill",
			       "--mappings", arg,	 NULL };
	json_t *root, *row;
	long ret = 0;
	size_t i;

	snprintf(arg, sizeof(arg), "%d", (int)pid);
	if (run_tool(argv, text, sizeof(text)))
		return -1;
	root = json_loads(text, 0, NULL);
	json_array_foreach(json_object_get(json_array_get(json_object_get(root,
									  "processes"),
							  0),
					   "mappings"),
			   i, row)
	{
		const char *start = json_string_value(
			json_object_get(row, "start"));
		const uint64_t addr = start ? strtoull(start, NULL, 16) : 0;

		if (addr >= BASE && addr < BASE + TIB)
			ret += member(json_object_get(row, "fill"),
				      "entries_used");
	}
	json_decref(root);
	return ret;
}

static struct range *read_ranges(pid_t pid, unsigned int *ret_nr)
{
	static struct range ranges[200];
	char path[64], line[300];
	unsigned int nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "r");
	while (file && nr < 200 && fgets(line, sizeof(line), file))
		nr += sscanf(line, "%" SCNx64 "-%" SCNx64, &ranges[nr].start,
			     &ranges[nr].end) == 2;
	if (file)
		fclose(file);
	*ret_nr = nr;
	return ranges;
}

/* Does one of the ranges overlap the reach of the table? */
static bool is_used(const struct figures *before, uint64_t addr,
		    unsigned int level)
{
	unsigned int i, reach = shift(level + 1);

	for (i = 0; i < before->nr_ranges; i++)
		if (before->ranges[i].start >> reach <= addr >> reach &&
		    (before->ranges[i].end - 1) >> reach >= addr >> reach)
			return true;
	return false;
}

/*
 * Count the tables of the notes.  Each entry needs a table of its level, and of each level above.
 * Tables that the program's own mappings use already are not new.
 * @seen: (out) the tables that the estimator must see
 * @all: (out) these tables, and those that the estimator cannot see
 */
static void expect(const struct figures *before, bool scan, struct counts *seen,
		   struct counts *all)
{
	unsigned int i, j, level;

	memset(seen, 0, sizeof(*seen));
	memset(all, 0, sizeof(*all));
	for (i = 0; i < shared->nr; i++) {
		const struct note *one = &shared->notes[i];

		if (one->kind == DEPOSITED) {
			seen->deposited++;
			all->deposited++;
			continue;
		}
		for (level = one->level;
		     level < NR_LEVELS && level_exists(level); level++) {
			bool new = !is_used(before, one->addr, level);
			bool new_seen = new;

			for (j = 0; j < i; j++) {
				const struct note *other = &shared->notes[j];

				if (other->kind == DEPOSITED ||
				    other->level > level ||
				    other->addr >> shift(level + 1) !=
					    one->addr >> shift(level + 1))
					continue;
				new = false;
				new_seen &= other->kind != SEEN && !scan;
			}
			all->tables[level] += new;
			seen->tables[level] += new_seen &&
					       (one->kind == SEEN || scan);
		}
	}
}

/* P4D tables are not in VmPTE, nor is the PGD. */
static long in_vmpte(const struct counts *counts)
{
	return counts->tables[PTE] + counts->tables[PMD] + counts->tables[PUD] +
	       counts->deposited;
}

static void say(const char *what, const struct counts *counts)
{
	printf("# %s: pte %ld, pmd %ld, pud %ld, p4d %ld, deposited %ld\n",
	       what, counts->tables[PTE], counts->tables[PMD],
	       counts->tables[PUD], counts->tables[P4D], counts->deposited);
}

/*
 * Runs in the child.  First touches all memory that it needs, so that only the layout makes tables.
 * Before and after it builds the layout, sends the PID of the process to measure.
 */
static void __attribute__((noreturn))
child(const struct layout *layout, int in, int out)
{
	volatile char stack[64 * KIB];
	unsigned int i;
	uint64_t j;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (j = 0; j < sizeof(stack); j += KIB)
		stack[j] = 1;
	for (j = 0; j < sizeof(*shared); j += KIB)
		((volatile char *)shared)[j] = 0;
	for (i = 0; i < 2; i++) {
		bool is_parent = layout->forked && fork();
		pid_t pid = getpid();

		/*
		 * fork() copies [vvar] and its tables. Without a page there, nothing but
		 * PAGEMAP_SCAN shows them.
		 */
		stack[0] = ((volatile char *)shared)[0];
		if ((!is_parent &&
		     write(out, &pid, sizeof(pid)) != sizeof(pid)) ||
		    ((is_parent || !layout->forked) && read(in, &byte, 1) != 1))
			_exit(1);
		if (layout->forked && !is_parent) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
		if (!i)
			layout->build(layout->arg);
	}
	_exit(0);
}

/* @scan: the estimator uses PAGEMAP_SCAN */
static void judge_estimate(const struct layout *layout, bool scan,
			   const struct figures *before,
			   const struct figures *after)
{
	const bool vague = layout->vague && !has_scan;
	struct counts seen, all, estimate = after->estimate;
	long vmpte = ((long)after->vmpte_bytes - (long)before->vmpte_bytes) /
		     (long)page;
	bool levels = true;
	long residual;
	unsigned int l;

	expect(before, scan, &seen, &all);
	if (vague)
		seen.deposited = 0;
	residual = in_vmpte(&all) - in_vmpte(&seen);
	for (l = 0; l < NR_LEVELS; l++) {
		long possible = after->high[l] - after->estimate.tables[l];

		estimate.tables[l] -= before->estimate.tables[l];
		levels &= estimate.tables[l] == seen.tables[l] &&
			  before->high[l] == before->estimate.tables[l] &&
			  possible == (vague && l == PTE ? all.deposited : 0);
	}
	estimate.deposited -= before->estimate.deposited;
	printf("# estimator %s\n", scan ? "written" : "pagemap");
	say("expected", &seen);
	say("estimate", &estimate);
	say("before", &before->estimate);
	printf("# VmPTE %ld, expected %ld; residual %ld, expected %ld, before %ld\n",
	       vmpte, in_vmpte(&all), after->residual, residual,
	       before->residual);
	result(levels, "%s: the levels are those of arithmetic", layout->name);
	result(vmpte == in_vmpte(&all), "%s: VmPTE is that of arithmetic",
	       layout->name);
	result(estimate.deposited == seen.deposited,
	       "%s: deposited tables are those of arithmetic", layout->name);
	result(!before->residual && after->residual == residual &&
		       (uint64_t)(in_vmpte(&after->estimate) + residual) *
				       page ==
			       after->vmpte_bytes &&
		       after->json_vmpte_bytes == after->vmpte_bytes &&
		       (uint64_t)in_vmpte(&before->estimate) * page ==
			       before->vmpte_bytes,
	       "%s: the sum is VmPTE, to the byte", layout->name);
}

static void judge_others(const struct layout *layout, pid_t pid)
{
	if (layout->entries) {
		const long got = used_entries(pid);
		const uint64_t want = layout->entries(layout->arg);

		result(got == (long)want, "%s: %ld of %" PRIu64 " used entries",
		       layout->name, got, want);
	}
	if (layout->line) {
		uint64_t bytes = proc_bytes(pid, "smaps_rollup", layout->line);

		result(bytes == layout->line_bytes(layout->arg),
		       "%s: smaps shows %s %" PRIu64 " KiB", layout->name,
		       layout->line, bytes / KIB);
	}
}

/* Start a child for a layout. Return its PID; it waits to be told to build. */
static pid_t start(const struct layout *layout, int *ret_in, int *ret_out)
{
	int in[2], out[2];
	pid_t pid;

	if (pipe(in) || pipe(out))
		return -1;
	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(layout, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	*ret_in = in[1];
	*ret_out = out[0];
	return pid;
}

static void run_layout(const struct layout *layout)
{
	const char *missing = layout->missing ? layout->missing(layout->arg) :
						NULL;
	/* index 0: by the estimator that the tool chooses; index 1: by pagemap */
	struct figures before[2] = { 0 }, after[2] = { 0 };
	const unsigned int nr = has_scan ? 2 : 1;
	pid_t pid, first, second;
	bool measured = true;
	unsigned int i;
	int in, out;

	if (missing) {
		nr_tests++;
		printf("ok %u %s # SKIP %s\n", nr_tests, layout->name, missing);
		return;
	}
	pid = start(layout, &in, &out);
	measured = pid > 0 && read(out, &first, sizeof(first)) == sizeof(first);
	for (i = 0; measured && i < nr; i++) {
		measured = measure(first, i ? "pagemap" : NULL, &before[i]);
		before[i].ranges = read_ranges(first, &before[i].nr_ranges);
	}
	if (measured &&
	    (write(in, "", 1) != 1 ||
	     read(out, &second, sizeof(second)) != sizeof(second))) {
		printf("# it cannot be built: %s\n", shared->why);
		measured = false;
	}
	for (i = 0; measured && i < nr; i++)
		measured = measure(second, i ? "pagemap" : NULL, &after[i]);
	for (i = 0; measured && i < nr; i++)
		judge_estimate(layout, has_scan && !i, &before[i], &after[i]);
	if (measured)
		judge_others(layout, second);
	else
		result(false, "%s: cannot be measured", layout->name);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(in);
	close(out);
}

/* ---- other commands ---- */

/*
 * @format: the arguments; the word PID stands for the number of the process
 * @status: the exit status that it must have
 * @want: a text that the output must have
 */
static void command(pid_t pid, const char *format, int status, const char *want)
{
	static char text[1 << 18];
	char *argv[16] = { (char *)tool }, *rest = NULL;
	char copy[200], number[20];
	unsigned int nr = 1;
	bool ok;
	int got;

	snprintf(number, sizeof(number), "%d", (int)pid);
	snprintf(copy, sizeof(copy), "%s", format);
	for (argv[nr] = strtok_r(copy, " ", &rest); argv[nr];
	     argv[++nr] = strtok_r(NULL, " ", &rest))
		if (!strcmp(argv[nr], "PID"))
			argv[nr] = number;
	got = run_tool(argv, text, sizeof(text));
	ok = got == status && strstr(text, want);
	if (!ok)
		printf("# status %d, expected %d and '%s'\n%s", got, status,
		       want, text);
	result(ok, "ptaudit %s: status %d, '%s'", format, status, want);
}

/* Run other commands on a process with 10 tables in a row, 4 of them empty, and one more empty table. */
static void run_commands(void)
{
	const struct layout layout = { "commands", build_dontneed };
	int in, out;
	pid_t pid = start(&layout, &in, &out), got;
	char here[40], end[40];

	if (pid < 0 || read(out, &got, sizeof(got)) != sizeof(got) ||
	    write(in, "", 1) != 1 ||
	    read(out, &got, sizeof(got)) != sizeof(got)) {
		result(false, "commands: the process cannot be built: %s",
		       shared->why);
		return;
	}
	snprintf(here, sizeof(here), "0x%" PRIx64, BASE);
	snprintf(end, sizeof(end), "0x%" PRIx64, BASE + 10 * entry_bytes(PMD));
	command(pid, "top", 0, "estimate_test");
	command(pid, "top PID", 0, here);
	command(pid, "map PID", 0, here);
	command(pid, "estimate --mappings PID", 0, end);
	command(pid, "estimate --fill PID", 0, "estimator");
	command(pid, "whatif PID", 0,
		has_scan ? "empty PTE tables: 5 " : "empty PTE tables: ");
	command(pid, "watch --count 1 PID", 0, "estimate_test");
	command(pid, "footprint PID", 0, "estimate_test");
	command(pid, "cow PID", 0, here);
	command(pid, "flags PID", 0, "ANON");
	command(pid, "system", 0, "PageTables is ");
	command(pid, "system", 0, "page tables only on x86-64");
	command(pid, "record --to /recording PID", 0, "");
	command(pid, "estimate --from /recording", 0, "estimate_test");
	command(pid, "diff /recording PID", 0, "");
	command(pid, "export --openmetrics /metrics", 0, "");
	command(pid, "reclaim PID", 0, "");
	command(pid, "check PID", 2, "module");
	command(pid, "check --truth bpf PID", 2, "x86-64");
	command(pid, "system --truth bpf", 2, "x86-64");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 4) {
		fputs("usage: estimate_test TOOL ADDRESS-BITS pagemap|written\n",
		      stderr);
		return 2;
	}
	tool = argv[1];
	address_bits = (unsigned int)atoi(argv[2]);
	estimator = argv[3];
	has_scan = !strcmp(estimator, "written");
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	printf("# page size %" PRIu64 ", %u address bits\n", page,
	       address_bits);
	result(mmap((void *)(UINT64_C(1) << address_bits), page, PROT_READ,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		    0) == MAP_FAILED,
	       "there is no memory above the address bits");
	for (i = 0; i < nr_layouts; i++)
		run_layout(&layouts[i]);
	run_commands();
	printf("1..%u\n", nr_tests);
	return nr_failed != 0;
}
