/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one place where files below /proc are opened and read.  A recording takes the
 * place of /proc here, for the thread that uses it.
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
 * What one file of a recording may have.  65,000 mappings of the longest paths
 * make a smaps of half of that.
 */
#define PTU_RECORDING_FILE_BYTES (UINT64_C(1) << 30)

/*
 * Pages that the pagemap of a recorded process may show, 4 TiB of 4 KiB pages,
 * and slots that its scan may: what a few bytes of a recording can cost.
 */
#define PTU_RECORDING_WORDS (UINT64_C(1) << 30)
#define PTU_RECORDING_SLOTS (PTU_RECORDING_WORDS / 512)

/**
 * ptu_file_use_recording() - From now on, this thread reads a recording instead of /proc.
 * @dir: (in) as `ptaudit record --to` made it; for recording.c, which checks
 *	the files
 *
 * Return: the directory's descriptor, which stays open; -errno.
 */
ptu_must_check int ptu_file_use_recording(const char *dir);

/**
 * ptu_file_leave_recording() - From now on, read /proc again; nothing of the recording
 * is open any more.
 */
void ptu_file_leave_recording(void);

/**
 * ptu_file_swap_recording() - Read another recording, or /proc.
 * @fd: (in) the directory's descriptor, of ptu_file_use_recording(); -1: /proc
 *
 * Return: the one in use before, or -1; it stays open.
 */
int ptu_file_swap_recording(int fd);

bool ptu_file_is_recording(void);

/**
 * ptu_file_open() - Open a file or a directory for reading.
 * @dirfd: (in) a directory that was opened here, or PTU_PROC_ROOT for /proc (the
 *	recording's top)
 * @name: (in) relative to it; "" for /proc itself
 * @flags: (in) further flags of open(): O_DIRECTORY
 *
 * Return: a file descriptor; -errno.
 */
ptu_must_check int ptu_file_open(int dirfd, const char *name, int flags);

/**
 * ptu_file_open_above() - Open the directory that the last component is in.
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
 * As ptu_file_open(), for files that anybody may have put there: it follows no
 * symbolic link and waits for nobody.
 *
 * Return: a file descriptor; -EBADMSG it is no regular file; -EFBIG it has more
 * than PTU_RECORDING_FILE_BYTES; -errno.
 */
ptu_must_check int ptu_file_open_recorded(int dirfd, const char *name,
					  int flags);

/**
 * ptu_file_pread() - Read until @bytes are there, the file ends, or an error.
 *
 * Return: bytes read, fewer only at the end of the file; -errno, also where
 * some bytes had been read before.
 */
ptu_must_check ssize_t ptu_file_pread(int fd, void *buffer, size_t bytes,
				      off_t offset);

/**
 * ptu_file_read() - The whole text of a file.
 * @limit_bytes: (in) read no more than this, 0 for no limit
 * @ret: (out) NUL-terminated; free() it
 *
 * Return: 0; -EIO for text with a NUL in it; -errno.
 */
ptu_must_check int ptu_file_read(int dirfd, const char *name,
				 size_t limit_bytes, char **ret);

/**
 * ptu_file_lines() - A long text, some lines at a time.
 * @take: takes whole lines, NUL-terminated; of the last one the end of line may
 *	be missing; ends the reading unless it returns 0
 *
 * Return: 0; what @take returned; -EIO for text with a NUL in it; -errno.
 */
ptu_must_check int ptu_file_lines(int dirfd, const char *name,
				  int (*take)(void *arg, const char *lines),
				  void *arg);

/**
 * ptu_file_list() - Open a directory to list it; closedir() it.
 */
ptu_must_check int ptu_file_list(int dirfd, const char *name, DIR **ret);

#endif
