// SPDX-License-Identifier: GPL-2.0-only
/* Lines of watch, from rows made by the test. */
#include "render/render.h"

#include <string.h>

#include "support/rows.h"
#include "support/unit.h"

static int render_total(const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	static struct ptu_growth_row most = {
		.start = 0x1000, .end = 0x3000, .name = "heap", .bytes = 8192
	};
	const struct ptu_watch_total total = {
		.seconds = 1,
		.nr_processes = 9,
		.nr_started = 2,
		.nr_ended = 3,
		.vmpte_bytes = 40960,
		.growth_bytes = 12288,
		.has_most = true,
		.most = { .pid = 51,
			  .comm = "grows",
			  .growth_bytes = 8192,
			  .has_tables = true,
			  .growth = { .rows = &most, .nr_rows = 1 } },
	};
	const struct ptu_watch_total first = { .nr_processes = 1,
					       .vmpte_bytes = 4096 };
	const struct ptu_watch_line lines[] = {
		{ .time = "12:00:00", .total = &first, .row = &first.most },
		{ .time = "12:00:01", .total = &total, .row = &total.most },
	};

	return ptu_render_watch_text(&lines[0], true, options, out, err) ||
	       ptu_render_watch_text(&lines[1], false, options, out, err);
}

UNIT_TEST(watch_sums_a_group_up)
{
	const char *text = text_of(render_total, TEXT);

	CHECK_HAS(text,
		  "    TIME PROCS  NEW ENDED  VMPTE  GROWTH MOST\n"
		  "12:00:00     1    0     0     4K       - -\n"
		  "12:00:01     9    2     3    40K    +12K +8K 51 (grows): +8K heap 0x1000\n");
}

UNIT_TEST(growth_that_is_too_fast_is_said_in_a_sentence)
{
	const struct ptu_watch_row row = { .pid = 51,
					   .comm = "grows",
					   .growth_bytes = 8192,
					   .seconds = 1,
					   .why = "no permission" };
	const struct ptu_watch_total total = { .growth_bytes = 12288 };
	char text[1024];

	ptu_render_watch_over(&row, NULL, 4096, text, sizeof(text));
	CHECK_STR(text,
		  "process 51 (grows): page tables grew by 8 KiB in 1 s, more than 4 KiB a second; no permission");
	ptu_render_watch_over(&row, &total, 4096, text, sizeof(text));
	CHECK_STR(text,
		  "the group: page tables grew by 12 KiB in 1 s, more than 4 KiB a second; the largest part, 8 KiB, in process 51 (grows); no permission");
}

UNIT_TEST(each_column_of_a_watched_group_has_its_member)
{
	static const struct cell cells[] = {
		{ 1, "TIME", "12:00:00" }, { 1, "SECONDS", "0.000" },
		{ 1, "GROWTH", "-" },	   { 1, "MOST", "-" },
		{ 2, "TIME", "12:00:01" }, { 2, "SECONDS", "1.000" },
		{ 2, "PROCS", "9" },	   { 2, "NEW", "2" },
		{ 2, "ENDED", "3" },	   { 2, "VMPTE", "40K" },
		{ 2, "GROWTH", "+12K" },
	};

	CHECK_COLUMNS(render_total, cells);
}

static bool is_json;

/* A process at the start, an interval later, without its tables, and at its end. */
static int render_watched(const struct ptu_render_options *options, FILE *out,
			  struct ptu_err *err)
{
	static struct ptu_growth_row most[] = {
		{ .start = 0x1000,
		  .end = 0x3000,
		  .name = "heap",
		  .bytes = 8192 },
		{ .start = 0x4000, .end = 0x5000, .name = "b", .bytes = 4096 },
		{ .start = 0x5000, .end = 0x6000, .name = "c", .bytes = 4096 },
		{ .start = 0x6000, .end = 0x7000, .name = "d", .bytes = 4096 },
	};
	static const struct ptu_watch_row rows[] = {
		{ .pid = 51,
		  .comm = "grows",
		  .vmpte_bytes = 4096,
		  .source = PTU_TOP_MODULE,
		  .has_tables = true,
		  .deposited = 5 },
		{ .pid = 51,
		  .comm = "grows",
		  .seconds = 0.5,
		  .vmpte_bytes = 12288,
		  .growth_bytes = 8192,
		  .source = PTU_TOP_BPF,
		  .has_tables = true,
		  .deposited = 6,
		  .deposited_before = 4,
		  .growth = { .came = { [PTAUDIT_PTE] = 9,
					[PTAUDIT_PMD] = 7,
					[PTAUDIT_PUD] = 5,
					[PTAUDIT_P4D] = 3 },
			      .went = { [PTAUDIT_PTE] = 1,
					[PTAUDIT_PMD] = 8,
					[PTAUDIT_PUD] = 5,
					[PTAUDIT_P4D] = 1 },
			      .rows = most,
			      .nr_rows = 4 } },
		{ .pid = 51,
		  .comm = "grows",
		  .seconds = 1,
		  .growth_bytes = -4096,
		  .vmpte_bytes = 8192,
		  .why = "too large" },
		{ .pid = 51, .comm = "grows", .ended = true },
	};
	const struct ptu_host host = { .release = "7.2", .time = "2026" };
	int error = 0;

	for (unsigned int i = 0; !error && i < sizeof(rows) / sizeof(rows[0]);
	     i++) {
		const struct ptu_watch_line line = { .time = "12:00:00",
						     .row = &rows[i] };

		error = is_json ? ptu_render_watch_json(&line, &host, options,
							out, err) :
				  ptu_render_watch_text(&line, !i, options, out,
							err);
	}
	return error;
}

UNIT_TEST(each_column_of_a_watched_process_has_its_member)
{
	static const struct cell cells[] = {
		{ 1, "TIME", "12:00:00" },
		{ 1, "PID", "51" },
		{ 1, "SECONDS", "0.000" },
		{ 1, "GROWTH", "-" },
		{ 1, "PTE", "-" },
		{ 1, "DEPOSITED", "5" },
		{ 1, "SOURCE", "module" },
		{ 1, "STATUS", "ok" },
		{ 1, "MOST", "-" },
		{ 2, "SECONDS", "0.500" },
		{ 2, "VMPTE", "12K" },
		{ 2, "GROWTH", "+8K" },
		{ 2, "PTE", "+8" },
		{ 2, "PMD", "-1" },
		{ 2, "PUD", "0" },
		{ 2, "P4D", "+2" },
		{ 2, "DEPOSITED", "6" },
		{ 2, "SOURCE", "bpf" },
		{ 2, "COMM", "grows" },
		{ 2, "MOST", "+8K\\x20heap\\x200x1000" },
		{ 3, "GROWTH", "-4K" },
		{ 3, "PTE", "-" },
		{ 3, "DEPOSITED", "-" },
		{ 3, "MOST", "(too\\x20large)" },
		{ 4, "PID", "51" },
		{ 4, "VMPTE", "-" },
		{ 4, "SOURCE", "-" },
		{ 4, "STATUS", "ended" },
		{ 4, "COMM", "grows" },
		{ 4, "MOST", "ended" },
	};

	CHECK_COLUMNS(render_watched, cells);
}

/* Mappings in the order that measure gives them; some VmPTE shrank, some mapping did not. */
static int render_shrinking(const struct ptu_render_options *options, FILE *out,
			    struct ptu_err *err)
{
	static struct ptu_growth_row went[] = {
		{ .start = 0x1000, .name = "heap", .bytes = -8192 },
		{ .start = 0x4000, .name = "b", .bytes = 4096 },
	};
	static struct ptu_growth_row same = { .start = 0x1000, .name = "heap" };
	static const struct ptu_watch_row rows[] = {
		{ .seconds = 1,
		  .growth_bytes = -4096,
		  .has_tables = true,
		  .growth = { .rows = went, .nr_rows = 2 } },
		{ .seconds = 1,
		  .growth_bytes = -4096,
		  .has_tables = true,
		  .growth = { .rows = &went[1], .nr_rows = 1 } },
		{ .seconds = 1,
		  .growth_bytes = 4096,
		  .has_tables = true,
		  .growth = { .rows = went, .nr_rows = 1 } },
		{ .seconds = 1,
		  .growth_bytes = 4096,
		  .has_tables = true,
		  .growth = { .rows = &same, .nr_rows = 1 } },
	};
	int error = 0;

	for (unsigned int i = 0; !error && i < 4; i++) {
		const struct ptu_watch_line line = { .row = &rows[i] };

		error = ptu_render_watch_text(&line, !i, options, out, err);
	}
	return error;
}

UNIT_TEST(a_mapping_is_named_if_it_changed_like_vmpte)
{
	static const struct ptu_render_options chosen = { .raw = true,
							  .columns = "MOST" };

	CHECK_STR(text_of(render_shrinking, chosen),
		  "MOST\n-8K\\x20heap\\x200x1000\n-\n-\n-\n");
}

UNIT_TEST(lines_of_watch_are_aligned)
{
	CHECK_HAS(text_of(render_watched, TEXT),
		  "    TIME     PID  VMPTE  GROWTH   PTE  PMD  PUD COMM            MOST\n"
		  "12:00:00      51     4K       -     -    -    - grows           -\n"
		  "12:00:00      51    12K     +8K    +8   -1    0 grows           +8K heap 0x1000\n"
		  "12:00:00      51     8K     -4K     -    -    - grows           (too large)\n"
		  "12:00:00      51      -       -     -    -    - grows           ended\n");
}

UNIT_TEST(json_of_watch_has_the_members_of_the_columns)
{
	static const struct ptu_render_options chosen = {
		.columns = "PTE,PMD,GROWTH,MOST,STATUS"
	};
	const char *text;

	is_json = true;
	text = text_of(render_watched, chosen);
	is_json = false;
	CHECK_HAS(text,
		  "\"output\":\"PTE,PMD,GROWTH,MOST,STATUS\"},\"pte_growth\":0,"
		  "\"pmd_growth\":0,\"growth_bytes\":0,\"where\":\"-\",\"status\":\"ok\",\"over\":false}\n");
	CHECK_HAS(text,
		  "\"pte_growth\":8,\"pmd_growth\":-1,\"growth_bytes\":8192,"
		  "\"where\":\"+8K heap 0x1000\",");
	CHECK_HAS(text,
		  "\"pte_growth\":null,\"pmd_growth\":null,\"growth_bytes\":-4096,"
		  "\"where\":\"(too large)\",");
	CHECK_HAS(text,
		  "\"growth_bytes\":null,\"where\":\"ended\",\"status\":\"ended\",");
}

UNIT_TEST(json_of_watch_lists_three_mappings)
{
	const char *text;

	is_json = true;
	text = text_of(render_watched, TEXT);
	is_json = false;
	CHECK_HAS(text, "\"deposited_tables\":6,\"deposited_growth\":2,");
	CHECK_HAS(text, "\"name\":\"c\",\"start\":\"0x5000\",");
	CHECK(!strstr(text, "\"name\":\"d\""));
}

/* A peak with its own tables, with those of an earlier sample, and without tables. */
static int render_peaks(const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	static struct ptu_growth_row rows[] = {
		{ .start = 0x1000,
		  .end = 0x3000,
		  .name = "heap\n",
		  .bytes = 12288,
		  .came = { [PTAUDIT_PTE] = 2 } },
		{ .start = 0x4000, .end = 0x5000, .name = "b", .bytes = 4096 },
		{ .start = 0x5000, .end = 0x6000, .name = "c", .bytes = 4096 },
		{ .start = 0x6000, .end = 0x7000, .name = "d", .bytes = 4096 },
	};
	struct ptu_watch_peak peak = {
		.pid = 51,
		.comm = "grows",
		.vmpte_bytes = 24576,
		.seconds = 2.5,
		.tables_seconds = 2.5,
		.source = PTU_TOP_BPF,
		.tables = { .rows = rows, .nr_rows = 4 },
	};
	const struct ptu_host host = { .release = "7.2", .time = "2026" };
	int error = 0;

	for (unsigned int i = 0; !error && i < 3; i++) {
		error = is_json ? ptu_render_watch_peak_json(&peak, &host, out,
							     err) :
				  ptu_render_watch_peak_text(&peak, options,
							     out, err);
		peak.tables_seconds = 1.5;
		peak.tables.nr_rows = 1;
		if (i) {
			peak.source = PTU_TOP_VMPTE;
			peak.tables.nr_rows = 0;
		}
	}
	return error;
}

UNIT_TEST(a_peak_has_its_time_and_three_mappings)
{
	static const char first[] =
		"process 51 (grows) had most page tables 2.500 s after the start: VmPTE 24 KiB\n";
	static const char heap[] =
		"12 KiB in heap\\x0a 0x1000-0x3000, PTE tables: 2\n";
	char text[1024];

	snprintf(text, sizeof(text),
		 "\n%s%s"
		 "4 KiB in b 0x4000-0x5000, PTE tables: 0\n"
		 "4 KiB in c 0x5000-0x6000, PTE tables: 0\n"
		 "\n%sits tables 1.500 s after the start:\n%s"
		 "\n%s",
		 first, heap, first, heap, first);
	CHECK_STR(text_of(render_peaks, TEXT), text);
}

UNIT_TEST(json_of_a_peak_has_the_same)
{
	const char *text;

	is_json = true;
	text = text_of(render_peaks, TEXT);
	is_json = false;
	CHECK_HAS(text,
		  "\"pid\":51,\"comm\":\"grows\",\"peak\":{\"vmpte_bytes\":24576,\"seconds\":2.5,"
		  "\"source\":\"bpf\",\"tables_seconds\":2.5,\"mappings\":[{\"name\":\"heap\\n\","
		  "\"start\":\"0x1000\",\"end\":\"0x3000\",\"bytes\":12288,\"pte_tables\":2},");
	CHECK(!strstr(text, "\"name\":\"d\""));
	CHECK_HAS(text, "\"tables_seconds\":1.5,");
	CHECK_HAS(text, "\"source\":\"vmpte\",\"mappings\":[]}}\n");
}

static int render_group_peak(const struct ptu_render_options *options,
			     FILE *out, struct ptu_err *err)
{
	const struct ptu_watch_group_peak peak = {
		.vmpte_bytes = 40960,
		.seconds = 2.5,
		.nr_processes = 7,
		.most = { { .pid = 51, .comm = "large\n", .vmpte_bytes = 24576 },
			  { .pid = 5, .comm = "small", .vmpte_bytes = 8192 } },
		.nr_most = 2,
	};
	const struct ptu_host host = { .release = "7.2", .time = "2026" };

	return is_json ? ptu_render_watch_group_peak_json(&peak, &host, out,
							  err) :
			 ptu_render_watch_group_peak_text(&peak, options, out,
							  err);
}

UNIT_TEST(the_peak_of_a_group_names_its_largest_processes)
{
	const char *text;

	CHECK_STR(text_of(render_group_peak, TEXT),
		  "\nthe group had most page tables 2.500 s after the start: VmPTE 40 KiB, processes: 7\n"
		  "24 KiB in process 51 (large\\x0a)\n"
		  "8 KiB in process 5 (small)\n");
	is_json = true;
	text = text_of(render_group_peak, TEXT);
	is_json = false;
	CHECK_HAS(text,
		  "\"peak\":{\"vmpte_bytes\":40960,\"seconds\":2.5,\"processes\":7,\"most\":["
		  "{\"pid\":51,\"comm\":\"large\\n\",\"vmpte_bytes\":24576},"
		  "{\"pid\":5,\"comm\":\"small\",\"vmpte_bytes\":8192}]}}\n");
}

UNIT_MAIN
