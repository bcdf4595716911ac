// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the mappings of a process, and report why its files cannot be read. Must not
 * judge what they mean for page tables.
 */
#include "acquire/procfs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/maps_query.h"
#include "acquire/recording.h"
#include "base/clock.h"
#include "model/maps.h"

static int ended_or_exec(const struct ptu_proc *proc, struct ptu_err *err)
{
	return ptu_err_set(err, -EAGAIN,
			   "process %d: it ended or started another program while it was read",
			   (int)proc->pid);
}

/*
 * The mm that was opened has no users any more.  Either the task exits, and will be dead
 * only later, or it has called exec(), and its new mm can be read.  Some kernels (6.12) open
 * maps without an mm: only the status shows the difference.
 */
static int no_mm(const struct ptu_proc *proc, struct ptu_err *err)
{
	struct ptu_proc_status status;
	int error = ptu_proc_status(proc, &status, err);

	if (error)
		return error;
	return status.has_mm ? ended_or_exec(proc, err) :
			       ptu_proc_gone(proc, err);
}

int ptu_proc_refuse(const struct ptu_proc *proc, const char *name, int error,
		    struct ptu_err *err)
{
	int same, pid = (int)proc->pid;

	if (error == -ENOMEM)
		return error;
	if (error == -ETIMEDOUT)
		return ptu_err_set(err, error,
				   "process %d: reading %s took more than %.1f seconds (the estimators scan and written skip empty ranges)",
				   pid, name,
				   (double)proc->read_ns / PTU_NS_PER_SEC);
	/* the files of a zombie belong to root: it may be refused, too */
	same = ptu_proc_same(proc, err);
	if (same == -ESRCH || same == -ESTALE)
		return same;
	/* CAP_DAC_READ_SEARCH: pagemap has mode 0400; maps alone does not need it */
	if (error == -EACCES || error == -EPERM)
		return ptu_err_set(err, -EACCES,
				   "process %d: not allowed to read %s: run as its owner, or as root with CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH; a security module can still forbid it",
				   pid, name);
	if (error == -ESRCH)
		return no_mm(proc, err);
	if (error == -ENOENT)
		return ptu_err_set(err, error,
				   "process %d: this kernel has no /proc/PID/%s (CONFIG_PROC_PAGE_MONITOR)",
				   pid, name);
	return ptu_err_set(err, error, "process %d: cannot read %s: %s", pid,
			   name, strerror(-error));
}

/**
 * struct taking - state of reading mappings
 * @error: error of the parser
 */
struct taking {
	struct ptu_maps_parser *parser;
	struct ptu_err err;
	int error;
};

static int take_lines(void *arg, const char *lines)
{
	struct taking *t = arg;

	t->error = ptu_maps_take(t->parser, lines, &t->err);
	return t->error;
}

static int read_text(const struct ptu_proc *proc, const char *name,
		     struct ptu_vmas *ret, struct ptu_err *err)
{
	struct taking t = { .parser = ptu_maps_begin() };
	int error;

	if (!t.parser)
		return -ENOMEM;
	error = ptu_file_lines(proc->dirfd, name, take_lines, &t);
	if (!error)
		t.error = ptu_maps_end(t.parser, ret, &t.err);
	else
		ptu_maps_cancel(t.parser);
	if (error && !t.error)
		return ptu_proc_refuse(proc, name, error, err);
	/* -EAGAIN: the process changed meanwhile; in a recording it cannot */
	if (t.error == -EAGAIN && ptu_file_is_recording())
		t.error = -EINVAL;
	if (t.error)
		return ptu_err_set(err, t.error, "process %d: %s: %s",
				   (int)proc->pid, name,
				   t.err.text[0] ? t.err.text :
						   strerror(-t.error));
	return 0;
}

int ptu_proc_maps_again(const struct ptu_proc *proc,
			const struct ptu_vmas *known, struct ptu_vmas *ret,
			struct ptu_err *err)
{
	int fd = ptu_file_open(proc->dirfd, "maps", 0);
	int changed;

	if (fd < 0)
		return ptu_proc_refuse(proc, "maps", fd, err);
	changed = ptu_maps_query(fd, known, ret);
	close(fd);
	if (changed >= 0)
		return changed;
	/* without the ioctl, read the text */
	changed = read_text(proc, "maps", ret, err);
	if (changed)
		return changed;
	if (!ptu_vmas_same(known, ret))
		return 1;
	ptu_vmas_deinit(ret);
	return 0;
}

int ptu_proc_some_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		       struct ptu_err *err)
{
	const struct ptu_vmas none = { 0 };
	int changed = ptu_proc_maps_again(proc, &none, ret, err);

	return changed < 0 ? changed : 0;
}

int ptu_proc_maps_same(const struct ptu_proc *proc, const struct ptu_vmas *vmas,
		       struct ptu_err *err)
{
	struct ptu_vmas now;
	int changed = ptu_proc_maps_again(proc, vmas, &now, err);

	if (changed < 0)
		return changed;
	ptu_vmas_deinit(&now);
	return changed ? -EAGAIN : 0;
}

int ptu_proc_flags(const struct ptu_proc *proc, struct ptu_vmas *vmas,
		   struct ptu_err *err)
{
	struct ptu_vmas smaps;
	int error = read_text(proc, "smaps", &smaps, err);

	if (error)
		return error;
	ptu_vmas_take_flags(vmas, &smaps);
	ptu_vmas_deinit(&smaps);
	return 0;
}

/* A process without mappings cannot be estimated: report why it has none. */
static int no_memory(const struct ptu_proc *proc, struct ptu_err *err)
{
	int error = ptu_proc_has_memory(proc, err);

	if (!error)
		error = ptu_proc_same(proc, err);
	return error ? error : no_mm(proc, err);
}

/* In a recording no process ends: a process without mappings is damage. */
static int check_recorded(const struct ptu_vmas *vmas, struct ptu_err *err)
{
	struct ptu_geometry geo;
	int error = ptu_proc_geometry(&geo, err);

	return error ? error : ptu_recording_vmas(vmas, &geo, err);
}

/* @name: "maps" or "smaps"; a process without any mapping has no memory. */
static int mappings_of(const struct ptu_proc *proc, const char *name,
		       struct ptu_vmas *ret, struct ptu_err *err)
{
	struct ptu_vmas vmas;
	int error = read_text(proc, name, &vmas, err);

	if (error)
		return error;
	if (ptu_file_is_recording())
		error = check_recorded(&vmas, err);
	else if (!vmas.nr_vmas)
		error = no_memory(proc, err);
	if (error)
		ptu_vmas_deinit(&vmas);
	else
		*ret = vmas;
	return error;
}

int ptu_proc_maps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		  struct ptu_err *err)
{
	return mappings_of(proc, "maps", ret, err);
}

int ptu_proc_smaps(const struct ptu_proc *proc, struct ptu_vmas *ret,
		   struct ptu_err *err)
{
	return mappings_of(proc, "smaps", ret, err);
}
