// SPDX-License-Identifier: GPL-2.0-only
/*
 * Alters a recorded answer of the module, one fault at a time, and replays it
 * through all of the tool: each mutant must end with a status other than 0.
 *   mutate RECORDING-COPY PID: the copy's tables-* are overwritten
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../user/measure.h"
#include "../../user/procfs.h"
#include "../../user/procfs_file.h"

#define MAX_RECORDS 4096

/* One answer, with room for a record more. */
struct answer {
	struct ptaudit_header header;
	struct ptaudit_table records[MAX_RECORDS];
};

struct run {
	const char *dir;
	pid_t pid;
	struct ptu_geometry geo;
	struct answer original;
	struct answer mutant;
	unsigned int nr_mutants;
	unsigned int nr_survivors;
	unsigned int nr_same;	/* the fault could not be applied */
};

static void die(const char *what)
{
	printf("Bail out! mutate: %s: %s\n", what, strerror(errno));
	exit(1);
}

static size_t answer_bytes(const struct answer *answer)
{
	return sizeof(answer->header) +
	       answer->header.nr_records * sizeof(answer->records[0]);
}

static void write_walk(const struct run *run, const char *walk)
{
	char path[4096];
	size_t bytes = answer_bytes(&run->mutant);
	int fd;

	snprintf(path, sizeof(path), "%s/%d/tables-%s", run->dir, run->pid,
		 walk);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, &run->mutant, bytes) != (ssize_t)bytes)
		die(path);
	close(fd);
}

/* Exit status of `ptaudit check --from`, by the functions behind it. */
static int replay(struct run *run, const struct ptu_estimator *estimator)
{
	const struct ptu_estimator *estimators[] = { estimator };
	struct ptu_measure measure = { .geo = &run->geo,
				       .estimators = estimators,
				       .nr_estimators = 1,
				       .is_recording = true };
	struct ptu_report report = { .is_check = true };
	int status;

	write_walk(run, "before");
	write_walk(run, "after");
	report.processes = calloc(1, sizeof(*report.processes));
	report.nr_processes = 1;
	if (!report.processes ||
	    ptu_measure_check(&measure, run->pid, report.processes))
		die("measuring");
	status = ptu_report_status(&report);
	ptu_report_deinit(&report);
	return status;
}

static void judge(struct run *run, const char *what, size_t record)
{
	const struct ptaudit_table *r = &run->original.records[record];

	if (run->mutant.header.nr_records == run->original.header.nr_records &&
	    !memcmp(&run->mutant, &run->original,
		    answer_bytes(&run->original))) {
		run->nr_same++;
		return;
	}
	run->nr_mutants++;
	/* pagemap knows how many entries are populated, written does not */
	if (replay(run, ptu_proc_best_estimator()) ||
	    replay(run, &ptu_estimator_pagemap))
		return;
	run->nr_survivors++;
	printf("# survived: %s, record %zu: level %u type %u kind %u start %#llx\n",
	       what, record, r->level, r->type, r->kind,
	       (unsigned long long)r->start);
}

static struct ptaudit_table *start_over(struct run *run, size_t record)
{
	memcpy(&run->mutant, &run->original, answer_bytes(&run->original));
	return &run->mutant.records[record];
}

static void drop_and_double(struct run *run, size_t i)
{
	size_t behind = run->original.header.nr_records - i;
	struct ptaudit_table *r = start_over(run, i);

	memmove(r, r + 1, (behind - 1) * sizeof(*r));
	run->mutant.header.nr_records--;
	judge(run, "dropped", i);

	r = start_over(run, i);
	memmove(r + 1, r, behind * sizeof(*r));
	run->mutant.header.nr_records++;
	judge(run, "doubled", i);
}

static void move_and_shift(struct run *run, size_t i)
{
	const struct ptu_geometry *geo = &run->geo;
	unsigned int level = run->original.records[i].level;
	unsigned int l;
	int sign;

	for (l = 0; l < PTAUDIT_NR_LEVELS; l++) {
		if (l == level)
			continue;
		start_over(run, i)->level = l;
		judge(run, "moved to another level", i);
	}
	for (sign = -1; sign <= 1; sign += 2) {
		uint64_t entry = UINT64_C(1) << geo->shift[level];

		start_over(run, i)->start += sign * entry;
		judge(run, "shifted by an entry", i);
		start_over(run, i)->start += sign * entry *
					     geo->nr_entries[level];
		judge(run, "shifted by a table", i);
	}
}

/* Every count alone, and every kind together with the sum. */
static void recount(struct run *run, size_t i)
{
	static const size_t counts[] = {
		offsetof(struct ptaudit_table, used),
		offsetof(struct ptaudit_table, children),
		offsetof(struct ptaudit_table, leaves),
		offsetof(struct ptaudit_table, present),
		offsetof(struct ptaudit_table, swap),
		offsetof(struct ptaudit_table, migration),
		offsetof(struct ptaudit_table, uffd_wp),
		offsetof(struct ptaudit_table, guard),
		offsetof(struct ptaudit_table, other),
		offsetof(struct ptaudit_table, unwalked),
		offsetof(struct ptaudit_table, deposited),
	};
	size_t c;
	int sign;

	for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		for (sign = -1; sign <= 1; sign += 2) {
			struct ptaudit_table *r = start_over(run, i);
			uint16_t *count = (uint16_t *)((char *)r + counts[c]);

			if (sign < 0 && !*count)
				continue;
			*count += sign;
			judge(run, "one entry more or less", i);
			if (!c || counts[c] == offsetof(struct ptaudit_table,
							deposited))
				continue;
			r->used += sign;
			judge(run, "one entry more or less, and the sum", i);
		}
	}
}

static void relabel(struct run *run, size_t i)
{
	const struct ptaudit_table *r = &run->original.records[i];
	size_t other = i ? 0 : run->original.header.nr_records - 1;
	unsigned int kind;

	for (kind = 0; kind < PTAUDIT_NR_KINDS; kind++) {
		start_over(run, i)->kind = kind;
		judge(run, "another kind", i);
	}
	start_over(run, i)->type = r->type == PTAUDIT_RUN ? PTAUDIT_TABLE :
							    PTAUDIT_RUN;
	judge(run, "a table for a run, or the reverse", i);
	start_over(run, i)->pfn = run->original.records[other].pfn;
	judge(run, "the page frame of another table", i);
	start_over(run, i)->flags ^= PTAUDIT_T_PARTIAL;
	judge(run, "partial or not", i);
	start_over(run, i)->pages++;
	judge(run, "one page more", i);
}

static void cut_short(struct run *run)
{
	size_t last = run->original.header.nr_records - 1;

	start_over(run, last);
	run->mutant.header.nr_records--;
	judge(run, "the last record dropped", last);
	start_over(run, last)->pages += 0;
	run->mutant.header.abi++;
	judge(run, "another ABI", last);
	start_over(run, last);
	run->mutant.header.pgtables_bytes_before += 4096;
	run->mutant.header.pgtables_bytes_after += 4096;
	run->mutant.header.nr_records = last;
	judge(run, "a table less, and the counter with it", last);
}

static void load(struct run *run)
{
	char path[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/tables-after", run->dir, run->pid);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, &run->original, sizeof(run->original));
	if (n < 0 || n == sizeof(run->original) ||
	    (size_t)n != answer_bytes(&run->original))
		die(path);
	close(fd);
}

int main(int argc, char *argv[])
{
	static struct run run;
	struct ptu_err err = { "" };
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "usage: mutate RECORDING-COPY PID\n");
		return 2;
	}
	run.dir = argv[1];
	run.pid = atoi(argv[2]);
	load(&run);
	if (ptu_file_use_recording(run.dir) ||
	    ptu_proc_geometry(&run.geo, &err))
		die(err.text);

	/* without a fault there must be nothing to report */
	start_over(&run, 0);
	if (replay(&run, ptu_proc_best_estimator()) ||
	    replay(&run, &ptu_estimator_pagemap)) {
		printf("# the recording itself does not agree\n");
		return 1;
	}
	for (i = 0; i < run.original.header.nr_records; i++) {
		drop_and_double(&run, i);
		move_and_shift(&run, i);
		recount(&run, i);
		relabel(&run, i);
	}
	cut_short(&run);
	printf("# %u mutants, %u survived\n", run.nr_mutants, run.nr_survivors);
	return run.nr_survivors || !run.nr_mutants;
}
