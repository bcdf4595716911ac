// SPDX-License-Identifier: LGPL-2.1-or-later
/* Start a second thread for long work; must not know what the work is. */
#define _GNU_SOURCE
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/*
 * Starting and joining a thread costs about 100 us. The threshold is CPU time,
 * so that waiting for a busy machine does not start a thread.
 */
#define ALONE_NS 400000

struct work {
	bool (*step)(void *arg, enum ptu_worker worker);
	void *arg;
	int source;
};

static atomic_bool has_helper;
static _Thread_local int thread_source = -1;

int ptu_workers_source(void)
{
	return thread_source;
}

void ptu_workers_use(int source)
{
	thread_source = source;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Return the CPUs that this thread may use, without the current one. The kernel would
 * often place a new thread on the current CPU, where it has to wait.
 */
static bool other_cpus(cpu_set_t *ret)
{
	int here = sched_getcpu();

	if (here < 0 || sched_getaffinity(0, sizeof(*ret), ret))
		return false;
	CPU_CLR(here, ret);
	return CPU_COUNT(ret) > 0;
}

static void *help(void *arg)
{
	const struct work *work = arg;

	thread_source = work->source;
	while (work->step(work->arg, PTU_HELPER))
		;
	return NULL;
}

/* The helper blocks all signals: only existing threads handle them. */
static int create(pthread_t *helper, const pthread_attr_t *attr,
		  struct work *work)
{
	sigset_t all, saved;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	error = pthread_create(helper, attr, help, work);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return error;
}

/* Return: whether a helper was started; false if no thread could be created. */
static bool start_helper(pthread_t *helper, struct work *work)
{
	pthread_attr_t attr;
	cpu_set_t cpus;
	int error;

	if (!other_cpus(&cpus) || atomic_exchange(&has_helper, true))
		return false;
	error = pthread_attr_init(&attr);
	if (!error) {
		error = pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
		if (!error)
			error = create(helper, &attr, work);
		pthread_attr_destroy(&attr);
	}
	if (error)
		atomic_store(&has_helper, false);
	return !error;
}

void ptu_workers_run(bool (*step)(void *arg, enum ptu_worker worker), void *arg)
{
	struct work work = { .step = step,
			     .arg = arg,
			     .source = thread_source };
	/* there is at most one helper: do not ask for another */
	bool asked = atomic_load(&has_helper), is_helped = false;
	const uint64_t begin_ns = asked ? 0 : cpu_ns();
	pthread_t helper;

	while (step(arg, PTU_CALLER)) {
		if (asked || cpu_ns() - begin_ns < ALONE_NS)
			continue;
		asked = true;
		is_helped = start_helper(&helper, &work);
	}
	if (!is_helped)
		return;
	pthread_join(helper, NULL);
	atomic_store(&has_helper, false);
}
