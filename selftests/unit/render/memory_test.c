// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that runs out while a report is printed: each allocation fails in
 * turn, alone and with all after it.  What is printed then is an error, or the
 * whole report.  No sanitizer: the allocator here is the test's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "report/cow.h"
#include "report/footprint.h"
#include "report/pages.h"
#include "support/check.h"
#include "support/sample.h"

#define OUTPUT_BYTES (1 << 18)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t nr, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

/* Allocations so far, the first to fail (0: none), and whether it is the last. */
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

static int as_json(const void *report, const struct ptu_render_options *options,
		   FILE *out, struct ptu_err *err)
{
	(void)options;
	return ptu_render_json(report, out, err);
}

static int as_text(const void *report, const struct ptu_render_options *options,
		   FILE *out, struct ptu_err *err)
{
	return ptu_render_text(report, options, out, err);
}

static int footprint_json(const void *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	(void)options;
	return ptu_render_footprint_json(report, out, err);
}

static int footprint_text(const void *report,
			  const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	return ptu_render_footprint_text(report, options, out, err);
}

static int totals_json(const void *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	(void)options;
	return ptu_render_totals_json(report, out, err);
}

static int totals_text(const void *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	return ptu_render_totals_text(report, options, out, err);
}

static int cow_json(const void *report,
		    const struct ptu_render_options *options, FILE *out,
		    struct ptu_err *err)
{
	(void)options;
	return ptu_render_cow_json(report, out, err);
}

static int cow_text(const void *report,
		    const struct ptu_render_options *options, FILE *out,
		    struct ptu_err *err)
{
	return ptu_render_cow_text(report, options, out, err);
}

static int system_json(const void *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	(void)options;
	return ptu_render_system_json(report, out, err);
}

static int system_text(const void *report,
		       const struct ptu_render_options *options, FILE *out,
		       struct ptu_err *err)
{
	return ptu_render_system_text(report, options, out, err);
}

/* Print into @ret with the failures that are set; return: as the printer. */
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
			printf("# allocation %lu of %lu failed%s:\n%s\n", at,
			       needed, fails_once ? " alone" : "", got);
	}
	check(!wrong, "%s: each_failed_allocation_is_an_error_or_harmless",
	      p->name);
	check(!silent, "%s: each_error_has_a_sentence", p->name);
	printf("# %s: %lu allocations\n", p->name, needed);
}

int main(void)
{
	static struct ptu_system_cgroup cgroups[2];
	static struct ptu_system_node nodes[1];
	static struct ptu_system_report system;
	static struct ptu_footprint_row rows[3];
	static struct ptu_footprint_report footprint;
	static struct ptu_totals_process pages;
	static struct ptu_totals_report totals;
	static struct ptu_cow_row mappings[3];
	static struct ptu_cow_report cow;
	static struct sample checked, group, estimated;
	size_t i;

	sample_share(&checked);
	sample_add_unexplained(&checked);
	sample_share(&group);
	group.report.is_all = true;
	sample_estimate(&estimated);
	footprint.base = group.report;
	footprint.rows = rows;
	pages.pid = 17;
	pages.rows[PTU_TOTAL_PRESENT] = (struct ptu_totals_row){ .known = true,
								 .kernel = 3 };
	totals.processes = &pages;
	totals.nr_processes = 1;
	totals.host.page_bytes = 4096;
	for (i = 0; i < 3; i++)
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

	const struct printing printings[] = {
		{ "check as text", as_text, &checked.report, { 0 } },
		{ "check as JSON", as_json, &checked.report, { 0 } },
		{ "check raw", as_text, &checked.report, { .raw = true } },
		{ "a group as text", as_text, &group.report, { 0 } },
		{ "mappings", as_text, &estimated.report, { .mappings = true } },
		{ "estimate as JSON", as_json, &estimated.report, { 0 } },
		{ "footprint as text", footprint_text, &footprint, { 0 } },
		{ "footprint as JSON", footprint_json, &footprint, { 0 } },
		{ "pages as text", totals_text, &totals, { 0 } },
		{ "pages as JSON", totals_json, &totals, { 0 } },
		{ "copies as text", cow_text, &cow, { 0 } },
		{ "copies as JSON", cow_json, &cow, { 0 } },
		{ "system as text", system_text, &system, { 0 } },
		{ "system as JSON", system_json, &system, { 0 } },
	};

	for (i = 0; i < sizeof(printings) / sizeof(printings[0]); i++)
		run_out(&printings[i]);
	return check_end();
}
