// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find processes in /proc, and for each one the thread through which its memory can
 * be read.  The only place that distinguishes kernel threads, zombies and ended
 * processes.
 */
#include "acquire/procfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"
#include "base/array.h"
#include "base/clock.h"

/* Source: include/linux/sched.h, PF_KTHREAD (5.10 to 7.2). */
#define PF_KTHREAD 0x00200000ul

/* The first PID namespace.  Source: include/linux/proc_ns.h (5.10 to 7.2). */
#define FIRST_PID_NAMESPACE 0xeffffffcu

/* Number of checks, 1 ms apart, whether a thread is dead. */
#define GONE_LOOKS 100

static int no_such_process(pid_t pid, struct ptu_err *err)
{
	return ptu_err_set(err, -ESRCH, "process %d: no such process",
			   (int)pid);
}

static int ended(pid_t pid, struct ptu_err *err)
{
	return ptu_err_set(err, -ESRCH, "process %d ended", (int)pid);
}

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

static bool is_dead(char state)
{
	return state == 'Z' || state == 'X';
}

/* Of which thread is the recorded status? Return: false if it is not one of @pid. */
static bool recorded_thread(int dirfd, pid_t pid, pid_t *ret, char *ret_state)
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

	return recorded_thread(dirfd, pid, &recorded, &state) &&
	       recorded == tid;
}

/* Return: 0; -ESRCH, without a message, if the task has ended; -errno. */
static int read_stat(int dirfd, struct ptu_proc *ret, struct ptu_err *err)
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
				    "process %d: stat is not as the kernel writes it",
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

static int list_pids(DIR *dir, pid_t **ret, size_t *nr_ret)
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
 * The main thread has exited: find the first thread that still runs, which has the
 * memory. If there is none, @proc is unchanged.
 */
static int find_thread(struct ptu_proc *proc)
{
	struct ptu_proc thread = { .pid = proc->pid };
	size_t nr_tids = 0, i;
	pid_t *tids = NULL;
	char name[32];
	DIR *dir;
	pid_t recorded;
	char state;
	int fd, error;

	if (recorded_thread(proc->dirfd, proc->pid, &recorded, &state) &&
	    recorded != proc->pid) {
		proc->tid = recorded;
		proc->state = state;
		return 0;
	}
	error = ptu_file_list(proc->dirfd, "task", &dir);
	if (error)
		return 0; /* the process has ended */
	error = list_pids(dir, &tids, &nr_tids);
	closedir(dir);
	for (i = 0; !error && i < nr_tids && proc->tid == proc->pid; i++) {
		snprintf(name, sizeof(name), "task/%d", (int)tids[i]);
		fd = ptu_file_open(proc->dirfd, name, O_DIRECTORY);
		if (fd < 0)
			continue;
		thread.tid = tids[i];
		if (read_stat(fd, &thread, NULL) || is_dead(thread.state)) {
			close(fd);
			continue;
		}
		close(proc->dirfd);
		proc->dirfd = fd;
		proc->tid = tids[i];
		proc->state = thread.state;
	}
	free(tids);
	return error == -ENOMEM ? error : 0;
}

/*
 * NSpid lists our PID in the PID namespace of /proc, then in each nested namespace
 * down to our own. It is our own namespace if there is one number. Source:
 * fs/proc/array.c, task_state() (5.10 to 7.2).
 */
static bool is_own_number(const char *status)
{
	const char *at = ptu_proc_line(status, "NSpid");
	char *end;

	if (!at) /* a kernel without PID namespaces */
		at = ptu_proc_line(status, "Pid");
	return at && strtol(at, &end, 10) == getpid() && *end == '\n';
}

int ptu_proc_own_namespace(struct ptu_err *err)
{
	static atomic_bool is_own;
	char *text;
	int error;

	if (is_own || ptu_file_is_recording())
		return 0;
	error = ptu_file_read(PTU_PROC_ROOT, "self/status", 0, &text);
	if (!error) {
		is_own = is_own_number(text);
		free(text);
		if (is_own)
			return 0;
	} else if (error != -ENOENT) {
		return ptu_err_set(err, error,
				   "cannot read /proc/self/status: %s",
				   strerror(-error));
	} else if (ptu_file_read(PTU_PROC_ROOT, "stat", 1, &text)) {
		return ptu_err_set(err, error,
				   "/proc is not mounted: mount -t proc proc /proc");
	} else {
		free(text);
	}
	return ptu_err_set(err, -EXDEV,
			   "/proc shows another PID namespace than the one that ptaudit runs in, where a PID is another process: mount a /proc of this namespace (mount -t proc proc /proc)");
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	struct ptu_proc proc = { .pid = pid,
				 .tid = pid,
				 .opened_ns = ptu_now_ns() };
	char name[16];
	int error;

	if (pid <= 0)
		return ptu_err_set(err, -EINVAL, "%d is not a PID", (int)pid);
	error = ptu_proc_own_namespace(err);
	if (error)
		return error;
	snprintf(name, sizeof(name), "%d", (int)pid);
	proc.dirfd = ptu_file_open(PTU_PROC_ROOT, name, O_DIRECTORY);
	if (proc.dirfd == -ENOENT || proc.dirfd == -ESRCH)
		return no_such_process(pid, err);
	if (proc.dirfd < 0)
		return ptu_err_set(err, proc.dirfd,
				   "process %d: cannot open /proc/%d: %s",
				   (int)pid, (int)pid, strerror(-proc.dirfd));
	error = read_stat(proc.dirfd, &proc, err);
	if (!error && is_dead(proc.state) && !proc.kthread)
		error = find_thread(&proc);
	if (error) {
		ptu_proc_close(&proc);
		return error == -ESRCH ? ended(pid, err) : error;
	}
	*ret = proc;
	return 0;
}

void ptu_proc_close(struct ptu_proc *proc)
{
	if (proc->dirfd >= 0)
		close(proc->dirfd);
	proc->dirfd = -1;
}

bool ptu_proc_shortage(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

bool ptu_proc_is_zombie(const struct ptu_proc *proc)
{
	return is_dead(proc->state);
}

int ptu_proc_has_memory(const struct ptu_proc *proc, struct ptu_err *err)
{
	if (proc->kthread)
		return ptu_err_set(err, -EINVAL,
				   "process %d is a kernel thread: it has no page tables of its own",
				   (int)proc->pid);
	if (ptu_proc_is_zombie(proc))
		return ptu_err_set(err, -EINVAL,
				   "process %d is a zombie: its page tables are already freed",
				   (int)proc->pid);
	return 0;
}

int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *err)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	bool lives = false, is_ending = true;
	unsigned int look;

	/* a thread drops its mm shortly before its state becomes dead */
	for (look = 0; is_ending && look < GONE_LOOKS; look++) {
		struct ptu_proc now;

		if (look)
			nanosleep(&pause, NULL);
		if (ptu_proc_open(proc->pid, &now, NULL))
			break;
		is_ending = now.start_time == proc->start_time &&
			    now.tid == proc->tid && !ptu_proc_is_zombie(&now);
		lives = now.start_time == proc->start_time &&
			now.tid != proc->tid && !ptu_proc_is_zombie(&now);
		ptu_proc_close(&now);
	}
	if (!lives)
		return ended(proc->pid, err);
	return ptu_err_set(err, -ESTALE,
			   "process %d: it was read through thread %d, which has ended; other threads still run",
			   (int)proc->pid, (int)proc->tid);
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	struct ptu_proc now = *proc;
	int error = read_stat(proc->dirfd, &now, err);

	/* a zombie has no mm: treat it as ended */
	if (error == -ESRCH || (!error && is_dead(now.state)))
		return ptu_proc_gone(proc, err);
	return error;
}

bool ptu_proc_faulted(const struct ptu_proc *proc)
{
	struct ptu_proc now = *proc;

	return !read_stat(proc->dirfd, &now, NULL) &&
	       now.faults != proc->faults;
}

bool ptu_proc_denied(const struct ptu_proc *proc)
{
	int fd = ptu_file_open(proc->dirfd, "maps", 0);

	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM;
}

/*
 * Keep freed memory in the heap while ptaudit reads itself. Otherwise its mappings
 * would change in each attempt.  Do not do this in a program that uses the library: the
 * heap belongs to that program.
 */
static void keep_own_mappings(void)
{
#ifndef PTU_IN_LIBRARY
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries)
{
	if (tries && proc->pid == getpid())
		keep_own_mappings();
	return !tries ||
	       (tries < PTU_RETRIES &&
		ptu_now_ns() <
			proc->opened_ns + PTU_RETRY_SECONDS * PTU_NS_PER_SEC);
}

int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *err)
{
	if (err)
		err->text[0] = '\0';
	if (tries < PTU_RETRIES)
		return ptu_err_set(err, -EAGAIN,
				   "process %d: its mappings changed during each of %u attempt%s to read them, and the time limit of %d seconds was reached",
				   (int)proc->pid, tries, tries == 1 ? "" : "s",
				   PTU_RETRY_SECONDS);
	return ptu_err_set(err, -EAGAIN,
			   "process %d: its mappings changed during each of %u attempts to read them",
			   (int)proc->pid, tries);
}

uint64_t ptu_proc_deadline_ns(const struct ptu_proc *proc)
{
	return proc->opened_ns + PTU_READ_SECONDS * PTU_NS_PER_SEC;
}

/* With hidepid=1 the directories of other users' processes are listed, but not opened. */
static int try_open(pid_t pid)
{
	char name[16];
	int fd;

	snprintf(name, sizeof(name), "%d", (int)pid);
	fd = ptu_file_open(PTU_PROC_ROOT, name, O_DIRECTORY);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

const char *ptu_proc_hides(void)
{
	struct stat own;
	int error;

	if (ptu_file_is_recording())
		return NULL;
	if (!stat("/proc/self/ns/pid", &own) &&
	    own.st_ino != FIRST_PID_NAMESPACE)
		return "ptaudit runs in a PID namespace, and does not see the processes outside of it";
	error = try_open(1);
	if (error == -ENOENT || error == -EPERM || error == -EACCES)
		return "/proc is mounted with hidepid, and hides the processes of other users";
	return NULL;
}

static void drop_hidden(pid_t *pids, size_t *nr_pids)
{
	size_t i, kept = 0;

	for (i = 0; i < *nr_pids; i++) {
		int error = try_open(pids[i]);

		if (error != -EPERM && error != -EACCES)
			pids[kept++] = pids[i];
	}
	*nr_pids = kept;
}

int ptu_proc_list(pid_t **pids, size_t *nr_pids, struct ptu_err *err)
{
	DIR *dir;
	int error = ptu_proc_own_namespace(err);

	if (error)
		return error;
	error = ptu_file_list(PTU_PROC_ROOT, "", &dir);
	if (!error) {
		error = list_pids(dir, pids, nr_pids);
		closedir(dir);
	}
	if (error)
		return ptu_err_set(err, error, "cannot list /proc: %s",
				   strerror(-error));
	if (ptu_proc_hides())
		drop_hidden(*pids, nr_pids);
	if (!*nr_pids)
		return ptu_err_set(err, -ENOENT,
				   "no processes in /proc: is it mounted?");
	return 0;
}
