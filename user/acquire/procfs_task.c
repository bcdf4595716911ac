// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read and parse stat and status of processes and threads; list their numbers. */
#include "acquire/procfs_task.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "base/array.h"

/* Source: include/linux/sched.h, PF_KTHREAD (5.10 to 7.3). */
#define PF_KTHREAD 0x00200000ul

/* Listings of the threads, if threads end and create others meanwhile. */
#define LISTINGS 20

static bool take_field(const char **at, int base, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(*at, &end, base);
	if (end == *at || errno || (*end != ' ' && *end != '\n'))
		return false;
	*at = end;
	return true;
}

/*
 * Parse "PID (comm) S ppid ..."; comm may contain blanks and parentheses.
 * Source: fs/proc/array.c, do_task_stat() (6.1); proc_pid_stat(5).
 */
static bool parse_stat(const char *text, struct ptu_proc *ret)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	struct ptu_proc proc = *ret;
	uint64_t faults = 0, tid;
	unsigned int field;
	size_t comm_bytes;
	const char *at;

	if (!open || !close || close < open)
		return false;
	at = text;
	if (!take_field(&at, 10, &tid) || tid > INT_MAX || at + 1 != open)
		return false;
	proc.tid = (pid_t)tid;
	comm_bytes = (size_t)(close - open - 1);
	if (comm_bytes >= sizeof(proc.comm))
		comm_bytes = sizeof(proc.comm) - 1;
	memcpy(proc.comm, open + 1, comm_bytes);
	proc.comm[comm_bytes] = '\0';
	if (close[1] != ' ' || !isalpha((unsigned char)close[2]))
		return false;
	proc.state = close[2];
	at = close + 3;
	for (field = 4; field <= 22; field++) {
		uint64_t value;

		if (!take_field(&at, 10, &value))
			return false;
		if (field == 4)
			proc.ppid = (pid_t)value;
		if (field == 9)
			proc.kthread = value & PF_KTHREAD;
		if (field == 10 || field == 12)
			faults += value;
		if (field == 22)
			proc.start_time = value;
	}
	proc.faults = faults;
	*ret = proc;
	return true;
}

const char *ptu_proc_line(const char *text, const char *key)
{
	const size_t key_bytes = strlen(key);

	while (text) {
		if (!strncmp(text, key, key_bytes) && text[key_bytes] == ':')
			return text + key_bytes + 1;
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

bool ptu_task_is_dead(char state)
{
	return state == 'Z' || state == 'X';
}

bool ptu_task_recorded(int dirfd, pid_t pid, pid_t *ret, char *ret_state)
{
	const char *tgid, *tid, *state;
	char *text;
	bool found;

	if (!ptu_file_is_recording() ||
	    ptu_file_read(dirfd, "status", 0, &text))
		return false;
	tgid = ptu_proc_line(text, "Tgid");
	tid = ptu_proc_line(text, "Pid");
	state = ptu_proc_line(text, "State");
	found = tgid && strtol(tgid, NULL, 10) == pid && tid && state &&
		state[0] == '\t' && isalpha((unsigned char)state[1]);
	if (found) {
		*ret = (pid_t)strtol(tid, NULL, 10);
		*ret_state = state[1];
	}
	free(text);
	return found;
}

/* A recording of an earlier version has the stat of the thread that was read. */
static bool is_recorded_thread(int dirfd, pid_t pid, pid_t tid)
{
	pid_t recorded;
	char state;

	return ptu_task_recorded(dirfd, pid, &recorded, &state) &&
	       recorded == tid;
}

int ptu_task_stat(int dirfd, struct ptu_proc *ret, struct ptu_err *err)
{
	const pid_t tid = ret->tid;
	char *text;
	int error = ptu_file_read(dirfd, "stat", 0, &text);

	if (error == -ESRCH || error == -ENOENT)
		return -ESRCH;
	if (error)
		return ptu_err_set(err, error,
				   "process %d: cannot read stat: %s",
				   (int)ret->pid, strerror(-error));
	if (!parse_stat(text, ret) ||
	    (ret->tid != tid && !is_recorded_thread(dirfd, ret->pid, ret->tid)))
		error = ptu_err_set(err, -EIO,
				    "process %d: stat does not have the format of the kernel",
				    (int)ret->pid);
	free(text);
	return error;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t pid_a = *(const pid_t *)a;
	pid_t pid_b = *(const pid_t *)b;

	return (pid_a > pid_b) - (pid_a < pid_b);
}

/* Convert a directory name of /proc to a PID; 0 if it is not a PID. */
static pid_t name_to_pid(const char *name)
{
	unsigned long pid;
	char *end;

	if (!isdigit((unsigned char)name[0]))
		return 0;
	errno = 0;
	pid = strtoul(name, &end, 10);
	return errno || *end || pid > INT_MAX ? 0 : (pid_t)pid;
}

int ptu_task_list(DIR *dir, pid_t **ret, size_t *nr_ret)
{
	size_t capacity = 0;
	size_t nr_pids = 0;
	pid_t *pids = NULL;
	struct dirent *entry;

	while ((void)(errno = 0), (entry = readdir(dir))) {
		pid_t pid = name_to_pid(entry->d_name);

		if (!pid)
			continue;
		if (ptu_array_grow(&pids, nr_pids, &capacity, sizeof(*pids))) {
			free(pids);
			return -ENOMEM;
		}
		pids[nr_pids++] = pid;
	}
	if (errno) {
		int error = -errno;

		free(pids);
		return error;
	}
	if (nr_pids)
		qsort(pids, nr_pids, sizeof(*pids), compare_pids);
	*ret = pids;
	*nr_ret = nr_pids;
	return 0;
}

/*
 * Look for a thread in one listing.
 * @ret_is_old: (out) a listed thread has ended, so it may have created another thread
 *	after the listing
 */
static int find_listed(const struct ptu_proc *proc,
		       bool (*is_wanted)(const struct ptu_proc *thread),
		       struct ptu_proc *ret, bool *ret_is_old)
{
	size_t nr_tids = 0, i;
	pid_t *tids = NULL;
	int error, found = -ESRCH;
	DIR *dir;

	*ret_is_old = false;
	error = ptu_file_list(proc->dirfd, "task", &dir);
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	error = ptu_task_list(dir, &tids, &nr_tids);
	closedir(dir);
	if (error)
		return error;
	for (i = 0; found == -ESRCH && i < nr_tids; i++) {
		struct ptu_proc thread = *proc;
		char name[32];

		snprintf(name, sizeof(name), "task/%d", (int)tids[i]);
		thread.tid = tids[i];
		thread.dirfd = ptu_file_open(proc->dirfd, name, O_DIRECTORY);
		error = thread.dirfd < 0 ?
				thread.dirfd :
				ptu_task_stat(thread.dirfd, &thread, NULL);
		if (!error && is_wanted(&thread)) {
			*ret = thread;
			found = 0;
			continue;
		}
		/* the main thread stays in the list after its end */
		*ret_is_old |= error == -ESRCH || error == -ENOENT ||
			       (!error && thread.tid != proc->pid &&
				ptu_task_is_dead(thread.state));
		if (thread.dirfd >= 0)
			close(thread.dirfd);
		/* a thread that has ended is not an error */
		if (ptu_proc_shortage(error))
			found = error;
	}
	free(tids);
	return found;
}

int ptu_task_find_thread(const struct ptu_proc *proc,
			 bool (*is_wanted)(const struct ptu_proc *thread),
			 struct ptu_proc *ret)
{
	bool is_old = true;
	int error = -ESRCH;
	unsigned int try;

	for (try = 0; error == -ESRCH && is_old && try < LISTINGS; try++)
		error = find_listed(proc, is_wanted, ret, &is_old);
	return error;
}
