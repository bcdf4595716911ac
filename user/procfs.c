// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds processes in /proc and reads their short files.  Must not judge what
 * they mean for page tables.
 */
#include "procfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "procfs_file.h"

/* Source: include/linux/sched.h, PF_KTHREAD (5.10 to 7.2). */
#define PF_KTHREAD 0x00200000ul

/* The flags line comes with the first CPU; the rest of the file can be long. */
#define CPUINFO_BYTES 16384

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
 * "PID (comm) S ppid ..."; comm may hold blanks and parentheses itself.
 * Source: fs/proc/array.c, do_task_stat() (6.1); proc_pid_stat(5).
 */
static bool parse_stat(const char *text, struct ptu_proc *ret)
{
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	struct ptu_proc proc = *ret;
	uint64_t pid;
	unsigned int field;
	size_t comm_bytes;
	const char *at;

	if (!open || !close || close < open)
		return false;
	at = text;
	if (!take_field(&at, 10, &pid) || pid != (uint64_t)proc.pid ||
	    at + 1 != open)
		return false;
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
		if (field == 9)
			proc.kthread = value & PF_KTHREAD;
		if (field == 22)
			proc.start_time = value;
	}
	*ret = proc;
	return true;
}

static int read_stat(struct ptu_proc *proc, struct ptu_err *err)
{
	char *text;
	int error = ptu_file_read(proc->dirfd, "stat", 0, &text);

	if (error == -ESRCH || error == -ENOENT)
		return ended(proc->pid, err);
	if (error)
		return ptu_err_set(err, error,
				   "process %d: cannot read stat: %s",
				   (int)proc->pid, strerror(-error));
	if (!parse_stat(text, proc))
		error = ptu_err_set(err, -EIO,
				    "process %d: stat is not as the kernel writes it",
				    (int)proc->pid);
	free(text);
	return error;
}

static bool is_mounted(void)
{
	int fd = ptu_file_open(PTU_PROC_ROOT, "self", O_DIRECTORY);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int ptu_proc_open(pid_t pid, struct ptu_proc *ret, struct ptu_err *err)
{
	struct ptu_proc proc = { .pid = pid };
	char name[16];
	int error;

	if (pid <= 0)
		return ptu_err_set(err, -EINVAL, "%d is no PID", (int)pid);
	snprintf(name, sizeof(name), "%d", (int)pid);
	proc.dirfd = ptu_file_open(PTU_PROC_ROOT, name, O_DIRECTORY);
	if (proc.dirfd == -ENOENT && !is_mounted())
		return ptu_err_set(err, -ENOENT,
				   "/proc is not mounted: mount -t proc proc /proc");
	if (proc.dirfd == -ENOENT || proc.dirfd == -ESRCH)
		return no_such_process(pid, err);
	if (proc.dirfd < 0)
		return ptu_err_set(err, proc.dirfd,
				   "process %d: cannot open /proc/%d: %s",
				   (int)pid, (int)pid, strerror(-proc.dirfd));
	error = read_stat(&proc, err);
	if (error) {
		ptu_proc_close(&proc);
		return error;
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

int ptu_proc_same(const struct ptu_proc *proc, struct ptu_err *err)
{
	struct ptu_proc now = *proc;
	int error = read_stat(&now, err);

	if (error)
		return error;
	/* a zombie has given its memory back: for us it has ended */
	if (now.start_time != proc->start_time || now.state == 'Z' ||
	    now.state == 'X')
		return ended(proc->pid, err);
	return 0;
}

bool ptu_proc_denied(const struct ptu_proc *proc)
{
	int fd = ptu_file_open(proc->dirfd, "maps", 0);

	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM;
}

/* The value of the line "@key:\tvalue", or NULL. */
static const char *find_line(const char *text, const char *key)
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

static bool parse_kib(const char *value, uint64_t *ret_bytes)
{
	uint64_t kib;

	if (!take_field(&value, 10, &kib) || kib > UINT64_MAX / 1024 ||
	    strncmp(value, " kB\n", 4))
		return false;
	*ret_bytes = kib * 1024;
	return true;
}

/* Source: fs/proc/array.c, task_state(); fs/proc/task_mmu.c, task_mem(). */
static bool parse_status(const char *text, struct ptu_proc_status *ret)
{
	struct ptu_proc_status status = { 0 };
	const char *uid = find_line(text, "Uid");
	const char *vmpte = find_line(text, "VmPTE");
	const char *vmrss = find_line(text, "VmRSS");
	char *end;

	if (!uid)
		return false;
	errno = 0;
	status.uid = (uid_t)strtoul(uid, &end, 10);
	if (end == uid || errno || *end != '\t')
		return false;
	if (vmpte && vmrss) {
		if (!parse_kib(vmpte, &status.vmpte_bytes) ||
		    !parse_kib(vmrss, &status.vmrss_bytes))
			return false;
		status.has_mm = true;
	} else if (vmpte || vmrss) {
		return false;
	}
	*ret = status;
	return true;
}

int ptu_proc_status(const struct ptu_proc *proc, struct ptu_proc_status *ret,
		    struct ptu_err *err)
{
	char *text;
	int error = ptu_file_read(proc->dirfd, "status", 0, &text);

	if (error == -ESRCH || error == -ENOENT)
		return ended(proc->pid, err);
	if (error)
		return ptu_err_set(err, error,
				   "process %d: cannot read status: %s",
				   (int)proc->pid, strerror(-error));
	if (!parse_status(text, ret))
		error = ptu_err_set(err, -EIO,
				    "process %d: status is not as the kernel writes it",
				    (int)proc->pid);
	free(text);
	return error;
}

/* The value of the first line "flags : ..." of cpuinfo, cut off in place. */
static const char *cpu_flags(char *cpuinfo)
{
	char *line = cpuinfo;

	while (line) {
		char *end = strchr(line, '\n');

		if (!end)
			return NULL; /* cut off, or the end */
		if (!strncmp(line, "flags", 5) &&
		    (line[5] == '\t' || line[5] == ' ' || line[5] == ':')) {
			char *colon = strchr(line, ':');

			*end = '\0';
			return colon && colon < end ? colon + 1 : NULL;
		}
		line = end + 1;
	}
	return NULL;
}

int ptu_proc_cpu_flags(char **ret, struct ptu_err *err)
{
	const char *flags;
	char *cpuinfo;
	int error = ptu_file_read(PTU_PROC_ROOT, "cpuinfo", CPUINFO_BYTES,
				  &cpuinfo);

	if (error)
		return ptu_err_set(err, error, "cannot read /proc/cpuinfo: %s",
				   strerror(-error));
	flags = cpu_flags(cpuinfo);
	*ret = strdup(flags ? flags : "");
	free(cpuinfo);
	return *ret ? 0 : ptu_err_set(err, -ENOMEM, "out of memory");
}

int ptu_proc_geometry(struct ptu_geometry *ret, struct ptu_err *err)
{
	struct ptu_host host;
	char *flags;
	int error = ptu_host_read(&host, err);

	if (!error)
		error = ptu_proc_cpu_flags(&flags, err);
	if (error)
		return error;
	/* without the flags, four levels would be a guess */
	if (!*flags && !strcmp(host.machine, "x86_64"))
		error = ptu_err_set(err, -EIO,
				    "/proc/cpuinfo has no line of CPU flags");
	else
		error = ptu_geometry_init(host.page_bytes, host.machine, flags,
					  ret, err);
	free(flags);
	return error;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t pid_a = *(const pid_t *)a;
	pid_t pid_b = *(const pid_t *)b;

	return (pid_a > pid_b) - (pid_a < pid_b);
}

/* A PID as a directory of /proc is called, else 0. */
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
		if (nr_pids == capacity) {
			pid_t *grown;

			capacity = capacity ? 2 * capacity : 512;
			grown = realloc(pids, capacity * sizeof(*pids));
			if (!grown) {
				free(pids);
				return -ENOMEM;
			}
			pids = grown;
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

int ptu_proc_list(pid_t **pids, size_t *nr_pids, struct ptu_err *err)
{
	DIR *dir;
	int error = ptu_file_list(PTU_PROC_ROOT, "", &dir);

	if (!error) {
		error = list_pids(dir, pids, nr_pids);
		closedir(dir);
	}
	if (error)
		return ptu_err_set(err, error, "cannot list /proc: %s",
				   strerror(-error));
	if (!*nr_pids)
		return ptu_err_set(err, -ENOENT,
				   "no processes in /proc: is it mounted?");
	return 0;
}

int ptu_proc_boot_id(char *ret, size_t ret_bytes, struct ptu_err *err)
{
	char *text;
	size_t id_bytes;
	int error = ptu_file_read(PTU_PROC_ROOT, "sys/kernel/random/boot_id", 0,
				  &text);

	if (error)
		return ptu_err_set(err, error, "cannot read boot_id: %s",
				   strerror(-error));
	id_bytes = strcspn(text, "\n");
	if (!id_bytes || id_bytes >= ret_bytes) {
		error = ptu_err_set(err, -EIO, "boot_id is not as expected");
	} else {
		memcpy(ret, text, id_bytes);
		ret[id_bytes] = '\0';
	}
	free(text);
	return error;
}
