// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the kernel's walks from a recording; must not judge them. */
#include "acquire/walk_recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acquire/file.h"

static const struct {
	const char *name;
	const char *geometry;
	const char *walks[2]; /* by enum ptu_walk */
} walkers[PTU_NR_WALKERS] = {
	[PTU_BY_MODULE] = { "the module",
			    "geometry",
			    { "tables-before", "tables-after" } },
	[PTU_BY_BPF] = { "BPF",
			 "geometry-bpf",
			 { "tables-bpf-before", "tables-bpf-after" } },
};

const char *ptu_walk_geometry_file(enum ptu_walker walker)
{
	return walkers[walker].geometry;
}

const char *ptu_walk_file(enum ptu_walker walker, enum ptu_walk walk)
{
	return walkers[walker].walks[walk];
}

int ptu_walk_recorded_ready(enum ptu_walker walker,
			    const struct ptu_geometry *geo, struct ptu_err *err)
{
	char expected[PTU_GEOMETRY_TEXT], *text;
	int error = ptu_file_read(PTU_PROC_ROOT, walkers[walker].geometry, 0,
				  &text);

	if (error == -ENOENT)
		return ptu_err_set(err, error,
				   "the recording has no walk by %s",
				   walkers[walker].name);
	if (error)
		return ptu_err_set(err, error,
				   "cannot read the recording's %s: %s",
				   walkers[walker].geometry, strerror(-error));
	ptu_geometry_text(geo, expected);
	if (strcmp(text, expected))
		error = ptu_err_set(err, -EPROTO,
				    "the recording and this tool do not agree on the geometry of page tables; nothing can be compared. The recording says:\n%.300sthis tool:\n%s",
				    text, expected);
	free(text);
	return error;
}

static int read_file(const char *name, char **bytes, size_t *nr_bytes)
{
	int fd = ptu_file_open(PTU_PROC_ROOT, name, 0);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = fstat(fd, &st) ? -errno : 0;
	*bytes = n ? NULL : malloc((size_t)st.st_size + 1);
	if (!n)
		n = *bytes ? ptu_file_pread(fd, *bytes, (size_t)st.st_size, 0) :
			     -ENOMEM;
	close(fd);
	if (n < 0) {
		free(*bytes);
		return (int)n;
	}
	*nr_bytes = (size_t)n;
	return 0;
}

int ptu_walk_recorded_read(pid_t pid, enum ptu_walker walker,
			   enum ptu_walk walk, const struct ptu_geometry *geo,
			   struct ptu_snapshot *ret, struct ptu_err *err)
{
	const bool by_bpf = walker == PTU_BY_BPF;
	size_t nr_bytes = 0;
	char name[64], *bytes;
	int error;

	snprintf(name, sizeof(name), "%d/%s", (int)pid,
		 ptu_walk_file(walker, walk));
	error = read_file(name, &bytes, &nr_bytes);
	if (error)
		return ptu_err_set(err, error, "the recording has no %s: %s",
				   name, strerror(-error));
	error = ptu_snapshot_parse(bytes, nr_bytes, geo, ret, err);
	free(bytes);
	if (error || !(ret->header.flags & PTAUDIT_H_BPF) == !by_bpf)
		return error;
	ptu_snapshot_deinit(ret);
	return ptu_err_set(err, -EBADMSG,
			   "the recording is damaged: %s is not a walk by %s",
			   name, walkers[walker].name);
}
