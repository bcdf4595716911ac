/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find processes in /proc, and read what /proc shows about them and about the machine.
 * Checks the bytes and passes them to the pure parsers; must not derive tables from
 * them.
 */
#ifndef PTU_ACQUIRE_PROCFS_H
#define PTU_ACQUIRE_PROCFS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/evidence.h"
#include "model/geometry.h"

/*
 * Limits of reading one process. If it changes meanwhile, it is read again up to
 * PTU_RETRIES times, but not later than PTU_RETRY_SECONDS after it was found.
 * Reading its pagemap fails with -ETIMEDOUT after PTU_READ_SECONDS, or the caller's
 * own limit, unless at most PTU_READ_UNLIMITED bytes are mapped.  The process
 * is opened again if it calls exec(), or if the thread that is read ends.  It is opened
 * at most PTU_OPEN_TRIES times.
 */
#define PTU_RETRIES 10
#define PTU_OPEN_TRIES 5
#define PTU_RETRY_SECONDS 5
#define PTU_READ_SECONDS 50
#define PTU_READ_UNLIMITED (UINT64_C(1) << 40)

/**
 * struct ptu_proc - an open /proc/PID
 * @pid: the process
 * @tid: the thread that is read: @pid, or the first other thread if the main thread has
 *	exited
 * @ppid: its parent
 * @dirfd: /proc/PID, or /proc/PID/task/@tid; reads fail with ESRCH once the task has
 *	ended, even if its number is reused
 * @start_time: field 22 of stat, in clock ticks after boot
 * @faults: page faults until it was found, of all threads; of @tid only, if it is read
 *	through another thread
 * @opened_ns: CLOCK_MONOTONIC when the time for reading it started
 * @read_ns: time limit for reading its pagemap, PTU_READ_SECONDS if the caller does
 *	not change it
 * @reopened: how often it was opened again
 * @comm: as in stat, without the parentheses
 * @state: state of @tid: 'R', 'S', 'Z', ...
 * @kthread: it is a kernel thread (PF_KTHREAD in field 9 of stat)
 */
struct ptu_proc {
	pid_t pid;
	pid_t tid;
	pid_t ppid;
	int dirfd;
	uint64_t start_time;
	uint64_t faults;
	uint64_t opened_ns;
	uint64_t read_ns;
	unsigned int reopened;
	char comm[64];
	char state;
	bool kthread;
};

/**
 * struct ptu_proc_status - values of /proc/PID/status
 * @uid: real UID
 * @has_mm: there is a VmPTE line
 * @vmpte_bytes: VmPTE
 * @vmrss_bytes: VmRSS
 */
struct ptu_proc_status {
	uid_t uid;
	bool has_mm;
	uint64_t vmpte_bytes;
	uint64_t vmrss_bytes;
};

/**
 * ptu_proc_own_namespace() - Do /proc and system calls use the same PIDs?
 *
 * Return: 0, also in a recording; -EXDEV /proc shows another PID namespace than
 * that of this process; -ENOENT /proc is not mounted; -errno.
 */
ptu_must_check int ptu_proc_own_namespace(struct ptu_err *err);

/**
 * ptu_proc_open() - Find a process.
 * @ret: (out) close with ptu_proc_close()
 *
 * Return: 0; -ESRCH no such process; the errors of ptu_proc_own_namespace();
 * -errno.
 */
ptu_must_check int ptu_proc_open(pid_t pid, struct ptu_proc *ret,
				 struct ptu_err *err);

void ptu_proc_close(struct ptu_proc *proc);

/**
 * ptu_proc_open_again() - Open the process that had this PID before.
 * @start_time: (in) its ptu_proc.start_time
 *
 * Return: as ptu_proc_open(); -ESRCH, too, if another process has the PID now.
 */
ptu_must_check static inline int ptu_proc_open_again(pid_t pid,
						     uint64_t start_time,
						     struct ptu_proc *ret,
						     struct ptu_err *err)
{
	int error = ptu_proc_open(pid, ret, err);

	if (error || ret->start_time == start_time)
		return error;
	ptu_proc_close(ret);
	return ptu_err_set(err, -ESRCH, "process %d ended", (int)pid);
}

/**
 * ptu_proc_shortage() - Does an error mean that ptaudit lacks descriptors or memory?
 *
 * Then the process may still exist.
 */
bool ptu_proc_shortage(int error);

/**
 * ptu_proc_is_zombie() - Have all of its threads ended?
 */
bool ptu_proc_is_zombie(const struct ptu_proc *proc);

/**
 * ptu_proc_has_memory() - Can it have page tables?
 *
 * Return: 0; -EINVAL a kernel thread or a zombie.
 */
ptu_must_check int ptu_proc_has_memory(const struct ptu_proc *proc,
				       struct ptu_err *err);

/**
 * ptu_proc_same() - Is it still the same process?
 *
 * Return: 0; -ESRCH, -ESTALE as ptu_proc_gone().  A process stays the same after
 * exec().
 */
ptu_must_check int ptu_proc_same(const struct ptu_proc *proc,
				 struct ptu_err *err);

/**
 * ptu_proc_faulted() - Has it had page faults since it was opened?
 *
 * Return: false also if this is unknown.
 */
bool ptu_proc_faulted(const struct ptu_proc *proc);

/**
 * ptu_proc_denied() - Check whether the kernel refuses access to the process's mappings.
 *
 * Every user may read /proc/PID/stat and status.  maps and pagemap need permission.
 */
bool ptu_proc_denied(const struct ptu_proc *proc);

/**
 * ptu_proc_gone() - Find out why the task that is read has ended.
 *
 * Return: -ESRCH the process ended; -ESTALE only the thread ended: the process can
 * be opened again.
 */
int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *err);

/**
 * ptu_proc_reopen() - After -ESTALE: open the same process again, in the same time limit.
 * @proc: (in, out) untouched on failure
 *
 * Return: 0; -ESTALE it was opened PTU_OPEN_TRIES times; -ESRCH it ended; -errno.
 */
ptu_must_check int ptu_proc_reopen(struct ptu_proc *proc);

/**
 * ptu_proc_try_again() - Is another attempt to read the process allowed?
 * @tries: (in) attempts so far
 *
 * Return: true for the first attempt; later, true while there are attempts and time
 * left. Nested loops share the time.
 */
bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries);

/**
 * ptu_proc_changed() - Report that it changed during each attempt.
 * @tries: (in) number of attempts
 *
 * Return: -EAGAIN.
 */
int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *err);

/**
 * ptu_proc_deadline_ns() - CLOCK_MONOTONIC at which reading must end.
 */
uint64_t ptu_proc_deadline_ns(const struct ptu_proc *proc);

/**
 * ptu_proc_reads_long() - Does the process map so much that reading has a time limit?
 *
 * Small processes have no limit, so that a slow or busy machine can measure them.
 */
bool ptu_proc_reads_long(const struct ptu_evidence *e);

/**
 * ptu_proc_line() - The value of a line "@key:\tvalue" of status.
 *
 * Return: the text behind the colon, or NULL.
 */
const char *ptu_proc_line(const char *text, const char *key);

ptu_must_check int ptu_proc_status(const struct ptu_proc *proc,
				   struct ptu_proc_status *ret,
				   struct ptu_err *err);

/**
 * ptu_proc_status_of_living() - Read status; if the thread has ended, of another one.
 * @proc: (in, out) is then the other thread
 * @ret: (out) has_mm is set
 *
 * Return: 0; -errno as ptu_proc_gone().
 */
ptu_must_check int ptu_proc_status_of_living(struct ptu_proc *proc,
					     struct ptu_proc_status *ret,
					     struct ptu_err *err);

/**
 * ptu_proc_evidence() - Read the evidence for estimators.
 * @needs: PTU_NEEDS_*
 * @start: (in) start of the requested range, 0 for all
 * @end: (in) end of the requested range, UINT64_MAX for all. The mappings are
 *	always read completely; the pagemap is only read in this range, and only
 *	changes of mappings in this range matter.
 * @ret: (out) free with ptu_evidence_deinit(); untouched on failure
 *
 * Return: 0; -ESRCH the process ended; -EACCES not allowed to read it; -EAGAIN its
 * mappings changed during every attempt, and @needs has no PTU_TAKES_CHANGES; -EBADMSG
 * files of a recording contradict each other; -EIO a short read; -errno.
 */
ptu_must_check int ptu_proc_evidence(const struct ptu_proc *proc,
				     const struct ptu_geometry *geo,
				     unsigned int needs, uint64_t start,
				     uint64_t end, struct ptu_evidence *ret,
				     struct ptu_err *err);

/**
 * ptu_proc_flags() - Read the flags of mappings (smaps), which prove causes.
 * @vmas: from ptu_proc_evidence(); mappings that have changed get no flags
 *
 * Expensive: the kernel walks all of the process's memory.
 *
 * Return: 0; -errno as ptu_proc_evidence().
 */
ptu_must_check int ptu_proc_flags(const struct ptu_proc *proc,
				  struct ptu_vmas *vmas, struct ptu_err *err);

/**
 * ptu_proc_maps() - Read the mappings only.
 * @ret: (out) at least one; free with ptu_vmas_deinit()
 *
 * Return: 0; -EINVAL a kernel thread; -errno as ptu_proc_evidence().
 */
ptu_must_check int ptu_proc_maps(const struct ptu_proc *proc,
				 struct ptu_vmas *ret, struct ptu_err *err);

/**
 * ptu_proc_some_maps() - Read the mappings; names and [vsyscall] may be missing.
 * @ret: (out) may be empty; free with ptu_vmas_deinit()
 *
 * Return: 0; -errno as ptu_proc_evidence().
 */
ptu_must_check int ptu_proc_some_maps(const struct ptu_proc *proc,
				      struct ptu_vmas *ret,
				      struct ptu_err *err);

/**
 * ptu_proc_maps_again() - Read the mappings again, and store them only if they have changed.
 * @known: (in) as read before
 * @ret: (out) as from ptu_proc_some_maps(); empty if they have not changed
 *
 * Return: 1 changed; 0 unchanged; -errno as ptu_proc_maps().
 */
ptu_must_check int ptu_proc_maps_again(const struct ptu_proc *proc,
				       const struct ptu_vmas *known,
				       struct ptu_vmas *ret,
				       struct ptu_err *err);

/**
 * ptu_proc_smaps() - Read the mappings with all fields of smaps.
 * @ret: (out) at least one; free with ptu_vmas_deinit()
 *
 * Expensive: the kernel walks all of the process's memory.
 *
 * Return: 0; -errno as ptu_proc_maps().
 */
ptu_must_check int ptu_proc_smaps(const struct ptu_proc *proc,
				  struct ptu_vmas *ret, struct ptu_err *err);

/**
 * ptu_proc_maps_same() - Are the mappings unchanged?
 *
 * Return: 0; -EAGAIN they changed; -errno as ptu_proc_maps().
 */
ptu_must_check int ptu_proc_maps_same(const struct ptu_proc *proc,
				      const struct ptu_vmas *vmas,
				      struct ptu_err *err);

/**
 * ptu_proc_refuse() - Report why a file of a process cannot be read.
 * @name: (in) the file, relative to /proc/PID
 * @error: (in) error of opening or reading it
 *
 * Return: @error; -EACCES not allowed; -ESRCH the process ended.
 */
ptu_must_check int ptu_proc_refuse(const struct ptu_proc *proc,
				   const char *name, int error,
				   struct ptu_err *err);

/**
 * ptu_proc_geometry() - The geometry of the running machine.
 */
ptu_must_check int ptu_proc_geometry(struct ptu_geometry *ret,
				     struct ptu_err *err);

/**
 * ptu_proc_cpu_flags() - The flags line of /proc/cpuinfo.
 * @ret: (out) free() it; on arm64 "va" and the number of address bits
 */
ptu_must_check int ptu_proc_cpu_flags(char **ret, struct ptu_err *err);

/**
 * ptu_proc_hides() - Why does /proc not show all processes of the machine?
 *
 * Return: the end of a sentence; NULL: /proc shows all.
 */
const char *ptu_proc_hides(void);

/**
 * ptu_proc_hides_users() - Does /proc hide the processes of other users (hidepid)?
 */
bool ptu_proc_hides_users(void);

/**
 * ptu_proc_list() - All processes (thread group leaders) that /proc shows, ascending.
 * @pids: (out) free() it
 */
ptu_must_check int ptu_proc_list(pid_t **pids, size_t *nr_pids,
				 struct ptu_err *err);

/**
 * ptu_proc_boot_id() - /proc/sys/kernel/random/boot_id.
 */
ptu_must_check int ptu_proc_boot_id(char *ret, size_t ret_bytes,
				    struct ptu_err *err);

#endif
