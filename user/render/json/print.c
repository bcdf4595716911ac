// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Print JSON value by value, so that neither the text nor all rows of a long array
 * are in memory.
 */
#include "render/json/build.h"

#define FLAGS                                                     \
	(JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | \
	 JSON_REAL_PRECISION(12))

struct sink {
	FILE *out;
	unsigned int depth; /* nesting depth of the value in the document */
	bool has_failed;    /* a write has failed: write nothing more */
	bool no_memory;
};

/* jansson escapes newlines in strings, so each newline ends a line. */
static void write_lines(struct sink *sink, const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes && !sink->has_failed; i++) {
		if (fputc(text[i], sink->out) == EOF ||
		    (text[i] == '\n' &&
		     fprintf(sink->out, "%*s", 2 * (int)sink->depth, "") < 0))
			sink->has_failed = true;
	}
}

/* Called by jansson. */
static int take_text(const char *text, size_t bytes, void *arg)
{
	struct sink *sink = arg;

	/* write_lines() may set errno */
	sink->no_memory |= errno == ENOMEM;
	write_lines(sink, text, bytes);
	errno = 0;
	return sink->has_failed ? -1 : 0;
}

/* @before: text before the value; takes ownership of @value. */
static void print_value(struct sink *sink, const char *before,
			unsigned int depth, json_t *value)
{
	sink->depth = 0;
	write_lines(sink, before, strlen(before));
	sink->depth = depth;
	/* jansson omits members and prints the rest if memory runs out */
	errno = 0;
	if (json_dump_callback(value, take_text, sink, FLAGS) || errno)
		sink->no_memory |= !sink->has_failed;
	json_decref(value);
}

static void print_rows(struct sink *sink, struct builder *b,
		       const struct rows *rows, const void *report)
{
	size_t i;

	sink->depth = 0;
	for (i = 0; i < rows->nr && !sink->has_failed && !b->failed; i++) {
		json_t *row = rows->row(b, report, i);

		/* omit an incomplete row */
		if (b->failed)
			json_decref(row);
		else
			print_value(sink, i ? ",\n    " : "[\n    ", 2, row);
	}
	sink->depth = 0;
	if (rows->nr)
		write_lines(sink, "\n  ]", 4);
	else
		write_lines(sink, "[]", 2);
}

int print_json_rows(struct builder *b, json_t *root, const struct rows *rows,
		    const void *report, FILE *out, struct ptu_err *err)
{
	struct sink sink = { .out = out };
	const char *key, *before = "{\n  ";
	json_t *value;

	if (!b->failed) {
		json_object_foreach(root, key, value)
		{
			print_value(&sink, before, 0, json_string(key));
			if (!strcmp(key, rows->key)) {
				write_lines(&sink, ": ", 2);
				print_rows(&sink, b, rows, report);
			} else {
				print_value(&sink, ": ", 1, json_incref(value));
			}
			before = ",\n  ";
		}
		sink.depth = 0;
		write_lines(&sink, "\n}\n", 3);
	}
	json_decref(root);
	if (b->failed || sink.no_memory)
		return ptu_err_set(err, -ENOMEM, "no memory for the report");
	return ptu_written(out, 0, err);
}
