// SPDX-License-Identifier: GPL-2.0-only
/* Tables with all columns, from reports made by the test. */
#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "model/page_flags.h"
#include "support/rows.h"
#include "support/sample.h"
#include "support/unit.h"

/* rows of check */

static int render_check(const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	struct ptu_render_options own = *options;
	struct sample s;

	sample_init(&s);
	s.processes[0].levels[PTAUDIT_P4D] = (struct ptu_level_row){
		.kernel = 7, .undecided = 6, .in_flux = 5
	};
	s.processes[0].tries = 9;
	s.processes[0].nr_sharing = 8;
	s.report.is_all = true;
	own.all_columns = false;
	own.columns =
		"KERNEL-ONLY,ESTIMATE-ONLY,UNDECIDED,IN-FLUX,P4D,PGD,FILL,LEAVES,MM,SHARING,TRIES";
	return ptu_render_text(&s.report, &own, out, err);
}

UNIT_TEST(each_column_of_check_has_its_member)
{
	/* 36 tables with 512 + 3 * 5 of 18432 entries: 2.9 % */
	static const struct cell cells[] = {
		{ 1, "KERNEL-ONLY", "32" },
		{ 1, "ESTIMATE-ONLY", "1" },
		{ 1, "UNDECIDED", "6" },
		{ 1, "P4D", "7" },
		{ 1, "IN-FLUX", "5" },
		{ 1, "PGD", "1" },
		{ 1, "FILL", "2.9" },
		{ 1, "LEAVES", "16" },
		{ 1, "MM", "0xabcdef0123456789" },
		{ 1, "SHARING", "8" },
		{ 1, "TRIES", "9" },
	};

	CHECK_CELLS(render_check, cells);
}

/* rows of score */

static struct ptu_process off_by = {
	.pid = 21,
	.levels[PTAUDIT_PTE] = { .kernel = 9, .estimate = 5, .unexplained = 4 },
};
static struct ptu_score_row score_rows[2] = {
	{ .name = "first",
	  .processes = 4,
	  .exact = 2,
	  .accounted = 1,
	  .levels[PTAUDIT_PTE] = { .processes = 4,
				   .exact = 3,
				   .kernel = 100,
				   .estimate = 97,
				   .missed = 5,
				   .invented = 2,
				   .explained = 1,
				   .errors = 6,
				   .worst = { .pid = 21,
					      .comm = "worst",
					      .errors = 4 } },
	  .worst = { { .who = { .pid = 21,
				.comm = "worst",
				.errors = 4,
				.explained = 1 },
		       .process = &off_by } },
	  .nr_worst = 1 },
	{ .name = "second",
	  .is_counts = true,
	  .processes = 1,
	  .exact = 1,
	  .levels[PTAUDIT_PMD] = { .processes = 1, .exact = 1 } },
};
static const struct ptu_score_report score = {
	.levels = 1u << PTAUDIT_PTE,
	.rows = score_rows,
	.nr_rows = 2,
};

static int render_score(const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	score_rows[0].base.truth = "module";
	strcpy(score_rows[0].base.kernel_release, "6.1");
	strcpy(score_rows[0].base.machine, "x86_64");
	return ptu_render_score_text(&score, options, out, err);
}

UNIT_TEST(each_column_of_score_has_its_member)
{
	/* 6 errors in 4 processes: 1.50 per process */
	static const struct cell cells[] = {
		{ 1, "ESTIMATOR", "first" },  { 1, "LEVEL", "pte" },
		{ 1, "PROCESSES", "4" },      { 1, "EXACT", "3" },
		{ 1, "KERNEL", "100" },	      { 1, "ESTIMATE", "97" },
		{ 1, "MISSED", "5" },	      { 1, "INVENTED", "2" },
		{ 1, "EXPLAINED", "1" },      { 1, "ERRORS", "6" },
		{ 1, "MEAN", "1.50" },	      { 1, "WORST", "4" },
		{ 1, "PID", "21" },	      { 1, "COMM", "worst" },
		{ 2, "ESTIMATOR", "second" }, { 2, "LEVEL", "pmd" },
		{ 2, "MEAN", "0.00" },	      { 2, "PID", "-" },
		{ 2, "COMM", "-" },
	};

	CHECK_COLUMNS(render_score, cells);
}

UNIT_TEST(score_names_the_worst_and_sums_up)
{
	const char *text = text_of(render_score, TEXT);
	const char *worst = strstr(text, "\nworst processes:\n");

	CHECK_HAS(text,
		  "kernel (module) against estimators, Linux 6.1 on x86_64\n");
	CHECK(worst);
	CHECK_HAS(worst, " 21 worst ");
	CHECK_HAS(worst, "4 pte unexplained\n");
	CHECK_HAS(worst,
		  "\nfirst: 4 processes, 2 exact, 1 explained, 1 wrong\n"
		  "second: 1 process, 1 exact, 0 explained, 0 wrong (counts: no cause can be found)\n");
}

/* rows of diff */

static struct ptu_growth_row grown[] = {
	{ .start = 0x1000,
	  .end = 0x9000,
	  .name = "a_b",
	  .came[PTAUDIT_PTE] = 5,
	  .went[PTAUDIT_PTE] = 2,
	  .went[PTAUDIT_PMD] = 1 },
};
static struct ptu_changed changed[] = {
	{ .pid = 31,
	  .comm = "grows",
	  .in_before = true,
	  .in_after = true,
	  .vmpte_before = 8192,
	  .vmpte_after = 20480,
	  .growth = { .before[PTAUDIT_PTE] = 2,
		      .after[PTAUDIT_PTE] = 5,
		      .came[PTAUDIT_PTE] = 5,
		      .went[PTAUDIT_PTE] = 2,
		      .rows = grown,
		      .nr_rows = 1 } },
	{ .pid = 32, .comm = "new", .in_after = true },
	{ .pid = 33, .comm = "old", .in_before = true },
	{ .pid = 34,
	  .comm = "same",
	  .in_before = true,
	  .in_after = true,
	  .vmpte_before = 8192,
	  .vmpte_after = 8192,
	  .growth = { .before[PTAUDIT_PTE] = 2, .after[PTAUDIT_PTE] = 2 } },
	{ .pid = 35,
	  .comm = "same as well",
	  .in_before = true,
	  .in_after = true },
};
static struct ptu_changed *shown = changed;
static size_t nr_shown = 5;

static int render_change(const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err)
{
	const struct ptu_change_report report = {
		.before = { "A", "then" },
		.after = { "B", "now" },
		.estimator = "scan",
		.page_bytes = 4096,
		.processes = shown,
		.nr_processes = nr_shown,
	};

	return ptu_render_change_text(&report, options, out, err);
}

UNIT_TEST(each_column_of_diff_has_its_member)
{
	static const struct cell cells[] = {
		{ 1, "PID", "31" },	  { 1, "COMM", "grows" },
		{ 1, "LEVEL", "pte" },	  { 1, "CAME", "5" },
		{ 1, "WENT", "2" },	  { 1, "SIZE", "+12K" },
		{ 1, "START", "0x1000" }, { 1, "END", "0x9000" },
		{ 1, "NAME", "a_b" },	  { 2, "LEVEL", "pmd" },
		{ 2, "CAME", "0" },	  { 2, "WENT", "1" },
		{ 2, "SIZE", "-4K" },
	};

	CHECK_COLUMNS(render_change, cells);
}

UNIT_TEST(diff_lists_added_and_removed_tables_and_processes)
{
	const char *text = text_of(render_change, TEXT);

	CHECK_HAS(text, "A (then), then B (now), by estimator scan\n");
	CHECK_HAS(text, "grows (31): VmPTE 8 KiB, then 20 KiB\n"
			"pte tables: 2, then 5: 5 came, 2 went\n");
	CHECK_HAS(text,
		  "new (32): VmPTE 0 KiB, then 0 KiB; only the second one has it\n");
	CHECK_HAS(text,
		  "old (33): VmPTE 0 KiB, then 0 KiB; only the first one has it\n");
}

/* Of all processes: +36 KiB, +12 KiB in two rows, -16 KiB. */
UNIT_TEST(diff_begins_with_the_mapping_that_grew_most)
{
	struct ptu_render_options options = CHOSEN("PID,LEVEL,NAME");
	struct ptu_growth_row rows[] = {
		{ .name = "most", .came[PTAUDIT_PTE] = 9, .bytes = 36864 },
		{ .name = "least", .went[PTAUDIT_PTE] = 4, .bytes = -16384 },
	};

	grown[0].bytes = 12288;
	changed[1].growth.rows = rows;
	changed[1].growth.nr_rows = 2;
	options.raw = options.no_headings = true;
	CHECK_STR(text_of(render_change, options),
		  "32 pte most\n31 pte a_b\n31 pmd a_b\n32 pte least\n");
	changed[1].growth = (struct ptu_growth){ 0 };
	grown[0].bytes = 0;
}

UNIT_TEST(diff_counts_processes_that_did_not_change)
{
	CHECK_HAS(text_of(render_change, TEXT),
		  "; only the first one has it\n2 processes did not change\n\n");
	CHECK(!strstr(text_of(render_change, TEXT), "same"));
	/* one process is shown in any case */
	shown = &changed[3];
	nr_shown = 1;
	CHECK_STR(text_of(render_change, TEXT),
		  "A (then), then B (now), by estimator scan\n"
		  "same (34): VmPTE 8 KiB, then 8 KiB\n"
		  "pte tables: 2, then 2: 0 came, 0 went\n");
	shown = changed;
	nr_shown = 5;
}

/* rows of flags */

static struct ptu_flag_group flag_groups[] = { { 1ull << 3, 4 },
					       { 1ull << 3 | 1ull << 5, 2 } };
static struct ptu_flag_run flag_runs[] = { { 0x2000, 0x5000, 1ull << 5 } };
static struct ptu_flags_report flags = {
	.head = { .host.page_bytes = 4096, .pid = 41, .tid = 41, .comm = "f" },
	.counted = { .pages = 6,
		     .groups = flag_groups,
		     .nr_groups = 2,
		     .by_bit = { [3] = 6, [5] = 2 },
		     .runs = flag_runs,
		     .nr_runs = 1 },
	.ksm_is_anon = true,
};

static int render_flags(const struct ptu_render_options *options, FILE *out,
			struct ptu_err *err)
{
	return ptu_render_flags_text(&flags, options, out, err);
}

UNIT_TEST(flags_are_shown_by_group_run_and_bit)
{
	/* bits 3 and 5 of kpageflags: UPTODATE and LRU */
	static const struct cell groups[] = {
		{ 1, "PAGES", "4" },	    { 1, "RAW", "0x8" },
		{ 1, "FLAGS", "UPTODATE" }, { 2, "PAGES", "2" },
		{ 2, "RAW", "0x28" },	    { 2, "FLAGS", "UPTODATE,LRU" },
	};
	static const struct cell runs[] = {
		{ 1, "START", "0x2000" }, { 1, "END", "0x5000" },
		{ 1, "PAGES", "3" },	  { 1, "RAW", "0x20" },
		{ 1, "FLAGS", "LRU" },
	};
	const char *text = text_of(render_flags, TEXT);
	const char *bits = strstr(text, "\nBy flag:\n");

	CHECK_HAS(text, "PID 41 (f): 6 pages are mapped; in pages\n");
	CHECK(bits);
	CHECK_HAS(bits, "   6   3 UPTODATE\n");
	CHECK_HAS(bits, "   2   5 LRU\n");
	CHECK_HAS(bits, "The flag KSM means nothing on this kernel");
	CHECK_COLUMNS(render_flags, groups);
	flags.counted.with_runs = true;
	CHECK_COLUMNS(render_flags, runs);
	flags.counted.with_runs = false;
	flags.counted.pages = 1;
	CHECK_HAS(text_of(render_flags, TEXT),
		  "PID 41 (f): 1 page is mapped; in pages\n");
	flags.counted.pages = 6;
	flags.head.tid = 43;
	CHECK_HAS(text_of(render_flags, TEXT), "read through thread 43.\n");
	CHECK(!strstr(text_of(render_flags,
			      (struct ptu_render_options){
				      .no_headings = true }),
		      "thread"));
	flags.head.tid = 41;
}

/* rows of kpagemap */

static struct ptu_kpagemap_report frames = {
	.host.page_bytes = 4096,
	.names = { .names = { { 2, "shown" }, { 9, "hidden" } }, .nr_names = 2 },
	.compared = {
		.flags = { [3] = { .pg = "shown", .bits = 1 << 2 | 1 << 7 },
			   [5] = { .reason = "for a reason" } },
		.frames = 100,
		.ends = { 90, 4, 3, 3 },
		.by_flag = { [3] = { 50, 6, { 40, 5, 4, 1 } },
			     [5] = { .set = 8 } },
		.by_count = { [PTU_KPAGEMAP_TAIL] = { 11, 0, { 10, 0, 0, 1 } } },
		.holes_silent = 12,
		.unknown = 1ull << 63,
	},
	.nr_flags = 107,
	.samples = { { .pfn = 0x77,
		       .frame = { 0x88, 2, 0x99, 1 },
		       .verdict = { .differ = 1 << 3,
				    .hole = true,
				    .broken = 1 << PTU_KPAGEMAP_TAIL } } },
	.nr_samples = 1,
};

static int render_frames(const struct ptu_render_options *options, FILE *out,
			 struct ptu_err *err)
{
	return ptu_render_kpagemap_text(&frames, options, out, err);
}

static int render_frames_json(const struct ptu_render_options *options,
			      FILE *out, struct ptu_err *err)
{
	return ptu_render_kpagemap_json(&frames, options, out, err);
}

UNIT_TEST(each_column_of_kpagemap_has_its_member)
{
	static const struct cell cells[] = {
		{ 1, "FLAG", "UPTODATE" }, { 1, "KPF", "3" },
		{ 1, "PG", "shown" },	   { 1, "BIT", "2+7" },
		{ 1, "SET", "50" },	   { 1, "AGREE", "40" },
		{ 1, "HEAD", "6" },	   { 1, "CHANGED", "5" },
		{ 1, "IN-FLUX", "4" },	   { 1, "UNEXPLAINED", "1" },
	};

	CHECK_COLUMNS(render_frames, cells);
}

/* Without blanks and newlines. */
static const char *packed(char *text)
{
	char *to = text, *from;

	for (from = text; *from; from++) {
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

UNIT_TEST(json_of_kpagemap_has_the_chosen_members)
{
	const char *text = packed(
		text_of(render_frames_json, CHOSEN("BIT,FLAG,HEAD,IN-FLUX")));

	CHECK_HAS(text, "\"output\":\"BIT,FLAG,HEAD,IN-FLUX\"");
	CHECK_HAS(text,
		  "\"flags\":[{\"bits\":[2,7],\"flag\":\"UPTODATE\",\"head\":6,\"in_flux\":4}],");
}

static int render_change_json(const struct ptu_render_options *options,
			      FILE *out, struct ptu_err *err)
{
	const struct ptu_change_report report = {
		.host.release = "7.2",
		.estimator = "written",
		.page_bytes = 4096,
		.processes = changed,
		.nr_processes = 1,
	};

	return ptu_render_change_json(&report, options, out, err);
}

UNIT_TEST(json_of_diff_has_the_chosen_members_and_rows)
{
	struct ptu_render_options options = CHOSEN("LEVEL,CAME,WENT,SIZE");
	struct ptu_growth_row two[] = { grown[0], grown[0] };
	const char *text;

	/* +12 KiB before -4 KiB, then the other way round */
	options.sort = "SIZE";
	text = packed(text_of(render_change_json, options));
	CHECK_HAS(text,
		  "\"mappings\":[{\"level\":\"pte\",\"came\":5,\"went\":2,\"growth_bytes\":12288},"
		  "{\"level\":\"pmd\",\"came\":0,\"went\":1,\"growth_bytes\":-4096}]");
	options.sort = "LEVEL";
	options.limit = 1;
	text = packed(text_of(render_change_json, options));
	CHECK_HAS(text, "\"mappings\":[{\"level\":\"pmd\",");
	/* a whole mapping with both, though it has two rows */
	options.columns = NULL;
	text = packed(text_of(render_change_json, options));
	CHECK_HAS(text,
		  "{\"level\":\"pmd\",\"came\":0,\"went\":1},{\"level\":\"pte\"");
	/* two mappings, though the first one has two rows */
	strcpy(two[1].name, "other");
	changed[0].growth.rows = two;
	changed[0].growth.nr_rows = 2;
	options.sort = NULL;
	options.limit = 2;
	text = packed(text_of(render_change_json, options));
	changed[0].growth.rows = grown;
	changed[0].growth.nr_rows = 1;
	CHECK_HAS(text, "\"name\":\"other\"");
}

static int render_score_json(const struct ptu_render_options *options,
			     FILE *out, struct ptu_err *err)
{
	score_rows[0].base.truth = "module";
	return ptu_render_score_json(&score, options, out, err);
}

UNIT_TEST(json_of_score_has_the_chosen_members)
{
	const char *text = packed(
		text_of(render_score_json, CHOSEN("ESTIMATOR,ERRORS,PID")));

	CHECK_HAS(text,
		  "\"levels\":[{\"estimator\":\"first\",\"errors\":6,\"worst_pid\":21}]");
	CHECK_HAS(text,
		  "\"processes\":4,\"exact\":2,\"explained\":1,\"wrong\":1,");
	CHECK_HAS(text,
		  "\"worst\":[{\"pid\":21,\"comm\":\"worst\",\"errors\":4,");
}

UNIT_TEST(kpagemap_lists_differences_and_uncompared_flags)
{
	const char *text = text_of(render_frames, TEXT);
	const char *differs = strstr(text,
				     "Unexplained page frames, the first 1:\n");

	CHECK_HAS(text, "tail page: that of its head");
	CHECK(differs);
	CHECK_HAS(differs,
		  "0x77  0x88     2       0x99          1 UPTODATE,hole,count(tail)\n");
	CHECK_HAS(differs,
		  "flags word:\n LRU                       8  for a reason\n\n");
	CHECK_HAS(differs, "kpageflags does not show: hidden.\n");
	CHECK_HAS(differs, "100 page frames: 90 agree, 4 changed");
	CHECK_HAS(differs, "12 page frames are holes");
	CHECK_HAS(differs, "goes on for 7 page frames after the end");
	text = text_of(render_frames_json, TEXT);
	CHECK_HAS(text, "\"pfn\": \"0x77\"");
	CHECK_HAS(text, "\"kpagecount\": 1");
	CHECK_HAS(text, "\"UPTODATE\",");
	CHECK_HAS(text, "\"hole\",");
	CHECK_HAS(text, "\"count:tail\"");
}

/* --list-columns lists the columns of --output-all in the same order. */
static void check_list(const char *what, void (*list)(FILE *out),
		       render_fn *render)
{
	const char *heading = text_of(render, ALL);
	const char *listed = OUTPUT_OF(list(out)), *line = listed;
	char word[64];

	for (; *line; line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%63s", word) != 1 ||
		    strncmp(heading, word, strlen(word)))
			UNIT_FAIL("%s lists %.20s where the output has %.20s",
				  what, line, heading);
		heading += strcspn(heading, " \n");
		heading += *heading != '\0';
	}
	if (line == listed || heading[-1] != '\n')
		UNIT_FAIL("%s lists too few columns", what);
}

UNIT_TEST(list_columns_has_the_columns_of_output_all)
{
	check_list("score", ptu_render_score_columns, render_score);
	check_list("diff", ptu_render_change_columns, render_change);
	check_list("kpagemap", ptu_render_kpagemap_columns, render_frames);
	flags.counted.with_runs = true;
	check_list("flags --ranges", ptu_render_flag_runs_columns,
		   render_flags);
	flags.counted.with_runs = false;
	check_list("flags", ptu_render_flags_columns, render_flags);
}

UNIT_MAIN
