/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of a recording's files, with sizes and checksums: it tells damage,
 * not forgery.  Pure.
 */
#ifndef PTU_MODEL_MANIFEST_H
#define PTU_MODEL_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Its name, at the top of the recording; it does not list itself. */
#define PTU_MANIFEST "manifest"

/**
 * struct ptu_manifest_file - what a file must be
 * @name: relative to the recording, "PID/maps"
 * @bytes: size
 * @crc: zlib's crc32() of the content
 * @is_found: for who compares: the file was there
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
 * ptu_manifest_add() - Add a file; its size and checksum are 0 so far.
 * @name: (in) copied
 *
 * Return: the file, until the next one is added; NULL if memory is short.
 */
struct ptu_manifest_file *ptu_manifest_add(struct ptu_manifest *manifest,
					   const char *name);

/**
 * ptu_manifest_cut() - Forget all files but the first @nr_files.
 */
void ptu_manifest_cut(struct ptu_manifest *manifest, size_t nr_files);

/**
 * ptu_manifest_text() - The text of the file `manifest`; sorts the files.
 *
 * A line `ptaudit-manifest 1 FILES`, then a line `CRC BYTES NAME` a file, in
 * the order of strcmp() of the names.
 *
 * Return: free() it; NULL if memory is short.
 */
char *ptu_manifest_text(struct ptu_manifest *manifest);

/**
 * ptu_manifest_parse() - The reverse.
 * @ret: (out) deinit with ptu_manifest_deinit(); untouched on failure
 *
 * Return: 0; -EBADMSG it is not, to the byte, as ptu_manifest_text() writes it;
 * -ENOMEM.
 */
ptu_must_check int ptu_manifest_parse(const char *text,
				      struct ptu_manifest *ret,
				      struct ptu_err *err);

/**
 * ptu_manifest_find() - By name; the files must be sorted.
 *
 * Return: the file, or NULL.
 */
struct ptu_manifest_file *ptu_manifest_find(const struct ptu_manifest *manifest,
					    const char *name);

void ptu_manifest_deinit(struct ptu_manifest *manifest);

#endif
