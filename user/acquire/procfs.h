/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The reader of /proc (with scan.c).  Bytes are checked and handed
 * to the pure parsers; nothing is interpreted as a table here.
 */
#ifndef PTU_ACQUIRE_PROCFS_H
#define PTU_ACQUIRE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/evidence.h"
#include "model/geometry.h"

/*
 * The time that one process may take.  What changed meanwhile is read again up
 * to PTU_RETRIES times, and not after PTU_RETRY_SECONDS from when the process
 * was found.  Reading its pagemap ends with -ETIMEDOUT after PTU_READ_SECONDS if
 * more than PTU_READ_UNLIMITED bytes of addresses are mapped.
 */
#define PTU_RETRIES 10
#define PTU_RETRY_SECONDS 5
#define PTU_READ_SECONDS 50
#define PTU_READ_UNLIMITED (UINT64_C(1) << 40)

/**
 * struct ptu_proc - an open /proc/PID
 * @pid: the process
 * @tid: the thread that is read: @pid, or where the main thread has exited the
 *	first one that lives on
 * @ppid: its parent
 * @dirfd: /proc/PID, or /proc/PID/task/@tid; reads through it fail with ESRCH
 *	once the task is gone, also if another one has its number
 * @start_time: field 22 of stat, clock ticks after boot
 * @faults: page faults until it was found, of all threads; through a thread, its own
 * @opened_ns: CLOCK_MONOTONIC when it was found
 * @comm: as in stat, without the parentheses
 * @state: of the thread that is read: 'R', 'S', 'Z', ...
 * @kthread: a kernel thread (PF_KTHREAD in field 9 of stat)
 */
struct ptu_proc {
	pid_t pid;
	pid_t tid;
	pid_t ppid;
	int dirfd;
	uint64_t start_time;
	uint64_t faults;
	uint64_t opened_ns;
	char comm[64];
	char state;
	bool kthread;
};

/**
 * struct ptu_proc_status - what /proc/PID/status says
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
 * ptu_proc_own_namespace() - Is a PID in /proc the same process to system calls?
 *
 * Return: 0, and in a recording; -EXDEV /proc shows another PID namespace than
 * that of this process; -ENOENT /proc is not mounted; -errno.
 */
ptu_must_check int ptu_proc_own_namespace(struct ptu_err *err);

/**
 * ptu_proc_open() - Find a process.
 * @ret: (out) close with ptu_proc_close()
 *
 * Return: 0; -ESRCH no such process; -errno, as ptu_proc_own_namespace() too.
 */
ptu_must_check int ptu_proc_open(pid_t pid, struct ptu_proc *ret,
				 struct ptu_err *err);

void ptu_proc_close(struct ptu_proc *proc);

/**
 * ptu_proc_is_zombie() - Has each of its threads ended?
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
 * ptu_proc_same() - Is it still the process that was opened?
 *
 * Return: 0; -ESRCH, -ESTALE as ptu_proc_gone().  exec keeps a process the same.
 */
ptu_must_check int ptu_proc_same(const struct ptu_proc *proc,
				 struct ptu_err *err);

/**
 * ptu_proc_faulted() - Has it had page faults since it was opened?
 *
 * Return: false also where that cannot be told.
 */
bool ptu_proc_faulted(const struct ptu_proc *proc);

/**
 * ptu_proc_denied() - Is the process one whose mappings we must not read?
 *
 * /proc/PID/stat and status are for everybody, maps and pagemap are not.
 */
bool ptu_proc_denied(const struct ptu_proc *proc);

/**
 * ptu_proc_gone() - What it means that the task that is read has ended.
 *
 * Return: -ESRCH the process ended; -ESTALE the thread did, and another one
 * lives on: the process can be opened again.
 */
int ptu_proc_gone(const struct ptu_proc *proc, struct ptu_err *err);

/**
 * ptu_proc_try_again() - May it be read once more?
 * @tries: (in) attempts so far
 *
 * Return: true for the first attempt; then as long as there are attempts and
 * time left, of which each loop around it takes its part.
 */
bool ptu_proc_try_again(const struct ptu_proc *proc, unsigned int tries);

/**
 * ptu_proc_changed() - Say that it changed under each attempt.
 * @tries: (in) attempts that were made
 *
 * Return: -EAGAIN.
 */
int ptu_proc_changed(const struct ptu_proc *proc, unsigned int tries,
		     struct ptu_err *err);

/**
 * ptu_proc_deadline_ns() - CLOCK_MONOTONIC when reading it has to end.
 */
uint64_t ptu_proc_deadline_ns(const struct ptu_proc *proc);

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
 * ptu_proc_evidence() - Read what estimators need.
 * @needs: PTU_NEEDS_*
 * @start: (in) first address of interest, 0 for all
 * @end: (in) end of the addresses of interest, UINT64_MAX for all; the
 *	mappings are always read whole, the pagemap only in this range, and only
 *	there do changes of mappings matter
 * @ret: (out) deinit with ptu_evidence_deinit(); untouched on failure
 *
 * Return: 0; -ESRCH the process ended; -EACCES not allowed to look at it;
 * -EAGAIN its mappings changed under every attempt, and @needs has no
 * PTU_TAKES_CHANGES; -EIO a short read; -errno.
 */
ptu_must_check int ptu_proc_evidence(const struct ptu_proc *proc,
				     const struct ptu_geometry *geo,
				     unsigned int needs, uint64_t start,
				     uint64_t end, struct ptu_evidence *ret,
				     struct ptu_err *err);

/**
 * ptu_proc_flags() - Read the flags of mappings (smaps), which the proof of a
 * cause rests on.
 * @vmas: of ptu_proc_evidence(); mappings that changed since stay without flags
 *
 * Costs a walk of all of the process's memory by the kernel.
 *
 * Return: 0; -errno as ptu_proc_evidence().
 */
ptu_must_check int ptu_proc_flags(const struct ptu_proc *proc,
				  struct ptu_vmas *vmas, struct ptu_err *err);

/**
 * ptu_proc_maps() - Read the mappings alone.
 * @ret: (out) one at least; deinit with ptu_vmas_deinit()
 *
 * Return: 0; -EINVAL a kernel thread; -errno as ptu_proc_evidence().
 */
ptu_must_check int ptu_proc_maps(const struct ptu_proc *proc,
				 struct ptu_vmas *ret, struct ptu_err *err);

/**
 * ptu_proc_some_maps() - Read the mappings, perhaps without names and [vsyscall].
 * @ret: (out) may be none; deinit with ptu_vmas_deinit()
 *
 * Return: 0; -errno as ptu_proc_evidence().
 */
ptu_must_check int ptu_proc_some_maps(const struct ptu_proc *proc,
				      struct ptu_vmas *ret,
				      struct ptu_err *err);

/**
 * ptu_proc_smaps() - Read the mappings with all that smaps says of them.
 * @ret: (out) one at least; deinit with ptu_vmas_deinit()
 *
 * Costs a walk of all of the process's memory by the kernel.
 *
 * Return: 0; -errno as ptu_proc_maps().
 */
ptu_must_check int ptu_proc_smaps(const struct ptu_proc *proc,
				  struct ptu_vmas *ret, struct ptu_err *err);

/**
 * ptu_proc_maps_same() - Are they still the same?
 *
 * Return: 0; -EAGAIN they changed; -errno as ptu_proc_maps().
 */
ptu_must_check int ptu_proc_maps_same(const struct ptu_proc *proc,
				      const struct ptu_vmas *vmas,
				      struct ptu_err *err);

/**
 * ptu_proc_refuse() - Say why a file of a process cannot be read.
 * @name: (in) the file, below /proc/PID
 * @error: (in) of opening or reading it
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
 * @ret: (out) free() it
 */
ptu_must_check int ptu_proc_cpu_flags(char **ret, struct ptu_err *err);

/**
 * ptu_proc_list() - All processes (thread group leaders), ascending.
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
