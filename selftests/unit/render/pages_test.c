// SPDX-License-Identifier: GPL-2.0-only
/* `check --pages` as text and JSON, from a report made by the test. */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/render.h"
#include "report/pages.h"
#include "support/at.h"

static struct ptu_totals_process processes[3];
static const struct ptu_totals_report report = {
	.host = { .release = "6.1", .machine = "x86_64", .page_bytes = 4096 },
	.boot_id = "boot",
	.processes = processes,
	.nr_processes = 3,
};

/* One process agrees except for a cause, one does not agree, one was not measured. */
static void fill(void)
{
	struct ptu_totals_process *p = processes;

	memset(processes, 0, sizeof(processes));
	p->pid = 17;
	strcpy(p->comm, "one\n");
	p->tries = 1;
	p->mappings = 9;
	p->whole_checked = true;
	for (unsigned int i = 0; i < PTU_NR_TOTALS; i++)
		p->rows[i].known = i != PTU_TOTAL_EXCLUSIVE;
	p->rows[PTU_TOTAL_PRESENT] = (struct ptu_totals_row){
		.known = true, .kernel = 30, .proc = 23, .explained = 7
	};
	p->causes[PTU_TOTALS_PFNMAP][PTU_TOTAL_PRESENT] =
		(struct ptu_totals_cause){ 1, 7 };
	p->kernel.known[PTAUDIT_P_PRESENT] = true;
	p->kernel.nr[PTAUDIT_P_PRESENT] = 30;
	processes[1] = *p++;
	p->pid = 18;
	p->whole_checked = false;
	p->rows[PTU_TOTAL_ANON] = (struct ptu_totals_row){
		.known = true, .kernel = 5, .proc = 2, .unexplained = 3
	};
	p->diffs[0] = (struct ptu_totals_diff){ .start = 0x1000,
						.end = 0x5000,
						.path = "a\tb",
						.name = "anon",
						.kernel = 5,
						.proc = 2 };
	p->diffs[1] = (struct ptu_totals_diff){ .name = "file",
						.kernel = 4,
						.proc = 3 };
	p->nr_diffs = 2;
	p->unexplained = 4;
	p++;
	p->pid = 19;
	p->status = PTU_STATUS_UNSTABLE;
	strcpy(p->error, "process 19 kept changing");
}

static char *text_of(const struct ptu_render_options *options)
{
	return PRINTED(ptu_render_totals_text, &report, options);
}

static void texts(void)
{
	struct ptu_render_options options = { 0 };
	char *text = text_of(&options);

	check(strstr(text, "PID 17 (one\\x0a), 9 mappings, in pages") != NULL,
	      "text: has PID, escaped name and number of mappings");
	check(strstr(text, "present: 7 pages in a mapping of page frames") !=
		      NULL,
	      "text: a cause has its sentence");
	check(strstr(text, "every page is accounted for\n\nPID 18") != NULL,
	      "text: each process has a verdict");
	check(strstr(text,
		     "anon: the kernel counts 5, /proc 2 at 0x1000-0x5000 a\\x09b\n") !=
		      NULL,
	      "text: an unexplained difference has its mapping");
	check(strstr(text,
		     "file: the kernel counts 4 in all, and 3 mapping by mapping\n") !=
		      NULL,
	      "text: a process that differs from the sum of its mappings is named");
	check(strstr(text, "4 pages are unexplained\n") != NULL,
	      "text: has the sum of unexplained pages");
	check(strstr(text, "kept changing") != NULL,
	      "text: a process that was not compared with its mappings is named");
	check(!strstr(text, "PID 19"),
	      "text: an unmeasured process has no table");
	check(!strstr(text, "ksm"),
	      "text: a total that is 0 on both sides is left out");

	processes[0].tid = 21;
	text = text_of(&options);
	check(strstr(text, "read through thread 21.\n") != NULL,
	      "text: the thread that was read is named");

	options.no_headings = true;
	text = text_of(&options);
	check(!strstr(text, "thread"), "noheadings: no sentence on the thread");
	options.no_headings = false;
	processes[0].tid = 0;

	options.raw = true;
	text = text_of(&options);
	check(strstr(text, "\n17 present 30 23 7 0 0\n") != NULL,
	      "raw: a row has the figures of a total");
	check(strstr(text, "\n17 exclusive - - 0 0 0\n") != NULL,
	      "raw: a figure that the kernel lacks is a dash");
	check(strstr(text, "\n18 anon 5 2 0 0 3\n") != NULL,
	      "raw: a row of the second process");
	check(strstr(text, "\n17 ksm 0 0 0 0 0\n") != NULL,
	      "raw: a total of 0 has a row");
	check(!strncmp(text, "PID KEY ", 8) && !strstr(text + 1, "PID"),
	      "raw: one heading for all processes");

	options.sort = "UNEXPLAINED";
	options.limit = 1;
	text = text_of(&options);
	check(!strcmp(text,
		      "PID KEY KERNEL PROC EXPLAINED IN-FLUX UNEXPLAINED\n"
		      "18 anon 5 2 0 0 3\n"),
	      "raw: --sort and --limit are about all processes");
	options.sort = "PID";
	text = text_of(&options);
	check(strstr(text, "\n17 ") && !strstr(text, "\n18 "),
	      "raw: the smallest PID comes first");
	options.sort = NULL;
	options.limit = 0;

	options.bytes = true;
	text = text_of(&options);
	check(strstr(text, "\n17 present 122880 94208 28672 0 0\n") != NULL,
	      "raw: with --bytes a row has bytes");
}

static void columns(void)
{
	struct ptu_err err = { "" };

	check(ptu_render_totals_check(&(struct ptu_render_options){ .columns =
									    "KEY,NOPE" },
				      &err) == -EINVAL,
	      "columns: an unknown one is refused");
	check(!ptu_render_totals_check(&(struct ptu_render_options){ .columns =
									     "+PID" },
				       &err),
	      "columns: one can be added");
}

static json_t *key_row(const json_t *process, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(process, "keys"), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "key")),
			    key))
			return row;
	}
	return NULL;
}

static json_int_t number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : -1;
}

static json_t *json_of(const struct ptu_render_options *options)
{
	return json_from(PRINTED(ptu_render_totals_json, &report, options));
}

static void json(void)
{
	json_t *root = json_of(&(struct ptu_render_options){ .raw = false });
	const json_t *array, *p;

	array = json_object_get(root, "processes");
	check(json_array_size(array) == 3, "json: has each process");
	check(number(root, "unexplained") == 4,
	      "json: has the sum of unexplained pages");
	p = json_array_get(array, 0);
	check(json_array_size(json_object_get(p, "keys")) == PTU_NR_TOTALS,
	      "json: has each total");
	check(number(key_row(p, "present"), "kernel") == 30 &&
		      number(key_row(p, "present"), "proc") == 23 &&
		      number(key_row(p, "present"), "explained") == 7,
	      "json: a total has the figures of both sides");
	check(json_is_null(json_object_get(key_row(p, "exclusive"), "kernel")),
	      "json: a figure that the kernel lacks is null");
	check(number(json_array_get(json_object_get(p, "causes"), 0),
		     "pages") == 7,
	      "json: a cause has its pages");
	check(json_is_true(json_object_get(p, "whole_checked")),
	      "json: has whole_checked");
	check(number(json_object_get(p, "kernel"), "present") == 30,
	      "json: has the keys of the module");
	p = json_array_get(array, 1);
	check(number(p, "unexplained") == 4,
	      "json: a process has its unexplained pages");
	array = json_object_get(p, "differences");
	check(json_array_size(array) == 2 &&
		      !strcmp(json_string_value(
				      json_object_get(json_array_get(array, 0),
						      "start")),
			      "0x1000") &&
		      number(json_array_get(array, 1), "kernel_whole") == 4,
	      "json: has the differences");
	p = json_array_get(json_object_get(root, "processes"), 2);
	check(!strcmp(json_string_value(json_object_get(p, "status")),
		      "unstable") &&
		      json_object_get(p, "error") &&
		      !json_object_get(p, "keys"),
	      "json: an unmeasured process has an error and no figures");
	json_decref(root);
}

/* A key that the kernel can count is a number, another key is null. */
static void json_keys(json_t *root)
{
	unsigned int key, nr = 0;
	char path[64];

	for (key = 0; key < PTAUDIT_NR_PAGES_KEYS; key++) {
		snprintf(path, sizeof(path), P0 "kernel.%s",
			 ptu_totals_key_name(key));
		nr += json_is_null(at(root, path));
	}
	check(nr == PTAUDIT_NR_PAGES_KEYS - 1,
	      "json: each key that the kernel lacks is null");
}

#define P1 "processes.1."

/* Each member has the figure of its own place; all figures of an object differ. */
static void json_members(void)
{
	json_t *root;

	processes[1].tid = 20;
	processes[1].causes[PTU_TOTALS_LARGE_FOLIO][PTU_TOTAL_ANON_ONCE] =
		(struct ptu_totals_cause){ 2, 3 };
	/* the lowest address is not the end of the address space */
	processes[1].diffs[0].start = 0;
	root = json_of(&(struct ptu_render_options){ .columns = "KEY,PROC" });
	text_at(root, "ptaudit.command", "check --pages");
	text_at(root, "ptaudit.output", "KEY,PROC");
	number_at(root, P0 "pid", 17);
	none_at(root, P0 "tid");
	text_at(root, P0 "comm", "one\n");
	text_at(root, P0 "status", "ok");
	none_at(root, P0 "error");
	number_at(root, P0 "tries", 1);
	number_at(root, P0 "mappings", 9);
	number_at(root, P0 "unexplained", 0);
	check(json_array_size(at(root, P0 "causes")) == 1,
	      "json: a cause that no mapping has is left out");
	text_at(root, P0 "causes.0.cause", "pfnmap");
	text_at(root, P0 "causes.0.key", "present");
	number_at(root, P0 "causes.0.mappings", 1);
	number_at(root, P0 "causes.0.pages", 7);
	json_keys(root);
	text_at(root, P0 "keys.1.key", "anon");
	number_at(root, P0 "keys.1.proc", 0);
	number_at(root, P1 "keys.1.proc", 2);
	number_at(root, P1 "pid", 18);
	number_at(root, P1 "tid", 20);
	text_at(root, P1 "causes.1.cause", "large-folio");
	text_at(root, P1 "causes.1.key", "anon_once");
	number_at(root, P1 "causes.1.mappings", 2);
	number_at(root, P1 "causes.1.pages", 3);
	text_at(root, P1 "differences.0.key", "anon");
	text_at(root, P1 "differences.0.start", "0x0");
	text_at(root, P1 "differences.0.end", "0x5000");
	text_at(root, P1 "differences.0.path", "a\tb");
	number_at(root, P1 "differences.0.kernel", 5);
	number_at(root, P1 "differences.0.proc", 2);
	none_at(root, P1 "differences.0.kernel_whole");
	text_at(root, P1 "differences.1.key", "file");
	number_at(root, P1 "differences.1.kernel_whole", 4);
	number_at(root, P1 "differences.1.kernel_mappings", 3);
	none_at(root, P1 "differences.1.start");
	none_at(root, P1 "differences.1.kernel");
	json_decref(root);
	processes[1].diffs[0].start = 0x1000;
	processes[1].tid = 0;
}

int main(void)
{
	fill();
	texts();
	columns();
	json();
	json_members();
	return check_end();
}
