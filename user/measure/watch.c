// SPDX-License-Identifier: LGPL-2.1-or-later
/* Watch processes that were given one by one, and their peaks.  Must not wait, nor print. */
#include "measure/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

bool ptu_watch_is_too_fast(const struct ptu_watch *watch, int64_t growth_bytes,
			   double seconds)
{
	return watch->has_limit &&
	       (double)growth_bytes > (double)watch->limit_bytes * seconds;
}

int ptu_watch_begin(struct ptu_watch *watch, const pid_t *pids, size_t nr_pids,
		    struct ptu_err *err)
{
	size_t i, k;
	int error = 0;

	watch->processes = calloc(nr_pids + 1, sizeof(*watch->processes));
	watch->peaks = calloc(nr_pids + 1, sizeof(*watch->peaks));
	watch->begun_ns = ptu_now_ns();
	if (!watch->processes || !watch->peaks)
		return ptu_err_set(err, -ENOMEM, "no memory for the processes");
	for (i = 0; !error && i < nr_pids; i++) {
		struct ptu_watched *seen = &watch->processes[watch->nr];
		struct ptu_proc proc;

		for (k = 0; pids[k] != pids[i]; k++)
			;
		if (k < i)
			continue;
		error = ptu_proc_open(pids[i], &proc, err);
		if (error)
			break;
		error = ptu_proc_has_memory(&proc, err);
		seen->pid = pids[i];
		seen->start_time = proc.start_time;
		memcpy(seen->comm, proc.comm, sizeof(seen->comm));
		watch->peaks[watch->nr_peaks++] = (struct ptu_watch_peak){
			.pid = pids[i], .source = PTU_TOP_VMPTE
		};
		watch->nr++;
		ptu_proc_close(&proc);
	}
	return error;
}

static uint64_t nr_tables(const struct ptu_growth *growth)
{
	uint64_t sum = 0;
	unsigned int level;

	for (level = 0; level < PTAUDIT_NR_LEVELS; level++)
		sum += growth->after[level];
	return sum;
}

/*
 * Keep the sample if it has the largest VmPTE so far.  If the process freed tables after
 * VmPTE was read, the sample has fewer tables than an earlier one; then keep the earlier
 * tables.  A sample with the same VmPTE adds the tables if they were not read at the peak.
 *
 * Return: 0; -ENOMEM.
 */
static int note_peak(const struct ptu_watch *watch,
		     const struct ptu_watched *now)
{
	const struct ptu_watched nothing = { .has_view = true };
	struct ptu_watch_peak *peak = watch->peaks;
	struct ptu_growth tables;
	int error;

	while (peak < watch->peaks + watch->nr_peaks && peak->pid != now->pid)
		peak++;
	if (peak == watch->peaks + watch->nr_peaks ||
	    now->vmpte_bytes < peak->vmpte_bytes)
		return 0;
	if (now->vmpte_bytes > peak->vmpte_bytes) {
		memcpy(peak->comm, now->comm, sizeof(peak->comm));
		peak->vmpte_bytes = now->vmpte_bytes;
		peak->seconds = ptu_watched_seconds(watch->begun_ns,
						    now->at_ns);
	} else if (peak->tables_seconds >= peak->seconds) {
		return 0;
	}
	if (!now->has_view)
		return 0;
	error = ptu_watched_grow(&watch->ask, &nothing, now, &tables);
	if (error || nr_tables(&tables) < nr_tables(&peak->tables)) {
		if (!error)
			ptu_growth_deinit(&tables);
		return error;
	}
	ptu_growth_deinit(&peak->tables);
	peak->tables = tables;
	peak->source = ptu_view_source(&watch->ask);
	peak->tables_seconds = ptu_watched_seconds(watch->begun_ns,
						   now->read_at_ns);
	return 0;
}

static void drop(struct ptu_watch *watch, size_t at)
{
	ptu_watched_forget(&watch->processes[at]);
	watch->nr--;
	memmove(&watch->processes[at], &watch->processes[at + 1],
		(watch->nr - at) * sizeof(*watch->processes));
}

static bool is_over(const struct ptu_watch *watch,
		    const struct ptu_watched *before,
		    const struct ptu_watched *now)
{
	return before->at_ns &&
	       ptu_watch_is_too_fast(watch,
				     (int64_t)(now->vmpte_bytes -
					       before->vmpte_bytes),
				     ptu_watched_seconds(before->at_ns,
							 now->at_ns));
}

/*
 * A sample above the limit is the last one, and its tables name the mapping: read them even
 * if they would otherwise be read later.
 */
static int sample(const struct ptu_watch *watch, struct ptu_proc *proc,
		  struct ptu_watched *before, struct ptu_watched *ret,
		  struct ptu_watch_row *row, struct ptu_err *err)
{
	int error = ptu_watched_sample(&watch->ask, proc, before, ret, row->why,
				       sizeof(row->why), err);

	if (error || !ret->has_view || !row->why[0] ||
	    !is_over(watch, before, ret))
		return error;
	ptu_watched_keep(ret, before);
	row->why[0] = '\0';
	return ptu_watched_look(&watch->ask, proc, NULL, ret, row->why,
				sizeof(row->why));
}

int ptu_watch_process(struct ptu_watch *watch, size_t at,
		      struct ptu_watch_row *ret, struct ptu_err *err)
{
	struct ptu_watched *seen = &watch->processes[at], now = { .pid = 0 };
	struct ptu_watch_row row = { .pid = seen->pid };
	struct ptu_proc proc;
	int error = ptu_proc_open(seen->pid, &proc, err);

	memcpy(row.comm, seen->comm, sizeof(row.comm));
	if (!error) {
		/* the PID may have been reused by another process */
		error = proc.start_time == seen->start_time ?
				sample(watch, &proc, seen, &now, &row, err) :
				-ESRCH;
		ptu_proc_close(&proc);
	}
	if (error == -ESRCH) {
		row.ended = true;
		drop(watch, at);
		*ret = row;
		return 0;
	}
	if (!error)
		error = ptu_watched_row(&watch->ask, seen->at_ns ? seen : &now,
					&now, &row);
	if (!error)
		error = note_peak(watch, &now);
	if (error) {
		ptu_watched_forget(&now);
		return error;
	}
	row.seconds = ptu_watched_seconds(seen->at_ns, now.at_ns);
	row.is_over = is_over(watch, seen, &now);
	ptu_watched_forget(seen);
	*seen = now;
	*ret = row;
	return 0;
}

void ptu_watch_deinit(struct ptu_watch *watch)
{
	while (watch->nr)
		ptu_watched_forget(&watch->processes[--watch->nr]);
	free(watch->processes);
	watch->processes = NULL;
	while (watch->nr_peaks)
		ptu_growth_deinit(&watch->peaks[--watch->nr_peaks].tables);
	free(watch->peaks);
	watch->peaks = NULL;
}
