// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long work gets a second thread: when it starts, on which CPUs, and with which signals.
 * fake_create() runs it in the calling thread.  Each reading of the clock adds 1 ms of CPU time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "support/unit.h"

#define HERE 2

/* @blocked: signals of the second thread; @cpus: where it may run */
static struct {
	int create_error;
	unsigned int nr_created;
	sigset_t blocked;
	cpu_set_t allowed, cpus;
	long cpu_ms;
} fake;

static int fake_clock(clockid_t clock, struct timespec *ret)
{
	fake.cpu_ms++;
	*ret = (struct timespec){ .tv_nsec = fake.cpu_ms * 1000000 };
	return 0;
}

static int fake_affinity(pid_t pid, size_t bytes, cpu_set_t *ret)
{
	*ret = fake.allowed;
	return 0;
}

static int fake_create(pthread_t *thread, const pthread_attr_t *attr,
		       void *(*run)(void *), void *arg);

static int fake_join(pthread_t thread, void **ret)
{
	return 0;
}

#define clock_gettime fake_clock
#define sched_getcpu() HERE
#define sched_getaffinity fake_affinity
#define pthread_create fake_create
#define pthread_join fake_join
#include "base/workers.c"
#undef pthread_create
#undef pthread_join

/* A thread does not inherit the source. */
static int fake_create(pthread_t *thread, const pthread_attr_t *attr,
		       void *(*run)(void *), void *arg)
{
	const int source = thread_source;

	if (fake.create_error)
		return fake.create_error;
	fake.nr_created++;
	pthread_sigmask(SIG_SETMASK, NULL, &fake.blocked);
	pthread_attr_getaffinity_np(attr, sizeof(fake.cpus), &fake.cpus);
	thread_source = -1;
	run(arg);
	thread_source = source;
	return 0;
}

/* Steps that are left, steps of each worker, and the source that the second thread saw. */
static int left, nr_steps[PTU_NR_WORKERS], helper_source;

static bool step(void *arg, enum ptu_worker worker)
{
	nr_steps[worker]++;
	if (worker == PTU_HELPER)
		helper_source = ptu_workers_source();
	return --left > 0;
}

static void run(int nr)
{
	left = nr;
	nr_steps[PTU_CALLER] = nr_steps[PTU_HELPER] = 0;
	ptu_workers_run(step, NULL);
}

static void set_up(void)
{
	memset(&fake, 0, sizeof(fake));
	CPU_SET(HERE, &fake.allowed);
	CPU_SET(HERE + 1, &fake.allowed);
	helper_source = -1;
	ptu_workers_use(-1);
}

UNIT_TEST(second_thread_helps_with_long_work)
{
	run(5);
	CHECK_EQ(fake.nr_created, 1);
	CHECK_EQ(nr_steps[PTU_CALLER], 2);
	CHECK_EQ(nr_steps[PTU_HELPER], 4);
	/* and again with the next work */
	run(5);
	CHECK_EQ(fake.nr_created, 2);
	CHECK_EQ(nr_steps[PTU_HELPER], 4);
}

UNIT_TEST(second_thread_runs_on_another_cpu)
{
	run(5);
	CHECK_EQ(CPU_COUNT(&fake.cpus), 1);
	CHECK(CPU_ISSET(HERE + 1, &fake.cpus));
	CPU_CLR(HERE + 1, &fake.allowed);
	run(5);
	CHECK_EQ(fake.nr_created, 1);
	CHECK_EQ(nr_steps[PTU_CALLER], 5);
}

UNIT_TEST(second_thread_gets_no_signals_and_the_same_source)
{
	sigset_t after;

	ptu_workers_use(7);
	run(5);
	CHECK_EQ(helper_source, 7);
	CHECK(sigismember(&fake.blocked, SIGINT));
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	CHECK(!sigismember(&after, SIGINT));
}

UNIT_TEST(work_is_done_without_the_second_thread)
{
	fake.create_error = EAGAIN;
	run(5);
	CHECK_EQ(nr_steps[PTU_CALLER], 5);
	/* the failure does not exclude the next one */
	fake.create_error = 0;
	run(5);
	CHECK_EQ(fake.nr_created, 1);
}

UNIT_MAIN_WITH(set_up, NULL)
