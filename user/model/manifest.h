/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of a recording's files with sizes and checksums. It detects damage, not
 * forgery.  Pure.
 */
#ifndef PTU_MODEL_MANIFEST_H
#define PTU_MODEL_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Name of the file in the recording's directory. It does not list itself. */
#define PTU_MANIFEST "manifest"

/**
 * struct ptu_manifest_file - expected properties of a file
 * @name: path relative to the recording, such as "PID/maps"
 * @bytes: size
 * @crc: zlib's crc32() of the content
 * @is_found: for the comparing caller: the file was found
 */
struct ptu_manifest_file {
	char *name;
	uint64_t bytes;
	uint32_t crc;
	bool is_found;
};

struct ptu_manifest {
	struct ptu_manifest_file *files;
	size_t nr_files;
	size_t capacity;
};

/**
 * ptu_manifest_add() - Add a file with size and checksum 0.
 * @name: (in) is copied
 *
 * Return: the file, valid until the next call; NULL if out of memory.
 */
struct ptu_manifest_file *ptu_manifest_add(struct ptu_manifest *manifest,
					   const char *name);

/**
 * ptu_manifest_cut() - Drop all files after the first @nr_files.
 */
void ptu_manifest_cut(struct ptu_manifest *manifest, size_t nr_files);

/**
 * ptu_manifest_text() - Return the text of the file `manifest`; sorts the files.
 *
 * The first line is `ptaudit-manifest 1 FILES`. Then comes a line `CRC BYTES NAME`
 * per file, in strcmp() order of the names.
 *
 * Return: free() it; NULL if out of memory.
 */
char *ptu_manifest_text(struct ptu_manifest *manifest);

/**
 * ptu_manifest_parse() - Parse the text of the file `manifest`.
 * @ret: (out) free with ptu_manifest_deinit(); untouched on failure
 *
 * Return: 0; -EBADMSG if it differs from the output of ptu_manifest_text() in any
 * byte; -ENOMEM.
 */
ptu_must_check int ptu_manifest_parse(const char *text,
				      struct ptu_manifest *ret,
				      struct ptu_err *err);

/**
 * ptu_manifest_find() - Find a file by name; the files must be sorted.
 *
 * Return: the file, or NULL.
 */
struct ptu_manifest_file *ptu_manifest_find(const struct ptu_manifest *manifest,
					    const char *name);

void ptu_manifest_deinit(struct ptu_manifest *manifest);

#endif
