// SPDX-License-Identifier: LGPL-2.1-or-later
/* Watch a group: sums, the process that changed most, and the peak.  Must not wait. */
#include "measure/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/spaces.h"
#include "base/clock.h"

static int compare_pid(const void *key, const void *seen)
{
	const pid_t pid = *(const pid_t *)key;
	const pid_t other = ((const struct ptu_watched *)seen)->pid;

	return (pid > other) - (pid < other);
}

/* Find the previous sample of a process, or NULL. */
static struct ptu_watched *before_of(const struct ptu_watch *watch,
				     const struct ptu_watched *now)
{
	struct ptu_watched *seen = watch->nr ?
					   bsearch(&now->pid, watch->processes,
						   watch->nr, sizeof(*seen),
						   compare_pid) :
					   NULL;

	return seen && seen->start_time == now->start_time ? seen : NULL;
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
 * Sample a process, without its tables.  A new process is only noted: sample_new() reads
 * it, after its address space was compared with those of the others.
 */
static int sample_known(const struct ptu_watch *watch, pid_t pid,
			struct ptu_watched *ret)
{
	struct ptu_proc proc;
	int error = ptu_proc_open(pid, &proc, NULL);

	if (error)
		return error;
	*ret = (struct ptu_watched){ .pid = pid,
				     .tid = proc.tid,
				     .start_time = proc.start_time };
	error = before_of(watch, ret) ? ptu_watched_identify(&proc, ret, NULL) :
					ptu_proc_has_memory(&proc, NULL);
	ptu_proc_close(&proc);
	return error;
}

static int sample_new(struct ptu_watched *now)
{
	struct ptu_proc proc;
	int error = ptu_proc_open_again(now->pid, now->start_time, &proc, NULL);

	if (error)
		return error;
	error = ptu_watched_identify(&proc, now, NULL);
	ptu_proc_close(&proc);
	return error;
}

/*
 * Compare the address space of a process with those that were added before, then sample
 * it if it is new.  In the other order, a child of vfork() that calls exec() in between
 * would count with the tables of its parent.
 *
 * Return: 0; -errno if descriptors or memory ran out.
 */
static int compare_space(struct ptu_spaces *spaces, bool is_new,
			 struct ptu_watched *now)
{
	const struct ptu_proc proc = { .dirfd = -1,
				       .pid = now->pid,
				       .tid = now->tid,
				       .start_time = now->start_time };
	pid_t first = now->pid;
	int error = ptu_spaces_add(spaces, &proc, &first);

	/* without permission for kcmp(), count the process separately */
	if (ptu_proc_shortage(error))
		return error;
	now->is_left_out = first != now->pid;
	if (!is_new || now->is_left_out)
		return 0;
	error = sample_new(now);
	now->is_left_out = error != 0;
	return ptu_proc_shortage(error) ? error : 0;
}

/*
 * Find the processes that share the address space of another one. Of these, one from the
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
		for (i = 0; i < next->nr && !error; i++) {
			struct ptu_watched *now = &next->processes[i];

			if (is_new != !before_of(watch, now))
				continue;
			error = compare_space(&spaces, is_new, now);
		}
	ptu_spaces_deinit(&spaces);
	return error;
}

/* Sample all processes, without their tables. */
static int see(const struct ptu_watch *watch, const pid_t *pids, size_t nr_pids,
	       struct ptu_watch *next, struct ptu_err *err)
{
	size_t i, kept;
	int error = 0;

	next->processes = calloc(nr_pids + 1, sizeof(*next->processes));
	if (!next->processes)
		return ptu_err_set(err, -ENOMEM, "no memory for the processes");
	for (i = 0; i < nr_pids && !ptu_proc_shortage(error); i++) {
		error = sample_known(watch, pids[i],
				     &next->processes[next->nr]);
		next->nr += !error;
	}
	if (!ptu_proc_shortage(error))
		error = find_sharing(watch, next);
	if (error)
		return ptu_err_set(err, error, "cannot read all processes: %s",
				   strerror(-error));
	for (i = 0, kept = 0; i < next->nr; i++) {
		if (!next->processes[i].is_left_out)
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

/* Return: the process that grew or shrank most; NULL if none did. */
static struct ptu_watched *find_most(const struct ptu_watch *watch,
				     const struct ptu_watch *next, bool shrank)
{
	struct ptu_watched *ret = NULL;
	int64_t most = 0;
	size_t i;

	for (i = 0; i < next->nr; i++) {
		struct ptu_watched *now = &next->processes[i];
		const int64_t growth = grown(before_of(watch, now), now);

		if (shrank ? growth < most : growth > most) {
			most = growth;
			ret = now;
		}
	}
	return ret;
}

static int look_again(const struct ptu_watch *watch, struct ptu_watched *before,
		      struct ptu_watched *now, char *why, size_t why_bytes)
{
	struct ptu_proc proc;
	int error = ptu_proc_open(now->pid, &proc, NULL);

	if (!error) {
		error = proc.start_time == now->start_time ?
				ptu_watched_look(&watch->ask, &proc, before,
						 now, why, why_bytes) :
				-ESRCH;
		ptu_proc_close(&proc);
	}
	if (error == -ESRCH)
		snprintf(why, why_bytes,
			 "it ended before its tables were read");
	return error == -ENOMEM ? error : 0;
}

/*
 * Read the tables of changed processes; the others keep their previous tables.
 * @is_last: always read those of @most
 */
static int look_at_group(struct ptu_watch *watch, struct ptu_watch *next,
			 struct ptu_watched *most, bool is_last,
			 uint64_t deadline_ns, char *why, size_t why_bytes)
{
	char unsaid[256];
	size_t i;
	int error = most ? look_again(watch,
				      is_last ? NULL : before_of(watch, most),
				      most, why, why_bytes) :
			   0;

	for (i = 0; !error && i < next->nr; i++) {
		struct ptu_watched *now = &next->processes[i];
		struct ptu_watched *before = before_of(watch, now);

		if (now == most)
			continue;
		if (before && before->has_view &&
		    before->vmpte_bytes == now->vmpte_bytes) {
			ptu_watched_keep(before, now);
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
		.seconds = ptu_watched_seconds(watch->begun_ns, watch->at_ns),
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
	size_t i;
	int error;

	next.at_ns = ptu_now_ns();
	next.begun_ns = watch->at_ns ? watch->begun_ns : next.at_ns;
	error = see(watch, pids, nr_pids, &next, err);
	total.seconds = ptu_watched_seconds(watch->at_ns, next.at_ns);
	total.nr_processes = next.nr;
	total.nr_ended = watch->nr;
	for (i = 0; !error && i < next.nr; i++) {
		const bool is_new = !before_of(watch, &next.processes[i]);

		total.nr_ended -= !is_new;
		total.nr_started += is_new;
		total.vmpte_bytes += next.processes[i].vmpte_bytes;
	}
	for (i = 0; i < watch->nr; i++)
		total.growth_bytes -= (int64_t)watch->processes[i].vmpte_bytes;
	total.growth_bytes += (int64_t)total.vmpte_bytes;
	if (!watch->at_ns) {
		total.growth_bytes = 0;
		total.nr_started = 0;
	} else if (!error) {
		if (total.growth_bytes < 0)
			most = find_most(watch, &next, true);
		/* it grew, or only the end of processes made it smaller */
		if (!most)
			most = find_most(watch, &next, false);
	}
	total.is_over = ptu_watch_is_too_fast(watch, total.growth_bytes,
					      total.seconds);
	if (!error)
		error = look_at_group(watch, &next, most, total.is_over,
				      budget_ns ? ptu_now_ns() + budget_ns : 0,
				      total.most.why, sizeof(total.most.why));
	if (!error && most) {
		error = ptu_watched_row(&watch->ask, before_of(watch, most),
					most, &total.most);
		total.has_most = true;
		total.most.seconds = total.seconds;
	}
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
