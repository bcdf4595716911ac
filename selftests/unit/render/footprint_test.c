// SPDX-License-Identifier: GPL-2.0-only
/* `footprint` as JSON and text, from reports made by the test: each figure at its place. */
#include "render/render.h"
#include "report/footprint.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/at.h"
#include "support/check.h"

struct sample {
	struct ptu_footprint_report report;
	struct ptu_process processes[3];
	struct ptu_footprint_row rows[3];
};

/* Two processes, and one that has ended.  All figures are different. */
static void sample_init(struct sample *s)
{
	struct ptu_footprint_sum *sum = &s->rows[0].sum;

	memset(s, 0, sizeof(*s));
	s->report.base.processes = s->processes;
	s->report.base.nr_processes = 3;
	s->report.base.page_bytes = 4096;
	s->report.base.is_all = true;
	s->report.base.nr_kthreads = 7;
	strcpy(s->report.base.kernel_release, "6.1.0-test");
	strcpy(s->report.selection, "cgroup a\xff");
	s->report.rows = s->rows;
	s->report.by_module = true;
	s->report.counts = PTU_COUNTS_EXACT;
	s->report.spaces_known = true;
	s->processes[0].pid = 4242;
	strcpy(s->processes[0].comm, "post\ngres");
	s->processes[0].vmpte_bytes = 17 << 12;
	s->processes[1].pid = 4243;
	s->rows[1].same_as = 4242;
	s->processes[2].pid = 4244;
	s->processes[2].status = PTU_STATUS_GONE;
	strcpy(s->processes[2].error, "process 4244 ended");
	*sum = (struct ptu_footprint_sum){
		.rss_bytes = 10 << 12,
		.pss_bytes = 30000,
		.uss_bytes = 5 << 12,
		.kinds = { 6 << 12, 3 << 12, 1 << 12, 2 << 21 },
		.pss_kinds = { 20000, 7000, 3000, 0 },
		.uss_kinds = { 4 << 12, 1 << 12, 0, 1 << 21 },
		.swap_bytes = 11 << 12,
		.large_bytes = 12 << 12,
		.ksm_bytes = 13 << 12,
	};
	s->rows[0].tables = (struct ptu_footprint_tables_sum){ 14 << 12,
							       15 << 12,
							       16 << 12 };
	s->rows[0].kernel_rss_bytes = 10 << 12;
	s->rows[0].kernel_pss_bytes = 29 << 10;
	s->rows[0].huge_bytes = 3 << 21;
	s->report.set = *sum;
	s->report.set.rss_bytes = 20 << 12;
	s->report.set.uss_bytes = 19 << 12;
	s->report.tables = s->rows[0].tables;
}

static json_t *as_json_of(const struct sample *s, const char *columns)
{
	const struct ptu_render_options options = { .columns = columns };

	return json_from(
		PRINTED(ptu_render_footprint_json, &s->report, &options));
}

static json_t *as_json(const struct sample *s)
{
	return as_json_of(s, NULL);
}

#define KINDS(first)                                   \
	{                                              \
		[PTU_FOOTPRINT_ANON] = (first),        \
		[PTU_FOOTPRINT_FILE] = (first) + 1,    \
		[PTU_FOOTPRINT_SHMEM] = (first) + 2,   \
		[PTU_FOOTPRINT_HUGETLB] = (first) + 3, \
	}

/* No two figures are equal, so each must come from its own member. */
static void each_member_check(void)
{
	static const struct {
		const char *key;
		uint64_t number;
	} members[] = {
		{ "rss_bytes", 1 },
		{ "pss_bytes", 2 },
		{ "uss_bytes", 3 },
		{ "rss.anon_bytes", 10 },
		{ "rss.file_bytes", 11 },
		{ "rss.shmem_bytes", 12 },
		{ "rss.hugetlb_bytes", 13 },
		{ "pss.anon_bytes", 20 },
		{ "pss.file_bytes", 21 },
		{ "pss.shmem_bytes", 22 },
		{ "pss.hugetlb_bytes", 23 },
		{ "uss.anon_bytes", 30 },
		{ "uss.file_bytes", 31 },
		{ "uss.shmem_bytes", 32 },
		{ "uss.hugetlb_bytes", 33 },
		{ "swap_bytes", 40 },
		{ "large_bytes", 41 },
		{ "rounded_bytes", 42 },
		{ "ksm_bytes", 43 },
		{ "hugetlb_unknown_bytes", 44 },
		{ "migrating_bytes", 45 },
		{ "tables_bytes", 50 },
		{ "tables_inside_bytes", 51 },
		{ "tables_outside_bytes", 52 },
		{ "kernel_rss_bytes", 60 },
		{ "kernel_pss_bytes", 61 },
		{ "kernel_swap_bytes", 62 },
		{ "huge_bytes", 63 },
		{ "vmpte_bytes", 17 << 12 },
	};
	struct sample s;
	char path[64];
	json_t *root;

	sample_init(&s);
	s.rows[0] = (struct ptu_footprint_row){
		.sum = { .rss_bytes = 1,
			 .pss_bytes = 2,
			 .uss_bytes = 3,
			 .kinds = KINDS(10),
			 .pss_kinds = KINDS(20),
			 .uss_kinds = KINDS(30),
			 .swap_bytes = 40,
			 .large_bytes = 41,
			 .rounded_bytes = 42,
			 .ksm_bytes = 43,
			 .hugetlb_unknown_bytes = 44,
			 .migrating_bytes = 45,
			 .over_bytes = 46,
			 .grown_bytes = 47 },
		.tables = { 50, 51, 52 },
		.kernel_rss_bytes = 60,
		.kernel_pss_bytes = 61,
		.kernel_swap_bytes = 62,
		.huge_bytes = 63,
	};
	s.report.set = s.rows[0].sum;
	s.report.base.nr_zombies = 8;
	s.report.base.nr_sharing = 9;
	s.processes[2].status = PTU_STATUS_DENIED;
	s.processes[2].vmpte_bytes = 70;
	s.processes[2].rss_bytes = 71;
	root = as_json(&s);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		snprintf(path, sizeof(path), "processes.0.%s", members[i].key);
		number_at(root, path, members[i].number);
	}
	number_at(root, "set.over_bytes", 46);
	number_at(root, "set.grown_bytes", 47);
	number_at(root, "set.rounded_bytes", 42);
	number_at(root, "processes.2.vmpte_bytes", 70);
	number_at(root, "processes.2.vmrss_bytes", 71);
	number_at(root, "kernel_threads", 7);
	number_at(root, "zombies", 8);
	number_at(root, "sharing", 9);
	number_at(root, "denied", 1);
	json_decref(root);
	/* everybody may read VmPTE */
	root = as_json_of(&s, "PID,VMPTE,RSS,NOTE");
	text_at(root, "ptaudit.output", "PID,VMPTE,RSS,NOTE");
	check(json_is_null(at(root, "processes.0.note")),
	      "json: there is nothing to say about a process");
	number_at(root, "processes.2.vmpte_bytes", 70);
	check(json_is_null(at(root, "processes.2.rss_bytes")),
	      "json: a process that may not be read has VmPTE, but no RSS");
	json_decref(root);
}

static void json_check(void)
{
	struct sample s;
	json_t *root;

	sample_init(&s);
	root = as_json(&s);
	text_at(root, "ptaudit.command", "footprint");
	text_at(root, "ptaudit.kernel", "6.1.0-test");
	text_at(root, "selection", "cgroup a\\xff");
	text_at(root, "tables_source", "module");
	text_at(root, "large_folio_counts", "exact");
	number_at(root, "processes.0.pid", 4242);
	text_at(root, "processes.0.comm", "post\ngres");
	number_at(root, "processes.0.rss_bytes", 10 << 12);
	number_at(root, "processes.0.pss_bytes", 30000);
	number_at(root, "processes.0.uss_bytes", 5 << 12);
	number_at(root, "processes.0.swap_bytes", 11 << 12);
	number_at(root, "processes.0.tables_bytes", 14 << 12);
	number_at(root, "processes.0.tables_inside_bytes", 15 << 12);
	number_at(root, "processes.0.tables_outside_bytes", 16 << 12);
	number_at(root, "processes.0.rss.anon_bytes", 6 << 12);
	number_at(root, "processes.0.rss.hugetlb_bytes", 2 << 21);
	number_at(root, "processes.0.pss.shmem_bytes", 3000);
	number_at(root, "processes.0.uss.file_bytes", 1 << 12);
	number_at(root, "processes.0.uss.hugetlb_bytes", 1 << 21);
	number_at(root, "processes.0.large_bytes", 12 << 12);
	number_at(root, "processes.0.ksm_bytes", 13 << 12);
	number_at(root, "processes.0.rounded_bytes", 0);
	number_at(root, "processes.0.kernel_pss_bytes", 29 << 10);
	number_at(root, "processes.0.huge_bytes", 3 << 21);
	number_at(root, "processes.0.vmpte_bytes", 17 << 12);
	number_at(root, "processes.1.same_as", 4242);
	check(!at(root, "processes.0.same_as"),
	      "json: the first process of an address space has no same_as");
	text_at(root, "processes.2.status", "gone");
	check(!at(root, "processes.2.rss_bytes"),
	      "json: a process that has ended has no figures");
	number_at(root, "set.address_spaces", 1);
	number_at(root, "set.rss_bytes", 20 << 12);
	number_at(root, "set.pss_bytes", 30000);
	number_at(root, "set.uss_bytes", 19 << 12);
	number_at(root, "set.swap_bytes", 11 << 12);
	number_at(root, "set.tables_bytes", 14 << 12);
	number_at(root, "set.over_bytes", 0);
	number_at(root, "kernel_threads", 7);
	json_decref(root);

	s.report.by_module = false;
	s.rows[0].ksm_unknown = true;
	strcpy(s.report.tables_note, "no module");
	s.report.counts = PTU_COUNTS_ROUNDED;
	s.report.set.rounded_bytes = 12 << 12;
	root = as_json(&s);
	text_at(root, "tables_source", "vmpte");
	text_at(root, "tables_note", "no module");
	text_at(root, "large_folio_counts", "rounded");
	number_at(root, "set.rounded_bytes", 12 << 12);
	check(json_is_null(at(root, "processes.0.ksm_bytes")),
	      "json: unknown KSM is null");
	number_at(root, "set.ksm_bytes", 13 << 12);
	check(json_is_null(at(root, "processes.0.tables_inside_bytes")) &&
		      json_is_null(at(root, "set.tables_outside_bytes")),
	      "json: without the module, the parts of shared tables are null");
	number_at(root, "processes.0.tables_bytes", 14 << 12);
	json_decref(root);

	s.processes[0].status = PTU_STATUS_FAILED;
	s.processes[1].status = PTU_STATUS_FAILED;
	root = as_json(&s);
	check(root && !at(root, "set"),
	      "json: without a measured process there is no set");
	json_decref(root);
}

static bool shows(const struct sample *s,
		  const struct ptu_render_options *options, const char *words)
{
	char *text = PRINTED(ptu_render_footprint_text, &s->report, options);
	bool found = text && strstr(text, words);

	if (text && !found)
		printf("# the text does not contain '%s':\n# %s\n", words,
		       text);
	return found;
}

static void text_check(void)
{
	const struct ptu_render_options shared = {
		.raw = true,
		.bytes = true,
		.columns = "PID,TABLES,TABLES-INSIDE,TABLES-OUTSIDE"
	};
	const struct ptu_render_options plain = { 0 };
	const struct ptu_render_options raw = {
		.raw = true,
		.bytes = true,
		.no_headings = true,
		.columns = "PID,RSS,PSS,USS,SWAP,TABLES,KERNEL-PSS,NOTE",
	};
	const struct ptu_render_options wrong = { .columns = "PID,NOPE" };
	const struct ptu_render_options misspelt = { .columns = "PID,SWPA" };
	struct ptu_err err = { "" }, suggests = { "" };
	struct sample s;

	sample_init(&s);
	check(shows(&s, &raw, "4242 40960 30000 20480 45056 57344 29696 -\n"),
	      "text: --bytes shows a process in bytes");
	check(shows(&s, &plain, "post\\x0agres "), "comm_is_escaped_once");
	check(shows(&s, &raw, "same\\x20address\\x20space\\x20as\\x204242"),
	      "text: a second process of an address space names the first one");
	check(shows(&s, &raw, "4244 - - - - - - "),
	      "text: a process that has ended has no figures");
	check(shows(&s, &raw, "\nset 81920 30000 77824 45056 57344 - -\n"),
	      "text: --raw has the row of the set");
	check(shows(&s, &plain, "HUGETLB"),
	      "text: has the column HUGETLB if there is hugetlb memory");
	check(shows(&s, &plain,
		    "2 processes map 80K, each page once: anonymous 24K, files 12K, shmem 4K\n"),
	      "text: has the memory that the set maps");
	check(shows(&s, &plain,
		    "nobody else maps 76K of it: anonymous 16K, files 4K, shmem 0\n"),
	      "text: has the memory that no other process maps");
	check(shows(&s, &plain,
		    "60K shared within the set, 64K with processes outside"),
	      "text: has the shared tables");
	s.report.tables.inside_bytes = 0;
	check(shows(&s, &plain, " 0 shared within the set, 64K with"),
	      "text: has the tables that only others share");
	s.report.tables.outside_bytes = 0;
	check(!shows(&s, &plain, "shared within the set"),
	      "text: has no sentence about shared tables if there are none");
	s.report.base.nr_zombies = 1;
	s.report.base.nr_sharing = 9;
	check(shows(&s, &plain,
		    "\nnot counted: 1 gone, 7 kernel threads, 1 zombie, 9 of an address space counted already\n"),
	      "text: has the numbers of processes that are not counted");
	s.report.set.rounded_bytes = 8192;
	s.report.counts = PTU_COUNTS_UNKNOWN;
	s.report.set.over_bytes = 12288;
	s.report.set.grown_bytes = 20480;
	s.report.set.rss_bytes = UINT64_C(100) * 20480;
	s.report.set.hugetlb_unknown_bytes = 2 << 20;
	s.report.by_module = false;
	strcpy(s.report.tables_note, "the module is not loaded");
	s.report.spaces_known = false;
	check(shows(&s, &plain, "estimates for 8K in large folios"),
	      "text: says how much memory has rounded counts");
	check(shows(&s, &plain, "perhaps counts"),
	      "text: says that unknown counts may be rounded");
	check(shows(&s, &plain,
		    "12K were found in more mappings than the kernel counts: mappings changed meanwhile, or processes share an address space\n"),
	      "text: gives both reasons if address spaces are unknown");
	s.report.spaces_known = true;
	check(shows(&s, &plain, "counts: mappings changed meanwhile\n"),
	      "text: says how much memory changed meanwhile");
	s.report.spaces_known = false;
	check(shows(&s, &plain, "20K got further mappings meanwhile"),
	      "text: says how much memory got mappings meanwhile");
	s.report.set.grown_bytes--;
	check(!shows(&s, &plain, "further mappings"),
	      "text: leaves out less than one percent");
	check(shows(&s, &plain,
		    "2M of hugetlb memory may be mapped by other processes"),
	      "text: says how much hugetlb memory others may map");
	check(shows(&s, &plain, "TABLES is VmPTE"),
	      "text: without the module, says that TABLES is VmPTE");
	check(shows(&s, &shared, "\nset 57344 - -\n"),
	      "text: without the module, the parts of shared tables are unknown");
	check(shows(&s, &plain, "could not be identified"),
	      "text: says that address spaces are unknown");
	s.processes[0].status = PTU_STATUS_FAILED;
	s.processes[1].status = PTU_STATUS_FAILED;
	check(!shows(&s, &plain, "set"),
	      "text: without a measured process there is no set");
	check(ptu_render_footprint_check(&wrong, &err) == -EINVAL &&
		      strstr(err.text, "NOPE"),
	      "text: an unknown column is refused");
	check(ptu_render_footprint_check(&misspelt, &suggests) == -EINVAL &&
		      strstr(suggests.text, "did you mean 'SWAP'?"),
	      "an_unknown_column_of_a_grid_suggests_the_nearest");
	check(!ptu_render_footprint_check(&raw, &err),
	      "text: known columns are accepted");
}

static void smaps_check(void)
{
	static const struct {
		struct ptu_render_options options;
		bool text, json;
	} cases[] = {
		{ { 0 }, false, true },
		{ { .columns = "RSS,USS" }, false, false },
		{ { .columns = "+kernel-pss" }, true, true },
		{ { .columns = "KERNEL-RSS" }, true, true },
		{ { .columns = "HUGE" }, true, true },
		{ { .columns = "KERNEL-SWAP" }, true, true },
		{ { .all_columns = true }, true, true },
		{ { .columns = "RSS", .sort = "HUGE" }, true, true },
		{ { .columns = "RSS", .sort = "RSS" }, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(ptu_render_footprint_wants_smaps(&cases[i].options,
						       false) ==
				      cases[i].text &&
			      ptu_render_footprint_wants_smaps(&cases[i].options,
							       true) ==
				      cases[i].json,
		      "smaps is wanted only for its columns: case %zu", i);
}

int main(void)
{
	each_member_check();
	json_check();
	text_check();
	smaps_check();
	return check_end();
}
