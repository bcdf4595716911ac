/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers to build JSON; for render/json only. */
#ifndef PTU_RENDER_JSON_BUILD_H
#define PTU_RENDER_JSON_BUILD_H

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/escape.h"
#include "base/version.h"
#include "base/written.h"

/*
 * The _new functions of jansson take ownership of the value and fail on NULL. So a
 * failed allocation is noticed at the latest when the value is added.
 */
struct builder {
	bool failed;
};

static inline void put(struct builder *b, json_t *object, const char *key,
		       json_t *value)
{
	if (json_object_set_new(object, key, value))
		b->failed = true;
}

static inline void add(struct builder *b, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		b->failed = true;
}

static inline void put_number(struct builder *b, json_t *object,
			      const char *key, uint64_t value)
{
	put(b, object, key, json_integer((json_int_t)value));
}

static inline void put_text(struct builder *b, json_t *object, const char *key,
			    const char *text)
{
	size_t escaped_bytes = PTU_ESCAPE_BYTES(strlen(text));
	char *escaped = malloc(escaped_bytes);

	if (escaped)
		put(b, object, key,
		    json_string(
			    ptu_escape(text, false, escaped, escaped_bytes)));
	else
		b->failed = true;
	free(escaped);
}

/* Put an address; at the end of a range 0 means the end of the address space. */
static inline void put_address(struct builder *b, json_t *object,
			       const char *key, uint64_t address, bool is_end)
{
	if (is_end && !address)
		put(b, object, key, json_string("0x10000000000000000"));
	else
		put(b, object, key, json_sprintf("0x%" PRIx64, address));
}

/* The members with which every document begins. */
struct head {
	const char *command;
	const char *kernel;
	const char *machine;
	uint64_t page_bytes;
	const char *estimator; /* or NULL: none was requested */
	const char *time;
	const char *boot_id;
	const char *output; /* columns of the rows, or NULL: all */
};

#define HEAD_OF_HOST(name, report)                       \
	((struct head){                                  \
		.command = (name),                       \
		.kernel = (report)->host.release,        \
		.machine = (report)->host.machine,       \
		.page_bytes = (report)->host.page_bytes, \
		.time = (report)->host.time,             \
		.boot_id = (report)->boot_id,            \
	})

#define HEAD_OF_REPORT(name, report)                \
	((struct head){                             \
		.command = (name),                  \
		.kernel = (report)->kernel_release, \
		.machine = (report)->machine,       \
		.page_bytes = (report)->page_bytes, \
		.time = (report)->time,             \
		.boot_id = (report)->boot_id,       \
	})

static inline json_t *head_object(struct builder *b, const struct head *head)
{
	json_t *object = json_object();

	put_text(b, object, "version", PTU_VERSION);
	put_number(b, object, "schema", PTU_JSON_SCHEMA);
	put_text(b, object, "command", head->command);
	put_text(b, object, "kernel", head->kernel);
	put_text(b, object, "machine", head->machine);
	put_number(b, object, "page_size", head->page_bytes);
	if (head->estimator)
		put_text(b, object, "estimator", head->estimator);
	put_text(b, object, "time", head->time);
	put_text(b, object, "boot_id", head->boot_id);
	if (head->output)
		put_text(b, object, "output", head->output);
	return object;
}

/* Put the thread that was read, if it is not the main thread. */
static inline void put_thread(struct builder *b, json_t *object, pid_t pid,
			      pid_t tid)
{
	if (tid && tid != pid)
		put_number(b, object, "tid", (uint64_t)tid);
}

/* Print @root in the format @layout (JSON_INDENT(), JSON_COMPACT) and free it. */
static inline int print_json_as(struct builder *b, json_t *root, size_t layout,
				FILE *out, struct ptu_err *err)
{
	char *text = NULL;

	/* jansson omits members and returns the rest if memory runs out */
	errno = 0;
	if (!b->failed)
		text = json_dumps(root, layout | JSON_PRESERVE_ORDER |
						JSON_REAL_PRECISION(12));
	if (errno == ENOMEM) {
		free(text);
		text = NULL;
	}
	json_decref(root);
	if (!text)
		return ptu_err_set(err, -ENOMEM, "no memory for the report");
	fputs(text, out);
	fputc('\n', out);
	free(text);
	return ptu_written(out, 0, err);
}

static inline int print_json(struct builder *b, json_t *root, FILE *out,
			     struct ptu_err *err)
{
	return print_json_as(b, root, JSON_INDENT(2), out, err);
}

/**
 * struct rows - an array in the root object, with one element in memory at a time
 * @key: key of the array; the root has a placeholder value there
 * @nr: number of elements
 * @row: makes element @i of @report; failures are noted in @b
 */
struct rows {
	const char *key;
	size_t nr;
	json_t *(*row)(struct builder *b, const void *report, size_t i);
};

/**
 * print_json_rows() - Print @root with the elements of an array, and free it.
 *
 * Return: 0; -ENOMEM; as ptu_written().  On failure the output is incomplete.
 */
int print_json_rows(struct builder *b, json_t *root, const struct rows *rows,
		    const void *report, FILE *out, struct ptu_err *err);

#endif
