// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read short files below /proc.  Must not judge what they mean for page tables. */
#include "acquire/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "acquire/host.h"

#define BOOT_ID "sys/kernel/random/boot_id"

/* The flags line is near the start, with the first CPU; the file can be long. */
#define CPUINFO_BYTES 16384

static bool parse_kib(const char *value, uint64_t *ret_bytes)
{
	uint64_t kib;
	char *end;

	errno = 0;
	kib = strtoull(value, &end, 10);
	if (end == value || errno || kib > UINT64_MAX / 1024 ||
	    strncmp(end, " kB\n", 4))
		return false;
	*ret_bytes = kib * 1024;
	return true;
}

/* Source: fs/proc/array.c, task_state(); fs/proc/task_mmu.c, task_mem(). */
static bool parse_status(const char *text, struct ptu_proc_status *ret)
{
	struct ptu_proc_status status = { 0 };
	const char *uid = ptu_proc_line(text, "Uid");
	const char *vmpte = ptu_proc_line(text, "VmPTE");
	const char *vmrss = ptu_proc_line(text, "VmRSS");
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
		return ptu_proc_gone(proc, err);
	if (error)
		return ptu_err_set(err, error,
				   "process %d: cannot read status: %s",
				   (int)proc->pid, strerror(-error));
	if (!parse_status(text, ret))
		error = ptu_err_set(err, -EIO,
				    "process %d: status does not have the format of the kernel",
				    (int)proc->pid);
	free(text);
	return error;
}

int ptu_proc_status_of_living(struct ptu_proc *proc,
			      struct ptu_proc_status *ret, struct ptu_err *err)
{
	int error;

	do {
		ptu_err_clear(err);
		error = ptu_proc_status(proc, ret, err);
		if (!error && !ret->has_mm)
			error = ptu_proc_gone(proc, err);
	} while (error == -ESTALE && !ptu_proc_reopen(proc));
	return error;
}

/* Return the value of the first line "flags : ..." of cpuinfo, terminated in place. */
static const char *cpu_flags(char *cpuinfo)
{
	char *line = cpuinfo;

	while (line) {
		char *end = strchr(line, '\n');

		if (!end)
			return NULL; /* incomplete line, or the end */
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

/* These files are missing only without /proc, or if it shows nothing but processes. */
static int cannot_read(const char *name, int error, struct ptu_err *err)
{
	return ptu_err_set(err, error, "cannot read /proc/%s: %s%s", name,
			   strerror(-error),
			   error == -ENOENT ?
				   " (/proc is not mounted, or with subset=pid: mount -t proc proc /proc)" :
				   "");
}

int ptu_proc_cpu_flags(char **ret, struct ptu_err *err)
{
	struct ptu_host host;
	const char *flags;
	char *cpuinfo;
	char bits[16];
	int error = ptu_host_read(&host, err);

	if (error)
		return error;
	if (!strcmp(host.machine, "aarch64") && !ptu_file_is_recording()) {
		snprintf(bits, sizeof(bits), "va%u",
			 ptu_host_address_bits(host.page_bytes));
		*ret = strdup(bits);
		return *ret ? 0 : ptu_err_set(err, -ENOMEM, "out of memory");
	}
	error = ptu_file_read(PTU_PROC_ROOT, "cpuinfo", CPUINFO_BYTES,
			      &cpuinfo);
	if (error)
		return cannot_read("cpuinfo", error, err);
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
	/* without the flags the number of levels is unknown */
	if (!*flags && !strcmp(host.machine, "x86_64"))
		error = ptu_err_set(err, -EIO,
				    "/proc/cpuinfo has no line of CPU flags");
	else
		error = ptu_geometry_init(host.page_bytes, host.machine, flags,
					  ret, err);
	free(flags);
	return error;
}

int ptu_proc_boot_id(char *ret, size_t ret_bytes, struct ptu_err *err)
{
	char *text;
	size_t id_bytes;
	int error = ptu_file_read(PTU_PROC_ROOT, BOOT_ID, 0, &text);

	if (error)
		return cannot_read(BOOT_ID, error, err);
	id_bytes = strcspn(text, "\n");
	if (!id_bytes || id_bytes >= ret_bytes) {
		error = ptu_err_set(err, -EIO, "boot_id is empty or too long");
	} else {
		memcpy(ret, text, id_bytes);
		ret[id_bytes] = '\0';
	}
	free(text);
	return error;
}
