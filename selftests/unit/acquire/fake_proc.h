/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces the functions that acquire/procfs_find.c calls, and includes that file.  A test
 * defines the processes in /proc and the clock.
 */
#ifndef FAKE_PROC_H
#define FAKE_PROC_H

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"
#include "support/unit.h"

#define close fake_close
#define getpid fake_getpid
#define kill fake_kill
#define mallopt fake_mallopt
#define nanosleep fake_nanosleep
#define stat fake_stat
#define closedir fake_closedir

/* The headers have declared the real ones already. */
struct fake_stat {
	ino_t st_ino;
};
int fake_close(int fd);
pid_t fake_getpid(void);
int fake_kill(pid_t pid, int signal);
int fake_mallopt(int parameter, int value);
int fake_nanosleep(const struct timespec *pause, struct timespec *left);
int fake_stat(const char *path, struct fake_stat *ret);
int fake_closedir(DIR *dir);

#include "acquire/procfs_find.c"

#undef stat

#define SELF 50
#define NOW 7000000000
#define MOST 8
/*
 * Descriptors of the directory and of the maps of the first process, and of the first thread. 0 is
 * a descriptor like others if standard input is closed.
 */
#define DIR_FD 0
#define MAPS_FD 0
#define THREAD_FD 300
#define SELF_FD 400

/* @again: number of times that the process can be opened before it changes to @next */
struct fake_process {
	pid_t pid;
	char state;
	bool kthread;
	uint64_t start_time, faults;
	int open_error, stat_error, maps_error;
	/* the thread of a recording */
	pid_t recorded;
	/* threads in the order of /proc, and the error of listing them */
	struct {
		pid_t tid;
		char state;
		uint64_t faults;
	} threads[3];
	int threads_error;
	unsigned int again;
	const struct fake_process *next;
};

static struct {
	struct fake_process processes[MOST];
	size_t nr;
	bool is_recording, is_unmounted;
	const char *status;
	int status_error, stat_error, list_error, task_list_error;
	/* errno of kill() for a process that /proc does not show */
	int kill_error;
	ino_t namespace_ino;
	int namespace_error;
	uint64_t now_ns;
	unsigned int nr_pauses, nr_reads, nr_opened;
	int nr_fds, nr_dirs;
	int mmap_max, trim_threshold;
} fake;

static struct ptu_err err;

static struct fake_process *find(pid_t pid)
{
	for (size_t i = 0; i < fake.nr; i++)
		if (fake.processes[i].pid == pid)
			return &fake.processes[i];
	return NULL;
}

int fake_close(int fd)
{
	if (fd < DIR_FD)
		UNIT_FAIL("descriptor %d is closed", fd);
	fake.nr_fds--;
	return 0;
}

pid_t fake_getpid(void)
{
	return SELF;
}

int fake_kill(pid_t pid, int signal)
{
	if (pid <= 0 || signal)
		UNIT_FAIL("signal %d is sent to process %d", signal, (int)pid);
	errno = fake.kill_error;
	return errno ? -1 : 0;
}

int fake_mallopt(int parameter, int value)
{
	if (parameter == M_MMAP_MAX)
		fake.mmap_max = value;
	else if (parameter == M_TRIM_THRESHOLD)
		fake.trim_threshold = value;
	return 1;
}

int fake_nanosleep(const struct timespec *pause, struct timespec *left)
{
	if (pause->tv_sec || pause->tv_nsec != 1000000)
		UNIT_FAIL("ptaudit waits for %lld.%09ld seconds",
			  (long long)pause->tv_sec, pause->tv_nsec);
	fake.nr_pauses++;
	return 0;
}

int fake_stat(const char *path, struct fake_stat *ret)
{
	if (strcmp(path, "/proc/self/ns/pid"))
		UNIT_FAIL("%s is examined", path);
	ret->st_ino = fake.namespace_ino;
	return fake.namespace_error ? -1 : 0;
}

int fake_closedir(DIR *dir)
{
	fake.nr_dirs--;
	return 0;
}

bool ptu_file_is_recording(void)
{
	return fake.is_recording;
}

int ptu_file_list(int dirfd, const char *name, DIR **ret)
{
	if (dirfd != PTU_PROC_ROOT || *name)
		UNIT_FAIL("%s is listed", name);
	if (fake.list_error)
		return fake.list_error;
	*ret = (DIR *)&fake;
	fake.nr_dirs++;
	return 0;
}

int ptu_file_open(int dirfd, const char *name, int flags)
{
	struct fake_process *process;
	int error;

	if (dirfd == PTU_PROC_ROOT && atoi(name) == SELF) {
		fake.nr_fds += !fake.is_unmounted;
		return fake.is_unmounted ? -ENOENT : SELF_FD;
	}
	if (dirfd == PTU_PROC_ROOT) {
		process = find((pid_t)atoi(name));
		if (!process || flags != O_DIRECTORY)
			return -ENOENT;
		if (process->next && !process->again--)
			*process = *process->next;
		fake.nr_opened++;
		error = process->open_error;
	} else {
		process = &fake.processes[dirfd - DIR_FD];
		if (strcmp(name, "maps") || flags)
			return -ENOENT;
		error = process->maps_error;
	}
	if (error)
		return error;
	fake.nr_fds++;
	return (dirfd == PTU_PROC_ROOT ? DIR_FD : MAPS_FD) +
	       (int)(process - fake.processes);
}

int ptu_file_read(int dirfd, const char *name, size_t limit_bytes, char **ret)
{
	const bool is_stat = !strcmp(name, "stat");
	const int error = is_stat ? fake.stat_error : fake.status_error;

	if (dirfd != PTU_PROC_ROOT || limit_bytes != is_stat ||
	    (!is_stat && strcmp(name, "self/status")))
		UNIT_FAIL("%s is read", name);
	fake.nr_reads++;
	if (error)
		return error;
	*ret = strdup(fake.status);
	return 0;
}

uint64_t ptu_now_ns(void)
{
	return fake.now_ns;
}

bool ptu_task_is_dead(char state)
{
	return state == 'Z';
}

int ptu_task_find_thread(const struct ptu_proc *proc,
			 bool (*is_wanted)(const struct ptu_proc *thread),
			 struct ptu_proc *ret)
{
	const struct fake_process *process =
		&fake.processes[proc->dirfd - DIR_FD];

	if (process->threads_error)
		return process->threads_error;
	for (size_t i = 0; i < 3 && process->threads[i].tid; i++) {
		struct ptu_proc thread = *proc;

		thread.tid = process->threads[i].tid;
		thread.state = process->threads[i].state;
		thread.faults = process->threads[i].faults;
		thread.dirfd = THREAD_FD + (int)i;
		if (!is_wanted(&thread))
			continue;
		*ret = thread;
		fake.nr_fds++;
		return 0;
	}
	return -ESRCH;
}

int ptu_task_list(DIR *dir, pid_t **ret, size_t *ret_nr)
{
	if (dir != (DIR *)&fake)
		UNIT_FAIL("another directory is listed");
	if (fake.task_list_error)
		return fake.task_list_error;
	*ret = calloc(MOST, sizeof(**ret));
	for (size_t i = 0; i < fake.nr; i++)
		(*ret)[i] = fake.processes[i].pid;
	*ret_nr = fake.nr;
	return 0;
}

bool ptu_task_recorded(int dirfd, pid_t pid, pid_t *ret, char *ret_state)
{
	const struct fake_process *process = find(pid);

	if (&fake.processes[dirfd - DIR_FD] != process || !process->recorded)
		return false;
	*ret = process->recorded;
	*ret_state = 'S';
	return true;
}

int ptu_task_stat(int dirfd, struct ptu_proc *ret, struct ptu_err *ret_err)
{
	const struct fake_process *process = &fake.processes[dirfd - DIR_FD];

	if (process->stat_error && process->stat_error != -ESRCH)
		ptu_err_set(ret_err, process->stat_error, "bad stat");
	if (process->stat_error)
		return process->stat_error;
	ret->state = process->state;
	ret->kthread = process->kthread;
	ret->start_time = process->start_time;
	ret->faults = process->faults;
	return 0;
}

static void add(struct fake_process process)
{
	fake.processes[fake.nr++] = process;
}

/* The process 7 sleeps, and /proc shows all processes of this namespace. */
static void proc_set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.status = "Name:\ta\nPid:\t50\nNSpid:\t50\n";
	fake.namespace_ino = 0xeffffffc;
	fake.now_ns = NOW;
	fake.mmap_max = fake.trim_threshold = 99;
	fake.kill_error = ESRCH;
	err.text[0] = '\0';
	add((struct fake_process){ .pid = 1, .state = 'S' });
	add((struct fake_process){
		.pid = 7, .state = 'S', .start_time = 33, .faults = 5 });
}

static void proc_tear_down(void)
{
	if (fake.nr_fds || fake.nr_dirs)
		UNIT_FAIL("%d descriptors and %d directories are open",
			  fake.nr_fds, fake.nr_dirs);
}

#endif
