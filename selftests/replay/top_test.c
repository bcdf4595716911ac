// SPDX-License-Identifier: GPL-2.0-only
/* top and whatif on a process whose tables are known by arithmetic. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "altered.h"
#include "child.h"
#include "empty_seen.h"
#include "unit.h"

#define BASE ((char *)(32ul << 39)) /* a PGD slot without other mappings */
#define SLOT (2ul << 20)
#define SLOTS 300ul /* 600 MiB: one PMD table, one PUD table */

/*
 * Touch a page in each slot.  Release each page by itself, if they are to be empty: that
 * frees no table.
 */
static void lay_out(bool is_empty)
{
	char *memory = mmap(BASE, SLOTS * SLOT, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				    MAP_FIXED_NOREPLACE,
			    -1, 0);
	unsigned long i;

	if (memory == MAP_FAILED ||
	    madvise(memory, SLOTS * SLOT, MADV_NOHUGEPAGE))
		_exit(1);
	for (i = 0; i < SLOTS; i++) {
		memory[i * SLOT] = 1;
		if (is_empty && madvise(memory + i * SLOT, 4096, MADV_DONTNEED))
			_exit(1);
	}
}

static pid_t begin(void)
{
	int ready[2];
	pid_t child;
	char byte;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		lay_out(true);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		child = -1;
	close(ready[0]);
	return child;
}

/* Return the output of a command, whose status must be 0. */
static char *output(const char *command)
{
	static char text[1 << 26]; /* all processes of a large machine */
	FILE *pipe = popen(command, "re");
	size_t nr = pipe ? fread(text, 1, sizeof(text) - 1, pipe) : 0;

	text[nr] = '\0';
	if (!pipe || pclose(pipe))
		UNIT_FAIL("this command failed: %s", command);
	return text;
}

static unsigned long number_after(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoul(at + strlen(key), NULL, 10) : ~0ul;
}

UNIT_TEST(top_shows_the_empty_tables_of_a_mapping)
{
	pid_t child = begin();
	char command[256];
	const char *text, *at;

	CHECK(child > 0);
	snprintf(command, sizeof(command), TOOL " top --json %d", (int)child);
	text = output(command);
	at = strstr(text, "\"start\": \"0x100000000000\"");
	child_end(child);
	CHECK_EQ(at != NULL, sees_empty());
	if (!at)
		return;
	CHECK_EQ(number_after(at, "\"total_bytes\": "), (SLOTS + 2) * 4096);
	/* the PMD and the PUD table above them hold nothing else */
	CHECK_EQ(number_after(at, "\"empty_tables\": "), SLOTS + 2);
	CHECK_EQ(number_after(at, "\"fill_percent\": "), 0);
}

UNIT_TEST(a_process_of_empty_tables_is_found_and_the_mapping_named)
{
	pid_t child = begin();
	char command[256], key[64];
	const char *text, *at;
	unsigned long nr_empty, bytes;

	CHECK(child > 0);
	text = output(TOOL " top --batch --json");
	snprintf(key, sizeof(key), "\"pid\": %d,", (int)child);
	at = strstr(text, key);
	nr_empty = number_after(at, "\"empty_tables\": ");
	bytes = number_after(at, "\"total_bytes\": ");
	CHECK(at != NULL);
	if (!sees_empty()) {
		CHECK(strstr(at,
			     "tables without pages, which the estimate does not see") !=
		      NULL);
		child_end(child);
		return;
	}
	/* the child may have further empty tables */
	CHECK(nr_empty >= SLOTS + 2 && nr_empty < SLOTS + 6);
	CHECK(bytes > (SLOTS + 2) * 4096);
	CHECK(strstr(at, "100 % empty: [anon] 0x100000000000, 600M") != NULL);
	/* the process with most empty tables comes first */
	text = output(TOOL " top --batch --json --sort EMPTY -N 1");
	CHECK(strstr(text, "\"empty_tables\": ") != NULL);
	CHECK(number_after(text, "\"empty_tables\": ") >= SLOTS);
	snprintf(command, sizeof(command), TOOL " top -N 1 --by comm -J");
	text = output(command);
	CHECK(strstr(text, "\"groups\": [") != NULL);
	child_end(child);
}

/* Above 128 MiB of VmPTE, top reads a running process in pieces. */
UNIT_TEST(a_large_process_in_a_recording_is_counted_once)
{
	char dir[] = "/tmp/ptaudit-top.XXXXXX", command[1024];

	CHECK_EQ(altered(dir, "7.2/empty",
			 "sed -i 's/^VmPTE:.*/VmPTE:\t  200000 kB/' */status"),
		 0);
	snprintf(command, sizeof(command),
		 TOOL " top -rn -o EMPTY --from %s/b | grep -qx 43", dir);
	CHECK_EQ(system(command), 0);
	CHECK_EQ(altered_end(dir), 0);
}

/* This recording has the walks of both; the default is the module's. */
UNIT_TEST(truth_selects_the_walks_of_a_recording)
{
	CHECK(!system(TOOL " top -rn -o SOURCE --from " DATA "/6.1/both"
			   " | grep -qx module"));
	CHECK(!system(TOOL " top -rn -o SOURCE --from " DATA "/6.1/both"
			   " --truth bpf | grep -qx bpf"));
}

/* Libraries may have a few empty tables. */
UNIT_TEST(whatif_counts_a_process_once_that_is_named_twice)
{
	pid_t child = begin();
	char command[256];
	unsigned long once, twice;

	CHECK(child > 0);
	snprintf(command, sizeof(command), TOOL " whatif --json %d",
		 (int)child);
	once = number_after(output(command), "\"empty_tables\": ");
	snprintf(command, sizeof(command), TOOL " whatif --json %d %d",
		 (int)child, (int)child);
	twice = number_after(output(command), "\"empty_tables\": ");
	child_end(child);
	if (sees_empty())
		CHECK(once >= SLOTS && once < SLOTS + 4);
	else
		CHECK_EQ(once, 0);
	CHECK_EQ(twice, once);
}

/* Alter a copy of 7.2/empty.  Return the status of whatif, and its output. */
static int whatif_of_altered(const char *change, const char **ret)
{
	static char text[4096];
	char dir[] = "/tmp/ptaudit-top.XXXXXX", command[128];
	FILE *pipe;
	int status;

	if (altered(dir, "7.2/empty", change))
		UNIT_FAIL("cannot alter the recording");
	snprintf(command, sizeof(command), TOOL " whatif --from %s/b 2>&1",
		 dir);
	pipe = popen(command, "re");
	text[pipe ? fread(text, 1, sizeof(text) - 1, pipe) : 0] = '\0';
	status = pipe ? WEXITSTATUS(pclose(pipe)) : -1;
	if (altered_end(dir))
		UNIT_FAIL("cannot remove the recording");
	*ret = text;
	return status;
}

/* shapes.c, empty(): 40 slots of 2 MiB were written and emptied. */
UNIT_TEST(whatif_of_a_recording_knows_what_its_kernel_frees)
{
	const char *text = "";

	CHECK_EQ(whatif_of_altered("true", &text), 0);
	CHECK(strstr(text, "\nempty PTE tables: 40 (160 KiB)\n"));
	CHECK(strstr(text, "0x1003d800000-0x10042800000 40 tables, munmap:"));
	CHECK(strstr(text, "\nshared memory: not known; "));
	CHECK_EQ(whatif_of_altered("echo madvise_frees 1 >madvise-frees",
				   &text),
		 0);
	CHECK(strstr(text, "0x1003d800000-0x10042800000 40 tables, madvise:"));
	CHECK_EQ(whatif_of_altered("echo madvise_frees 0 >madvise-frees",
				   &text),
		 0);
	CHECK(strstr(text, " 40 tables, munmap:"));
	CHECK_EQ(whatif_of_altered("echo madvise_frees 2 >madvise-frees",
				   &text),
		 2);
	CHECK(strstr(text, "the recording is damaged: the file madvise-frees"));
}

/* Of a live process, the unchanged part is examined.  A recording must not change at all. */
UNIT_TEST(mappings_that_differ_within_a_recording_are_refused)
{
	const char *text = "";

	CHECK_EQ(whatif_of_altered("sed -i 1,/^VmFlags/d */smaps", &text), 2);
	CHECK(strstr(text, "the recording is damaged: 172/maps and 172/smaps"
			   " contradict each other, first at 0x400000\n"));
}

UNIT_TEST(whatif_of_a_recording_is_that_of_the_process)
{
	char dir[] = "/tmp/ptaudit-top.XXXXXX", command[1024];
	pid_t child = begin();

	CHECK(child > 0 && mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "cd %s && " TOOL " record --to a %d && " TOOL
		 " whatif -rn -o TABLES,WAY,START,END %d >live && " TOOL
		 " whatif -rn -o TABLES,WAY,START,END --from a >recorded &&"
		 " cmp live recorded && test $(grep -c"
		 " '^300 [a-z]* 0x100000000000 ' recorded) = %d;"
		 " status=$?; rm -r %s; exit $status",
		 dir, (int)child, (int)child, sees_empty(), dir);
	CHECK_EQ(system(command), 0);
	child_end(child);
}

/* The kernel shows frame numbers only with CAP_SYS_ADMIN. */
static bool frames_are_hidden(void)
{
	volatile char mine = 1;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t at = (off_t)((unsigned long)&mine / 4096 * 8);
	unsigned long word = 0;

	if (fd < 0 || pread(fd, &word, sizeof(word), at) != sizeof(word))
		UNIT_FAIL("cannot open /proc/self/pagemap");
	close(fd);
	return !(word & ((1ul << 55) - 1));
}

/* Start a process with two threads; its main thread ends by SIGTERM. */
static pid_t begin_two_threads(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	sigset_t term, before;
	pid_t child;
	int signal;

	/* blocked in the child from the beginning: the signal may come before the second thread */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before);
	child = fork();
	if (child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return child;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	clone(child_pause, stack + sizeof(stack),
	      CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, NULL);
	sigwait(&term, &signal);
	syscall(SYS_exit, 0);
	return 0;
}

static char state_of(pid_t pid)
{
	char path[64], text[512] = "";
	const char *state;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 1)
		UNIT_FAIL("cannot read %s", path);
	close(fd);
	state = strstr(text, ") ");
	return state ? state[2] : '?';
}

/* What the tool printed last. */
static char printed[8192];

/* Run the tool; end the main thread when it has opened this file.  Return: the status. */
static int status_if_it_ends(const char *words, const char *file)
{
	pid_t child = begin_two_threads(), tool;
	FILE *to = tmpfile();
	char command[512];
	int status = 0;

	snprintf(command, sizeof(command),
		 "LD_PRELOAD=" FAULT " FAULT=stop:/proc/%d/%s exec " TOOL
		 " %s %d",
		 (int)child, file, words, (int)child);
	if (!to)
		UNIT_FAIL("no temporary file");
	tool = fork();
	if (!tool) {
		dup2(fileno(to), STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	if (waitpid(tool, &status, WUNTRACED) != tool || !WIFSTOPPED(status)) {
		UNIT_FAIL("the tool did not open %s", file);
	} else {
		kill(child, SIGTERM);
		while (state_of(child) != 'Z')
			usleep(1000);
		kill(tool, SIGCONT);
		waitpid(tool, &status, 0);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	rewind(to);
	printed[fread(printed, 1, sizeof(printed) - 1, to)] = '\0';
	fclose(to);
	return WEXITSTATUS(status);
}

UNIT_TEST(another_thread_is_read_if_the_first_one_ends)
{
	char dir[] = "/tmp/thread-XXXXXX", command[128];

	CHECK_EQ(status_if_it_ends("whatif", "maps"), 0);
	CHECK_EQ(status_if_it_ends("whatif", "status"), 0);
	CHECK_EQ(status_if_it_ends("cow", "maps"), 0);
	CHECK_EQ(status_if_it_ends("top", "status"), 0);
	CHECK_EQ(status_if_it_ends("top --estimator pagemap", "maps"), 0);
	CHECK_EQ(status_if_it_ends("top --estimator pagemap", "pagemap"), 0);
	CHECK_EQ(status_if_it_ends("watch --count 1", "status"), 0);
	CHECK(!strstr(printed, "ended"));
	CHECK_EQ(status_if_it_ends("watch --count 1 --estimator pagemap",
				   "pagemap"),
		 0);
	CHECK(!strstr(printed, "ended"));
	if (!frames_are_hidden()) {
		CHECK_EQ(status_if_it_ends("footprint", "pagemap"), 0);
		CHECK_EQ(status_if_it_ends("footprint -o KERNEL-RSS", "smaps"),
			 0);
	}
	CHECK(mkdtemp(dir) != NULL);
	snprintf(command, sizeof(command), "record --to %s", dir);
	CHECK_EQ(status_if_it_ends(command, "maps"), 0);
	snprintf(command, sizeof(command),
		 TOOL " estimate --from %s >/dev/null && rm -r %s", dir, dir);
	CHECK(!system(command));
}

/* In the same PMD table as BASE, behind the slots. */
#define CHANGING (BASE + 400 * SLOT)

/*
 * A process that maps a further page each time it gets a byte, next to no other page.  So
 * its mappings are never again what they were.  The table of these pages is empty.
 */
static pid_t begin_changing(int *to, int *from)
{
	int orders[2], answers[2];
	char *page = CHANGING;
	pid_t child;
	char byte;

	if (pipe(orders) || pipe(answers))
		return -1;
	*to = orders[1];
	*from = answers[0];
	child = fork();
	if (child) {
		close(orders[0]);
		close(answers[1]);
		return child;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lay_out(false);
	if (mmap(page, 4096, PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != page)
		_exit(1);
	*page = 1;
	madvise(page, 4096, MADV_DONTNEED);
	do {
		page += 2 * 4096;
		if (mmap(page, 4096, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			 0) == MAP_FAILED)
			_exit(1);
		if (write(answers[1], "", 1) != 1)
			_exit(1);
	} while (read(orders[0], &byte, 1) == 1);
	_exit(0);
}

/*
 * Run the tool.  Each time it opens maps, the mappings change.  So they change in each
 * attempt to read them.  Return: its output, which must fit into a pipe.
 */
static const char *output_while_changing(const char *words)
{
	static char got[1 << 16];
	int to = -1, from = -1, out[2], status = 0;
	char command[512], byte;
	pid_t child = begin_changing(&to, &from), tool;

	if (child < 0 || read(from, &byte, 1) != 1 || pipe(out))
		UNIT_FAIL("no process that changes");
	snprintf(command, sizeof(command),
		 "LD_PRELOAD=" FAULT " FAULT=stops:/proc/%d/maps exec " TOOL
		 " %s %d",
		 (int)child, words, (int)child);
	tool = fork();
	if (!tool) {
		dup2(out[1], STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	while (waitpid(tool, &status, WUNTRACED) == tool &&
	       WIFSTOPPED(status)) {
		if (write(to, "", 1) != 1 || read(from, &byte, 1) != 1)
			UNIT_FAIL("the process did not change");
		kill(tool, SIGCONT);
	}
	close(out[1]);
	got[read(out[0], got, sizeof(got) - 1)] = '\0';
	close(out[0]);
	child_end(child);
	close(to);
	close(from);
	if (status)
		UNIT_FAIL("status 0x%x of %s", (unsigned int)status, words);
	return got;
}

UNIT_TEST(whatif_examines_what_did_not_change)
{
	const char *got = output_while_changing("whatif --json");
	unsigned long nr = number_after(got, "\"pte_tables\": ");

	/*
	 * The PMD and the PUD table above the pages, and their PTE table if PAGEMAP_SCAN
	 * shows it.  whatif does not use a walk by BPF if the mappings changed.
	 */
	CHECK_EQ(number_after(got, "\"changed_tables\": "),
		 2 + scan_shows_empty());
	CHECK(!strstr(got, "\"start\": \"0x100032000000\""));
	/* those of the slots, of the program, its libraries, and its stack */
	CHECK(nr >= SLOTS && nr < SLOTS + 20);
}

UNIT_TEST(map_draws_what_did_not_change)
{
	const char *pte = strstr(output_while_changing("map --json"),
				 "\"level\": \"pte\"");

	CHECK(pte != NULL);
	/* the tables in the slots, and those of the program, its libraries, and its stack */
	CHECK(number_after(pte, "\"tables\": ") > SLOTS);
	CHECK(number_after(pte, "\"tables\": ") < SLOTS + 20);
}

/* Here two different processes are named as well: one row for each, and one for the set. */
UNIT_TEST(footprint_has_a_process_once_that_is_named_twice)
{
	pid_t child = begin();
	char command[256];
	unsigned int rows = 0;
	const char *at;

	CHECK(child > 0);
	snprintf(command, sizeof(command),
		 TOOL " footprint -n -o PID %d %d %d%s", (int)child,
		 (int)getpid(), (int)child,
		 frames_are_hidden() ? " 2>&1; test $? = 2" : "");
	if (frames_are_hidden()) {
		CHECK(strstr(output(command), "page frames are hidden"));
		child_end(child);
		return;
	}
	for (at = output(command); (at = strchr(at, '\n')); at++)
		rows++;
	child_end(child);
	CHECK_EQ(rows, 3);
}

/*
 * shapes.c, thp(): 6 huge pages were written, of which 2 were split, and 2 huge zero
 * pages were read.  Each has a deposit.
 */
UNIT_TEST(each_huge_page_has_a_deposit)
{
	static const char *const kernels[] = { "6.1", "7.2" };
	char command[512];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(command, sizeof(command),
			 TOOL " top --json --from " DATA "/%s/thp", kernels[i]);
		CHECK_EQ(number_after(output(command),
				      "\"deposited_tables\": "),
			 6 - 2 + 2);
	}
	CHECK_EQ(number_after(output(TOOL " top --json -e written "
					  "--from " DATA "/7.2/thp"),
			      "\"deposited_tables\": "),
		 6 - 2 + 2);
}

UNIT_TEST(top_shows_the_largest_processes_and_no_more_than_asked_for)
{
	const char *at = output(TOOL " top --batch --json -N 3");
	unsigned long last = ~0ul;
	unsigned int nr = 0;

	while ((at = strstr(at, "\"total_bytes\": "))) {
		const unsigned long bytes = number_after(at,
							 "\"total_bytes\": ");

		CHECK(bytes <= last);
		last = bytes;
		at++;
		nr++;
	}
	CHECK(nr >= 1 && nr <= 3);
}

UNIT_TEST(json_has_the_columns_that_are_asked_for)
{
	const char *text = output(TOOL " top -J -N 1 -o total,PID");

	CHECK(strstr(text, "\"total_bytes\": ") != NULL);
	/* "pid" is a member of the row, after total_bytes, and not of the head */
	CHECK(strstr(text, "\"pid\": ") > strstr(text, "\"total_bytes\": "));
	CHECK(!strstr(text, "\"why\": ") && !strstr(text, "\"comm\": "));
}

UNIT_MAIN
