// SPDX-License-Identifier: LGPL-2.1-or-later
/* The list of a recording's files; must not read the files. */
#include "model/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define HEAD_LINE "ptaudit-manifest 1 %zu\n"
#define FILE_LINE "%08" PRIx32 " %" PRIu64 " %s\n"
/* Upper bound of the numbers, blanks and line end of one line. */
#define LINE_BYTES 48

struct ptu_manifest_file *ptu_manifest_add(struct ptu_manifest *manifest,
					   const char *name)
{
	struct ptu_manifest_file *file;

	if (ptu_array_grow(&manifest->files, manifest->nr_files,
			   &manifest->capacity, sizeof(*file)))
		return NULL;
	file = &manifest->files[manifest->nr_files];
	*file = (struct ptu_manifest_file){ .name = strdup(name) };
	if (!file->name)
		return NULL;
	manifest->nr_files++;
	return file;
}

void ptu_manifest_cut(struct ptu_manifest *manifest, size_t nr_files)
{
	while (manifest->nr_files > nr_files)
		free(manifest->files[--manifest->nr_files].name);
}

static int by_name(const void *a, const void *b)
{
	const struct ptu_manifest_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

char *ptu_manifest_text(struct ptu_manifest *manifest)
{
	size_t room = LINE_BYTES, used, i;
	char *text;

	for (i = 0; i < manifest->nr_files; i++)
		room += LINE_BYTES + strlen(manifest->files[i].name);
	text = malloc(room);
	if (!text)
		return NULL;
	if (manifest->nr_files)
		qsort(manifest->files, manifest->nr_files,
		      sizeof(*manifest->files), by_name);
	used = (size_t)snprintf(text, room, HEAD_LINE, manifest->nr_files);
	for (i = 0; i < manifest->nr_files; i++) {
		const struct ptu_manifest_file *file = &manifest->files[i];

		used += (size_t)snprintf(text + used, room - used, FILE_LINE,
					 file->crc, file->bytes, file->name);
	}
	return text;
}

/* Parse one line; comparing the whole text finds deviations from the form. */
static int parse_file(const char *line, size_t line_bytes,
		      struct ptu_manifest *manifest)
{
	struct ptu_manifest_file *file;
	char *name, *at;
	uint64_t bytes;
	uint32_t crc;

	crc = (uint32_t)strtoul(line, &at, 16);
	if (*at != ' ')
		return -EBADMSG;
	bytes = strtoull(at, &at, 10);
	if (*at != ' ' || at >= line + line_bytes)
		return -EBADMSG;
	name = strndup(at + 1, (size_t)(line + line_bytes - at - 1));
	if (!name)
		return -ENOMEM;
	file = ptu_manifest_add(manifest, name);
	free(name);
	if (!file)
		return -ENOMEM;
	file->crc = crc;
	file->bytes = bytes;
	return 0;
}

static int parse(const char *text, struct ptu_manifest *ret)
{
	const char *line = strchr(text, '\n');
	char *again;
	int error = line ? 0 : -EBADMSG;
	size_t i;

	while (!error && *++line) {
		const char *end = strchr(line, '\n');

		if (!end)
			return -EBADMSG;
		error = parse_file(line, (size_t)(end - line), ret);
		line = end;
	}
	if (error)
		return error;
	again = ptu_manifest_text(ret);
	if (!again)
		return -ENOMEM;
	if (strcmp(again, text))
		error = -EBADMSG;
	free(again);
	for (i = 1; i < ret->nr_files; i++)
		if (!strcmp(ret->files[i - 1].name, ret->files[i].name))
			error = -EBADMSG;
	return error;
}

int ptu_manifest_parse(const char *text, struct ptu_manifest *ret,
		       struct ptu_err *err)
{
	struct ptu_manifest manifest = { 0 };
	int error = parse(text, &manifest);

	if (error) {
		ptu_manifest_deinit(&manifest);
		return ptu_err_set(err, error,
				   error == -ENOMEM ?
					   "no memory for the manifest" :
					   "the recording is damaged: its manifest does not have the format that record writes");
	}
	*ret = manifest;
	return 0;
}

struct ptu_manifest_file *ptu_manifest_find(const struct ptu_manifest *manifest,
					    const char *name)
{
	const struct ptu_manifest_file key = { .name = (char *)name };

	if (!manifest->nr_files)
		return NULL;
	return bsearch(&key, manifest->files, manifest->nr_files, sizeof(key),
		       by_name);
}

void ptu_manifest_deinit(struct ptu_manifest *manifest)
{
	ptu_manifest_cut(manifest, 0);
	free(manifest->files);
	memset(manifest, 0, sizeof(*manifest));
}
