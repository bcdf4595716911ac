// SPDX-License-Identifier: GPL-2.0-only
/*
 * The point at which a command is stopped for the measurement.  The commands are this
 * program itself; its argument selects what it does.
 */
#include "acquire/child.c"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "support/unit.h"

#define SELF "/proc/self/exe"

int ptu_proc_own_namespace(struct ptu_err *err)
{
	return 0;
}

static void *exec_last(void *arg)
{
	execl(SELF, "run_test", "last", NULL);
	_exit(1);
}

/*
 * Wait until the main thread is a zombie.  To AddressSanitizer of GCC 16,
 * pthread_join() of the main thread is an error.
 */
static void *wait_and_exit(void *arg)
{
	char state = 0;

	while (state != 'Z') {
		FILE *file = fopen("/proc/self/stat", "re");

		if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			_exit(1);
		fclose(file);
	}
	return NULL;
}

static void *sleep_long(void *arg)
{
	pause();
	return NULL;
}

static int share_vm(void *arg)
{
	return 0;
}

/* Runs before main(), because the harness handles no arguments. */
static void __attribute__((constructor)) command(int argc, char *argv[])
{
	static pthread_t other;
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid;

	if (argc < 2)
		return;
	if (!strcmp(argv[1], "exec-from-thread")) {
		pthread_create(&other, NULL, sleep_long, NULL);
		pthread_create(&other, NULL, exec_last, NULL);
		pause();
	} else if (!strcmp(argv[1], "main-exits")) {
		pthread_create(&other, NULL, wait_and_exit, NULL);
		/*
		 * SYS_exit: pthread_exit() must not unwind the stack through a constructor
		 */
		syscall(SYS_exit, 0);
	} else if (!strcmp(argv[1], "orphan")) {
		/* the parent ends before the child, which ends at once */
		pid = fork();
		if (!pid && !fork())
			_exit(0);
		if (pid)
			pause();
		_exit(0);
	} else if (!strcmp(argv[1], "threads")) {
		pthread_create(&other, NULL, sleep_long, NULL);
		pthread_create(&other, NULL, sleep_long, NULL);
	} else if (!strcmp(argv[1], "shares-vm")) {
		pid = clone(share_vm, stack + sizeof(stack), CLONE_VM, NULL);
		waitpid(pid, NULL, __WALL);
	} else if (!strcmp(argv[1], "long")) {
		pthread_create(&other, NULL, sleep_long, NULL);
		pause();
	}
	_exit(0);
}

/* The arguments of the process's current program; works for a thread as well. */
static const char *words(pid_t pid, char *text, size_t text_bytes)
{
	char path[64];
	FILE *file;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "re");
	if (file) {
		n = fread(text, 1, text_bytes - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	return strlen(text) < n ? text + strlen(text) + 1 : "";
}

/* Number of threads that have not ended. */
static unsigned int living_threads(pid_t pid)
{
	unsigned int nr = 0;
	char path[320], line[256];
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)pid,
			 entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file))
			nr += !strchr("ZX", strrchr(line, ')')[2]);
		fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return nr;
}

static int start(const char *what, long long after_ns, struct ptu_run *run)
{
	static char self[4096]; /* static, because @run refers to it */
	char *argv[] = { self, (char *)what, NULL };
	struct ptu_err err = { "" };
	ssize_t n = readlink(SELF, self, sizeof(self) - 1);

	if (n < 0)
		abort();
	self[n] = '\0';
	/* some ASan options make a thread, which could outlive the others */
	unsetenv("ASAN_OPTIONS");
	return ptu_run_start(argv, after_ns, run, &err);
}

UNIT_TEST(command_is_held_at_its_exit)
{
	struct ptu_run run;
	char text[256];

	CHECK_EQ(start("plain", 0, &run), 0);
	CHECK(run.at_exit);
	CHECK_EQ(run.tid, run.pid);
	CHECK(!strcmp(words(run.pid, text, sizeof(text)), "plain"));
	ptu_run_end(&run, NULL);
	CHECK(kill(run.pid, 0) && errno == ESRCH);
}

UNIT_TEST(exec_of_a_second_thread_goes_on_to_the_new_program)
{
	struct ptu_run run;
	char text[256];

	CHECK_EQ(start("exec-from-thread", 0, &run), 0);
	CHECK(run.at_exit);
	CHECK(!strcmp(words(run.pid, text, sizeof(text)), "last"));
	ptu_run_end(&run, NULL);
	CHECK(kill(run.pid, 0) && errno == ESRCH);
}

UNIT_TEST(exit_of_the_main_thread_is_not_that_of_the_process)
{
	struct ptu_run run;

	CHECK_EQ(start("main-exits", 0, &run), 0);
	CHECK(run.at_exit);
	CHECK(run.tid != run.pid);
	ptu_run_end(&run, NULL);
	CHECK(kill(run.pid, 0) && errno == ESRCH);
}

UNIT_TEST(last_of_several_threads_is_held)
{
	struct ptu_run run;

	CHECK_EQ(start("threads", 0, &run), 0);
	CHECK(run.at_exit);
	ptu_run_end(&run, NULL);
	CHECK(kill(run.pid, 0) && errno == ESRCH);
}

UNIT_TEST(process_that_shares_memory_is_let_go)
{
	struct ptu_run run;

	CHECK_EQ(start("shares-vm", 0, &run), 0);
	CHECK(run.at_exit);
	CHECK_EQ(run.tid, run.pid);
	ptu_run_end(&run, NULL);
}

static long tracer_of(pid_t pid)
{
	char path[64], line[256];
	long tracer = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "TracerPid: %ld", &tracer);
	if (file)
		fclose(file);
	return tracer;
}

UNIT_TEST(command_that_runs_freely_is_not_traced)
{
	struct sigaction action;
	struct ptu_err err = { "" };
	struct ptu_run run;
	char text[256];

	signal(SIGQUIT, SIG_IGN);
	CHECK_EQ(start("long", PTU_RUN_FREELY, &run), 0);
	/* the function returned after exec() */
	CHECK(!strcmp(words(run.pid, text, sizeof(text)), "long"));
	CHECK_EQ(tracer_of(run.pid), 0);
	CHECK_EQ(run.tid, 0);
	sigaction(SIGINT, NULL, &action);
	CHECK(action.sa_handler == SIG_IGN);
	kill(run.pid, SIGKILL);
	CHECK(ptu_run_end(&run, &err));
	sigaction(SIGINT, NULL, &action);
	CHECK(action.sa_handler == SIG_DFL);
	/* SIGQUIT was ignored before the start, and is again */
	sigaction(SIGQUIT, NULL, &action);
	CHECK(action.sa_handler == SIG_IGN);
	signal(SIGQUIT, SIG_DFL);
	CHECK(kill(run.pid, 0) && errno == ESRCH);
}

/* Count the children of this process that have ended. */
static unsigned int nr_zombies(const struct ptu_run *run)
{
	char path[64], text[4096] = "", *at = text, *end;
	unsigned int nr = 0;
	FILE *file;
	long pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	file = fopen(path, "re");
	if (!file || !fgets(text, sizeof(text), file))
		abort();
	fclose(file);
	for (; (pid = strtol(at, &end, 10)) && end != at; at = end)
		nr += pid != run->pid;
	return nr;
}

UNIT_TEST(adopted_processes_are_released_and_the_command_is_not)
{
	struct ptu_err err = { "" };
	struct ptu_run run;

	CHECK_EQ(ptu_run_adopt(&err), 0);
	CHECK_EQ(start("orphan", PTU_RUN_FREELY, &run), 0);
	while (!nr_zombies(&run))
		;
	while (nr_zombies(&run))
		CHECK(ptu_run_reap(&run));
	kill(run.pid, SIGKILL);
	while (ptu_run_reap(&run))
		;
	CHECK(ptu_run_end(&run, &err));
	CHECK(strstr(err.text, "was killed by signal 9") != NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

UNIT_TEST(command_past_its_time_runs_untraced)
{
	struct ptu_run run;
	long long after_ns = 1000000;

	/* wait longer until the command and its second thread have started */
	for (;; after_ns *= 2) {
		int error = start("long", after_ns, &run);

		CHECK(after_ns < 100000000000);
		if (error == -ESRCH)
			continue;
		CHECK_EQ(error, 0);
		CHECK(!run.at_exit);
		CHECK_EQ(run.tid, 0);
		if (living_threads(run.pid) == 2)
			break;
		kill(run.pid, SIGKILL);
		ptu_run_end(&run, NULL);
	}
	CHECK_EQ(tracer_of(run.pid), 0);
	kill(run.pid, SIGKILL);
	ptu_run_end(&run, NULL);
	CHECK(kill(run.pid, 0) && errno == ESRCH);
}

UNIT_MAIN
