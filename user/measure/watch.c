// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Keep the last sample of each process and compare it with the next one. Must not
 * wait, nor print.
 */
#include "measure/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/spaces.h"
#include "base/clock.h"
#include "compare/growth.h"

/*
 * While tables are read, their process may wait for mmap_lock.  So if a reading took more
 * CPU time than QUICK_NS, the next one starts only after READ_PART times that time.
 */
#define QUICK_NS (PTU_NS_PER_SEC / 10)
#define READ_PART 4

static double seconds_between(uint64_t before_ns, uint64_t after_ns)
{
	return before_ns ? (double)(after_ns - before_ns) / PTU_NS_PER_SEC :
			   0.0;
}

static bool is_too_fast(const struct ptu_watch *watch, int64_t growth_bytes,
			double seconds)
{
	return watch->has_limit && growth_bytes > 0 &&
	       (double)growth_bytes > (double)watch->limit_bytes * seconds;
}

static void forget(struct ptu_watched *seen)
{
	if (seen->has_view)
		ptu_view_deinit(&seen->view);
	seen->has_view = false;
}

/*
 * Read identity and VmPTE from public files.
 * Return: 0; -ESRCH it has ended, or has no memory; -errno.
 */
static int identify(struct ptu_proc *proc, struct ptu_watched *ret,
		    struct ptu_err *err)
{
	struct ptu_proc_status status;
	int error = ptu_proc_has_memory(proc, err);

	if (error)
		return -ESRCH;
	error = ptu_proc_status_of_living(proc, &status, err);
	if (error)
		return error;
	*ret = (struct ptu_watched){
		.pid = proc->pid,
		.tid = proc->tid,
		.start_time = proc->start_time,
		.at_ns = ptu_now_ns(),
		.vmpte_bytes = status.vmpte_bytes,
	};
	memcpy(ret->comm, proc->comm, sizeof(ret->comm));
	return 0;
}

/* Move the tables of the previous sample to this one. */
static void keep(struct ptu_watched *before, struct ptu_watched *now)
{
	now->view = before->view;
	now->has_view = before->has_view;
	now->read_at_ns = before->read_at_ns;
	now->read_ns = before->read_ns;
	before->has_view = false;
}

static bool may_be_read(const struct ptu_watched *before, uint64_t at_ns)
{
	return before->read_ns <= QUICK_NS ||
	       at_ns - before->read_at_ns >= READ_PART * before->read_ns;
}

/*
 * @before: NULL if the process is new.
 * Return: 0, even if the tables are not read, with @why; -ESRCH it ended; -ENOMEM.
 */
static int look(const struct ptu_watch *watch, struct ptu_proc *proc,
		struct ptu_watched *before, struct ptu_watched *now, char *why,
		size_t why_bytes)
{
	const uint64_t before_ns = ptu_cpu_ns();
	struct ptu_err err = { "" };
	int error;

	now->read_at_ns = ptu_now_ns();
	if (before && !may_be_read(before, now->read_at_ns)) {
		keep(before, now);
		snprintf(why, why_bytes,
			 "its tables are not read in each interval: that took %.1f s of CPU time",
			 (double)now->read_ns / PTU_NS_PER_SEC);
		return 0;
	}
	do {
		ptu_err_clear(&err);
		error = ptu_view_read(&watch->ask, proc, &now->view, &err);
	} while (error == -ESTALE && !ptu_proc_reopen(proc));
	now->has_view = !error;
	now->read_ns = ptu_cpu_ns() - before_ns;
	if (error == -EACCES || error == -EPERM)
		snprintf(why, why_bytes, "no permission to read its mappings");
	else if (error && error != -ESRCH && error != -ENOMEM)
		snprintf(why, why_bytes, "%s",
			 err.text[0] ? err.text : strerror(-error));
	return error == -ESRCH || error == -ENOMEM ? error : 0;
}

/*
 * Sample a process.  If VmPTE changes while the tables are read, sample it once more:
 * else the growth would be in one interval, and its tables in another.  A reading that
 * took long is not repeated.
 */
static int sample(const struct ptu_watch *watch, struct ptu_proc *proc,
		  struct ptu_watched *before, struct ptu_watched *ret,
		  char *why, size_t why_bytes, struct ptu_err *err)
{
	struct ptu_proc_status after;
	bool is_again = false;
	int error;

	for (;;) {
		error = identify(proc, ret, err);
		if (!error)
			error = look(watch, proc, before, ret, why, why_bytes);
		if (error || is_again || !ret->has_view ||
		    ret->read_ns > QUICK_NS ||
		    ptu_proc_status(proc, &after, NULL) ||
		    after.vmpte_bytes == ret->vmpte_bytes)
			return error;
		is_again = true;
		forget(ret);
	}
}

static int grow(const struct ptu_watch *watch, const struct ptu_watched *before,
		const struct ptu_watched *now, struct ptu_growth *ret)
{
	const struct ptu_growth_side sides[] = {
		{ &before->view.tables, &before->view.vmas },
		{ &now->view.tables, &now->view.vmas },
	};

	return ptu_growth_between(&sides[0], &sides[1], watch->ask.geo, ret);
}

/*
 * @before: NULL if the process is new.
 * @ret: (in, out) .why is set if @now has no tables, or those of an earlier sample
 * Return: 0; -ENOMEM.
 */
static int fill_row(const struct ptu_watch *watch,
		    const struct ptu_watched *before,
		    const struct ptu_watched *now, struct ptu_watch_row *ret)
{
	const struct ptu_watched nothing = { .has_view = true };
	const struct ptu_watched *then = before ? before : &nothing;
	int error;

	ret->pid = now->pid;
	memcpy(ret->comm, now->comm, sizeof(ret->comm));
	ret->vmpte_bytes = now->vmpte_bytes;
	ret->growth_bytes = (int64_t)(now->vmpte_bytes - then->vmpte_bytes);
	ret->source = PTU_TOP_VMPTE;
	if (!now->has_view || ret->why[0])
		return 0;
	if (!then->has_view) {
		snprintf(ret->why, sizeof(ret->why),
			 "its tables were not read before");
		return 0;
	}
	error = grow(watch, then, now, &ret->growth);
	if (error)
		return error;
	ret->source = ptu_view_source(&watch->ask);
	ret->has_tables = true;
	ret->deposited = now->view.deposited;
	ret->deposited_before = then->view.deposited;
	return 0;
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
 * tables.
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
	    now->vmpte_bytes <= peak->vmpte_bytes)
		return 0;
	memcpy(peak->comm, now->comm, sizeof(peak->comm));
	peak->vmpte_bytes = now->vmpte_bytes;
	peak->seconds = seconds_between(watch->begun_ns, now->at_ns);
	if (!now->has_view)
		return 0;
	error = grow(watch, &nothing, now, &tables);
	if (error || nr_tables(&tables) < nr_tables(&peak->tables)) {
		if (!error)
			ptu_growth_deinit(&tables);
		return error;
	}
	ptu_growth_deinit(&peak->tables);
	peak->tables = tables;
	peak->source = ptu_view_source(&watch->ask);
	peak->tables_seconds = seconds_between(watch->begun_ns,
					       now->read_at_ns);
	return 0;
}

static void drop(struct ptu_watch *watch, size_t at)
{
	forget(&watch->processes[at]);
	watch->nr--;
	memmove(&watch->processes[at], &watch->processes[at + 1],
		(watch->nr - at) * sizeof(*watch->processes));
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
				sample(watch, &proc, seen, &now, row.why,
				       sizeof(row.why), err) :
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
		error = fill_row(watch, seen->at_ns ? seen : &now, &now, &row);
	if (!error)
		error = note_peak(watch, &now);
	if (error) {
		forget(&now);
		return error;
	}
	row.seconds = seconds_between(seen->at_ns, now.at_ns);
	row.is_over = is_too_fast(watch, row.growth_bytes, row.seconds);
	forget(seen);
	*seen = now;
	*ret = row;
	return 0;
}

static struct ptu_watched *find(const struct ptu_watch *watch, pid_t pid)
{
	size_t low = 0, high = watch->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (watch->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < watch->nr && watch->processes[low].pid == pid ?
		       &watch->processes[low] :
		       NULL;
}

/* Find the previous sample of a process, or NULL. */
static struct ptu_watched *before_of(const struct ptu_watch *watch,
				     const struct ptu_watched *now)
{
	struct ptu_watched *seen = find(watch, now->pid);

	return seen && seen->start_time == now->start_time ? seen : NULL;
}

static int no_memory(struct ptu_err *err)
{
	return ptu_err_set(err, -ENOMEM, "no memory for the processes");
}

static bool has_new(const struct ptu_watch *watch, const struct ptu_watch *next)
{
	size_t i;

	for (i = 0; i < next->nr; i++)
		if (!before_of(watch, &next->processes[i]))
			return true;
	return false;
}

/*
 * Mark the processes that share the address space of another one. Of these, one from the
 * previous sample remains, so that a child of vfork() does not replace its parent. Only a
 * new process can share an address space that was not shared before.
 */
static int find_sharing(const struct ptu_watch *watch, struct ptu_watch *next)
{
	struct ptu_spaces spaces = { 0 };
	unsigned int is_new;
	int error = 0;
	size_t i;

	if (!has_new(watch, next))
		return 0;
	for (is_new = 0; is_new < 2; is_new++)
		for (i = 0; i < next->nr && error != -ENOMEM; i++) {
			struct ptu_watched *now = &next->processes[i];
			const struct ptu_proc proc = {
				.dirfd = -1,
				.pid = now->pid,
				.tid = now->tid,
				.start_time = now->start_time
			};
			pid_t first = now->pid;

			if (is_new != !before_of(watch, now))
				continue;
			/* without permission for kcmp(), count the process separately */
			error = ptu_spaces_add(&spaces, &proc, &first);
			now->shares = first != now->pid;
		}
	ptu_spaces_deinit(&spaces);
	return error == -ENOMEM ? error : 0;
}

/* Sample all processes, without their tables. */
static int see(const struct ptu_watch *watch, const pid_t *pids, size_t nr_pids,
	       struct ptu_watch *next, struct ptu_err *err)
{
	size_t i, kept;

	next->processes = calloc(nr_pids + 1, sizeof(*next->processes));
	if (!next->processes)
		return no_memory(err);
	for (i = 0; i < nr_pids; i++) {
		struct ptu_proc proc;
		int error = ptu_proc_open(pids[i], &proc, NULL);

		if (!error) {
			error = identify(&proc, &next->processes[next->nr],
					 NULL);
			ptu_proc_close(&proc);
		}
		if (ptu_proc_shortage(error))
			return ptu_err_set(err, error,
					   "cannot read all processes: %s",
					   strerror(-error));
		next->nr += !error;
	}
	if (find_sharing(watch, next))
		return no_memory(err);
	for (i = 0, kept = 0; i < next->nr; i++) {
		if (!next->processes[i].shares)
			next->processes[kept++] = next->processes[i];
	}
	next->nr = kept;
	return 0;
}

static int64_t grown(const struct ptu_watched *before,
		     const struct ptu_watched *now)
{
	return (int64_t)(now->vmpte_bytes - (before ? before->vmpte_bytes : 0));
}

static int look_again(const struct ptu_watch *watch, struct ptu_watched *before,
		      struct ptu_watched *now, char *why, size_t why_bytes)
{
	struct ptu_proc proc;
	int error = ptu_proc_open(now->pid, &proc, NULL);

	if (!error) {
		if (proc.start_time == now->start_time)
			error = look(watch, &proc, before, now, why, why_bytes);
		ptu_proc_close(&proc);
	}
	return error == -ENOMEM ? error : 0;
}

/* Read the tables of changed processes; the others keep their previous tables. */
static int look_at_group(struct ptu_watch *watch, struct ptu_watch *next,
			 struct ptu_watched *most, uint64_t deadline_ns,
			 char *why, size_t why_bytes)
{
	char unsaid[256];
	size_t i;
	int error = most ? look_again(watch, before_of(watch, most), most, why,
				      why_bytes) :
			   0;

	for (i = 0; !error && i < next->nr; i++) {
		struct ptu_watched *now = &next->processes[i];
		struct ptu_watched *before = before_of(watch, now);

		if (now == most)
			continue;
		if (before && before->has_view &&
		    before->vmpte_bytes == now->vmpte_bytes) {
			keep(before, now);
		} else if (!deadline_ns || ptu_now_ns() < deadline_ns) {
			error = look_again(watch, before, now, unsaid,
					   sizeof(unsaid));
		}
	}
	return error;
}

/* Add a process to those with the largest VmPTE, if it is one of them. */
static void note_most(struct ptu_watch_group_peak *peak,
		      const struct ptu_watched *now)
{
	size_t at = peak->nr_most;

	while (at && peak->most[at - 1].vmpte_bytes < now->vmpte_bytes)
		at--;
	if (at == PTU_WATCH_PROCESSES)
		return;
	if (peak->nr_most < PTU_WATCH_PROCESSES)
		peak->nr_most++;
	memmove(&peak->most[at + 1], &peak->most[at],
		(peak->nr_most - at - 1) * sizeof(*peak->most));
	peak->most[at] = (struct ptu_watch_most){
		.pid = now->pid, .vmpte_bytes = now->vmpte_bytes
	};
	memcpy(peak->most[at].comm, now->comm, sizeof(now->comm));
}

/* Keep the sample of the group if it has the largest VmPTE so far. */
static void note_group_peak(struct ptu_watch *watch, uint64_t vmpte_bytes)
{
	struct ptu_watch_group_peak *peak = &watch->group_peak;
	size_t i;

	if (vmpte_bytes <= peak->vmpte_bytes)
		return;
	*peak = (struct ptu_watch_group_peak){
		.vmpte_bytes = vmpte_bytes,
		.seconds = seconds_between(watch->begun_ns, watch->at_ns),
		.nr_processes = watch->nr,
	};
	for (i = 0; i < watch->nr; i++)
		note_most(peak, &watch->processes[i]);
}

int ptu_watch_group(struct ptu_watch *watch, const pid_t *pids, size_t nr_pids,
		    uint64_t budget_ns, struct ptu_watch_total *ret,
		    struct ptu_err *err)
{
	struct ptu_watch next = { .ask = watch->ask,
				  .has_limit = watch->has_limit,
				  .limit_bytes = watch->limit_bytes,
				  .group_peak = watch->group_peak };
	struct ptu_watch_total total = { .seconds = 0 };
	struct ptu_watched *most = NULL;
	const struct ptu_watched *before;
	size_t i;
	int error;

	next.at_ns = ptu_now_ns();
	next.begun_ns = watch->at_ns ? watch->begun_ns : next.at_ns;
	error = see(watch, pids, nr_pids, &next, err);
	total.seconds = seconds_between(watch->at_ns, next.at_ns);
	total.nr_processes = next.nr;
	total.nr_ended = watch->nr;
	for (i = 0; !error && i < next.nr; i++) {
		struct ptu_watched *now = &next.processes[i];

		before = before_of(watch, now);
		total.nr_ended -= before != NULL;
		total.nr_started += !before;
		total.vmpte_bytes += now->vmpte_bytes;
		if (watch->at_ns && grown(before, now) > 0 &&
		    (!most ||
		     grown(before, now) > grown(before_of(watch, most), most)))
			most = now;
	}
	for (i = 0; i < watch->nr; i++)
		total.growth_bytes -= (int64_t)watch->processes[i].vmpte_bytes;
	total.growth_bytes += (int64_t)total.vmpte_bytes;
	if (!watch->at_ns) {
		total.growth_bytes = 0;
		total.nr_started = 0;
	}
	if (!error)
		error = look_at_group(watch, &next, most,
				      budget_ns ? ptu_now_ns() + budget_ns : 0,
				      total.most.why, sizeof(total.most.why));
	if (!error && most) {
		error = fill_row(watch, before_of(watch, most), most,
				 &total.most);
		total.has_most = true;
		total.most.seconds = total.seconds;
	}
	total.is_over = is_too_fast(watch, total.growth_bytes, total.seconds);
	if (error) {
		ptu_watch_deinit(&next);
		return error;
	}
	ptu_watch_deinit(watch);
	*watch = next;
	note_group_peak(watch, total.vmpte_bytes);
	*ret = total;
	return 0;
}

void ptu_watch_deinit(struct ptu_watch *watch)
{
	while (watch->nr)
		forget(&watch->processes[--watch->nr]);
	free(watch->processes);
	watch->processes = NULL;
	while (watch->nr_peaks)
		ptu_growth_deinit(&watch->peaks[--watch->nr_peaks].tables);
	free(watch->peaks);
	watch->peaks = NULL;
}
