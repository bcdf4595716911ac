// SPDX-License-Identifier: LGPL-2.1-or-later
/* What an estimating program printed, as claims.  Pure. */
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

static bool parse_line(const char *line, size_t bytes,
		       const struct ptu_geometry *geo, struct ptu_table *ret)
{
	char level[4], text[64], *end;
	unsigned int l;
	uint64_t addr;

	if (bytes >= sizeof(text))
		return false;
	memcpy(text, line, bytes);
	text[bytes] = '\0';
	if (sscanf(text, "%3s", level) != 1)
		return false;
	for (l = 0; l < PTAUDIT_NR_LEVELS; l++)
		if (geo->unfolded[l] && !strcmp(level, ptu_level_name(l)))
			break;
	if (l == PTAUDIT_NR_LEVELS)
		return false;
	end = strstr(text, level) + strlen(level);
	if (*end != ' ' && *end != '\t')
		return false;
	end += strspn(end, " \t");
	/* strtoull() would take a sign */
	if (!isxdigit((unsigned char)*end))
		return false;
	errno = 0;
	addr = strtoull(end, &end, 16);
	if (errno || end[strspn(end, " \t\r")] ||
	    addr >= ptu_geometry_user_end(geo))
		return false;
	*ret = (struct ptu_table){ .start = ptu_geometry_base(geo, l, addr),
				   .level = (uint8_t)l,
				   .claim = PTU_CERTAIN };
	return true;
}

static int refuse(const char *line, size_t bytes, size_t number,
		  struct ptu_err *err)
{
	char shown[61], escaped[PTU_ESCAPE_BYTES(sizeof(shown))];

	snprintf(shown, sizeof(shown), "%.*s", (int)(bytes < 60 ? bytes : 60),
		 line);
	return ptu_err_set(err, -EINVAL,
			   "the program's line %zu is not `level address` in the user half: %s",
			   number,
			   ptu_escape(shown, true, escaped, sizeof(escaped)));
}

int ptu_program_parse(const char *text, struct ptu_tables *ret,
		      struct ptu_err *err)
{
	struct ptu_table *tables;
	size_t nr = 0, lines = 1, i;
	const char *at;
	int error = 0;

	/* not the empty ones */
	for (at = text; *at; at++)
		lines += at[0] == '\n' && at[1] != '\n';
	tables = malloc(lines * sizeof(*tables));
	if (!tables)
		return ptu_err_set(err, -ENOMEM, "out of memory");
	for (at = text, i = 1; *at && !error; i++) {
		size_t bytes = strcspn(at, "\n");

		if (bytes && *at != '#') {
			if (parse_line(at, bytes, ret->geo, &tables[nr]))
				nr++;
			else
				error = refuse(at, bytes, i, err);
		}
		at += bytes + (at[bytes] == '\n');
	}
	qsort(tables, nr, sizeof(*tables), by_place);
	for (i = 0; i < nr && !error; i++)
		error = ptu_tables_append(ret, &tables[i]);
	free(tables);
	return error;
}
