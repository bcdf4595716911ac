// SPDX-License-Identifier: GPL-2.0-only
/* `check` as JSON, from a report made by the test: each figure at its place. */
#include "render/render.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "support/at.h"
#include "support/check.h"
#include "support/sample.h"

static struct sample s;
static json_t *root;

/* Render the sample; the result of an earlier call is released. */
static void render_with(struct ptu_render_options options)
{
	json_decref(root);
	root = report_as(&s.report, options);
}

static void render(void)
{
	render_with((struct ptu_render_options){ .raw = false });
}

static void json_check(void)
{
	sample_init(&s);
	sample_add_unexplained(&s);
	s.processes[0].vmpte_unexplained_bytes = 8192;
	render();
	number_at(root, "ptaudit.schema", 1);
	check(json_is_string(at(root, "ptaudit.version")),
	      "json: the head has a version");
	text_at(root, "ptaudit.kernel", "6.1.0-test");
	text_at(root, "ptaudit.machine", "x86_64");
	number_at(root, "ptaudit.page_size", 4096);
	text_at(root, "ptaudit.estimator", "pagemap");
	text_at(root, "ptaudit.time", "2026-01-02T03:04:05Z");
	text_at(root, "ptaudit.boot_id", "a-b-c");
	number_at(root, P0 "pid", 4242);
	text_at(root, P0 "comm", "postgres");
	number_at(root, P0 "uid", 107);
	number_at(root, P0 "start_time", 123456);
	text_at(root, P0 "mm", "0xabcdef0123456789");
	text_at(root, P0 "status", "ok");
	number_at(root, P0 "tries", 1);
	check(json_array_size(at(root, P0 "levels")) == 4,
	      "json: a row for each unfolded level");
	text_at(root, P0 "levels.0.level", "pgd");
	text_at(root, P0 "levels.1.level", "pud");
	text_at(root, P0 "levels.2.level", "pmd");
	number_at(root, P0 "levels.2.estimate_only", 1);
	number_at(root, P0 "levels.2.high", 5);
	number_at(root, P0 "levels.2.undecided", 1);
	text_at(root, P0 "levels.3.level", "pte");
	number_at(root, P0 "levels.3.kernel", 36);
	number_at(root, P0 "levels.3.estimate", 4);
	number_at(root, P0 "levels.3.low", 4);
	number_at(root, P0 "levels.3.high", 4);
	number_at(root, P0 "levels.3.kernel_only", 32);
	number_at(root, P0 "levels.3.estimate_only", 0);
	number_at(root, P0 "levels.3.explained", 32);
	number_at(root, P0 "levels.3.in_flux", 0);
	number_at(root, P0 "levels.3.undecided", 0);
	number_at(root, P0 "levels.3.unexplained", 1);
	number_at(root, P0 "levels.3.bytes", 147456);
	text_at(root, P0 "causes.0.cause", "empty");
	text_at(root, P0 "causes.0.level", "pte");
	number_at(root, P0 "causes.0.tables", 32);
	number_at(root, P0 "causes.0.bytes", 131072);
	text_at(root, P0 "causes.1.cause", "huge-leaf");
	check(json_array_size(at(root, P0 "leaves")) == 1,
	      "json: only levels with leaves are in leaves");
	text_at(root, P0 "leaves.0.level", "pmd");
	number_at(root, P0 "leaves.0.entries", 16);
	number_at(root, P0 "vmpte.bytes", 180224);
	number_at(root, P0 "vmpte.tree_bytes", 167936);
	number_at(root, P0 "vmpte.deposited_tables", 3);
	number_at(root, P0 "vmpte.unexplained_bytes", 8192);
	number_at(root, P0 "fill.pte_tables", 36);
	number_at(root, P0 "fill.empty_tables", 32);
	number_at(root, P0 "fill.entries_used", 527);
	check(json_real_value(at(root, P0 "fill.fill_percent")) == 2.9,
	      "json: 527 of 18432 entries are 2.9 percent");
	number_at(root, P0 "fill.tables_by_entries.1-8", 3);
	none_at(root, P0 "fill.unasked_tables");
	none_at(root, P0 "mappings");
	text_at(root, P0 "estimators.0.name", "pagemap");
	text_at(root, P0 "estimators.0.levels.2.level", "pmd");
	number_at(root, P0 "estimators.0.levels.2.estimate", 4);
	number_at(root, P0 "estimators.0.levels.2.low", 4);
	number_at(root, P0 "estimators.0.levels.2.high", 5);
	text_at(root, P0 "estimators.1.error", "it is out of order");
	none_at(root, P0 "estimators.1.levels");
	text_at(root, P0 "unexplained_tables.0.level", "pte");
	text_at(root, P0 "unexplained_tables.0.start", "0x7f0000200000");
	text_at(root, P0 "unexplained_tables.0.end", "0x7f0000400000");
	text_at(root, P0 "unexplained_tables.0.side", "kernel");
	number_at(root, P0 "unexplained_tables.0.entries", 9);
	text_at(root, P0 "unexplained_tables.1.side", "estimate");
	text_at(root, P0 "unexplained_tables.1.end", "0x10000000000000000");
	number_at(root, P0 "unexplained", 3);
	number_at(root, "unexplained", 3);
	number_at(root, "kernel_threads", 7);
	number_at(root, "zombies", 5);
	number_at(root, "sharing", 3);
}

static void json_estimate(void)
{
	sample_estimate(&s);
	render();
	number_at(root, P0 "levels.3.estimate", 4);
	number_at(root, P0 "levels.3.bytes", 147456);
	number_at(root, P0 "vmpte.residual_bytes", -4096);
	number_at(root, P0 "vmpte.deposited_tables", 3);
	none_at(root, P0 "levels.3.kernel");
	none_at(root, P0 "levels.3.kernel_only");
	none_at(root, P0 "levels.3.explained");
	none_at(root, P0 "levels.3.unexplained");
	none_at(root, P0 "causes");
	none_at(root, P0 "leaves");
	none_at(root, P0 "unexplained_tables");
	none_at(root, P0 "unexplained");
	none_at(root, P0 "vmpte.tree_bytes");
	none_at(root, P0 "mm");
	none_at(root, "unexplained");
	none_at(root, P0 "mappings");
	s.report.has_mappings = true;
	render();
	check(json_array_size(at(root, P0 "mappings")) == 3,
	      "json: only mappings with tables or leaves are listed");
	text_at(root, P0 "mappings.0.start", "0x400000");
	text_at(root, P0 "mappings.0.end", "0x401000");
	text_at(root, P0 "mappings.0.perms", "r-xp");
	text_at(root, P0 "mappings.0.path", "/bin/x \x1b(deleted)");
	check(json_array_size(at(root, P0 "mappings.0.levels")) == 3,
	      "json: a mapping has no PGD");
	text_at(root, P0 "mappings.0.levels.0.level", "pud");
	text_at(root, P0 "mappings.0.levels.2.level", "pte");
	number_at(root, P0 "mappings.0.levels.2.low", 2);
	number_at(root, P0 "mappings.0.levels.2.high", 3);
	none_at(root, P0 "mappings.0.levels.2.estimate");
	number_at(root, P0 "mappings.0.leaves", 0);
	text_at(root, P0 "mappings.1.start", "0x40000000");
	text_at(root, P0 "mappings.1.path", "");
	number_at(root, P0 "mappings.1.leaves", 1);
	text_at(root, P0 "mappings.2.perms", "");
	text_at(root, P0 "mappings.2.end", "0x10000000000000000");

	s.report.is_check = true;
	s.report.has_mappings = false;
	render();
	none_at(root, P0 "mappings");
}

static void json_shared(void)
{
	sample_init(&s);
	render();
	check(json_is_array(at(root, P0 "shared")) &&
		      !json_array_size(at(root, P0 "shared")),
	      "json: without shared tables the array is empty");
	number_at(root, "set.shared_tables", 0);

	sample_share(&s);
	s.report.set.residual_bytes = -8192;
	render();
	check(json_array_size(at(root, P0 "shared")) == 2,
	      "json: each shared table is listed");
	text_at(root, P0 "shared.0.level", "pmd");
	text_at(root, P0 "shared.0.start", "0x40000000");
	text_at(root, P0 "shared.0.end", "0x80000000");
	number_at(root, P0 "shared.0.pfn", 0x1234a);
	number_at(root, P0 "shared.0.sharers", 1);
	number_at(root, P0 "shared.1.sharers", 9);
	text_at(root, P0 "shared.1.end", "0x10000000000000000");
	number_at(root, "set.address_spaces", 2);
	check(json_array_size(at(root, "set.levels")) == 4,
	      "json: the set has a row for each unfolded level");
	text_at(root, "set.levels.2.level", "pmd");
	number_at(root, "set.levels.2.tables", 5);
	number_at(root, "set.levels.2.bytes", 20480);
	number_at(root, "set.levels.3.tables", 72);
	number_at(root, "set.tables_bytes", 348160 + 6 * 4096);
	number_at(root, "set.tree_bytes", 331776);
	number_at(root, "set.deposited_tables", 6);
	number_at(root, "set.vmpte_bytes", 360448);
	number_at(root, "set.shared_tables", 2);
	number_at(root, "set.shared_outside", 1);
	number_at(root, "set.counted_again", 1);
	number_at(root, "set.counted_again_bytes", 4096);
	number_at(root, "set.residual_bytes", -8192);

	s.report.is_check = false;
	render();
	number_at(root, "set.tables_bytes", 348160 + 6 * 4096);
	number_at(root, "set.vmpte_bytes", 360448);
	none_at(root, "set.shared_tables");
	none_at(root, "set.counted_again");
	none_at(root, P0 "shared");
}

/* A path is printed completely, whatever its length. */
static void json_long_path(void)
{
	static char path[4096];

	memset(path, 'p', sizeof(path) - 1);
	sample_estimate(&s);
	s.mappings[0].path = path;
	s.report.has_mappings = true;
	render();
	text_at(root, P0 "mappings.0.path", path);
}

static void json_failures(void)
{
	sample_init(&s);
	s.report.nr_processes = 2;
	strcpy(s.processes[0].comm, "a\xff\x1b\"\\");
	s.processes[1].pid = 7;
	strcpy(s.processes[1].comm, "\xc3");
	s.processes[1].status = PTU_STATUS_UNSTABLE;
	strcpy(s.processes[1].error, "it moved");
	render();
	text_at(root, P0 "comm", "a\\xff\x1b\"\\");
	number_at(root, "processes.1.pid", 7);
	text_at(root, "processes.1.comm", "\\xc3");
	text_at(root, "processes.1.status", "unstable");
	text_at(root, "processes.1.error", "it moved");
	none_at(root, "processes.1.levels");
	none_at(root, "processes.1.vmpte");
	none_at(root, "processes.1.unexplained");

	s.processes[0].has_vmpte = false;
	render();
	check(json_is_null(at(root, P0 "vmpte")),
	      "json: an unknown VmPTE is null");
}

/* --output without a group: members of levels. */
static void json_chosen_levels(void)
{
	sample_init(&s);
	render_with((struct ptu_render_options){
		.columns = "PID,DIFF,EMPTY,BPF", .sort = "differ", .limit = 2 });
	text_at(root, "ptaudit.output", "PID,DIFF,EMPTY,BPF");
	size_at(root, P0 "levels", 2);
	size_at(root, P0 "levels.0", 4);
	/* 32 PTE tables differ, then one PMD table */
	number_at(root, P0 "levels.0.diff", 36 - 4);
	number_at(root, P0 "levels.0.empty_tables", 32);
	number_at(root, P0 "levels.1.diff", 3 - 4);
	number_at(root, P0 "levels.1.pid", 4242);
	null_at(root, P0 "levels.0.kernel_bpf");
	/* the members outside of the levels stay */
	number_at(root, P0 "tables_bytes", 176128 + 3 * 4096);
	size_at(root, P0 "causes", 2);
}

/* --output with a group: members of processes. */
static void json_chosen_processes(void)
{
	sample_init(&s);
	s.report.is_all = true;
	s.report.nr_processes = 3;
	s.processes[1] = s.processes[0];
	s.processes[1].pid = 9;
	s.processes[1].levels[PTAUDIT_PTE].kernel = 37;
	s.processes[2] = (struct ptu_process){ .pid = 8,
					       .status = PTU_STATUS_DENIED,
					       .vmpte_bytes = 4096 };
	strcpy(s.processes[2].error, "not yours");
	render_with((struct ptu_render_options){
		.columns = "PID,PTE,VMPTE,NOTE,MM", .sort = "PTE" });
	size_at(root, "processes", 3);
	size_at(root, "processes.0", 5);
	number_at(root, "processes.0.pid", 9);
	number_at(root, "processes.0.pte_tables", 37);
	number_at(root, "processes.0.vmpte_bytes", 180224);
	text_at(root, "processes.0.mm", "0xabcdef0123456789");
	null_at(root, "processes.0.note");
	number_at(root, "processes.1.pid", 4242);
	number_at(root, "processes.2.pid", 8);
	null_at(root, "processes.2.pte_tables");
	text_at(root, "processes.2.note", "not yours");
	none_at(root, "processes.2.error");
	/* without --output, the processes have all members */
	render_with((struct ptu_render_options){ .sort = "PID", .limit = 2 });
	size_at(root, "processes", 2);
	number_at(root, "processes.0.pid", 8);
	text_at(root, "processes.0.error", "not yours");
	number_at(root, "processes.1.pid", 9);
	size_at(root, "processes.1.levels", 4);
	number_at(root, "denied", 1);
}

/* --output with --mappings: members of mappings. */
static void json_chosen_mappings(void)
{
	sample_estimate(&s);
	s.report.has_mappings = true;
	s.mappings[0].low[PTAUDIT_P4D] = 3;
	render_with(
		(struct ptu_render_options){ .columns = "PTE,SIZE,EMPTY,PERMS",
					     .sort = "START",
					     .mappings = true });
	size_at(root, P0 "levels", 4);
	size_at(root, P0 "levels.3", 5);
	/* the second one has nothing */
	size_at(root, P0 "mappings", 3);
	size_at(root, P0 "mappings.0", 4);
	number_at(root, P0 "mappings.0.pte.low", 2);
	number_at(root, P0 "mappings.0.pte.high", 3);
	number_at(root, P0 "mappings.0.bytes", (2 + 1 + 1 + 3) * 4096);
	null_at(root, P0 "mappings.0.empty_tables");
	text_at(root, P0 "mappings.1.perms", "rw-s");
	text_at(root, P0 "mappings.2.perms", "");
}

/* Members that only some processes have, or whose value is usually 0. */
static void json_rare_members(void)
{
	struct ptu_process *p;

	sample_init(&s);
	p = &s.processes[0];
	p->tid = 4300;
	p->self = true;
	p->nr_sharing = 6;
	p->fill.unasked = 9;
	p->vmpte_in_flux_bytes = 12288;
	p->vmpte_before_bytes = 1;
	p->faulted = true;
	strcpy(s.estimators[1].error, "x");
	render();
	number_at(root, P0 "tid", 4300);
	check(json_is_true(at(root, P0 "self")),
	      "json: self is true of ptaudit itself");
	number_at(root, P0 "sharing", 6);
	number_at(root, P0 "rss_bytes", 1 << 20);
	number_at(root, P0 "fill.unasked_tables", 9);
	number_at(root, P0 "vmpte.in_flux_bytes", 12288);
	/* only estimates report a change of VmPTE */
	none_at(root, P0 "vmpte.before_bytes");
	none_at(root, P0 "vmpte.faulted");
	none_at(root, P0 "vmpte.residual_tables");
	none_at(root, P0 "orphans");
	none_at(root, P0 "bpf");
	none_at(root, "truth");
	text_at(root, P0 "estimators.1.error", "x");
	none_at(root, P0 "estimators.1.levels");
	check(json_array_size(at(root, P0 "estimators.0.levels")) == 4,
	      "json: an estimator has the unfolded levels");

	p->self = false;
	p->tid = p->pid;
	p->vmpte_in_flux_bytes = 0;
	p->levels[PTAUDIT_PTE].kernel_bpf = 7;
	p->bpf = (struct ptu_bpf_result){ .done = true,
					  .in_flux = 2,
					  .unexplained = 3 };
	p->orphans = (struct ptu_orphans_result){
		.done = true,
		.tables = { [PTAUDIT_PMD] = 4 },
		.in_flux = 5,
		.hold_ns_max = 700,
	};
	s.report.truth = "module";
	render();
	none_at(root, P0 "tid");
	check(json_is_false(at(root, P0 "self")),
	      "json: self is false of another process");
	none_at(root, P0 "vmpte.in_flux_bytes");
	text_at(root, "truth", "module");
	number_at(root, P0 "bpf.tables", 7);
	number_at(root, P0 "bpf.in_flux", 2);
	number_at(root, P0 "bpf.unexplained", 3);
	number_at(root, P0 "orphans.tables", 4);
	number_at(root, P0 "orphans.in_flux", 5);
	number_at(root, P0 "orphans.unexplained", 0);
	number_at(root, P0 "orphans.hold_ns_max", 700);
	check(json_is_array(at(root, P0 "orphans.unexplained_tables")),
	      "json: the second walk has a list");

	/* 5 tables of 4 KiB too much in an estimate that began with another VmPTE */
	sample_estimate(&s);
	p->residual_bytes = -20480;
	p->vmpte_before_bytes = 4096;
	p->faulted = true;
	render();
	number_at(root, P0 "vmpte.before_bytes", 4096);
	check(json_is_true(at(root, P0 "vmpte.faulted")),
	      "json: faulted is true after page faults");
	number_at(root, P0 "vmpte.residual_tables", -5);
	number_at(root, P0 "vmpte.residual_bytes", -20480);
	none_at(root, P0 "vmpte.unexplained_bytes");
	/* the used entries are not known */
	number_at(root, P0 "fill.pte_tables", 0);
	none_at(root, P0 "fill.empty_tables");
	none_at(root, P0 "fill.entries_used");
	none_at(root, P0 "bpf");
	none_at(root, P0 "orphans");

	p->vmpte_before_bytes = p->vmpte_bytes + 4096;
	render();
	number_at(root, P0 "vmpte.before_bytes", p->vmpte_bytes + 4096);

	p->vmpte_before_bytes = p->vmpte_bytes;
	p->faulted = false;
	render();
	none_at(root, P0 "vmpte.before_bytes");
	none_at(root, P0 "vmpte.faulted");

	/* 2 tables in each of two processes; the third one was not measured */
	sample_init(&s);
	sample_add_unexplained(&s);
	s.report.nr_processes = 3;
	s.processes[1] = s.processes[2] = s.processes[0];
	s.processes[2].status = PTU_STATUS_UNSTABLE;
	render();
	number_at(root, "unexplained", 4);

	/* nothing was measured */
	s.report.set.nr_spaces = 0;
	render();
	none_at(root, "set");
}

/* The fill of a mapping, if it has PTE tables. */
static void json_fill_of_mappings(void)
{
	sample_estimate(&s);
	s.report.has_mappings = true;
	s.processes[0].sees_empty = true;
	s.mappings[0].fill = (struct ptu_fill){
		.tables = 2,
		.counted = 2,
		.entries = 256, /* of the 1024 in .room */
		.room = 1024,
		.in_class = { 1, 0, 0, 1, 0 },
	};
	render();
	number_at(root, P0 "mappings.0.fill.pte_tables", 2);
	number_at(root, P0 "mappings.0.fill.empty_tables", 1);
	number_at(root, P0 "mappings.0.fill.entries_used", 256);
	check(json_real_value(at(root, P0 "mappings.0.fill.fill_percent")) ==
		      25.0,
	      "json: 256 of 1024 entries are 25 percent");
	number_at(root, P0 "mappings.0.fill.tables_by_entries.0", 1);
	number_at(root, P0 "mappings.0.fill.tables_by_entries.65-511", 1);
	number_at(root, P0 "mappings.0.fill.tables_by_entries.512", 0);
	none_at(root, P0 "mappings.1.fill");

	/* an address, unlike an end, can be 0 */
	s.mappings[0].start = 0;
	render();
	text_at(root, P0 "mappings.0.start", "0x0");

	/* the limit is for mappings, and the second process has no mappings */
	s.report.nr_processes = 2;
	s.processes[1] = (struct ptu_process){ .pid = 8, .comm = "second" };
	render_with((struct ptu_render_options){ .limit = 1 });
	size_at(root, "processes", 2);
	size_at(root, P0 "mappings", 1);
	number_at(root, "processes.1.pid", 8);
	text_at(root, "processes.1.comm", "second");
	size_at(root, "processes.1.mappings", 0);
}

int main(void)
{
	json_check();
	json_shared();
	json_estimate();
	json_long_path();
	json_failures();
	json_chosen_levels();
	json_chosen_processes();
	json_chosen_mappings();
	json_rare_members();
	json_fill_of_mappings();
	json_decref(root);
	return check_end();
}
