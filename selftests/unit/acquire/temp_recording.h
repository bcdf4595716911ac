/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes recordings in a temporary directory.  begin_recording() lists the files that each
 * recording has; the test adds and drops some; make() writes them and the manifest.
 */
#ifndef TEMP_RECORDING_H
#define TEMP_RECORDING_H

#include <zlib.h>

#include "acquire/recording.h"
#include "support/tree.h"
#include "support/unit.h"

static struct file {
	const char *name, *text;
	size_t nr_bytes;
} files[64];
static size_t nr_files;
static struct ptu_err err;

static inline void add(const char *name, const char *text)
{
	files[nr_files++] = (struct file){ name, text, strlen(text) };
}

static inline void drop(const char *name)
{
	size_t i;

	for (i = 0; i < nr_files && strcmp(files[i].name, name); i++)
		;
	if (i == nr_files)
		abort();
	files[i] = files[--nr_files];
}

static inline int by_name(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name,
		      ((const struct file *)b)->name);
}

/* Write the files and the manifest. */
static inline void make(void)
{
	char *text;
	size_t nr_bytes, i;
	FILE *out = open_memstream(&text, &nr_bytes);

	qsort(files, nr_files, sizeof(files[0]), by_name);
	fprintf(out, "ptaudit-manifest 1 %zu\n", nr_files);
	for (i = 0; i < nr_files; i++) {
		const struct file *file = &files[i];

		tree_write_bytes(file->name, file->text, file->nr_bytes);
		fprintf(out, "%08lx %zu %s\n",
			crc32(0, (const Bytef *)file->text,
			      (uInt)file->nr_bytes),
			file->nr_bytes, file->name);
	}
	fclose(out);
	tree_write("manifest", text);
	free(text);
}

/* The files that each recording has. */
static inline void begin_recording(void)
{
	tree_make();
	nr_files = 0;
	err.text[0] = '\0';
	add("about", "this machine\n");
	add("cpuinfo", "flags\t\t: la57\n");
	add("sys/kernel/random/boot_id", "1-2-3\n");
	add("7/stat", "7 (a) S 1\n");
	add("7/status", "Name:\ta\n");
	add("7/maps", "1000-2000\n");
	add("7/smaps", "1000-2000\nRss: 4 kB\n");
	add("7/pagemap", "");
}

static inline void end_recording(void)
{
	ptu_recording_leave();
	tree_remove();
}

/* Leave the recording of an earlier attempt, and use this one. */
static inline int use(void)
{
	ptu_recording_leave();
	err.text[0] = '\0';
	return ptu_recording_use(tree, &err);
}

/* Use the recording, which is refused with the error and the message. */
#define REFUSED(error, message)               \
	do {                                  \
		CHECK_EQ(use(), error);       \
		CHECK_STR(err.text, message); \
	} while (0)

#define DAMAGED(what) REFUSED(-EBADMSG, "the recording is damaged: " what)

#define UNREADABLE(error, what) \
	REFUSED(error, "cannot read the recording's " what)

#endif
