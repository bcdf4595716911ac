// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read cgroup.procs of a cgroup and its descendants; must not know why the
 * processes are listed.
 */
#define _GNU_SOURCE
#include "acquire/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/array.h"

/* Default mount point; also accepted as the prefix of a path. */
#define ROOT "/sys/fs/cgroup"

/* Source: include/uapi/linux/magic.h */
#define CGROUP2_MAGIC 0x63677270

/* Reads of one cgroup.procs while it shows PID 0. */
#define PID_TRIES 10

struct list {
	const char *path;
	pid_t *pids;
	size_t nr_pids;
	size_t capacity;
	struct ptu_err *err;
};

/* Decode escapes such as "\040"; source: fs/proc_namespace.c, mangle() (5.10 to 7.3) */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		unsigned int code;

		if (sscanf(text, "\\%3o", &code) == 1) {
			*to++ = (char)code;
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

bool ptu_cgroup_mount(const char *line, char *ret, size_t ret_bytes)
{
	const char *type = strstr(line, " - cgroup2 ");
	const char *start = line, *end;
	unsigned int field;

	/* ID parent major:minor root mount-point ... - type source options */
	for (field = 1; type && start && field < 5; field++) {
		start = strchr(start, ' ');
		start = start ? start + 1 : NULL;
	}
	end = type && start ? strchr(start, ' ') : NULL;
	if (!end || end > type || (size_t)(end - start) >= ret_bytes)
		return false;
	memcpy(ret, start, (size_t)(end - start));
	ret[end - start] = '\0';
	unescape(ret);
	return true;
}

static int refuse(const struct list *list, int error, const char *what)
{
	return ptu_err_set(list->err, error, "cgroup %s: %s%s%s", list->path,
			   what, error ? ": " : "",
			   error ? strerror(-error) : "");
}

static int add(struct list *list, pid_t pid)
{
	if (ptu_array_grow(&list->pids, list->nr_pids, &list->capacity,
			   sizeof(*list->pids)))
		return ptu_err_set(list->err, -ENOMEM,
				   "no memory for the processes");
	list->pids[list->nr_pids++] = pid;
	return 0;
}

static int read_procs(struct list *list, FILE *file)
{
	int error = 0;
	long pid;

	while (!error && fscanf(file, "%ld", &pid) == 1) {
		if (pid <= 0 || pid > INT_MAX)
			return ptu_err_set(list->err, -EXDEV,
					   "cgroup %s has processes of another PID namespace, which have no PID here",
					   list->path);
		error = add(list, (pid_t)pid);
	}
	/* a threaded cgroup lists its processes in the domain cgroup above it */
	if (!error && ferror(file) && errno != EOPNOTSUPP)
		error = refuse(list, -errno, "cannot read cgroup.procs");
	return error;
}

static int try_procs(struct list *list, int dir)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int error;

	if (!file) {
		error = -errno;
		if (fd >= 0)
			close(fd);
		return error == -ENODEV || error == -ENOENT ?
			       0 : /* the cgroup was removed */
			       refuse(list, error, "cannot open cgroup.procs");
	}
	errno = 0;
	error = read_procs(list, file);
	fclose(file);
	return error;
}

/*
 * The file shows PID 0 for a process in another PID namespace, and for one that ends
 * while the file is read.  Source: cgroup_procs_show(), kernel/cgroup/cgroup.c (5.10 to
 * 7.3).
 */
static int add_procs(struct list *list, int dir)
{
	const size_t before = list->nr_pids;
	unsigned int try;
	int error = -EXDEV;

	for (try = 0; error == -EXDEV && try < PID_TRIES; try++) {
		list->nr_pids = before;
		error = try_procs(list, dir);
	}
	if (!error)
		ptu_err_clear(list->err);
	return error;
}

/**
 * struct todo - stack of cgroups to visit
 * @names: [nr] names of cgroups in the current one, the next one last; NULL: the
 *	current one is done, go back to its parent
 */
struct todo {
	char **names;
	size_t nr;
	size_t capacity;
};

/* @name: (in) owned by @todo from now on */
static int push(struct todo *todo, char *name)
{
	if (ptu_array_grow(&todo->names, todo->nr, &todo->capacity,
			   sizeof(*todo->names))) {
		free(name);
		return -ENOMEM;
	}
	todo->names[todo->nr++] = name;
	return 0;
}

bool ptu_cgroup_is_child(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && strcmp(entry->d_name, ".") &&
	       strcmp(entry->d_name, "..");
}

static int push_children(const struct list *list, int dir, struct todo *todo)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int error = entries ? 0 : -errno;

	if (!entries && fd >= 0)
		close(fd);
	while (!error && (entry = readdir(entries))) {
		char *name;

		if (!ptu_cgroup_is_child(entry))
			continue;
		name = strdup(entry->d_name);
		error = name ? push(todo, name) : -ENOMEM;
	}
	if (entries)
		closedir(entries);
	if (error == -ENOENT || error == -ENODEV)
		return 0; /* the cgroup was removed */
	return error ? refuse(list, error, "cannot list it") : 0;
}

static int open_dir(int at, const char *name)
{
	int dir = openat(at, name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return dir < 0 ? -errno : dir;
}

static int visit(struct list *list, int dir, struct todo *todo)
{
	int error = add_procs(list, dir);

	return error ? error : push_children(list, dir, todo);
}

/*
 * Visit the cgroup of @dir and all its descendants.  @dir becomes each of them in
 * turn, so one descriptor is enough for any depth.  Cgroups cannot be moved, so
 * ".." leads back.
 */
static int visit_tree(struct list *list, int *dir, struct todo *todo)
{
	int error = visit(list, *dir, todo);

	while (!error && todo->nr) {
		char *name = todo->names[--todo->nr];
		int next = open_dir(*dir, name ? name : "..");

		if (next >= 0) {
			close(*dir);
			*dir = next;
			if (name && push(todo, NULL))
				error = refuse(list, -ENOMEM, "cannot list it");
			else if (name)
				error = visit(list, next, todo);
		} else if (!name || (next != -ENOENT && next != -ENODEV)) {
			/* -ENOENT or -ENODEV: the cgroup was removed */
			error = refuse(list, next, "cannot look below it");
		}
		free(name);
	}
	return error;
}

/* Closes @dir. */
static int add_tree(struct list *list, int dir)
{
	struct todo todo = { 0 };
	int error = visit_tree(list, &dir, &todo);

	while (todo.nr)
		free(todo.names[--todo.nr]);
	free(todo.names);
	close(dir);
	return error;
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

void ptu_cgroup_root(char ret[PATH_MAX])
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t line_bytes = 0;

	strcpy(ret, ROOT);
	while (file && getline(&line, &line_bytes, file) > 0) {
		if (ptu_cgroup_mount(line, ret, PATH_MAX))
			break;
	}
	free(line);
	if (file)
		fclose(file);
}

/* Sort the PIDs and drop duplicates: a process that moved may appear twice. */
static void sort(struct list *list)
{
	size_t i, k = 0;

	qsort(list->pids, list->nr_pids, sizeof(*list->pids), by_number);
	for (i = 0; i < list->nr_pids; i++) {
		if (!k || list->pids[k - 1] != list->pids[i])
			list->pids[k++] = list->pids[i];
	}
	list->nr_pids = k;
}

/* The part of @path below @root, or NULL if it is not below it. */
static const char *below(const char *path, const char *root)
{
	size_t bytes = strlen(root);

	if (strncmp(path, root, bytes) || (path[bytes] && path[bytes] != '/'))
		return NULL;
	return path + bytes;
}

static int open_cgroup(const struct list *list)
{
	const char *path = list->path;
	char root[PATH_MAX], full[PATH_MAX];
	struct statfs fs;
	int dir;

	if (!*path)
		return ptu_err_set(list->err, -EINVAL,
				   "'' is not the path of a cgroup");
	ptu_cgroup_root(root);
	if (below(path, root))
		path = below(path, root);
	else if (below(path, ROOT))
		path = below(path, ROOT);
	if (snprintf(full, sizeof(full), "%s/%s", root, path) >=
	    (int)sizeof(full))
		return refuse(list, -ENAMETOOLONG, "no such cgroup");
	dir = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return ptu_err_set(list->err, -errno,
				   "cgroup %s: cannot open it in %s (version 2): %s",
				   list->path, root, strerror(errno));
	if (fstatfs(dir, &fs) || fs.f_type != CGROUP2_MAGIC) {
		close(dir);
		return ptu_err_set(list->err, -EINVAL,
				   "cgroup %s: there is no cgroup of version 2 at this path",
				   list->path);
	}
	return dir;
}

int ptu_cgroup_list(const char *path, pid_t **pids, size_t *nr_pids,
		    struct ptu_err *err)
{
	struct list list = { .path = path, .err = err };
	int dir = open_cgroup(&list);
	int error;

	if (dir < 0)
		return dir;
	error = add_tree(&list, dir);
	if (!error && !list.nr_pids)
		error = ptu_err_set(err, -ENOENT,
				    "cgroup %s: no process is in it", path);
	if (error) {
		free(list.pids);
		return error;
	}
	sort(&list);
	*pids = list.pids;
	*nr_pids = list.nr_pids;
	return 0;
}
