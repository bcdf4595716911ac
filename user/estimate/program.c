// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse the output of an estimating program: claims or counts.  Pure. */
#include "estimate/program.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

static int by_place(const void *a, const void *b)
{
	const struct ptu_table *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (int)y->level - (int)x->level;
}

/*
 * Parse the level name at the start of a line.
 *
 * Return: the level, with @rest behind the following blanks; PTAUDIT_NR_LEVELS if there
 * is no level name.
 */
static unsigned int parse_level(char *text, char **rest)
{
	unsigned int level;
	char *end;

	text += strspn(text, " \t");
	end = text + strcspn(text, " \t");
	*rest = end + strspn(end, " \t");
	if (!*end)
		return PTAUDIT_NR_LEVELS;
	*end = '\0';
	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		if (!strcmp(text, ptu_level_name(level)))
			break;
	return level;
}

/* Parse a number that fills the text.  strtoull() would accept a sign. */
static bool parse_number(char *text, int base, uint64_t *ret)
{
	char *end;

	if (!(base == 16 ? isxdigit((unsigned char)*text) :
			   isdigit((unsigned char)*text)))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, base);
	return !errno && !end[strspn(end, " \t\r")];
}

/* The kinds of lines. */
enum line { LINE_WRONG, LINE_FOLDED, LINE_TABLE, LINE_COUNT, LINE_COUNT_AGAIN };

static enum line parse_line(const char *line, size_t bytes,
			    const struct ptu_geometry *geo,
			    struct ptu_table *ret, struct ptu_stated *counts)
{
	const size_t word = strlen("count");
	char text[64], *rest;
	unsigned int level;
	uint64_t value;

	if (bytes >= sizeof(text))
		return LINE_WRONG;
	memcpy(text, line, bytes);
	text[bytes] = '\0';
	level = parse_level(text, &rest);
	if (level == PTAUDIT_NR_LEVELS)
		return LINE_WRONG;
	if (!geo->unfolded[level])
		return LINE_FOLDED;
	if (!strncmp(rest, "count", word) &&
	    (rest[word] == ' ' || rest[word] == '\t')) {
		rest += word;
		rest += strspn(rest, " \t");
		if (!parse_number(rest, 10, &value) ||
		    value > PTU_PROGRAM_MOST_TABLES)
			return LINE_WRONG;
		if (counts->stated & 1u << level)
			return LINE_COUNT_AGAIN;
		counts->stated |= 1u << level;
		counts->tables[level] = value;
		return LINE_COUNT;
	}
	if (!parse_number(rest, 16, &value) ||
	    value >= ptu_geometry_user_end(geo))
		return LINE_WRONG;
	*ret = (struct ptu_table){ .start = ptu_geometry_base(geo, level,
							      value),
				   .level = (uint8_t)level,
				   .claim = PTU_CERTAIN };
	return LINE_TABLE;
}

static int refuse(const char *line, size_t bytes, size_t number,
		  const char *what, struct ptu_err *err)
{
	char shown[61], escaped[PTU_ESCAPE_BYTES(sizeof(shown))];

	snprintf(shown, sizeof(shown), "%.*s", (int)(bytes < 60 ? bytes : 60),
		 line);
	return ptu_err_set(err, -EINVAL, "the program's line %zu %s: %s",
			   number, what,
			   ptu_escape(shown, true, escaped, sizeof(escaped)));
}

/* Check that the line fits the lines before it. */
static int judge(enum line says, const char *line, size_t bytes, size_t number,
		 size_t nr_tables, const struct ptu_stated *counts,
		 struct ptu_err *err)
{
	if (says == LINE_WRONG)
		return refuse(line, bytes, number,
			      "is neither `level address` in the user half nor `level count N`",
			      err);
	if (says == LINE_FOLDED)
		return refuse(line, bytes, number,
			      "names a level that this machine does not have",
			      err);
	if (says == LINE_COUNT_AGAIN)
		return refuse(line, bytes, number,
			      "counts a level that was counted before", err);
	if (nr_tables && counts->stated)
		return refuse(line, bytes, number,
			      "mixes tables with counts; a program states one or the other",
			      err);
	return 0;
}

int ptu_program_parse(const char *text, struct ptu_tables *ret,
		      struct ptu_stated *counts, struct ptu_err *err)
{
	struct ptu_stated stated = { 0 };
	struct ptu_table *tables;
	size_t nr = 0, lines = 1, i;
	const char *at;
	int error = 0;

	/* an upper bound of the lines that are not empty */
	for (at = text; *at; at++)
		lines += at[0] == '\n' && at[1] != '\n';
	tables = malloc(lines * sizeof(*tables));
	if (!tables)
		return ptu_err_set(err, -ENOMEM, "out of memory");
	for (at = text, i = 1; *at && !error; i++) {
		size_t bytes = strcspn(at, "\n");

		if (bytes && *at != '#') {
			enum line says = parse_line(at, bytes, ret->geo,
						    &tables[nr], &stated);

			nr += says == LINE_TABLE;
			error = judge(says, at, bytes, i, nr, &stated, err);
		}
		at += bytes + (at[bytes] == '\n');
	}
	/* each process has a PGD: a program that failed unnoticed prints nothing */
	if (!error && !nr && !stated.stated)
		error = ptu_err_set(err, -EINVAL,
				    "the program printed neither a table nor a count");
	if (!error && stated.stated && !counts)
		error = ptu_err_set(err, -EINVAL,
				    "the program states counts, not tables; only ptaudit score accepts counts");
	qsort(tables, nr, sizeof(*tables), by_place);
	for (i = 0; i < nr && !error; i++)
		error = ptu_tables_append(ret, &tables[i]);
	free(tables);
	if (!error && counts)
		*counts = stated;
	return error;
}
