// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child maps and unmaps constantly around a fixed set of tables.  Each accepted walk
 * must show exactly this set, and all changing tables as they were at one moment.  A walk
 * in pieces must show each changing table as it was at some moment.
 *
 * The child uses two PGD slots, at least one of them at each moment: it maps and writes
 * a page in one, unmaps the other, and so on in turns.  A walk that mixes different
 * moments finds neither slot complete, or reads a page that meanwhile belongs to another
 * use.  The written data look like page-table entries.  The child also writes them to a
 * page outside of the slots.  That page often reuses the page frame of a freed table.
 *
 * Linked with bpf_accept.c this is storm_test: no accepted walk may be wrong.  Linked
 * with accept_all.c it is storm_planted_test: wrong walks must be found.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"
#include "storm.h"

#define NR_LOW 8  /* PTE tables in the first GiB of the fixed set */
#define NR_HIGH 3 /* the same in the second GiB */
#define STORM_A (UINT64_C(64) << 39)
#define STORM_B (UINT64_C(96) << 39)
#define STORM_PAGE (UINT64_C(160) << 39)
#define SLOT_END (UINT64_C(1) << 39)

static uint64_t pattern[512];

static int fixed(void)
{
	char *low = host_map(BASE, GIB), *high = host_map(BASE + GIB, GIB);
	unsigned int i;

	for (i = 0; i < NR_LOW; i++)
		memset(low + i * 2 * MIB, 1, (i + 1) * 4 * KIB);
	for (i = 0; i < NR_HIGH; i++)
		high[i * 64 * MIB] = 1;
	for (i = 0; i < 512; i++)
		pattern[i] = (UINT64_C(0x1000) * (i + 256)) | 0x67;
	return 0;
}

static void come(uint64_t addr)
{
	memcpy(host_map(addr, 4 * KIB), pattern, sizeof(pattern));
}

/* Runs in the signal handler and never returns. */
static void storm(int signal)
{
	char *page = host_map(STORM_PAGE, 4 * KIB);

	for (;;) {
		come(STORM_B);
		munmap((void *)STORM_A, 4 * KIB);
		memcpy(page, pattern, sizeof(pattern));
		come(STORM_A);
		madvise(page, 4 * KIB, MADV_DONTNEED);
		munmap((void *)STORM_B, 4 * KIB);
	}
}

static int fixed_before_a_storm(void)
{
	int error = fixed();

	come(STORM_A);
	return error || signal(SIGUSR1, storm) == SIG_ERR;
}

/* What one walk has found of the fixed set and in the slots of the storm. */
struct seen {
	unsigned int fixed[PTAUDIT_PUD + 1];
	bool wrong;
	bool complete[2];
};

static void see_fixed(const struct ptaudit_table *r, struct seen *seen)
{
	const uint64_t offset = r->start - BASE;
	const uint64_t index = offset / (2 * MIB);

	seen->fixed[r->level]++;
	switch (r->level) {
	case PTAUDIT_PUD:
		seen->wrong |= offset || r->used != 2 || r->children != 2;
		break;
	case PTAUDIT_PMD:
		seen->wrong |= (offset && offset != GIB) ||
			       r->used != (offset ? NR_HIGH : NR_LOW) ||
			       r->children != r->used;
		break;
	default:
		if (offset < GIB)
			seen->wrong |= index >= NR_LOW ||
				       r->used != index + 1 ||
				       r->present != r->used;
		else
			seen->wrong |= (offset - GIB) % (64 * MIB) ||
				       (offset - GIB) / (64 * MIB) >= NR_HIGH ||
				       r->used != 1 || r->present != 1;
	}
}

/* The slot has one page, at its first address. */
static void see_storm(const struct ptaudit_table *r, uint64_t base,
		      bool *complete, struct seen *seen)
{
	seen->wrong |= r->start != base || r->used > 1 ||
		       r->used != r->children + r->present;
	if (r->level == PTAUDIT_PTE && r->present == 1)
		*complete = true;
}

static bool is_right(const struct ptu_snapshot *snapshot, bool in_pieces)
{
	struct seen seen = { .wrong = false };
	size_t i;

	for (i = 0; i < snapshot->nr_records; i++) {
		const struct ptaudit_table *r = &snapshot->records[i];

		if (r->type != PTAUDIT_TABLE || r->level > PTAUDIT_PUD)
			continue;
		if (r->start - BASE < SLOT_END)
			see_fixed(r, &seen);
		else if (r->start - STORM_A < SLOT_END)
			see_storm(r, STORM_A, &seen.complete[0], &seen);
		else if (r->start - STORM_B < SLOT_END)
			see_storm(r, STORM_B, &seen.complete[1], &seen);
	}
	return !seen.wrong && seen.fixed[PTAUDIT_PTE] == NR_LOW + NR_HIGH &&
	       seen.fixed[PTAUDIT_PMD] == 2 && seen.fixed[PTAUDIT_PUD] == 1 &&
	       (in_pieces || seen.complete[0] || seen.complete[1]);
}

static void stay_on(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(pid, sizeof(set), &set);
}

/* Find two CPUs that we may run on.  Both are the same if there is only one. */
static void find_cpus(unsigned int cpus[2])
{
	unsigned int cpu, nr = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	if (nr < 2)
		cpus[1] = cpus[0];
}

static int try(struct ptu_bpf *bpf, pid_t child, bool in_pieces,
	       struct storm_result *result)
{
	struct ptu_snapshot snapshot;
	struct ptu_err err = { "" };
	size_t nr_bytes;
	char *bytes;
	int error = ptu_bpf_try(bpf, child, 0, 0, in_pieces, &bytes, &nr_bytes,
				&err);

	result->attempts++;
	if (error == -EAGAIN)
		return 0;
	if (error) {
		printf("# %s\n", err.text);
		return error;
	}
	result->accepted++;
	error = ptu_snapshot_parse(bytes, nr_bytes, host_geometry(), &snapshot,
				   &err);
	free(bytes);
	if (error) {
		/* the tool would reject such an answer, and here it counts as wrong */
		result->wrong++;
		return 0;
	}
	result->wrong += !is_right(&snapshot, in_pieces);
	ptu_snapshot_deinit(&snapshot);
	return 0;
}

int storm_run(struct ptu_bpf *bpf, unsigned int attempts, bool in_pieces,
	      bool until_wrong, struct storm_result *ret)
{
	struct storm_result result = { 0 };
	struct ptu_snapshot snapshot;
	unsigned int cpus[2];
	pid_t child;
	int error = host_child(fixed_before_a_storm, &child);
	bool right;

	if (error)
		return error;
	/* the set must be right before the storm starts */
	error = host_walk(bpf, child, &snapshot);
	if (!error) {
		right = is_right(&snapshot, false);
		ptu_snapshot_deinit(&snapshot);
		if (!right) {
			printf("# the walk before the storm does not find the fixed set of tables\n");
			error = -EINVAL;
		}
	}
	find_cpus(cpus);
	stay_on(0, cpus[0]);
	kill(child, SIGUSR1);
	/*
	 * On one CPU few walks are interrupted.  On two CPUs most walks are overtaken.
	 * Alternate between both, whatever the load of the machine.
	 */
	while (!error && result.attempts < attempts &&
	       !(until_wrong && result.wrong)) {
		if (result.attempts % 1000 == 0)
			stay_on(child, cpus[result.attempts / 1000 % 2]);
		error = try(bpf, child, in_pieces, &result);
	}
	host_end(child);
	*ret = result;
	return error;
}
