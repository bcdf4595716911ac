/* SPDX-License-Identifier: GPL-2.0-only */
/* Access to the JSON value at a path, with checks. */
#ifndef RENDER_AT_H
#define RENDER_AT_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "render/render.h"
#include "support/printed.h"

#define P0 "processes.0."

/* @path: keys and indices, as in "processes.0.levels.3.kernel" */
static inline json_t *at(json_t *value, const char *path)
{
	char key[64];

	while (value && *path) {
		size_t key_len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)key_len, path);
		value = json_is_array(value) ?
				json_array_get(value, strtoul(key, NULL, 10)) :
				json_object_get(value, key);
		path += key_len + (path[key_len] == '.');
	}
	return value;
}

/* Parse what was printed. */
static inline json_t *json_from(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (text && !root)
		printf("# %s in:\n# %s\n", error.text, text);
	return root;
}

static inline json_t *report_as(const struct ptu_report *report,
				struct ptu_render_options options)
{
	return json_from(PRINTED(ptu_render_json, report, &options));
}

static inline json_t *report_as_json(const struct ptu_report *report)
{
	return report_as(report, (struct ptu_render_options){ .raw = false });
}

static inline void number_at(json_t *root, const char *path, long long expected)
{
	json_t *value = at(root, path);

	check(json_is_integer(value) && json_integer_value(value) == expected,
	      "json: %s is %lld", path, expected);
}

static inline void text_at(json_t *root, const char *path, const char *expected)
{
	json_t *value = at(root, path);

	check(json_is_string(value) &&
		      !strcmp(json_string_value(value), expected),
	      "json: %s is %s", path, expected);
}

static inline void none_at(json_t *root, const char *path)
{
	check(!at(root, path), "json: there is no %s", path);
}

static inline void null_at(json_t *root, const char *path)
{
	check(json_is_null(at(root, path)), "json: %s is null", path);
}

static inline void size_at(json_t *root, const char *path, size_t expected)
{
	size_t size = json_is_array(at(root, path)) ?
			      json_array_size(at(root, path)) :
			      json_object_size(at(root, path));

	check(size == expected, "json: %s has %zu", path, expected);
}

#endif
