// SPDX-License-Identifier: LGPL-2.1-or-later
/* Check that a recording is complete and undamaged; must not interpret the files. */
#include "acquire/recording.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "acquire/file.h"
#include "acquire/page_caps.h"
#include "acquire/pagetables.h"
#include "acquire/scan.h"
#include "base/escape.h"
#include "model/manifest.h"

#define MANIFEST_BYTES (UINT64_C(64) << 20)
#define CHUNK_BYTES (256u << 10)
#define NAME_BYTES 128
#define MAX_DEPTH 4

/*
 * The only page of the kernel half that maps shows.
 * Source: arch/x86/include/uapi/asm/vsyscall.h, VSYSCALL_ADDR.
 */
#define VSYSCALL UINT64_C(0xffffffffff600000)

/* Files of each process; some are only required if a file at the top exists. */
static const struct {
	const char *name;
	const char *with;
} of_process[] = {
	{ "stat", NULL },
	{ "status", NULL },
	{ "maps", NULL },
	{ "smaps", NULL },
	{ "pagemap", NULL },
	{ "scan", "scan-caps" },
	{ "tables-before", "geometry" },
	{ "tables-after", "geometry" },
	{ "tables-bpf-before", "geometry-bpf" },
	{ "tables-bpf-after", "geometry-bpf" },
};

static const char *const of_machine[] = { "about", "cpuinfo",
					  "sys/kernel/random/boot_id" };

/* Files of `record --pages`, which exist only together. */
static const char *const of_pages[] = { PTU_PAGE_CAPS, "kpageflags",
					"kpagecount" };

struct check {
	const struct ptu_manifest *manifest;
	size_t nr_found;
	char *buffer;
	struct ptu_err *err;
};

static int damaged(struct ptu_err *err, const char *name, const char *what)
{
	char shown[PTU_ESCAPE_BYTES(NAME_BYTES)];

	return ptu_err_set(err, -EBADMSG, "the recording is damaged: %s %s",
			   ptu_escape(name, true, shown, sizeof(shown)), what);
}

static int cannot_read(struct ptu_err *err, const char *name, int error)
{
	char shown[PTU_ESCAPE_BYTES(NAME_BYTES)];

	return ptu_err_set(err, error, "cannot read the recording's %s: %s",
			   ptu_escape(name, true, shown, sizeof(shown)),
			   strerror(-error));
}

static int check_bytes(struct check *check, int fd, const char *name,
		       const struct ptu_manifest_file *file)
{
	uint64_t bytes = 0;
	uLong crc = 0;
	struct stat st;

	if (fstat(fd, &st))
		return cannot_read(check->err, name, -errno);
	if ((uint64_t)st.st_size != file->bytes)
		return damaged(check->err, name,
			       "has another size than in the manifest");
	for (;;) {
		ssize_t n = ptu_file_pread(fd, check->buffer, CHUNK_BYTES,
					   (off_t)bytes);

		if (n < 0)
			return cannot_read(check->err, name, (int)n);
		if (!n)
			break;
		crc = crc32_z(crc, (const Bytef *)check->buffer, (size_t)n);
		bytes += (size_t)n;
	}
	if (bytes != file->bytes || crc != file->crc)
		return damaged(check->err, name,
			       "has another checksum than in the manifest");
	return 0;
}

static int check_file(struct check *check, int dirfd, const char *entry,
		      const char *name)
{
	struct ptu_manifest_file *file = ptu_manifest_find(check->manifest,
							   name);
	int fd, error;

	if (!file)
		return damaged(check->err, name, "is not in its manifest");
	fd = ptu_file_open_recorded(dirfd, entry, 0);
	if (fd == -EFBIG)
		return damaged(check->err, name, "is larger than 1 GiB");
	if (fd < 0)
		return cannot_read(check->err, name, fd);
	error = check_bytes(check, fd, name, file);
	close(fd);
	file->is_found = true;
	check->nr_found++;
	return error;
}

static int check_directory(struct check *check, int fd, const char *above,
			   unsigned int depth);

static int check_entry(struct check *check, int dirfd, const char *entry,
		       const char *above, unsigned int depth)
{
	char name[NAME_BYTES];
	struct stat st;
	int fd, error;

	if ((size_t)snprintf(name, sizeof(name), "%s%s%s", above,
			     *above ? "/" : "", entry) >= sizeof(name))
		return damaged(check->err, name, "... has too long a name");
	if (fstatat(dirfd, entry, &st, AT_SYMLINK_NOFOLLOW))
		return cannot_read(check->err, name, -errno);
	if (!strcmp(name, PTU_MANIFEST))
		return 0;
	if (S_ISREG(st.st_mode))
		return check_file(check, dirfd, entry, name);
	if (!S_ISDIR(st.st_mode))
		return damaged(check->err, name,
			       "is neither a regular file nor a directory");
	if (depth == MAX_DEPTH)
		return damaged(check->err, name, "is not in its manifest");
	fd = ptu_file_open_recorded(dirfd, entry, O_DIRECTORY);
	if (fd < 0)
		return cannot_read(check->err, name, fd);
	error = check_directory(check, fd, name, depth + 1);
	return error;
}

/* Closes @fd.  record never creates an empty directory. */
static int check_directory(struct check *check, int fd, const char *above,
			   unsigned int depth)
{
	const size_t before = check->nr_found;
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int error = 0;

	if (!dir) {
		error = cannot_read(check->err, above, -errno);
		close(fd);
		return error;
	}
	while (!error && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			error = check_entry(check, fd, entry->d_name, above,
					    depth);
	if (!error && errno)
		error = cannot_read(check->err, above, -errno);
	closedir(dir);
	if (!error && check->nr_found == before && depth)
		error = damaged(check->err, above, "is an empty directory");
	return error;
}

static int check_files(const struct ptu_manifest *manifest, int dirfd,
		       struct ptu_err *err)
{
	struct check check = { .manifest = manifest,
			       .buffer = malloc(CHUNK_BYTES),
			       .err = err };
	int fd = ptu_file_open_recorded(dirfd, "", O_DIRECTORY);
	size_t i;
	int error = fd < 0 ? cannot_read(err, "directory", fd) : 0;

	if (!error && !check.buffer) {
		close(fd);
		error = ptu_err_set(err, -ENOMEM,
				    "no memory to check the recording");
	}
	if (!error)
		error = check_directory(&check, fd, "", 0);
	for (i = 0; !error && i < manifest->nr_files; i++)
		if (!manifest->files[i].is_found)
			error = damaged(err, manifest->files[i].name,
					"is missing");
	free(check.buffer);
	return error;
}

/* @pid: "PID/", with the slash at [pid_bytes - 1] */
static int check_process(const struct ptu_manifest *manifest, const char *pid,
			 size_t pid_bytes, struct ptu_err *err)
{
	char name[NAME_BYTES], why[64];
	size_t i;

	for (i = 0; i < sizeof(of_process) / sizeof(of_process[0]); i++) {
		const char *with = of_process[i].with;
		bool is_due = !with || ptu_manifest_find(manifest, with);
		bool is_there;

		snprintf(name, sizeof(name), "%.*s%s", (int)pid_bytes, pid,
			 of_process[i].name);
		is_there = ptu_manifest_find(manifest, name);
		if (is_due && !is_there)
			return damaged(err, name, "is missing");
		if (is_there && !is_due) {
			snprintf(why, sizeof(why), "exists, but %s is missing",
				 with);
			return damaged(err, name, why);
		}
	}
	return 0;
}

/*
 * Is it the name that record gives to a process's directory?  Other numbers would be read as
 * the same process, or as none.
 * @bytes: its length, with the slash
 */
static bool is_pid(const char *name, size_t bytes)
{
	const long pid = strtol(name, NULL, 10);
	char again[32];

	snprintf(again, sizeof(again), "%ld/", pid);
	return pid > 0 && pid <= INT_MAX && !strncmp(name, again, bytes);
}

/* Check for missing files: a forged manifest would not reveal them. */
static int check_complete(const struct ptu_manifest *manifest,
			  struct ptu_err *err)
{
	const char *pid = "";
	size_t i, pid_bytes = 0;
	int error = 0;

	for (i = 0; i < sizeof(of_machine) / sizeof(of_machine[0]); i++)
		if (!ptu_manifest_find(manifest, of_machine[i]))
			return damaged(err, of_machine[i], "is missing");
	/* without --pages, there may be a file kpageflags alone */
	if (ptu_manifest_find(manifest, PTU_PAGE_CAPS) ||
	    ptu_manifest_find(manifest, "kpagecount"))
		for (i = 0; i < sizeof(of_pages) / sizeof(of_pages[0]); i++)
			if (!ptu_manifest_find(manifest, of_pages[i]))
				return damaged(err, of_pages[i], "is missing");
	if (ptu_manifest_find(manifest, PTU_MEMINFO) &&
	    !ptu_manifest_find(manifest, PTU_MEMINFO_AFTER))
		return damaged(err, PTU_MEMINFO_AFTER, "is missing");
	for (i = 0; !error && i < manifest->nr_files; i++) {
		const char *name = manifest->files[i].name;

		if (!isdigit((unsigned char)*name) || !strchr(name, '/') ||
		    (pid_bytes && !strncmp(name, pid, pid_bytes)))
			continue;
		pid = name;
		pid_bytes = (size_t)(strchr(name, '/') - name) + 1;
		error = is_pid(pid, pid_bytes) ?
				check_process(manifest, pid, pid_bytes, err) :
				damaged(err, name,
					"is in a directory whose name is not a PID");
	}
	if (!error && !pid_bytes)
		error = ptu_err_set(err, -EBADMSG,
				    "the recording is damaged: there is no process in it");
	return error;
}

static int read_manifest(const char *dir, int dirfd, struct ptu_manifest *ret,
			 struct ptu_err *err)
{
	struct stat st;
	char *text;
	int error = 0, fd = ptu_file_open_recorded(dirfd, PTU_MANIFEST, 0);

	if (fd == -ENOENT)
		return ptu_err_set(err, fd,
				   "%s is not a complete recording: it has no file `manifest`",
				   dir);
	if (fd == -EBADMSG)
		return damaged(err, PTU_MANIFEST, "is not a regular file");
	if (fd < 0)
		return cannot_read(err, PTU_MANIFEST, fd);
	if (!fstat(fd, &st) && (uint64_t)st.st_size > MANIFEST_BYTES)
		error = damaged(err, PTU_MANIFEST, "is too large");
	close(fd);
	if (error)
		return error;
	error = ptu_file_read(PTU_PROC_ROOT, PTU_MANIFEST, 0, &text);
	if (error)
		return cannot_read(err, PTU_MANIFEST, error);
	error = ptu_manifest_parse(text, ret, err);
	free(text);
	return error;
}

int ptu_recording_use(const char *dir, struct ptu_err *err)
{
	struct ptu_manifest manifest;
	struct ptu_scan_caps caps;
	int dirfd = ptu_file_use_recording(dir);
	int error;

	if (dirfd < 0)
		return ptu_err_set(err, dirfd,
				   "cannot open the recording %s: %s", dir,
				   strerror(-dirfd));
	error = read_manifest(dir, dirfd, &manifest, err);
	if (error)
		return error;
	error = check_files(&manifest, dirfd, err);
	if (!error)
		error = check_complete(&manifest, err);
	ptu_manifest_deinit(&manifest);
	if (error)
		return error;
	/* without the recorded result, the best estimator cannot be chosen */
	error = ptu_scan_calibrate(&caps, err);
	return error < 0 ? error : 0;
}

void ptu_recording_leave(void)
{
	ptu_file_leave_recording();
}

int ptu_recording_vmas(const struct ptu_vmas *vmas,
		       const struct ptu_geometry *geo, struct ptu_err *err)
{
	const uint64_t user_end = ptu_geometry_user_end(geo);
	size_t i, nr_user = 0;

	for (i = 0; i < vmas->nr_vmas; i++) {
		const struct ptu_vma *vma = &vmas->vmas[i];

		if (vma->end <= user_end)
			nr_user++;
		else if (vma->start != VSYSCALL ||
			 vma->end != VSYSCALL + geo->page_bytes)
			return ptu_err_set(err, -EBADMSG,
					   "the recording is damaged: maps has a mapping beyond the user half of the addresses");
	}
	if (!nr_user)
		return ptu_err_set(err, -EBADMSG,
				   "the recording is damaged: maps has no mapping");
	return 0;
}
