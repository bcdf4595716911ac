// SPDX-License-Identifier: GPL-2.0-only
/*
 * Alters a recorded kernel walk by one fault at a time, and replays it through the
 * complete tool: each mutant must end with a status other than 0.
 *   mutate RECORDING-COPY PID: overwrites the walks of the copy: the module's, or
 *   those by BPF if there are no others
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acquire/file.h"
#include "acquire/kernel_side.h"
#include "acquire/procfs.h"
#include "acquire/walk_recorded.h"
#include "cmd/choose.h"
#include "measure/tables.h"
#include "model/kernel_tables.h"
#include "model/maps.h"
#include "model/place.h"

#define MAX_RECORDS 4096

/* One answer, with room for one more record. */
struct answer {
	struct ptaudit_header header;
	struct ptaudit_table records[MAX_RECORDS];
};

struct run {
	const char *dir;
	pid_t pid;
	struct ptu_geometry geo;
	struct ptu_kernel_side side;
	const struct ptu_estimator *best;
	struct answer original;
	struct answer mutant;
	struct ptu_vmas vmas;
	unsigned int nr_mutants;
	unsigned int nr_survivors;
	unsigned int nr_same; /* mutants where the fault changed nothing */
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

static const char *walk_file(const struct run *run, enum ptu_walk walk)
{
	return ptu_walk_file(run->side.which == PTU_SIDE_BPF ? PTU_BY_BPF :
							       PTU_BY_MODULE,
			     walk);
}

static void write_walk(const struct run *run, enum ptu_walk walk)
{
	char path[4096];
	size_t bytes = answer_bytes(&run->mutant);
	int fd;

	snprintf(path, sizeof(path), "%s/%d/%s", run->dir, run->pid,
		 walk_file(run, walk));
	/* Without O_TRUNC: ext4 writes a truncated file to the disk when it is closed. */
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || write(fd, &run->mutant, bytes) != (ssize_t)bytes ||
	    ftruncate(fd, bytes))
		die(path);
	close(fd);
}

/*
 * Return: the exit status that `ptaudit check --from` would have; calls its functions.
 * @nr_open: (out) number of unexplained tables and leaves, or NULL
 */
static int replay(struct run *run, const struct ptu_estimator *estimator,
		  size_t *nr_open)
{
	const struct ptu_estimator *estimators[] = { estimator };
	struct ptu_measure measure = { .geo = &run->geo,
				       .side = &run->side,
				       .estimators = estimators,
				       .nr_estimators = 1,
				       .by_mapping = true,
				       .is_recording = true };
	struct ptu_report report = { .is_check = true };
	int status;

	write_walk(run, PTU_WALK_BEFORE);
	write_walk(run, PTU_WALK_AFTER);
	report.processes = calloc(1, sizeof(*report.processes));
	report.nr_processes = 1;
	if (!report.processes ||
	    ptu_measure_check(&measure, run->pid, report.processes))
		die("cannot measure the mutant");
	status = ptu_report_status(&report);
	if (nr_open)
		*nr_open = report.processes->nr_unexplained;
	ptu_report_deinit(&report);
	return status;
}

static void survived(struct run *run, const char *what, size_t record)
{
	const struct ptaudit_table *r = &run->original.records[record];

	run->nr_survivors++;
	printf("# survived: %s, record %zu: level %u type %u kind %u start %#llx\n",
	       what, record, r->level, r->type, r->kind,
	       (unsigned long long)r->start);
}

static void judge(struct run *run, const char *what, size_t record)
{
	if (run->mutant.header.nr_records == run->original.header.nr_records &&
	    !memcmp(&run->mutant, &run->original,
		    answer_bytes(&run->original))) {
		run->nr_same++;
		return;
	}
	run->nr_mutants++;
	/* pagemap knows the number of populated entries; an old scan does not */
	if (replay(run, run->best, NULL) ||
	    replay(run, &ptu_estimator_pagemap, NULL))
		return;
	survived(run, what, record);
}

/* Tables must be unexplained: a difference to VmPTE alone is not enough. */
static void judge_tables(struct run *run, const char *what, size_t record)
{
	size_t nr_open = 0;

	run->nr_mutants++;
	if (replay(run, run->best, &nr_open) != 1 || !nr_open)
		survived(run, what, record);
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
	judge(run, "record dropped", i);

	r = start_over(run, i);
	memmove(r + 1, r, behind * sizeof(*r));
	run->mutant.header.nr_records++;
	judge(run, "record doubled", i);
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
		judge(run, "record on another level", i);
	}
	for (sign = -1; sign <= 1; sign += 2) {
		uint64_t entry = UINT64_C(1) << geo->shift[level];

		start_over(run, i)->start += sign * entry;
		judge(run, "start shifted by an entry", i);
		start_over(run, i)->start += sign * entry *
					     geo->nr_entries[level];
		judge(run, "start shifted by a table", i);
	}
}

/* Change each count alone, and each kind together with the sum. */
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
			judge(run, "one count is one more or less", i);
			if (!c || counts[c] == offsetof(struct ptaudit_table,
							deposited))
				continue;
			r->used += sign;
			judge(run, "one count and the sum are one more or less",
			      i);
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
		judge(run, "record of another kind", i);
	}
	start_over(run, i)->type = r->type == PTAUDIT_RUN ? PTAUDIT_TABLE :
							    PTAUDIT_RUN;
	judge(run, "type of record swapped: table and run", i);
	start_over(run, i)->pfn = run->original.records[other].pfn;
	judge(run, "page frame of another table", i);
	start_over(run, i)->flags ^= PTAUDIT_T_PARTIAL;
	judge(run, "flag of a partial table inverted", i);
	start_over(run, i)->pages++;
	judge(run, "count of pages is one more", i);
}

/* Can the best estimator detect that an empty table was invented there? */
static bool can_be_told(const struct run *run, unsigned int level,
			uint64_t start)
{
	uint64_t end = start + ptu_geometry_reach(&run->geo, level);

	if (!ptu_place_bytes(&run->vmas, start, end, 0))
		return true;
	/* under uffd-wp some kernels show a hole like a table */
	return level == PTAUDIT_PTE && run->best == &ptu_estimator_written &&
	       !ptu_place_bytes(&run->vmas, start, end, PTU_VM_UFFD_WP);
}

static struct ptaudit_table *find_table(struct answer *answer, uint64_t pfn)
{
	size_t i;

	for (i = 0; i < answer->header.nr_records; i++)
		if (answer->records[i].type == PTAUDIT_TABLE &&
		    answer->records[i].pfn == pfn)
			return &answer->records[i];
	return NULL;
}

static void insert(struct answer *answer, const struct ptaudit_table *record)
{
	size_t i = 0, nr = answer->header.nr_records++;

	while (i < nr && ptu_record_before(&answer->records[i], record))
		i++;
	memmove(&answer->records[i + 1], &answer->records[i],
		(nr - i) * sizeof(*record));
	answer->records[i] = *record;
}

/* The index of the entry after a run; -1 if that entry is used. */
static int free_behind(const struct run *run, const struct ptaudit_table *r)
{
	unsigned int shift = run->geo.shift[r->level];
	uint64_t behind = r->start + ((uint64_t)r->used << shift);
	size_t i;

	for (i = 0; i < run->original.header.nr_records; i++) {
		const struct ptaudit_table *other = &run->original.records[i];

		if (other->type == PTAUDIT_RUN && other->pfn == r->pfn &&
		    other->start == behind)
			return -1;
	}
	i = (behind >> shift) % run->geo.nr_entries[r->level];
	return i ? (int)i : -1;
}

/* Insert an empty table after a run of tables. */
static void invent(struct run *run, size_t i)
{
	const struct ptaudit_table *run_of = &run->original.records[i];
	uint64_t bytes = UINT64_C(1) << run->geo.shift[run_of->level];
	struct ptaudit_table *above, made;

	if (run_of->level == PTAUDIT_PGD || free_behind(run, run_of) < 0)
		return;
	/* like its neighbour, except for its content */
	made = (struct ptaudit_table){
		.start = run_of->start + run_of->used * bytes,
		.pfn = UINT64_C(1) << 50,
		.level = run_of->level - 1,
		.type = PTAUDIT_TABLE,
		.pages = 1,
		.node = run_of->node,
	};
	if (!can_be_told(run, made.level, made.start))
		return;
	start_over(run, i)->used++;
	above = find_table(&run->mutant, run_of->pfn);
	if (!above)
		die("a run without its table");
	above->used++;
	above->children++;
	insert(&run->mutant, &made);
	judge_tables(run,
		     made.level ? "a hollow table invented" :
				  "an empty table invented",
		     i);
}

/* Move a PTE table that is the only one of its run, and the entry above it, to the next slot. */
static void move_slot(struct run *run, size_t i)
{
	const struct ptaudit_table *run_of = &run->original.records[i];
	uint64_t bytes = UINT64_C(1) << run->geo.shift[PTAUDIT_PMD];

	if (run_of->level != PTAUDIT_PMD || run_of->used != 1 ||
	    free_behind(run, run_of) < 0)
		return;
	if (!run_of[1].used &&
	    !can_be_told(run, PTAUDIT_PTE, run_of->start + bytes))
		return;
	start_over(run, i)->start += bytes;
	run->mutant.records[i + 1].start += bytes;
	judge_tables(run, "a table moved to the next slot", i);
}

static void replace(struct run *run, size_t i)
{
	const struct ptaudit_table *r = &run->original.records[i];

	if (r->type == PTAUDIT_RUN && r->kind == PTAUDIT_K_CHILD) {
		invent(run, i);
		move_slot(run, i);
	}
	if (r->type == PTAUDIT_TABLE && r->present > r->pfnmap) {
		start_over(run, i)->pfnmap = r->present;
		judge(run, "all present pages counted as pfnmap", i);
	}
}

static void cut_short(struct run *run)
{
	size_t last = run->original.header.nr_records - 1;

	start_over(run, last);
	run->mutant.header.nr_records--;
	judge(run, "last record dropped", last);
	start_over(run, last)->pages += 0;
	run->mutant.header.abi++;
	judge(run, "another ABI number", last);
	start_over(run, last);
	run->mutant.header.pgtables_bytes_before += 4096;
	run->mutant.header.pgtables_bytes_after += 4096;
	run->mutant.header.nr_records = last;
	judge(run, "last record dropped and pgtables_bytes one page higher",
	      last);
}

/* Must run before the recording replaces /proc. */
static void load_mappings(struct run *run)
{
	struct ptu_err err = { "" };
	char path[4096], *text;

	snprintf(path, sizeof(path), "%s/%d/smaps", run->dir, run->pid);
	if (ptu_file_read(AT_FDCWD, path, 0, &text) ||
	    ptu_maps_parse(text, &run->vmas, &err))
		die(path);
	free(text);
}

static void load_walk(struct run *run)
{
	struct ptaudit_header *header = &run->original.header;
	char path[4096];
	size_t header_bytes;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/%s", run->dir, run->pid,
		 walk_file(run, PTU_WALK_AFTER));
	fd = open(path, O_RDONLY);
	if (fd < 0 ||
	    pread(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
		die(path);
	/* an older module: set the newer fields of the header to 0 */
	header_bytes = header->header_size;
	memset((char *)header + header_bytes, 0,
	       sizeof(*header) - header_bytes);
	header->header_size = sizeof(*header);
	n = pread(fd, run->original.records, sizeof(run->original.records),
		  header_bytes);
	if (n < 0 || n == sizeof(run->original.records) ||
	    (size_t)n + sizeof(*header) != answer_bytes(&run->original))
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
	load_mappings(&run);
	/* not ptu_recording_use(): the manifest would detect every mutant */
	if (ptu_file_use_recording(run.dir) < 0 ||
	    ptu_proc_geometry(&run.geo, &err) ||
	    ptu_side_open(PTU_SIDE_AUTO, &run.geo, &run.side, &err) ||
	    ptu_best_estimator(&run.best, &err))
		die(err.text);
	load_walk(&run);

	/* without a fault nothing may be reported */
	start_over(&run, 0);
	if (replay(&run, run.best, NULL) ||
	    replay(&run, &ptu_estimator_pagemap, NULL)) {
		printf("# check does not agree on the recording without a mutation\n");
		return 1;
	}
	for (i = 0; i < run.original.header.nr_records; i++) {
		drop_and_double(&run, i);
		move_and_shift(&run, i);
		recount(&run, i);
		relabel(&run, i);
		replace(&run, i);
	}
	cut_short(&run);
	ptu_vmas_deinit(&run.vmas);
	printf("# %u mutants, %u survived\n", run.nr_mutants, run.nr_survivors);
	return run.nr_survivors || !run.nr_mutants;
}
