/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens and reads files below /proc, or in their place those of the recording that the
 * thread uses.
 */
#ifndef PTU_ACQUIRE_FILE_H
#define PTU_ACQUIRE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

#define PTU_PROC_ROOT (-1)

/*
 * Size limit of a file in a recording.  The smaps of 65,000 mappings with the
 * longest paths takes half of it.
 */
#define PTU_RECORDING_FILE_BYTES (UINT64_C(1) << 30)

/*
 * Limits of the pages in a recorded pagemap (4 TiB of 4 KiB pages) and of the slots
 * in a recorded scan: they bound the cost of a small recording.
 */
#define PTU_RECORDING_WORDS (UINT64_C(1) << 30)
#define PTU_RECORDING_SLOTS (PTU_RECORDING_WORDS / 512)

/**
 * ptu_file_use_recording() - Let this thread read a recording instead of /proc.
 * @dir: (in) directory made by `ptaudit record --to`; only for recording.c, which
 *	checks the files
 *
 * Return: the directory's descriptor, which stays open; -errno.
 */
ptu_must_check int ptu_file_use_recording(const char *dir);

/**
 * ptu_file_leave_recording() - Let this thread read /proc again. No file of the
 *	recording may be open.
 */
void ptu_file_leave_recording(void);

/**
 * ptu_file_swap_recording() - Switch to another recording, or to /proc.
 * @fd: (in) descriptor from ptu_file_use_recording(); -1: /proc
 *
 * Return: the previous descriptor, which stays open, or -1.
 */
int ptu_file_swap_recording(int fd);

bool ptu_file_is_recording(void);

/**
 * ptu_file_open() - Open a file or a directory for reading.
 * @dirfd: (in) a directory that was opened here, or PTU_PROC_ROOT for /proc or the
 *	top of the recording
 * @name: (in) relative to @dirfd; "" for /proc itself
 * @flags: (in) additional flags of open(): O_DIRECTORY
 *
 * Return: a file descriptor; -errno.
 */
ptu_must_check int ptu_file_open(int dirfd, const char *name, int flags);

/**
 * ptu_file_open_above() - Open the directory that contains the last component.
 * @name: (in) relative to @dirfd; no component may be a symbolic link
 * @ret_last: (out) the last component of @name
 *
 * Return: a file descriptor (O_PATH); -errno.
 */
ptu_must_check int ptu_file_open_above(int dirfd, const char *name,
				       const char **ret_last);

/**
 * ptu_file_open_recorded() - Open a file or a directory of a recording.
 *
 * Like ptu_file_open(), for untrusted files: follows no symbolic link and does not
 * block.
 *
 * Return: a file descriptor; -EBADMSG it is not a regular file; -EFBIG it has more
 * than PTU_RECORDING_FILE_BYTES; -errno.
 */
ptu_must_check int ptu_file_open_recorded(int dirfd, const char *name,
					  int flags);

/**
 * ptu_file_pread() - Read @bytes, up to the end of the file or an error.
 *
 * Return: bytes read, fewer only at the end of the file; -errno, even if some bytes
 * were read before the error.
 */
ptu_must_check ssize_t ptu_file_pread(int fd, void *buffer, size_t bytes,
				      off_t offset);

/**
 * ptu_file_read() - Read the whole text of a file.
 * @limit_bytes: (in) stop after this many bytes, 0 for no limit
 * @ret: (out) NUL-terminated; free() it
 *
 * Return: 0; -EIO for text with a NUL in it; -errno.
 */
ptu_must_check int ptu_file_read(int dirfd, const char *name,
				 size_t limit_bytes, char **ret);

/**
 * ptu_file_lines() - Read a long text in pieces of whole lines.
 * @take: gets whole lines, NUL-terminated; the last one may lack its line end;
 *	reading stops unless it returns 0
 *
 * Return: 0; what @take returned; -EIO for text with a NUL in it; -errno.
 */
ptu_must_check int ptu_file_lines(int dirfd, const char *name,
				  int (*take)(void *arg, const char *lines),
				  void *arg);

/**
 * ptu_file_list() - Open a directory for listing; close it with closedir().
 */
ptu_must_check int ptu_file_list(int dirfd, const char *name, DIR **ret);

#endif
