// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the kernel's counters of page tables; must not compare them. */
#define _GNU_SOURCE /* asprintf() */
#include "acquire/pagetables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/cgroup.h"
#include "acquire/file.h"
#include "acquire/words.h"

#define NODES "/sys/devices/system/node"
#define CHUNK_WORDS 8192u

bool ptu_pagetables_refresh(void)
{
	char *text = NULL;

	if (ptu_file_read(PTU_PROC_ROOT, "sys/vm/stat_refresh", 0, &text))
		return false;
	free(text);
	return true;
}

int ptu_pagetables_read(bool is_after, uint64_t *ret, struct ptu_err *err)
{
	const bool is_recording = ptu_file_is_recording();
	const char *name = is_after && is_recording ? PTU_MEMINFO_AFTER :
						      PTU_MEMINFO;
	char *text;
	int error = ptu_file_read(PTU_PROC_ROOT, name, 0, &text);

	if (error == -ENOENT && is_recording)
		return ptu_err_set(err, error,
				   "the recording has no meminfo: an older version of ptaudit made it");
	if (error)
		return ptu_err_set(err, error, "cannot read /proc/meminfo: %s",
				   strerror(-error));
	if (!ptu_meminfo_bytes(text, "PageTables", ret))
		error = ptu_err_set(err, -EBADMSG,
				    "/proc/meminfo has no PageTables");
	free(text);
	return error;
}

static int by_node(const void *a, const void *b)
{
	const struct ptu_pagetables_node *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

static int add_node(int dirfd, const char *name, unsigned int node,
		    struct ptu_pagetables_node **nodes, size_t *nr)
{
	struct ptu_pagetables_node *more = reallocarray(*nodes, *nr + 1,
							sizeof(*more));
	char path[64], *text;
	int error;

	if (!more)
		return -ENOMEM;
	*nodes = more;
	more[*nr] = (struct ptu_pagetables_node){ .node = node };
	snprintf(path, sizeof(path), "%.40s/meminfo", name);
	error = ptu_file_read(dirfd, path, 0, &text);
	if (error)
		return error;
	if (ptu_meminfo_bytes(text, "PageTables", &more[*nr].bytes))
		++*nr;
	free(text);
	return 0;
}

int ptu_pagetables_nodes(struct ptu_pagetables_node **ret, size_t *nr,
			 struct ptu_err *err)
{
	struct ptu_pagetables_node *nodes = NULL;
	DIR *dir = opendir(NODES);
	struct dirent *entry;
	size_t nr_nodes = 0;
	int error = 0;

	while (!error && dir && (entry = readdir(dir))) {
		unsigned int node;

		if (sscanf(entry->d_name, "node%u", &node) == 1)
			error = add_node(dirfd(dir), entry->d_name, node,
					 &nodes, &nr_nodes);
	}
	if (dir)
		closedir(dir);
	if (error) {
		free(nodes);
		return ptu_err_set(err, error,
				   "cannot read the nodes in " NODES ": %s",
				   strerror(-error));
	}
	if (nr_nodes)
		qsort(nodes, nr_nodes, sizeof(*nodes), by_node);
	*ret = nodes;
	*nr = nr_nodes;
	return 0;
}

int ptu_pagetables_spans(struct ptu_node_span **ret, size_t *nr,
			 struct ptu_err *err)
{
	char *text;
	int error = ptu_file_read(PTU_PROC_ROOT, "zoneinfo", 0, &text);

	if (!error) {
		error = ptu_node_spans(text, ret, nr);
		free(text);
	}
	if (error)
		return ptu_err_set(err, error, "cannot read /proc/zoneinfo: %s",
				   strerror(-error));
	return 0;
}

struct cgroups {
	char root[PATH_MAX];
	struct ptu_pagetables_cgroup *all;
	size_t nr;
};

/* Make room for one more; cgroups without memory.stat are dropped at the end. */
static int add_cgroup(struct cgroups *cgroups, const char *parent,
		      const char *name, unsigned int depth)
{
	struct ptu_pagetables_cgroup *more = reallocarray(cgroups->all,
							  cgroups->nr + 1,
							  sizeof(*more));
	char *path;

	if (!more)
		return -ENOMEM;
	cgroups->all = more;
	if (asprintf(&path, "%s/%s", strcmp(parent, "/") ? parent : "", name) <
	    0)
		return -ENOMEM;
	more[cgroups->nr++] = (struct ptu_pagetables_cgroup){
		.path = path,
		.depth = depth,
		.bytes = UINT64_MAX,
	};
	return 0;
}

static int read_cgroup(struct cgroups *cgroups, size_t at)
{
	char *parent = cgroups->all[at].path;
	unsigned int depth = cgroups->all[at].depth;
	char path[2 * PATH_MAX], *text;
	struct dirent *entry;
	int error = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s%s", cgroups->root, parent) >=
	    (int)sizeof(path))
		return 0;
	dir = opendir(path);
	if (!dir)
		return 0; /* the cgroup was removed */
	if (!ptu_file_read(dirfd(dir), "memory.stat", 0, &text)) {
		ptu_memory_stat_bytes(text, "pagetables",
				      &cgroups->all[at].bytes);
		free(text);
	}
	while (!error && (entry = readdir(dir))) {
		if (ptu_cgroup_is_child(entry))
			error = add_cgroup(cgroups, parent, entry->d_name,
					   depth + 1);
	}
	closedir(dir);
	return error;
}

/* '/' sorts before all other characters, so parents precede their children. */
static int by_path(const void *a, const void *b)
{
	const unsigned char *x =
		(const unsigned char *)((const struct ptu_pagetables_cgroup *)a)
			->path;
	const unsigned char *y =
		(const unsigned char *)((const struct ptu_pagetables_cgroup *)b)
			->path;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	return (*x == '/' ? 1 : *x) - (*y == '/' ? 1 : *y);
}

int ptu_pagetables_cgroups(struct ptu_pagetables_cgroup **ret, size_t *nr)
{
	struct cgroups *cgroups = calloc(1, sizeof(*cgroups));
	size_t i, kept = 0;
	int error;

	if (!cgroups)
		return -ENOMEM;
	ptu_cgroup_root(cgroups->root);
	error = add_cgroup(cgroups, "/", "", 0);
	for (i = 0; !error && i < cgroups->nr; i++)
		error = read_cgroup(cgroups, i);
	for (i = 0; i < cgroups->nr; i++) {
		if (!error && cgroups->all[i].bytes != UINT64_MAX)
			cgroups->all[kept++] = cgroups->all[i];
		else
			free(cgroups->all[i].path);
	}
	if (error) {
		free(cgroups->all);
	} else {
		if (kept)
			qsort(cgroups->all, kept, sizeof(*cgroups->all),
			      by_path);
		*ret = cgroups->all;
		*nr = kept;
	}
	free(cgroups);
	return error;
}

int ptu_pagetables_flags(int (*take)(void *arg, uint64_t pfn,
				     const uint64_t *words, size_t nr),
			 void *arg, struct ptu_err *err)
{
	uint64_t *words = malloc(CHUNK_WORDS * sizeof(*words));
	struct ptu_words file;
	uint64_t pfn = 0;
	ssize_t nr = 1;
	int error;

	if (!words)
		return ptu_err_set(err, -ENOMEM, "no memory for kpageflags");
	error = ptu_words_open(PTU_PROC_ROOT, "kpageflags", &file);
	if (error) {
		free(words);
		return ptu_err_set(err, error,
				   "cannot open /proc/kpageflags: %s",
				   error == -ENOENT ?
					   "this kernel does not have it (CONFIG_PROC_PAGE_MONITOR)" :
					   strerror(-error));
	}
	while (!error && nr > 0) {
		nr = ptu_words_read(&file, pfn, words, CHUNK_WORDS);
		if (nr > 0)
			error = take(arg, pfn, words, (size_t)nr);
		pfn += nr > 0 ? (uint64_t)nr : 0;
	}
	ptu_words_close(&file);
	free(words);
	if (nr < 0)
		return ptu_err_set(err, (int)nr,
				   "cannot read /proc/kpageflags: %s",
				   strerror((int)-nr));
	return error;
}
