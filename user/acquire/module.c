// SPDX-License-Identifier: LGPL-2.1-or-later
/* Talk to the module through debugfs; must not interpret its answers. */
#include "acquire/module.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/walk_recorded.h"

#define DEBUGFS "/sys/kernel/debug"
#define DIRECTORY DEBUGFS "/ptaudit"
#define LOADED "/sys/module/ptaudit"
#define DEBUGFS_MAGIC 0x64626720 /* linux/magic.h */

/* Report why the module's files cannot be opened, and what to do about it. */
static int explain_open(int error, struct ptu_err *err)
{
	struct statfs fs;
	struct stat st;
	const bool has_debugfs = !statfs(DEBUGFS, &fs) &&
				 fs.f_type == DEBUGFS_MAGIC;

	if (geteuid())
		return ptu_err_set(err, -EPERM,
				   "the module needs root; `ptaudit estimate` measures your own processes without root");
	if (error == -ENOENT && stat(has_debugfs ? DIRECTORY : LOADED, &st))
		return ptu_err_set(err, error,
				   "the module is not loaded: ptaudit load, or insmod ptaudit.ko");
	if (!has_debugfs)
		return ptu_err_set(err, error,
				   "the module needs debugfs, which is not mounted: mount -t debugfs none " DEBUGFS);
	if (error == -EPERM || error == -EACCES)
		return ptu_err_set(err, error,
				   "the kernel refuses access to " DIRECTORY
				   ": it is locked down (see /sys/kernel/security/lockdown), or CAP_SYS_ADMIN in the initial user namespace is missing");
	return ptu_err_set(err, error,
			   "cannot open a file below " DIRECTORY ": %s",
			   strerror(-error));
}

/* Read to the end of the file and append a NUL. */
static int read_all(int fd, char **ret, size_t *nr_bytes)
{
	size_t capacity = 64 << 10, used = 0;
	char *bytes = malloc(capacity);
	ssize_t n;

	if (!bytes)
		return -ENOMEM;
	for (;;) {
		if (used + 1 == capacity) {
			char *more = realloc(bytes, capacity * 2);

			if (!more) {
				free(bytes);
				return -ENOMEM;
			}
			bytes = more;
			capacity *= 2;
		}
		n = read(fd, bytes + used, capacity - used - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = -errno;

			free(bytes);
			return error;
		}
		if (!n)
			break;
		used += n;
	}
	bytes[used] = '\0';
	*ret = bytes;
	*nr_bytes = used;
	return 0;
}

int ptu_truth_open(const char *name, struct ptu_err *err)
{
	char path[sizeof(DIRECTORY) + 32];
	int fd;

	snprintf(path, sizeof(path), DIRECTORY "/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	fd = -errno;
	if (geteuid())
		return ptu_err_set(err, fd,
				   "kpagemap needs root, because it shows all page frames");
	if (fd == -ENOENT && !access(DIRECTORY "/tables", F_OK))
		return ptu_err_set(err, fd,
				   "the loaded module has no file %s: load the module of this version",
				   name);
	return explain_open(fd, err);
}

int ptu_truth_text(const char *name, char **ret, struct ptu_err *err)
{
	int fd = ptu_truth_open(name, err);
	size_t nr_bytes;
	int error;

	if (fd < 0)
		return fd;
	error = read_all(fd, ret, &nr_bytes);
	close(fd);
	if (error)
		return ptu_err_set(err, error,
				   "cannot read the module's %s: %s", name,
				   strerror(-error));
	return 0;
}

int ptu_truth_geometry(char **ret, struct ptu_err *err)
{
	size_t nr_bytes;
	int error, fd;

	fd = open(DIRECTORY "/geometry", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return explain_open(-errno, err);
	error = read_all(fd, ret, &nr_bytes);
	close(fd);
	if (error)
		ptu_err_set(err, error,
			    "cannot read " DIRECTORY "/geometry: %s",
			    strerror(-error));
	return error;
}

/* A locked-down kernel allows reading `geometry`, but refuses files with write access. */
static int may_ask(struct ptu_err *err)
{
	int fd = open(DIRECTORY "/tables", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return explain_open(-errno, err);
	close(fd);
	return 0;
}

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *err)
{
	char expected[PTU_GEOMETRY_TEXT], *text;
	int error;

	if (ptu_file_is_recording())
		return ptu_walk_recorded_ready(PTU_BY_MODULE, geo, err);
	error = ptu_truth_geometry(&text, err);
	if (error)
		return error;
	ptu_geometry_text(geo, expected);
	if (strcmp(text, expected))
		error = ptu_err_set(err, -EPROTO,
				    "the module and this tool do not agree on the geometry of page tables; nothing can be compared. The module says:\n%.300sthis tool:\n%s",
				    text, expected);
	free(text);
	return error ? error : may_ask(err);
}

static int explain_answer(int error, pid_t pid, struct ptu_err *err)
{
	switch (error) {
	case -ESRCH:
		return ptu_err_set(err, error, "process %d ended", pid);
	case -EINVAL:
		return ptu_err_set(err, error,
				   "process %d has no memory of its own: it is a kernel thread or a zombie",
				   pid);
	case -ESTALE:
		return ptu_err_set(err, error,
				   "process %d started another program meanwhile",
				   pid);
	case -EFBIG:
		return ptu_err_set(err, error,
				   "process %d has more page tables than the module may describe at once: raise /sys/module/ptaudit/parameters/max_answer_kib",
				   pid);
	default:
		return ptu_err_set(err, error,
				   "the module cannot walk process %d: %s", pid,
				   strerror(-error));
	}
}

/* Write a request to a file that answers with records, and read the answer. */
static int fetch(const char *file, pid_t pid, uint64_t start, uint64_t end,
		 char **bytes, size_t *nr_bytes, struct ptu_err *err)
{
	char request[80];
	int fd, error = 0, n;

	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return explain_open(-errno, err);
	if (start || end)
		n = snprintf(request, sizeof(request),
			     "%d %#" PRIx64 " %#" PRIx64, pid, start, end);
	else
		n = snprintf(request, sizeof(request), "%d", pid);
	if (write(fd, request, n) != n)
		error = -errno;
	if (!error)
		error = read_all(fd, bytes, nr_bytes);
	close(fd);
	return error ? explain_answer(error, pid, err) : 0;
}

int ptu_truth_fetch(pid_t pid, uint64_t start, uint64_t end, char **bytes,
		    size_t *nr_bytes, struct ptu_err *err)
{
	return fetch(DIRECTORY "/tables", pid, start, end, bytes, nr_bytes,
		     err);
}

/*
 * Did the module walk the process that /proc showed?  A PID can be reused, and it
 * means another process in another PID namespace.  The start times must match: both
 * sides use ticks in the reader's time namespace.
 */
static int check_process(const struct ptu_proc *proc, uint64_t ns_pid,
			 uint64_t start_ticks, struct ptu_err *err)
{
	if (!start_ticks)
		return ptu_err_set(err, -EPROTO,
				   "the loaded module does not report which process it walked: load the module of this version");
	if (ns_pid != (uint64_t)proc->pid)
		return ptu_err_set(err, -EXDEV,
				   "process %d: the module walked process %llu of this PID namespace instead",
				   (int)proc->pid, (unsigned long long)ns_pid);
	if (start_ticks != proc->start_time)
		return ptu_err_set(err, -EXDEV,
				   "process %d: the module walked another process with this PID, which started %llu ticks after boot, not %llu",
				   (int)proc->pid,
				   (unsigned long long)start_ticks,
				   (unsigned long long)proc->start_time);
	return 0;
}

static int check_header(const struct ptu_proc *proc,
			struct ptu_snapshot *snapshot, struct ptu_err *err)
{
	const struct ptaudit_header *header = &snapshot->header;
	int error = check_process(proc, (uint64_t)header->ns_pid,
				  header->start_ticks, err);

	if (error)
		ptu_snapshot_deinit(snapshot);
	return error;
}

int ptu_truth_read(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		   enum ptu_walk walk, const struct ptu_geometry *geo,
		   struct ptu_snapshot *ret, struct ptu_err *err)
{
	size_t nr_bytes;
	char *bytes;
	int error;

	/* older recordings do not identify the process */
	if (ptu_file_is_recording())
		return ptu_walk_recorded_read(proc->pid, PTU_BY_MODULE, walk,
					      geo, ret, err);
	error = ptu_truth_fetch(proc->pid, start, end, &bytes, &nr_bytes, err);
	if (error)
		return error;
	error = ptu_snapshot_parse(bytes, nr_bytes, geo, ret, err);
	free(bytes);
	if (!error)
		error = check_header(proc, ret, err);
	return error;
}

int ptu_truth_has_orphans(struct ptu_err *err)
{
	if (!access(DIRECTORY "/orphans", F_OK))
		return 0;
	return ptu_err_set(err, -ENOENT,
			   "the loaded module does not support --orphans: load the module of this version");
}

int ptu_truth_has_pages(struct ptu_err *err)
{
	if (!access(DIRECTORY "/pages", F_OK))
		return 0;
	return ptu_err_set(err, -ENOENT,
			   "the loaded module does not support --pages: load the module of this version");
}

int ptu_truth_pages(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		    struct ptu_totals *ret, struct ptu_err *err)
{
	size_t nr_bytes;
	char *text;
	int error = fetch(DIRECTORY "/pages", proc->pid, start, end, &text,
			  &nr_bytes, err);

	if (error)
		return error;
	error = ptu_totals_parse(text, ret, err);
	free(text);
	if (!error)
		error = check_process(proc, ret->pid, ret->start_ticks, err);
	return error;
}

int ptu_truth_orphans(const struct ptu_proc *proc, uint64_t start, uint64_t end,
		      const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		      struct ptu_err *err)
{
	size_t nr_bytes;
	char *bytes;
	int error = fetch(DIRECTORY "/orphans", proc->pid, start, end, &bytes,
			  &nr_bytes, err);

	if (error)
		return error;
	error = ptu_snapshot_parse_orphans(bytes, nr_bytes, geo, ret, err);
	free(bytes);
	if (!error)
		error = check_header(proc, ret, err);
	return error;
}
