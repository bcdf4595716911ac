/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory of a recording that is being made: its files are created
 * nowhere else, for the owner alone, and listed in the manifest.
 */
#ifndef PTU_ACQUIRE_RECORD_DIR_H
#define PTU_ACQUIRE_RECORD_DIR_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/manifest.h"

/**
 * struct ptu_record_dir - the directory
 * @fd: it, open
 * @parent: the directory above, open; -1 if the directory was there before
 * @path: as the user named it
 * @is_broken: a file could not be created or written: no other one will be
 * @manifest: the files so far
 */
struct ptu_record_dir {
	int fd;
	int parent;
	const char *path;
	bool is_broken;
	struct ptu_manifest manifest;
};

/**
 * struct ptu_record_file - a file that is being written
 * @out: write to it; errors are kept until ptu_record_finish()
 */
struct ptu_record_file {
	FILE *out;
	struct ptu_record_dir *dir;
	int fd;
	int error;
};

/**
 * ptu_record_dir_open() - Make the directory, or take an empty one as it is.
 * @path: (in) must outlive @ret
 * @ret: (out) end with ptu_record_dir_close() or ptu_record_dir_undo()
 *
 * Return: 0; -ENOTEMPTY; -ELOOP a symbolic link; -EPERM anybody could replace
 * the directory or what is in it; -errno.
 */
ptu_must_check int ptu_record_dir_open(const char *path,
				       struct ptu_record_dir *ret,
				       struct ptu_err *err);

/**
 * ptu_record_create() - Create a file, and the directories above it.
 * @name: (in) relative to the recording
 * @ret: (out) end with ptu_record_finish(), and do not move it before; only one
 *	file can be open at a time
 */
ptu_must_check int ptu_record_create(struct ptu_record_dir *dir,
				     const char *name,
				     struct ptu_record_file *ret,
				     struct ptu_err *err);

/**
 * ptu_record_finish() - Close the file.
 *
 * Return: 0 all that was written is in the file; -EFBIG more than ptaudit
 * reads of one file; -errno of the first write that failed.
 */
ptu_must_check int ptu_record_finish(struct ptu_record_file *file,
				     struct ptu_err *err);

/**
 * ptu_record_dir_cut() - Remove all files but the first @nr_files.
 */
void ptu_record_dir_cut(struct ptu_record_dir *dir, size_t nr_files);

/**
 * ptu_record_dir_close() - Write the manifest: the recording is complete.
 */
ptu_must_check int ptu_record_dir_close(struct ptu_record_dir *dir,
					struct ptu_err *err);

/**
 * ptu_record_dir_undo() - Remove all files, and the directory if it was made here.
 */
void ptu_record_dir_undo(struct ptu_record_dir *dir);

#endif
