// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the tool and compares its JSON with the expected values.  PTAUDIT_TOOL is the path
 * of the tool, PTAUDIT_TRUTH the source of the kernel's figures: module, or both (module
 * and BPF).
 */
#define _GNU_SOURCE
#include "lib/lib.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const names[] = PTAUDIT_LEVEL_NAMES;

const char *live_tool(void)
{
	const char *tool = getenv("PTAUDIT_TOOL");

	return tool ? tool : "../../user/ptaudit";
}

/* Read all that was written to a file, as a string. */
static char *contents(int fd)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	char *text = calloc(1, (size_t)bytes + 1);

	if (text && pread(fd, text, (size_t)bytes, 0) != bytes)
		text[0] = '\0';
	close(fd);
	return text;
}

int live_run(char *const argv[], struct tool_run *ret)
{
	int out = memfd_create("out", MFD_CLOEXEC);
	int err = memfd_create("err", MFD_CLOEXEC);
	int status;
	pid_t pid;

	if (out < 0 || err < 0)
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	ret->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	ret->out = contents(out);
	ret->err = contents(err);
	return ret->out && ret->err ? 0 : -ENOMEM;
}

void live_run_deinit(struct tool_run *run)
{
	free(run->out);
	free(run->err);
}

int64_t live_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) :
					LIVE_NO_NUMBER;
}

/* The first object of an array that has these two texts under these keys. */
static json_t *row(const json_t *array, const char *key, const char *text,
		   const char *key2, const char *text2)
{
	json_t *element;
	size_t i;

	json_array_foreach(array, i, element)
	{
		const char *a = json_string_value(
			json_object_get(element, key));
		const char *b = key2 ? json_string_value(
					       json_object_get(element, key2)) :
				       NULL;

		if (a && !strcmp(a, text) &&
		    (!key2 || (b && !strcmp(b, text2))))
			return element;
	}
	return NULL;
}

static int differs(const char *what, const char *level, uint64_t is,
		   uint64_t expected)
{
	if (is == expected)
		return 0;
	live_note("ptaudit: %s%s%s is %" PRId64 ", not %" PRIu64, level,
		  *level ? " " : "", what, (int64_t)is, expected);
	return 1;
}

static uint64_t cause_tables(const json_t *process, const char *cause,
			     const char *level)
{
	json_t *found = row(json_object_get(process, "causes"), "cause", cause,
			    "level", level);

	return found ? live_number(found, "tables") : 0;
}

static const char *live_truth(void)
{
	const char *truth = getenv("PTAUDIT_TRUTH");

	return truth ? truth : "module";
}

/*
 * The tool prints the module's numbers at every level, and with @both those of the BPF
 * walk.
 */
static int check_levels(const json_t *process, const struct counts *counts,
			bool both)
{
	const json_t *levels = json_object_get(process, "levels");
	const json_t *leaves = json_object_get(process, "leaves");
	int failures = 0;

	failures += differs("number of levels", "", json_array_size(levels),
			    live_system()->levels);
	for (unsigned int level = 0; level < PTAUDIT_NR_LEVELS; level++) {
		const json_t *one = row(levels, "level", names[level], NULL,
					NULL);
		const json_t *leaf = row(leaves, "level", names[level], NULL,
					 NULL);

		if (level == PTAUDIT_P4D && live_system()->levels == 4)
			continue;
		failures += differs("kernel", names[level],
				    live_number(one, "kernel"),
				    counts->tables[level]);
		failures += differs("kernel_bpf", names[level],
				    live_number(one, "kernel_bpf"),
				    both ? (int64_t)counts->tables[level] :
					   LIVE_NO_NUMBER);
		failures += differs("unexplained", names[level],
				    live_number(one, "unexplained"), 0);
		failures += differs("in_flux", names[level],
				    live_number(one, "in_flux"), 0);
		failures += differs("explained", names[level],
				    live_number(one, "explained"),
				    live_number(one, "kernel_only") +
					    live_number(one, "estimate_only"));
		failures += differs("leaves", names[level],
				    leaf ? live_number(leaf, "entries") : 0,
				    counts->leaves[level]);
	}
	return failures;
}

/* Exactly the tables that map no page must have that cause; pagemap shows none of them. */
static int check_causes(pid_t pid, const json_t *process,
			const struct expect *expect)
{
	uint64_t outside[PTAUDIT_NR_LEVELS];
	struct answer answer;
	int failures = 0;

	if (live_tables(pid, &answer))
		return 1;
	live_count_empty_outside(&answer, expect->start, expect->end, outside);
	live_answer_deinit(&answer);
	/* not PTE tables: the kernel maps the vdso's clock pages as PFN mappings, too */
	for (unsigned int level = PTAUDIT_PMD;
	     expect->nr_pfn_leaves && level < PTAUDIT_PGD; level++)
		failures += differs("pfnmap", names[level],
				    cause_tables(process, "pfnmap",
						 names[level]),
				    expect->pfnmap_only[level]);
	for (unsigned int level = 0; level < PTAUDIT_PGD; level++) {
		const char *cause = level == PTAUDIT_PTE ? "empty" : "hollow";

		failures += differs(cause, names[level],
				    cause_tables(process, cause, names[level]),
				    expect->empty[level] + outside[level]);
		failures += differs("marker-only", names[level],
				    cause_tables(process, "marker-only",
						 names[level]),
				    expect->marker_only[level]);
		failures += differs("ldt", names[level],
				    cause_tables(process, "ldt", names[level]),
				    expect->flags & PTAUDIT_T_LDT ?
					    expect->nr[level] :
					    0);
	}
	return failures;
}

static int check_process(pid_t pid, const json_t *process,
			 const struct expect *expect, bool both)
{
	const json_t *vmpte = json_object_get(process, "vmpte");
	struct counts counts;
	uint64_t tree = 0;
	int failures;

	if (live_counts(pid, &counts))
		return 1;
	failures = check_levels(process, &counts, both);
	if (both)
		failures += differs("bpf.in_flux", "",
				    live_number(json_object_get(process, "bpf"),
						"in_flux"),
				    0);
	for (unsigned int level = 0; level <= PTAUDIT_PUD; level++)
		tree += counts.tables[level];
	failures += differs("pid", "", live_number(process, "pid"),
			    (uint64_t)pid);
	failures += differs("unexplained of the process", "",
			    live_number(process, "unexplained"), 0);
	failures += differs("vmpte.bytes", "", live_number(vmpte, "bytes"),
			    live_vmpte_bytes(pid));
	failures += differs("vmpte.tree_bytes", "",
			    live_number(vmpte, "tree_bytes"), tree * PAGE);
	failures += differs("vmpte.deposited_tables", "",
			    live_number(vmpte, "deposited_tables"),
			    counts.deposited);
	failures += differs("vmpte.unexplained_bytes", "",
			    live_number(vmpte, "unexplained_bytes"), 0);
	if (counts.deposited < expect->deposited)
		failures += differs("deposited", "", counts.deposited,
				    expect->deposited);
	return failures;
}

/*
 * Run the tool once; reports whether the estimator was pagemap.  The BPF walk does not
 * depend on the estimator, so only one run asks for it.
 */
static int check_run(pid_t pid, const struct expect *expect,
		     const char *estimator, bool *by_pagemap)
{
	const char *truth = estimator ? "module" : live_truth();
	char text[16], *argv[] = { (char *)live_tool(),
				   (char[]){ "check" },
				   (char[]){ "--json" },
				   (char[]){ "--truth" },
				   (char *)truth,
				   text,
				   estimator ? (char[]){ "--estimator" } : NULL,
				   (char *)estimator,
				   NULL };
	struct tool_run run;
	json_t *root, *processes, *process;
	const char *used, *by;
	int failures;

	snprintf(text, sizeof(text), "%d", pid);
	if (live_run(argv, &run))
		return 1;
	failures = differs("exit status", "", (uint64_t)run.status, 0);
	if (*run.err)
		live_note("ptaudit says: %s", run.err);
	root = json_loads(run.out, 0, NULL);
	processes = json_object_get(root, "processes");
	process = json_array_get(processes, 0);
	used = json_string_value(
		json_object_get(json_object_get(root, "ptaudit"), "estimator"));
	*by_pagemap = used && !strcmp(used, "pagemap");
	failures += differs("unexplained", "", live_number(root, "unexplained"),
			    0);
	failures += differs("number of processes", "",
			    json_array_size(processes), 1);
	by = json_string_value(json_object_get(root, "truth"));
	failures += differs("truth as requested", "", by && !strcmp(by, truth),
			    1);
	failures += check_process(pid, process, expect, !strcmp(truth, "both"));
	if (*by_pagemap)
		failures += check_causes(pid, process, expect);
	else if (!used || estimator)
		failures++;
	if (failures)
		live_note("%s", run.out);
	json_decref(root);
	live_run_deinit(&run);
	return failures;
}

int live_check_tool(pid_t pid, const struct expect *expect, bool pagemap_too)
{
	bool by_pagemap;
	int failures = check_run(pid, expect, NULL, &by_pagemap);

	if (pagemap_too && !by_pagemap && !failures)
		failures = check_run(pid, expect, "pagemap", &by_pagemap);
	return failures;
}
