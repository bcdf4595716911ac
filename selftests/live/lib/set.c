// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the tool's figures for a set of processes with the sums over /proc and the
 * module.
 */
#define _GNU_SOURCE
#include "lib/lib.h"
#include "lib/set.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int differs(const char *what, const json_t *object, const char *key,
		   uint64_t expected)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_integer(value) &&
	    (uint64_t)json_integer_value(value) == expected)
		return 0;
	live_note("ptaudit: %s %s is %" PRId64 ", not %" PRIu64, what, key,
		  (int64_t)json_integer_value(value), expected);
	return 1;
}

static int differs_at(const json_t *object, const char *key, uint64_t addr)
{
	const char *text = json_string_value(json_object_get(object, key));
	char expected[24];

	snprintf(expected, sizeof(expected), "0x%" PRIx64, addr);
	if (text && !strcmp(text, expected))
		return 0;
	live_note("ptaudit: %s of a shared table is %s, not %s", key, text,
		  expected);
	return 1;
}

/* The process must list exactly the tables of the places that have sharers. */
static int check_list(const json_t *root, const struct actor *actor)
{
	const json_t *processes = json_object_get(root, "processes"), *one;
	const json_t *list = NULL;
	int failures = 0;
	size_t nr = 0, i;

	json_array_foreach(processes, i, one)
	{
		if (json_integer_value(json_object_get(one, "pid")) ==
		    actor->pid)
			list = json_object_get(one, "shared");
	}
	for (const struct place *p = actor->places; p->addr; p++) {
		uint64_t start = p->addr & ~(GIB - 1);
		const json_t *row = json_array_get(list, nr);
		const char *level = json_string_value(
			json_object_get(row, "level"));

		if (!p->sharers)
			continue;
		nr++;
		failures += !level || strcmp(level, "pmd");
		failures += differs_at(row, "start", start);
		failures += differs_at(row, "end", start + GIB);
		failures += differs("shared", row, "pfn", p->pfn);
		failures += differs("shared", row, "sharers", p->sharers);
	}
	if (!json_is_array(list) || json_array_size(list) != nr) {
		live_note("ptaudit: %zu tables of process %d are shared, not %zu",
			  json_array_size(list), actor->pid, nr);
		failures++;
	}
	return failures;
}

/*
 * Compare the tool's totals with the sums of /proc and the module over the processes.  The
 * sums count a shared table once per place, the tool counts it once.
 */
static int check_sums(const json_t *set, const struct actor *actors, size_t nr,
		      uint64_t again)
{
	static const char *const names[] = PTAUDIT_LEVEL_NAMES;
	uint64_t vmpte = 0, tree = 0, tables[PTAUDIT_NR_LEVELS] = { 0 };
	uint64_t deposited = 0;
	const json_t *levels = json_object_get(set, "levels"), *row;
	int failures = 0;
	size_t i, k;

	for (i = 0; i < nr; i++) {
		struct counts counts;

		if (live_counts(actors[i].pid, &counts))
			return 1;
		vmpte += live_vmpte_bytes(actors[i].pid);
		deposited += counts.deposited;
		for (k = 0; k < PTAUDIT_NR_LEVELS; k++)
			tables[k] += counts.tables[k];
	}
	tables[PTAUDIT_PMD] -= again;
	for (k = PTAUDIT_PTE; k <= PTAUDIT_PUD; k++)
		tree += tables[k] * PAGE;
	if (vmpte - tree - deposited * PAGE != again * PAGE) {
		live_note("the sum of VmPTE is %" PRIu64
			  " bytes more than that of the tables",
			  vmpte - tree - deposited * PAGE);
		failures++;
	}
	failures += differs("set", set, "address_spaces", nr);
	failures += differs("set", set, "tree_bytes", tree);
	failures += differs("set", set, "vmpte_bytes", vmpte);
	failures += differs("set", set, "deposited_tables", deposited);
	failures += json_array_size(levels) != live_system()->levels;
	json_array_foreach(levels, i, row)
	{
		const char *level = json_string_value(
			json_object_get(row, "level"));

		for (k = 0; k < PTAUDIT_NR_LEVELS; k++) {
			if (!level || strcmp(level, names[k]))
				continue;
			failures += differs(level, row, "tables", tables[k]);
			if (k <= PTAUDIT_PUD)
				failures += differs(level, row, "bytes",
						    tables[k] * PAGE);
		}
	}
	return failures;
}

int check_set(const struct actor *actors, size_t nr, struct sums sums)
{
	char pids[NR_ACTORS][16], *argv[4 + NR_ACTORS] = {
		(char *)live_tool(),
		(char[]){ "check" },
		(char[]){ "--json" },
		(char[]){ "--all" },
	};
	struct tool_run run;
	json_t *root, *set;
	int failures = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		snprintf(pids[i], sizeof(pids[i]), "%d", actors[i].pid);
		argv[3 + i] = pids[i];
	}
	if (live_run(argv, &run))
		return 1;
	root = json_loads(run.out, 0, NULL);
	set = json_object_get(root, "set");
	for (i = 0; i < (nr ? nr : NR_ACTORS); i++)
		failures += check_list(root, &actors[i]);
	if (nr)
		failures += check_sums(set, actors, nr, sums.again);
	failures += differs("set", set, "shared_tables", sums.tables);
	failures += differs("set", set, "shared_outside", sums.outside);
	failures += differs("set", set, "counted_again", sums.again);
	failures += differs("set", set, "counted_again_bytes",
			    sums.again * PAGE);
	failures += differs("set", set, "residual_bytes", 0);
	if (run.status) {
		live_note("exit status %d: %s", run.status, run.err);
		failures++;
	}
	json_decref(root);
	live_run_deinit(&run);
	return failures;
}

int check_text(const struct actor *actors, size_t nr, const char *words)
{
	char pids[NR_ACTORS][16], *argv[3 + NR_ACTORS] = {
		(char *)live_tool(),
		(char[]){ "check" },
	};
	struct tool_run run;
	int failures = 0;

	for (size_t i = 0; i < nr; i++) {
		snprintf(pids[i], sizeof(pids[i]), "%d", actors[i].pid);
		argv[2 + i] = pids[i];
	}
	if (live_run(argv, &run))
		return 1;
	if (run.status || !strstr(run.out, words)) {
		live_note("exit status %d, or no '%s' in the output: %s",
			  run.status, words, run.out);
		failures++;
	}
	live_run_deinit(&run);
	return failures;
}
