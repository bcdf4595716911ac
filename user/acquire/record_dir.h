/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory of a recording in progress. Files are created only here, readable
 * by the owner only, and listed in the manifest.
 */
#ifndef PTU_ACQUIRE_RECORD_DIR_H
#define PTU_ACQUIRE_RECORD_DIR_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "base/signals.h"
#include "model/manifest.h"

/**
 * struct ptu_record_dir - the directory
 * @fd: descriptor of the directory
 * @parent: descriptor of its parent; -1 if the directory existed before
 * @name: its name in @parent, allocated at the start: removing it must not need memory
 * @spare: descriptors for the removal of files, when no others may be left; or -1
 * @signals: saved by ptu_signals_hold(); while a signal that ends the process is pending,
 *	creating and writing files fails
 * @is_broken: a file could not be created or written: create no further file
 * @manifest: the files so far
 */
struct ptu_record_dir {
	int fd;
	int parent;
	char *name;
	int spare[2];
	struct ptu_signals signals;
	bool is_broken;
	struct ptu_manifest manifest;
};

/**
 * struct ptu_record_file - a file being written
 * @out: stream to write to; ptu_record_finish() reports its errors
 */
struct ptu_record_file {
	FILE *out;
	struct ptu_record_dir *dir;
	int fd;
	int error;
};

/**
 * ptu_record_dir_open() - Make the directory, or use an existing empty one.
 * @ret: (out) end with ptu_record_dir_close() or ptu_record_dir_undo().  A signal that
 *	came meanwhile ends the process then.
 *
 * Return: 0; -ENOTEMPTY; -ELOOP a symbolic link; -EPERM others could replace the
 * directory or its files; -errno.
 */
ptu_must_check int ptu_record_dir_open(const char *path,
				       struct ptu_record_dir *ret,
				       struct ptu_err *err);

/**
 * ptu_record_create() - Create a file and its parent directories.
 * @name: (in) relative to the recording
 * @ret: (out) end with ptu_record_finish(); do not copy or move it before. Only one
 *	file may be open at a time.
 */
ptu_must_check int ptu_record_create(struct ptu_record_dir *dir,
				     const char *name,
				     struct ptu_record_file *ret,
				     struct ptu_err *err);

/**
 * ptu_record_finish() - Close the file.
 *
 * Return: 0 all of it was written; -EFBIG the file is larger than ptaudit can read;
 * -errno of the first failed write.
 */
ptu_must_check int ptu_record_finish(struct ptu_record_file *file,
				     struct ptu_err *err);

/**
 * ptu_record_dir_cut() - Remove all files after the first @nr_files.
 */
void ptu_record_dir_cut(struct ptu_record_dir *dir, size_t nr_files);

/**
 * ptu_record_dir_close() - Write the manifest, which completes the recording.
 */
ptu_must_check int ptu_record_dir_close(struct ptu_record_dir *dir,
					struct ptu_err *err);

/**
 * ptu_record_dir_undo() - Remove all files, and the directory if it was created here.
 */
void ptu_record_dir_undo(struct ptu_record_dir *dir);

#endif
