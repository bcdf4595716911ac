// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles in several threads at once, for processes and for recordings.  It is built
 * under ThreadSanitizer, whose reports count as failures.
 */
#include <pthread.h>
#include <ptaudit.h>
#include <stdlib.h>

#include "layout.h"
#include "unit.h"

#define ROUNDS 8

static pid_t target;

/* A process or recording, and its number of PTE tables between two addresses. */
struct work {
	const char *recording;
	uint64_t start;
	uint64_t end;
	uint64_t expected;
	unsigned int nr_wrong;
	char why[256];
};

static uint64_t count(const struct ptaudit_report *report, uint64_t start,
		      uint64_t end)
{
	struct ptaudit_mapping_row row = { .size = sizeof(row) };
	uint64_t ret = 0;
	size_t i;

	for (i = 0; !ptaudit_get_mapping(report, i, &row); i++)
		if (row.start >= start && row.end <= end)
			ret += row.tables[PTAUDIT_LEVEL_PTE];
	return ret;
}

static int once(struct ptaudit *handle, const struct work *work, uint64_t *ret)
{
	const struct ptaudit_options options = {
		.size = sizeof(options),
		.recording = work->recording,
		.estimator = "pagemap",
	};
	struct ptaudit_report *report;
	int error = ptaudit_configure(handle, &options);
	pid_t pid = target;
	size_t nr;

	if (!error && work->recording)
		error = ptaudit_list(handle, &pid, 1, &nr);
	if (!error)
		error = ptaudit_estimate(handle, pid, NULL, &report);
	if (error)
		return error;
	*ret = count(report, work->start, work->end);
	ptaudit_report_free(report);
	return 0;
}

static void *run(void *arg)
{
	struct work *work = arg;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		struct ptaudit *handle;
		uint64_t got = 0;

		if (ptaudit_new(&handle))
			abort();
		if (once(handle, work, &got) || got != work->expected) {
			work->nr_wrong++;
			snprintf(work->why, sizeof(work->why),
				 "the last wrong answer has %llu tables, error '%.200s'",
				 (unsigned long long)got,
				 ptaudit_error(handle));
		}
		ptaudit_free(handle);
	}
	return NULL;
}

UNIT_TEST(threads_with_own_handles_have_independent_results)
{
	struct work works[] = {
		{ NULL, BASE, BASE + SLOTS * SLOT, SLOTS - EMPTY, 0, "" },
		{ NULL, BASE, BASE + SLOTS * SLOT, SLOTS - EMPTY, 0, "" },
		/* shapes.c: 6 slots; and 12 single pages */
		{ DATA "dense", SHAPE, SHAPE + (1ul << 39), 6, 0, "" },
		{ DATA "sparse", SHAPE, SHAPE * 6, 12, 0, "" },
	};
	const size_t nr = sizeof(works) / sizeof(works[0]);
	pthread_t threads[sizeof(works) / sizeof(works[0])];
	size_t i;

	for (i = 0; i < nr; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, run, &works[i]), 0);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < nr; i++)
		if (works[i].nr_wrong)
			UNIT_FAIL("thread %zu: %u of %d answers are wrong; %s",
				  i, works[i].nr_wrong, ROUNDS, works[i].why);
}

struct reader {
	const struct ptaudit_report *report;
	uint64_t got;
};

static void *read_report(void *arg)
{
	struct reader *reader = arg;

	reader->got = count(reader->report, BASE, BASE + SLOTS * SLOT);
	return NULL;
}

UNIT_TEST(threads_read_one_report)
{
	const struct work work = { .start = BASE };
	struct ptaudit_report *report;
	struct reader readers[4];
	struct ptaudit *handle;
	pthread_t threads[4];
	uint64_t ignored;
	size_t i;

	CHECK_EQ(ptaudit_new(&handle), 0);
	CHECK_EQ(once(handle, &work, &ignored), 0);
	CHECK_EQ(ptaudit_estimate(handle, target, NULL, &report), 0);
	for (i = 0; i < 4; i++) {
		readers[i].report = report;
		CHECK_EQ(pthread_create(&threads[i], NULL, read_report,
					&readers[i]),
			 0);
	}
	ptaudit_free(handle);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 4; i++)
		CHECK_EQ(readers[i].got, SLOTS - EMPTY);
	ptaudit_report_free(report);
}

int main(void)
{
	int status;

	target = begin();
	if (target < 0)
		return 1;
	status = unit_run(NULL, NULL);
	end(target);
	return status;
}
