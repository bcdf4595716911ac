// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * usage: tables PID...
 *
 * Page tables of processes by level, the mapping that has most of them, and how many
 * are empty; by libptaudit:
 *
 *	cc -o tables tables.c $(pkg-config --cflags --libs libptaudit)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ptaudit.h>

static void print_levels(const struct ptaudit_report *report)
{
	struct ptaudit_level_row row = { .size = sizeof(row) };
	unsigned int level;

	for (level = PTAUDIT_LEVELS; level-- > 0;)
		if (!ptaudit_get_level(report, level, &row))
			printf("%s %" PRIu64 " tables, %" PRIu64 " bytes\n",
			       ptaudit_level_name(level), row.tables,
			       row.bytes);
}

static void print_most(const struct ptaudit_report *report)
{
	struct ptaudit_mapping_row most = { .size = sizeof(most) };
	struct ptaudit_mapping_row row = { .size = sizeof(row) };
	size_t i;

	for (i = 0; !ptaudit_get_mapping(report, i, &row); i++)
		if (row.tables[PTAUDIT_LEVEL_PTE] >
		    most.tables[PTAUDIT_LEVEL_PTE])
			most = row;
	if (most.tables[PTAUDIT_LEVEL_PTE])
		printf("most: %" PRIu64 " PTE tables, %#" PRIx64 " to %#" PRIx64
		       " %s\n",
		       most.tables[PTAUDIT_LEVEL_PTE], most.start, most.end,
		       most.path);
}

static int print(struct ptaudit *handle, pid_t pid)
{
	struct ptaudit_process_row row = { .size = sizeof(row) };
	struct ptaudit_report *report;
	int error = ptaudit_estimate(handle, pid, NULL, &report);

	if (error)
		return error;
	error = ptaudit_get_process(report, &row);
	if (!error) {
		printf("%s (%d): %" PRIu64 " bytes of page tables\n", row.comm,
		       (int)row.pid, row.table_bytes);
		print_levels(report);
		print_most(report);
		if (row.sees_empty)
			printf("empty: %" PRIu64 " tables\n", row.empty_tables);
	}
	ptaudit_report_free(report);
	return error;
}

int main(int argc, char *argv[])
{
	struct ptaudit *handle;
	int i, status = 0;

	if (ptaudit_new(&handle)) {
		fputs("tables: no memory\n", stderr);
		return 2;
	}
	for (i = 1; i < argc; i++) {
		if (!print(handle, (pid_t)strtol(argv[i], NULL, 10)))
			continue;
		fprintf(stderr, "tables: %s\n", ptaudit_error(handle));
		status = 2;
	}
	ptaudit_free(handle);
	return status;
}
