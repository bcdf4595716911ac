// SPDX-License-Identifier: GPL-2.0-only
/* `check` as text, from a report made by the test: each figure at its place. */
#include "render/render.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/process_columns.h"
#include "support/at.h"
#include "support/check.h"
#include "support/sample.h"

static char *as_text(const struct sample *s, struct ptu_render_options options,
		     int *error)
{
	struct ptu_err err = { "" };

	return OUTPUT_OF(
		*error = ptu_render_text(&s->report, &options, out, &err));
}

static void text_says(const struct sample *s, struct ptu_render_options options,
		      const char *expected)
{
	int error;
	const char *text = as_text(s, options, &error);
	bool found = !error && strstr(text, expected);

	check(found, "text: %s", check_line(expected));
	if (!found)
		printf("# returned %d, with the text:\n%s\n", error, text);
}

static void text_silent(const struct sample *s,
			struct ptu_render_options options, const char *what)
{
	int error;
	const char *text = as_text(s, options, &error);

	check(!error && !strstr(text, what), "text: no %s",
	      *what == '\033' ? "escape sequence" : what);
}

#define OPTIONS(...) ((struct ptu_render_options){ __VA_ARGS__ })
#define DEFAULTS OPTIONS(.raw = false)

static void text_check(void)
{
	struct sample s;
	char *text;
	int error;

	sample_init(&s);
	text_says(&s, DEFAULTS, "postgres (4242): kernel against");
	text_says(&s, DEFAULTS, "\npte       36        4  +32");
	text_says(&s, DEFAULTS, "\npmd        3        4   -1");
	text_says(&s, DEFAULTS, "a PTE table without any entry");
	text_says(&s, DEFAULTS, "0x7f0004000000");
	text_says(&s, DEFAULTS,
		  "tree 164 KiB + deposited 12 KiB = VmPTE 176 KiB, to the byte");
	text_says(&s, DEFAULTS, "differ on 33 tables, and each is accounted");
	text_says(&s, DEFAULTS, "it is out of order");
	text_says(&s, DEFAULTS, "4-5");
	text_silent(&s, DEFAULTS, "unexplained");
	text_silent(&s, DEFAULTS, "\033");
	text_silent(&s, OPTIONS(.no_headings = true), "LEVEL");
	text_says(&s, OPTIONS(.raw = true),
		  "PID LEVEL KERNEL ESTIMATE DIFF EXPLAINED UNEXPLAINED SIZE\n"
		  "4242 pgd 1 1 0 0 0 8K\n"
		  "4242 pud 2 2 0 0 0 8K\n"
		  "4242 pmd 3 4 -1 1 0 12K\n"
		  "4242 pte 36 4 +32 32 0 144K\n");
	text_says(&s,
		  OPTIONS(.raw = true, .bytes = true, .no_headings = true,
			  .columns = "level,Size,IN-FLUX"),
		  "pte 147456 0\n");
	text_says(&s, OPTIONS(.raw = true, .columns = "+DIFFER"),
		  "4242 pte 36 4 +32 32 0 144K 32\n");

	text = as_text(&s, OPTIONS(.columns = "NOPE"), &error);
	check(error == -EINVAL && !text[0],
	      "text: an unknown column is refused");
	text = as_text(&s, OPTIONS(.columns = "LEVEL,"), &error);
	check(error == -EINVAL, "text: an empty column is refused");
	text = as_text(&s, OPTIONS(.columns = "VMPTE"), &error);
	check(error == -EINVAL, "text: a column of --all is refused");

	sample_add_unexplained(&s);
	text_says(&s, DEFAULTS, "2 unexplained\n");
	text_says(&s, DEFAULTS, "table kernel       0x7f0000200000");
	text_silent(&s, DEFAULTS, "accounted for");

	sample_init(&s);
	strcpy(s.processes[0].comm, "x\x1b[2J\xff");
	text_says(&s, DEFAULTS, "x\\x1b[2J\\xff (4242)");
	s.report.is_all = true;
	text_silent(&s, DEFAULTS, "\033");
}

static void text_others(void)
{
	struct sample s;

	sample_init(&s);
	s.report.is_check = false;
	text_says(&s, DEFAULTS, "LEVEL ESTIMATE LOW HIGH SIZE");
	text_silent(&s, DEFAULTS, "KERNEL");
	text_says(&s, DEFAULTS, "4 KiB too much in the estimate");

	/* 32 of 36 PTE tables; 32 * 4 KiB */
	text_says(&s, DEFAULTS, "empty: 32 of 36 PTE tables, 128 KiB\n");
	s.report.has_fill = true;
	text_says(&s, DEFAULTS, "         1-8          3  12K");
	s.processes[0].fill.unasked = 4;
	s.processes[0].fill.tables = 40;
	s.processes[0].empty[PTAUDIT_PMD] = 2;
	text_says(&s, OPTIONS(.raw = true, .columns = "LEVEL,EMPTY"),
		  "pgd 0\n");
	text_says(&s, OPTIONS(.raw = true, .columns = "LEVEL,EMPTY"),
		  "pmd 2+\n");

	sample_estimate(&s);
	text_silent(&s, DEFAULTS, "[heap]");
	text_silent(&s, DEFAULTS, "/bin/x");
	text_says(&s, OPTIONS(.mappings = true),
		  "   START                 END PERMS PATH");
	text_says(&s, OPTIONS(.mappings = true), "PTE PMD PUD LEAVES SIZE\n");
	text_says(&s, OPTIONS(.mappings = true),
		  " 0x401000 r-xp  /bin/x \\x1b(deleted) 2-3   1   1      0  16K\n");
	text_says(&s, OPTIONS(.mappings = true),
		  "0x80000000 rw-s                         0   0   0      1    0\n");
	text_says(&s, OPTIONS(.mappings = true, .bytes = true),
		  "0x10000000000000000 -     (no mapping)");
	text_says(&s, OPTIONS(.mappings = true),
		  "\nmappings without a counted table or huge page: 1\n");
	text_silent(&s, OPTIONS(.mappings = true), "[heap]");
	text_silent(&s, OPTIONS(.mappings = true, .no_headings = true), "PERM");
	s.processes[0].sees_empty = true;
	s.processes[0].fill = s.mappings[0].fill = (struct ptu_fill){
		.tables = 2,
		.counted = 2,
		.entries = 256, /* a quarter of the room */
		.room = 1024,
		.in_class = { 1, 0, 0, 1, 0 },
	};
	text_says(&s, OPTIONS(.mappings = true), "LEAVES SIZE EMPTY FILL\n");
	text_says(&s, OPTIONS(.mappings = true),
		  " 0x401000 r-xp  /bin/x \\x1b(deleted) 2-3   1   1      0  16K     1   25\n");
	text_says(&s, OPTIONS(.mappings = true),
		  "0x80000000 rw-s                         0   0   0      1    0     0    -\n");

	sample_init(&s);
	s.report.is_all = true;
	s.report.nr_processes = 3;
	s.processes[1].pid = 8;
	strcpy(s.processes[1].comm, "lost");
	s.processes[1].status = PTU_STATUS_FAILED;
	strcpy(s.processes[1].error, "no luck");
	s.processes[2].pid = 9;
	s.processes[2].status = PTU_STATUS_GONE;
	s.processes[0].self = true;
	text_says(&s, OPTIONS(.raw = true),
		  "PID COMM RSS VMPTE PTE PMD PUD EMPTY DEPOSITED DIFFER UNEXPLAINED STATUS\n"
		  "4242 postgres 1M 176K 36 3 2 32 3 33 0 ok\n"
		  "8 lost - - - - - - - - - failed\n"
		  "9 - - - - - - - - - - gone\n");
	text_says(&s, DEFAULTS,
		  "1 process (estimator: pagemap), 1 gone meanwhile, 1 NOT measured, 7 kernel threads");
	text_says(&s, DEFAULTS, "45 tables, 184K; the sides differ on 33; 0");
	text_says(&s, OPTIONS(.raw = true, .columns = "PID,NOTE"),
		  "4242 ptaudit\\x20itself\n8 no\\x20luck\n");
}

/*
 * SIZE is VmPTE plus the PGD if the tables are known: 176 KiB and 8 KiB in the
 * sample.  A process with fewer PTE tables, but more deposited ones, has the
 * larger SIZE.
 */
static void table_memory(void)
{
	struct sample s;
	json_t *root;

	sample_init(&s);
	text_says(&s, DEFAULTS,
		  "\ntable memory 184 KiB: PTE, PMD and PUD 164 KiB, deposited 12 KiB, PGD and P4D 8 KiB\n"
		  "tree 164 KiB");
	root = report_as_json(&s.report);
	number_at(root, P0 "tables_bytes", 180224 + 8192);
	number_at(root, "set.tables_bytes", 180224 + 8192);
	json_decref(root);
	s.report.nr_processes = 2;
	s.report.is_all = true;
	s.processes[1] = s.processes[0];
	s.processes[1].pid = 2;
	s.processes[1].levels[PTAUDIT_PTE].bytes -= 8 * 4096;
	s.processes[1].deposited_tables += 9;
	s.processes[1].vmpte_bytes += 4096;
	text_says(&s,
		  OPTIONS(.raw = true, .bytes = true,
			  .columns = "PID,VMPTE,SIZE"),
		  "4242 180224 188416\n2 184320 192512\n");
	s.report.is_check = false;
	text_says(&s,
		  OPTIONS(.raw = true, .bytes = true,
			  .columns = "SIZE,PID,COMM"),
		  "188416 4242 postgres\n192512 2 postgres\n");
	root = report_as_json(&s.report);
	number_at(root, "processes.1.tables_bytes", 192512);
	json_decref(root);
}

/*
 * Compare cells, with one space between them.  Since util-linux 2.41, libsmartcols
 * reserves no width for headings that are not printed.
 */
static void row_says(const struct sample *s, struct ptu_render_options options,
		     const char *expected)
{
	int error, n = 0;
	char *text = as_text(s, options, &error);
	const char *from;

	for (from = text; *from; from++)
		if (*from != ' ' || from[1] != ' ')
			text[n++] = *from;
	text[n] = '\0';
	check(!error && strstr(text, expected), "row: %s",
	      check_line(expected));
}

/* With -n only rows remain; a cell is on one line, whatever its length. */
static void rows_alone(void)
{
	static char path[120] = "/", expected[160];
	struct ptu_render_options bare = OPTIONS(.no_headings = true);
	struct sample s;

	sample_init(&s);
	text_silent(&s, bare, "postgres");
	text_silent(&s, bare, "VmPTE");
	text_silent(&s, bare, "accounted");
	row_says(&s, bare, "pgd 1 1 0 0 0 8K\n");
	s.report.is_all = true;
	text_says(&s, DEFAULTS, "1 process (estimator: ");
	text_silent(&s, bare, "1 process (estimator: ");
	row_says(&s, bare, "4242 postgres 1M 176K 36 3 2 32 3 33 0 ok\n");
	sample_share(&s);
	text_silent(&s, bare, "address spaces");

	sample_estimate(&s);
	memset(path + 1, 'p', sizeof(path) - 2);
	snprintf(expected, sizeof(expected), "r-xp %s ", path);
	s.mappings[0].path = path;
	row_says(&s, OPTIONS(.mappings = true), expected);
	text_says(&s, OPTIONS(.mappings = true), "\nmappings without a ");
	bare.mappings = true;
	text_silent(&s, bare, "mappings without a ");
	row_says(&s, bare, expected);
}

static void denied(void)
{
	struct sample s;
	json_t *root;

	sample_init(&s);
	s.report.is_all = true;
	s.report.nr_processes = 2;
	s.processes[1] = (struct ptu_process){
		.pid = 8,
		.uid = 5,
		.comm = "other",
		.start_time = 77,
		.status = PTU_STATUS_DENIED,
		.error = "not allowed",
		.has_vmpte = true,
		.vmpte_bytes = 3 << 20,
		.rss_bytes = 2 << 20,
	};
	text_says(&s, OPTIONS(.raw = true),
		  "\n8 other 2M 3M - - - - - - - denied\n");
	text_says(&s, OPTIONS(.raw = true, .columns = "PID,UID,SIZE,KERNEL"),
		  "\n8 5 - -\n");
	text_says(&s, DEFAULTS,
		  "1 process (estimator: pagemap), 1 permission denied, 7");
	root = report_as_json(&s.report);
	number_at(root, "denied", 1);
	text_at(root, "processes.1.status", "denied");
	text_at(root, "processes.1.error", "not allowed");
	number_at(root, "processes.1.uid", 5);
	number_at(root, "processes.1.start_time", 77);
	number_at(root, "processes.1.rss_bytes", 2 << 20);
	number_at(root, "processes.1.vmpte.bytes", 3 << 20);
	none_at(root, "processes.1.levels");
	none_at(root, "processes.1.vmpte.deposited_tables");
	json_decref(root);
	s.report.is_check = false;
	text_says(&s, OPTIONS(.raw = true),
		  "\n8 other 2M 3M - - - - - denied\n");
}

/* One PTE table only BPF sees; in another one both walks see different contents. */
static void both(void)
{
	struct sample s;
	struct ptu_process *p = &s.processes[0];
	struct ptu_unexplained rows[3] = { 0 };
	json_t *root;

	sample_init(&s);
	root = report_as_json(&s.report);
	none_at(root, P0 "bpf");
	none_at(root, P0 "levels.3.kernel_bpf");
	json_decref(root);

	s.report.has_bpf = true;
	s.report.truth = "both";
	p->bpf.done = true;
	p->levels[PTAUDIT_PGD].kernel_bpf = 1;
	p->levels[PTAUDIT_PUD].kernel_bpf = 2;
	p->levels[PTAUDIT_PMD].kernel_bpf = 3;
	p->levels[PTAUDIT_PTE].kernel_bpf = 36;
	text_says(&s, DEFAULTS, "postgres (4242): module and BPF against");
	text_says(&s, DEFAULTS, "\npte       36  36        4  +32");
	text_says(&s, DEFAULTS, "module and BPF see the same 42 tables\n");

	rows[0].side = PTU_SIDE_KERNEL_BPF;
	rows[1].side = PTU_SIDE_KERNEL_MODULE;
	rows[2].side = PTU_SIDE_KERNEL_BPF;
	for (unsigned int i = 0; i < 3; i++) {
		rows[i].start = i ? 0x7f0000400000 : 0x7f0000200000;
		rows[i].end = rows[i].start + 0x200000;
		rows[i].why = PTU_WHY_UNEXPLAINED;
		rows[i].contents = i != 0;
		rows[i].entries = 5 + i;
	}
	p->unexplained = rows;
	p->nr_unexplained = 3;
	p->bpf.unexplained = 3;
	p->bpf.in_flux = 2;
	p->levels[PTAUDIT_PTE].unexplained = 3;
	p->levels[PTAUDIT_PTE].kernel_bpf = 37;
	text_says(&s, DEFAULTS, "table   bpf     0x7f0000200000");
	text_says(&s, DEFAULTS, "entries module  0x7f0000400000");
	text_says(&s, DEFAULTS, "entries bpf     0x7f0000400000");
	text_says(&s, DEFAULTS,
		  "module and BPF do NOT see the same: 3 differences; BPF sees 43 tables; 2 came or went\n");
	text_says(&s, DEFAULTS, "\n3 unexplained\n");
	s.report.is_all = true;
	text_says(&s, DEFAULTS, "module and BPF do NOT see the same");
	s.report.is_all = false;
	root = report_as_json(&s.report);
	text_at(root, "truth", "both");
	number_at(root, P0 "levels.3.kernel", 36);
	number_at(root, P0 "levels.3.kernel_bpf", 37);
	number_at(root, P0 "bpf.tables", 43);
	number_at(root, P0 "bpf.in_flux", 2);
	number_at(root, P0 "bpf.unexplained", 3);
	text_at(root, P0 "unexplained_tables.0.side", "bpf");
	text_at(root, P0 "unexplained_tables.1.side", "module");
	number_at(root, P0 "unexplained_tables.1.entries", 6);
	none_at(root, P0 "unexplained_tables.1.entries_estimate");
	number_at(root, "unexplained", 3);
	json_decref(root);
}

static void orphans(void)
{
	struct ptu_orphan_row row = {
		.level = PTAUDIT_PTE,
		.start = 0x7f0000600000,
		.end = 0x7f0000800000,
		.in_orphans = true,
		.outside = true,
		.entries = 17,
	};
	struct ptu_process *p;
	struct sample s;
	json_t *root;

	sample_init(&s);
	root = report_as_json(&s.report);
	none_at(root, P0 "orphans");
	json_decref(root);
	text_silent(&s, DEFAULTS, "the walk of all entries");

	p = &s.processes[0];
	s.report.has_orphans = true;
	p->orphans.done = true;
	p->orphans.tables[PTAUDIT_PTE] = 36;
	p->orphans.tables[PTAUDIT_PMD] = 3;
	p->orphans.hold_ns_max = 4711;
	root = report_as_json(&s.report);
	number_at(root, P0 "orphans.tables", 39);
	number_at(root, P0 "orphans.in_flux", 0);
	number_at(root, P0 "orphans.unexplained", 0);
	number_at(root, P0 "orphans.hold_ns_max", 4711);
	number_at(root, P0 "unexplained", 0);
	json_decref(root);
	text_says(&s, DEFAULTS,
		  "\nthe walk by mappings and the walk of all entries see the same 39 tables\n");
	text_silent(&s, DEFAULTS, "SEEN BY WALK OF");
	check(ptu_report_status(&s.report) == 0,
	      "walks that agree are status 0");

	p->orphans.unexplained = &row;
	p->orphans.nr_unexplained = 1;
	p->orphans.in_flux = 2;
	root = report_as_json(&s.report);
	number_at(root, P0 "orphans.unexplained", 1);
	number_at(root, P0 "orphans.in_flux", 2);
	text_at(root, P0 "orphans.unexplained_tables.0.level", "pte");
	text_at(root, P0 "orphans.unexplained_tables.0.start",
		"0x7f0000600000");
	text_at(root, P0 "orphans.unexplained_tables.0.end", "0x7f0000800000");
	number_at(root, P0 "orphans.unexplained_tables.0.entries", 17);
	check(json_is_false(
		      at(root, P0 "orphans.unexplained_tables.0.in_tables")),
	      "json: in_tables is false of a table that the walk by mappings missed");
	check(json_is_true(
		      at(root, P0 "orphans.unexplained_tables.0.in_orphans")),
	      "json: in_orphans is true of a table that the walk of all entries saw");
	check(json_is_true(at(root, P0 "orphans.unexplained_tables.0.outside")),
	      "json: outside is true of a table outside all mappings");
	number_at(root, P0 "unexplained", 1);
	number_at(root, "unexplained", 1);
	json_decref(root);
	text_says(&s, DEFAULTS, "outside all mappings");
	text_says(&s, DEFAULTS, "do NOT see the same tables: 1 different, 39");
	text_says(&s, DEFAULTS, "; 2 came or went\n");
	text_says(&s, DEFAULTS, "\n1 unexplained");
	check(ptu_report_status(&s.report) == 1,
	      "walks that differ are status 1");
	s.report.is_all = true;
	text_says(&s, DEFAULTS, "do NOT see the same tables: 1 different, 39");
}

static void text_shared(void)
{
	struct sample s;

	sample_init(&s);
	text_silent(&s, DEFAULTS, "SHARED");
	text_silent(&s, DEFAULTS, "address spaces");
	sample_share(&s);
	text_says(&s, DEFAULTS,
		  "\nSHARED BY               FROM                  TO     PFN\n"
		  "pmd     1         0x40000000          0x80000000 0x1234a\n");
	text_says(&s, DEFAULTS,
		  "\n\n2 address spaces as one: 89 tables, 364K\n"
		  "table memory 364 KiB: PTE, PMD and PUD 324 KiB, deposited 24 KiB, PGD and P4D 16 KiB\n"
		  "2 shared tables, each counted once; VmPTE has them once more; others share 1 of them\n"
		  "trees 324 KiB + deposited 24 KiB + counted again 4 KiB = sum of VmPTE 352 KiB, to the byte\n");
	text_says(&s, OPTIONS(.raw = true, .columns = "PID,LEVEL,SHARED"),
		  "4242 pmd 2\n4242 pte 0\n4243 pgd 0\n");
	text_silent(&s, OPTIONS(.raw = true), "address spaces");
	s.report.is_all = true;
	text_says(&s, DEFAULTS,
		  "89 tables, 364K; the sides differ on 66; 0 unexplained\n"
		  "table memory 364 KiB: PTE, PMD and PUD 324 KiB, deposited 24 KiB, PGD and P4D 16 KiB\n"
		  "2 shared tables, each counted once");
	text_says(&s, OPTIONS(.raw = true, .columns = "PID,SHARED"),
		  "4242 2\n4243 2\n");
	s.report.is_check = false;
	text_silent(&s, DEFAULTS, "shared tables");
	/* only one of two was measured: there is nothing to add up */
	sample_share(&s);
	s.processes[1].status = PTU_STATUS_GONE;
	text_silent(&s, DEFAULTS, "address spaces");
}

static void suggests(void)
{
	const unsigned int table = PTU_COL_PROCESSES | PTU_COL_ESTIMATE;
	struct ptu_grid_choice choice;
	struct ptu_err err = { "" };

	/* differs in one letter from KERNEL, a column of check but not of estimate */
	check(ptu_grid_choose(ptu_process_columns, table, "PID", "PERNEL",
			      false, &choice, &err) == -EINVAL &&
		      strstr(err.text, "--list-columns"),
	      "columns_of_other_tables_are_not_suggested");
	err.text[0] = '\0';
	check(ptu_grid_choose(ptu_process_columns, table, "PID", "PID,RESIDULA",
			      false, &choice, &err) == -EINVAL &&
		      strstr(err.text, "did you mean 'RESIDUAL'?"),
	      "an_unknown_column_suggests_the_nearest");
}

int main(void)
{
	suggests();
	text_shared();
	text_check();
	text_others();
	denied();
	rows_alone();
	table_memory();
	both();
	orphans();
	return check_end();
}
