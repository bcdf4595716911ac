// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sample one process, and compare its sample with an earlier one.  Must not wait. */
#include "measure/watched.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "compare/growth.h"

/*
 * While tables are read, their process may wait for mmap_lock.  So if a reading took more
 * CPU time than QUICK_NS, the next one starts only after READ_PART times that time.
 */
#define QUICK_NS (PTU_NS_PER_SEC / 10)
#define READ_PART 4

double ptu_watched_seconds(uint64_t before_ns, uint64_t after_ns)
{
	return before_ns ? (double)(after_ns - before_ns) / PTU_NS_PER_SEC :
			   0.0;
}

void ptu_watched_forget(struct ptu_watched *seen)
{
	if (seen->has_view)
		ptu_view_deinit(&seen->view);
	seen->has_view = false;
}

int ptu_watched_identify(struct ptu_proc *proc, struct ptu_watched *ret,
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

void ptu_watched_keep(struct ptu_watched *before, struct ptu_watched *now)
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

int ptu_watched_look(const struct ptu_view_ask *ask, struct ptu_proc *proc,
		     struct ptu_watched *before, struct ptu_watched *now,
		     char *why, size_t why_bytes)
{
	const uint64_t before_ns = ptu_cpu_ns();
	struct ptu_err err = { "" };
	int error;

	now->read_at_ns = ptu_now_ns();
	if (before && !may_be_read(before, now->read_at_ns)) {
		ptu_watched_keep(before, now);
		snprintf(why, why_bytes,
			 "its tables are not read in each interval: that took %.1f s of CPU time",
			 (double)now->read_ns / PTU_NS_PER_SEC);
		return 0;
	}
	do {
		ptu_err_clear(&err);
		error = ptu_view_read(ask, proc, &now->view, &err);
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

int ptu_watched_sample(const struct ptu_view_ask *ask, struct ptu_proc *proc,
		       struct ptu_watched *before, struct ptu_watched *ret,
		       char *why, size_t why_bytes, struct ptu_err *err)
{
	struct ptu_proc_status after;
	bool is_again = false;
	int error;

	for (;;) {
		error = ptu_watched_identify(proc, ret, err);
		if (!error)
			error = ptu_watched_look(ask, proc, before, ret, why,
						 why_bytes);
		if (error || is_again || !ret->has_view ||
		    ret->read_ns > QUICK_NS ||
		    ptu_proc_status(proc, &after, NULL) ||
		    after.vmpte_bytes == ret->vmpte_bytes)
			return error;
		is_again = true;
		ptu_watched_forget(ret);
	}
}

int ptu_watched_grow(const struct ptu_view_ask *ask,
		     const struct ptu_watched *before,
		     const struct ptu_watched *now, struct ptu_growth *ret)
{
	const struct ptu_growth_side sides[] = {
		{ &before->view.tables, &before->view.vmas },
		{ &now->view.tables, &now->view.vmas },
	};

	return ptu_growth_between(&sides[0], &sides[1], ask->geo, ret);
}

/* First the mappings that shrank most. */
static void reverse(struct ptu_growth *growth)
{
	size_t i;

	for (i = 0; i < growth->nr_rows / 2; i++) {
		struct ptu_growth_row *last =
			&growth->rows[growth->nr_rows - 1 - i];
		const struct ptu_growth_row row = growth->rows[i];

		growth->rows[i] = *last;
		*last = row;
	}
}

int ptu_watched_row(const struct ptu_view_ask *ask,
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
	error = ptu_watched_grow(ask, then, now, &ret->growth);
	if (error)
		return error;
	if (ret->growth_bytes < 0)
		reverse(&ret->growth);
	ret->source = ptu_view_source(ask);
	ret->has_tables = true;
	ret->deposited = now->view.deposited;
	ret->deposited_before = then->view.deposited;
	return 0;
}
