// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory runs out while a report is printed.  Each allocation fails in turn, alone and
 * with all later ones: the result must be an error or the complete report.  Built
 * without sanitizers, because the test has its own allocator.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "report/cow.h"
#include "report/flags.h"
#include "report/footprint.h"
#include "report/frames.h"
#include "report/pages.h"
#include "report/whatif.h"
#include "support/check.h"
#include "support/sample.h"

#define OUTPUT_BYTES (1 << 18)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

/* Allocations so far, the first one to fail (0: none), and whether only that one fails. */
static unsigned long nr_allocations, first_failure;
static bool fails_once;

static bool fails(void)
{
	nr_allocations++;
	if (!first_failure)
		return false;
	return fails_once ? nr_allocations == first_failure :
			    nr_allocations >= first_failure;
}

static void *none(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t bytes)
{
	return fails() ? none() : __libc_malloc(bytes);
}

void *calloc(size_t nr, size_t bytes)
{
	return fails() ? none() : __libc_calloc(nr, bytes);
}

void *realloc(void *memory, size_t bytes)
{
	return fails() ? none() : __libc_realloc(memory, bytes);
}

/* One way to print a report. */
struct printing {
	const char *name;
	int (*print)(const void *report,
		     const struct ptu_render_options *options, FILE *out,
		     struct ptu_err *err);
	const void *report;
	struct ptu_render_options options;
};

/* A renderer that takes a pointer to any report. */
#define PRINTS(name)                                                      \
	static int print_##name(const void *report,                       \
				const struct ptu_render_options *options, \
				FILE *out, struct ptu_err *err)           \
	{                                                                 \
		return ptu_render_##name(report, options, out, err);      \
	}

PRINTS(text)
PRINTS(json)
PRINTS(footprint_text)
PRINTS(footprint_json)
PRINTS(totals_text)
PRINTS(totals_json)
PRINTS(cow_text)
PRINTS(cow_json)
PRINTS(flags_text)
PRINTS(flags_json)
PRINTS(kpagemap_text)
PRINTS(kpagemap_json)
PRINTS(system_text)
PRINTS(system_json)
PRINTS(whatif_text)
PRINTS(whatif_json)

/* Print into @ret with the failures that are set.  Return: the printer's result. */
static int print(const struct printing *p, char ret[OUTPUT_BYTES],
		 struct ptu_err *err)
{
	static char buffer[BUFSIZ];
	unsigned long failure = first_failure;
	FILE *out;
	int error;

	first_failure = 0;
	memset(ret, 0, OUTPUT_BYTES);
	memset(err, 0, sizeof(*err));
	out = fmemopen(ret, OUTPUT_BYTES, "w");
	if (!out)
		return -EIO;
	setvbuf(out, buffer, _IOFBF, sizeof(buffer));
	nr_allocations = 0;
	first_failure = failure;
	error = p->print(p->report, &p->options, out, err);
	first_failure = 0;
	fclose(out);
	return error;
}

static void run_out(const struct printing *p)
{
	static char whole[OUTPUT_BYTES], got[OUTPUT_BYTES];
	unsigned long nr, wrong = 0, silent = 0, at, needed;
	struct ptu_err err;

	check(!print(p, whole, &err) && whole[0], "%s: is printed", p->name);
	needed = nr_allocations;
	for (nr = 0; nr < 2 * needed; nr++) {
		int error;

		at = nr / 2 + 1;
		fails_once = nr % 2;
		first_failure = at;
		error = print(p, got, &err);
		silent += error && !err.text[0];
		if (error || !strcmp(whole, got))
			continue;
		if (!wrong++)
			printf("# wrong output after the failure of allocation %lu of %lu%s:\n%s\n",
			       at, needed,
			       fails_once ? "" : " and all later ones", got);
	}
	check(!wrong, "%s: each_failed_allocation_is_an_error_or_harmless",
	      p->name);
	check(!silent, "%s: each_error_has_a_sentence", p->name);
	printf("# %s: %lu allocations\n", p->name, needed);
}

/* Maximum of allocated bytes while printing. */
static size_t most_bytes;

static ssize_t take(void *arg, const char *text, size_t bytes)
{
	const struct mallinfo2 info = mallinfo2();

	if (most_bytes < info.uordblks + info.hblkhd)
		most_bytes = info.uordblks + info.hblkhd;
	return (ssize_t)bytes;
}

/* JSON of 4,000 rows with 16 MB of text must hold one row at a time in memory. */
static void rows_one_at_a_time(void)
{
	const cookie_io_functions_t functions = { .write = take };
	static struct ptu_cow_row rows[4000];
	static struct ptu_flag_run runs[4000];
	static char path[4000];
	struct ptu_cow_report cow = { .rows = rows, .nr_rows = 4000 };
	struct ptu_flags_report flags = {
		.counted = { .with_runs = true, .runs = runs, .nr_runs = 4000 },
	};
	struct ptu_err err = { "" };
	FILE *out = fopencookie(NULL, "w", functions);
	const struct ptu_render_options options = { 0 };
	size_t before;

	memset(path, 'p', sizeof(path) - 1);
	for (size_t i = 0; i < 4000; i++)
		rows[i].path = path;
	cow.head.host.page_bytes = flags.head.host.page_bytes = 4096;
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	check(out && !ptu_render_cow_json(&cow, &options, out, &err) &&
		      most_bytes > before && most_bytes < before + (1 << 20),
	      "cow --json keeps one row at a time in memory: %zu bytes",
	      most_bytes - before);
	most_bytes = 0;
	check(out && !ptu_render_flags_json(&flags, &options, out, &err) &&
		      most_bytes > before && most_bytes < before + (1 << 20),
	      "flags --json keeps one range at a time in memory: %zu bytes",
	      most_bytes - before);
	if (out)
		fclose(out);
}

static size_t most_heap;

static ssize_t take_heap(void *arg, const char *text, size_t bytes)
{
	const struct mallinfo2 info = mallinfo2();

	if (most_heap < info.arena + info.hblkhd)
		most_heap = info.arena + info.hblkhd;
	return (ssize_t)bytes;
}

/*
 * A long table as text: libsmartcols keeps each row, but the 16 MB of paths must not be
 * kept. The test counts the memory that malloc() gets from the kernel, including holes
 * between rows.
 */
static void paths_in_no_row(void)
{
	const cookie_io_functions_t functions = { .write = take_heap };
	static struct ptu_cow_row rows[4000];
	static char path[4000];
	const struct ptu_cow_report cow = { .head.host.page_bytes = 4096,
					    .rows = rows,
					    .nr_rows = 4000 };
	const struct ptu_render_options options = { 0 };
	struct ptu_err err = { "" };
	FILE *out = fopencookie(NULL, "w", functions);

	memset(path, 'p', sizeof(path) - 1);
	for (size_t i = 0; i < 4000; i++)
		rows[i] = (struct ptu_cow_row){ .end = 4096, .path = path };
	check(out && !ptu_render_cow_text(&cow, &options, out, &err) &&
		      most_heap && most_heap < 12000000,
	      "the paths of a long table are in no row of it: %zu bytes",
	      most_heap);
	if (out)
		fclose(out);
}

int main(void)
{
	static struct ptu_flag_group combinations[2] = { { 1, 3 }, { 6, 4 } };
	static struct ptu_flag_run ranges[2] = { { 0, 4096, 1 },
						 { 8192, 16384, 6 } };
	static struct ptu_flags_report flags;
	static struct ptu_kpagemap_report kpagemap;
	static struct ptu_system_cgroup cgroups[2];
	static struct ptu_system_node nodes[1];
	static struct ptu_system_report system;
	static struct ptu_footprint_row rows[3];
	static struct ptu_footprint_report footprint;
	static struct ptu_totals_process pages;
	static struct ptu_totals_report totals;
	static struct ptu_cow_row mappings[3];
	static struct ptu_cow_report cow;
	static struct ptu_whatif_mm mms[1];
	static struct ptu_whatif_empty empties[1];
	static struct ptu_whatif_report whatif;
	static struct sample checked, group, estimated, mapped;

	sample_share(&checked);
	sample_add_unexplained(&checked);
	sample_share(&group);
	group.report.is_all = true;
	sample_estimate(&estimated);
	sample_estimate(&mapped);
	mapped.report.has_mappings = true;
	mms[0].named = true;
	empties[0] = (struct ptu_whatif_empty){ .tables = 3,
						.path = (char[]){ "/x" } };
	whatif.base.page_bytes = 4096;
	whatif.slot_bytes = 2 << 20;
	whatif.source = "scan";
	whatif.empties_known = whatif.shared_known = true;
	whatif.mms = mms;
	whatif.nr_mms = 1;
	whatif.empties = empties;
	whatif.nr_empties = 1;
	footprint.base = group.report;
	footprint.rows = rows;
	pages.pid = 17;
	pages.rows[PTU_TOTAL_PRESENT] = (struct ptu_totals_row){ .known = true,
								 .kernel = 3 };
	totals.processes = &pages;
	totals.nr_processes = 1;
	totals.host.page_bytes = 4096;
	for (size_t i = 0; i < 3; i++)
		mappings[i] = (struct ptu_cow_row){ .start = i << 12,
						    .end = (i + 1) << 12,
						    .path = "/bin/x" };
	cgroups[0].path = (char[]){ "/" };
	cgroups[1].path = (char[]){ "/a" };
	cgroups[1].depth = 1;
	system.cgroups = cgroups;
	system.nr_cgroups = 2;
	system.nodes = nodes;
	system.nr_nodes = 1;
	system.uncounted_bytes[PTAUDIT_PUD] = 4096;
	cow.rows = mappings;
	cow.nr_rows = 3;
	cow.head.host.page_bytes = 4096;
	flags.head.host.page_bytes = 4096;
	flags.counted = (struct ptu_pageflags){
		.pages = 7,
		.groups = combinations,
		.nr_groups = 2,
		.by_bit = { 3, 4, 4 },
		.with_runs = true,
		.runs = ranges,
		.nr_runs = 2,
	};
	kpagemap.host.page_bytes = 4096;

	const struct printing printings[] = {
		{ "check as text", print_text, &checked.report, { 0 } },
		{ "check as JSON", print_json, &checked.report, { 0 } },
		{ "check raw", print_text, &checked.report, { .raw = true } },
		{ "a group as text", print_text, &group.report, { 0 } },
		{ "mappings",
		  print_text,
		  &estimated.report,
		  { .mappings = true } },
		{ "estimate as JSON", print_json, &estimated.report, { 0 } },
		{ "mappings as JSON", print_json, &mapped.report, { 0 } },
		{ "whatif as a table",
		  print_whatif_text,
		  &whatif,
		  { .sort = "TABLES" } },
		{ "whatif as JSON", print_whatif_json, &whatif, { 0 } },
		{ "whatif as a table in JSON",
		  print_whatif_json,
		  &whatif,
		  { .sort = "TABLES" } },
		{ "footprint as text", print_footprint_text, &footprint, { 0 } },
		{ "footprint as JSON", print_footprint_json, &footprint, { 0 } },
		{ "pages as text", print_totals_text, &totals, { 0 } },
		{ "pages as JSON", print_totals_json, &totals, { 0 } },
		{ "copies as text", print_cow_text, &cow, { 0 } },
		{ "copies as JSON", print_cow_json, &cow, { 0 } },
		{ "flags as text", print_flags_text, &flags, { 0 } },
		{ "flags as JSON", print_flags_json, &flags, { 0 } },
		{ "kpagemap as text", print_kpagemap_text, &kpagemap, { 0 } },
		{ "kpagemap as JSON", print_kpagemap_json, &kpagemap, { 0 } },
		{ "system as text", print_system_text, &system, { 0 } },
		{ "system as JSON", print_system_json, &system, { 0 } },
	};

	for (size_t i = 0; i < sizeof(printings) / sizeof(printings[0]); i++)
		run_out(&printings[i]);
	rows_one_at_a_time();
	paths_in_no_row();
	return check_end();
}
