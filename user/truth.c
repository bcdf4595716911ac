// SPDX-License-Identifier: LGPL-2.1-or-later
/* Talks to the module through debugfs; must not interpret what it says. */
#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define DEBUGFS		"/sys/kernel/debug"
#define DIRECTORY	DEBUGFS "/ptaudit"
#define DEBUGFS_MAGIC	0x64626720	/* linux/magic.h */

/* What keeps us out, as a sentence that says what to do about it. */
static int explain_open(int error, struct ptu_err *err)
{
	struct statfs fs;
	struct stat st;

	if (geteuid())
		return ptu_err_set(err, error,
				   "the kernel's side needs root: run as root, or use `ptaudit estimate`, which needs no privilege for your own processes");
	if (statfs(DEBUGFS, &fs) || fs.f_type != DEBUGFS_MAGIC)
		return ptu_err_set(err, error,
				   "debugfs is not mounted: mount -t debugfs none " DEBUGFS);
	if (error == -ENOENT && stat(DIRECTORY, &st))
		return ptu_err_set(err, error,
				   "the module is not loaded: ptaudit load, or insmod ptaudit.ko");
	if (error == -EPERM || error == -EACCES)
		return ptu_err_set(err, error,
				   "the kernel refuses access to " DIRECTORY ": it is locked down (see /sys/kernel/security/lockdown), or CAP_SYS_ADMIN in the initial user namespace is missing");
	return ptu_err_set(err, error, "cannot open a file below " DIRECTORY ": %s",
			   strerror(-error));
}

/* Reads to the end of the file. */
static int read_all(int fd, char **ret, size_t *nr_bytes)
{
	size_t capacity = 64 << 10, used = 0;
	char *bytes = malloc(capacity);
	ssize_t n;

	if (!bytes)
		return -ENOMEM;
	for (;;) {
		if (used == capacity) {
			char *more = realloc(bytes, capacity * 2);

			if (!more) {
				free(bytes);
				return -ENOMEM;
			}
			bytes = more;
			capacity *= 2;
		}
		n = read(fd, bytes + used, capacity - used);
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
	*ret = bytes;
	*nr_bytes = used;
	return 0;
}

/* The text of `geometry` as this tool would write it. */
static void expected_geometry(const struct ptu_geometry *geo, char *text,
			      size_t text_bytes)
{
	size_t used;
	int level;

	used = snprintf(text, text_bytes, "abi %d\npage_size %" PRIu64 "\n",
			PTAUDIT_ABI, geo->page_bytes);
	for (level = PTAUDIT_PGD; level >= PTAUDIT_PTE; level--)
		if (geo->unfolded[level] && used < text_bytes)
			used += snprintf(text + used, text_bytes - used,
					 "level %s shift %u entries %u\n",
					 ptu_level_name(level),
					 geo->shift[level],
					 geo->nr_entries[level]);
}

int ptu_truth_ready(const struct ptu_geometry *geo, struct ptu_err *err)
{
	int fd = open(DIRECTORY "/geometry", O_RDONLY | O_CLOEXEC);
	char expected[512], *text;
	size_t nr_bytes;
	int error;

	if (fd < 0)
		return explain_open(-errno, err);
	error = read_all(fd, &text, &nr_bytes);
	close(fd);
	if (error)
		return ptu_err_set(err, error,
				   "cannot read " DIRECTORY "/geometry: %s",
				   strerror(-error));
	expected_geometry(geo, expected, sizeof(expected));
	if (nr_bytes != strlen(expected) || memcmp(text, expected, nr_bytes))
		error = ptu_err_set(err, -EPROTO,
				    "the module and this tool do not agree on the geometry of page tables; nothing can be compared. The module says:\n%.*sthis tool:\n%s",
				    (int)(nr_bytes < 300 ? nr_bytes : 300), text,
				    expected);
	free(text);
	return error;
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
	default:
		return ptu_err_set(err, error,
				   "the module cannot walk process %d: %s", pid,
				   strerror(-error));
	}
}

int ptu_truth_read(pid_t pid, uint64_t start, uint64_t end,
		   const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		   struct ptu_err *err)
{
	char request[80], *bytes = NULL;
	size_t nr_bytes = 0;
	int fd, error = 0, n;

	fd = open(DIRECTORY "/tables", O_RDWR | O_CLOEXEC);
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
		error = read_all(fd, &bytes, &nr_bytes);
	close(fd);
	if (error)
		return explain_answer(error, pid, err);
	error = ptu_snapshot_parse(bytes, nr_bytes, geo, ret, err);
	free(bytes);
	return error;
}
