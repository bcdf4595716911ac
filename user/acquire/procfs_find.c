// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find processes in /proc, and for each one the thread through which its memory can
 * be read.  The only place that distinguishes kernel threads, zombies and ended
 * processes.
 */
#include "acquire/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/procfs_task.h"
#include "base/clock.h"

/* Inode of the initial PID namespace.  Source: include/linux/proc_ns.h (5.10 to 7.3). */
#define FIRST_PID_NAMESPACE 0xeffffffcu

/* Number of checks, 1 ms apart, whether a thread is dead. */
#define GONE_LOOKS 100

static int no_such_process(pid_t pid, struct ptu_err *err)
{
	if (!ptu_file_is_recording() && (!kill(pid, 0) || errno == EPERM))
		return ptu_err_set(err, -ESRCH,
				   "process %d: /proc is mounted with hidepid, and hides it: run as its owner, or as root with CAP_SYS_PTRACE",
				   (int)pid);
	return ptu_err_set(err, -ESRCH, "process %d: %sno such process",
			   (int)pid,
			   ptu_file_is_recording() ? "the recording has " : "");
}

static int ended(pid_t pid, struct ptu_err *err)
{
	return ptu_err_set(err, -ESRCH, "process %d ended", (int)pid);
}

/*
 * NSpid lists our PID in the PID namespace of /proc, then in each nested namespace
 * down to our own. It is our own namespace if there is one number. Source:
 * fs/proc/array.c, task_state() (5.10 to 7.3).
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

static bool is_alive(const struct ptu_proc *thread)
{
	return !ptu_task_is_dead(thread->state);
}

/*
 * The main thread has exited: use the first thread that still runs, which has the
 * memory. If there is none, @proc is unchanged.
 */
static int use_living_thread(struct ptu_proc *proc, struct ptu_err *err)
{
	struct ptu_proc thread;
	pid_t recorded;
	char state;
	int error;

	if (ptu_task_recorded(proc->dirfd, proc->pid, &recorded, &state) &&
	    recorded != proc->pid) {
		proc->tid = recorded;
		proc->state = state;
		return 0;
	}
	error = ptu_task_find_thread(proc, is_alive, &thread);
	if (ptu_proc_shortage(error))
		return ptu_err_set(err, error,
				   "process %d: cannot list its threads: %s",
				   (int)proc->pid, strerror(-error));
	if (error)
		return 0; /* the process has ended */
	close(proc->dirfd);
	proc->dirfd = thread.dirfd;
	proc->tid = thread.tid;
	proc->state = thread.state;
	proc->faults = thread.faults;
	return 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	struct ptu_proc proc = { .pid = pid,
				 .tid = pid,
				 .opened_ns = ptu_now_ns(),
				 .read_ns = PTU_READ_SECONDS * PTU_NS_PER_SEC };
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
	error = ptu_task_stat(proc.dirfd, &proc, err);
	if (!error && ptu_task_is_dead(proc.state) && !proc.kthread)
		error = use_living_thread(&proc, err);
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
	return ptu_task_is_dead(proc->state);
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

int ptu_proc_reopen(struct ptu_proc *proc)
{
	struct ptu_proc now;
	int error;

	if (proc->reopened + 1 == PTU_OPEN_TRIES)
		return -ESTALE;
	error = ptu_proc_open(proc->pid, &now, NULL);
	if (error)
		return error;
	if (now.start_time != proc->start_time) {
		ptu_proc_close(&now);
		return -ESRCH;
	}
	now.opened_ns = proc->opened_ns;
	now.read_ns = proc->read_ns;
	now.reopened = proc->reopened + 1;
	ptu_proc_close(proc);
	*proc = now;
	return 0;
}

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	struct ptu_proc now = *proc;
	int error;

	/* a recording does not change; its `stat` may be of another thread */
	if (ptu_file_is_recording())
		return 0;
	error = ptu_task_stat(proc->dirfd, &now, err);
	/* a zombie has no mm: treat it as ended */
	if (error == -ESRCH || (!error && ptu_task_is_dead(now.state)))
		return ptu_proc_gone(proc, err);
	return error;
}

bool ptu_proc_faulted(const struct ptu_proc *proc)
{
	struct ptu_proc now = *proc;

	return !ptu_task_stat(proc->dirfd, &now, NULL) &&
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
	ptu_err_clear(err);
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
	return proc->opened_ns + proc->read_ns;
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

bool ptu_proc_hides_users(void)
{
	const int error = try_open(1);

	/* without /proc, there is no own directory either */
	return (error == -ENOENT || error == -EPERM || error == -EACCES) &&
	       !try_open(getpid());
}

const char *ptu_proc_hides(void)
{
	struct stat own;

	if (ptu_file_is_recording())
		return NULL;
	if (!stat("/proc/self/ns/pid", &own) &&
	    own.st_ino != FIRST_PID_NAMESPACE)
		return "ptaudit runs in a PID namespace, and does not see the processes outside of it";
	if (ptu_proc_hides_users())
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
		error = ptu_task_list(dir, pids, nr_pids);
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
