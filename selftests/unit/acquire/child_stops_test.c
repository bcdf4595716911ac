// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tracer does at each stop of a command, and which thread is stopped at the end.  Each
 * test lists the events in an order of its own.
 */
#include "acquire/fake_tracees.h"

static struct threads threads;
static pid_t tid;
static int status;

static void set_up(void)
{
	memset(&tracees, 0, sizeof(tracees));
	tracees.now_ns = 5000000000;
	for (unsigned int i = 0; i < 32; i++)
		tracees.is_thread[i] = ESRCH;
	for (unsigned int i = PID; i < PID + 5; i++)
		tracees.is_thread[i] = 0;
	threads.nr = 0;
	tid = 0;
	status = 0;
}

static void tear_down(void)
{
	free(threads.tids);
	threads = (struct threads){ .nr = 0 };
}

/* @nr: number of threads at the start */
static void with_threads(unsigned int nr)
{
	set_up();
	for (unsigned int i = 0; i < nr; i++)
		CHECK_EQ(add_thread(&threads, PID + (pid_t)i), 0);
}

static int run(void)
{
	return run_to_exit(PID, 0, &threads, &tid, &status);
}

UNIT_TEST(threads_are_listed_once)
{
	pid_t i;

	for (i = 1; i < 100; i++) {
		CHECK_EQ(add_thread(&threads, i), 0);
		CHECK_EQ(add_thread(&threads, i / 2 + 1), 0);
		CHECK_EQ(threads.nr, i);
	}
	CHECK(!remove_thread(&threads, 100));
	CHECK(remove_thread(&threads, 1));
	CHECK(!remove_thread(&threads, 1));
	CHECK_EQ(threads.nr, 98);
	for (i = 99; i > 1; i--)
		CHECK(remove_thread(&threads, i));
	CHECK_EQ(threads.nr, 0);
}

UNIT_TEST(waiting_ends_at_the_deadline)
{
	SCRIPT({ INTERRUPTED_CALL, 0 }, { 11, EXIT_STOP });
	CHECK_EQ(wait_until(-1, &status, 0), 11);
	CHECK_EQ(status, EXIT_STOP);
	CHECK_EQ(wait_until(-1, &status, 0), -1);
	CHECK_EQ(errno, ECHILD);
	/* 2.5 s, of which the first wait takes all but 1 ns */
	SCRIPT({ NOTHING_YET, 0 }, { NOTHING_YET, 0 }, { 11, EXIT_STOP });
	tracees.early_ns = 1;
	CHECK_EQ(wait_until(-1, &status, 7500000000), 11);
	CHECK_STR(tracees.text, "wait 2.500000000; wait 0.000000001; ");
	/* no event arrives before the deadline, or the deadline has passed */
	set_up();
	SCRIPT({ NOTHING_YET, 0 }, { NOTHING_YET, 0 }, { 11, EXIT_STOP });
	CHECK_EQ(wait_until(-1, &status, 5000000001), 0);
	CHECK_STR(tracees.text, "wait 0.000000001; ");
	SCRIPT({ NOTHING_YET, 0 }, { 11, EXIT_STOP });
	CHECK_EQ(wait_until(-1, &status, 1), 0);
	CHECK_STR(tracees.text, "");
}

UNIT_TEST(a_stopped_tracee_goes_on)
{
	SCRIPT({ 0, 0 });
	go_on(11, SIGNAL_STOP(SIGUSR1)); /* the signal is delivered */
	CHECK_STR(tracees.text, "cont 11 signal 10; ");
	SCRIPT({ 0, 0 });
	go_on(11, SIGNAL_STOP(SIGTRAP));
	CHECK_STR(tracees.text, "cont 11 signal 5; ");
	SCRIPT({ 0, 0 });
	go_on(11, INTERRUPTED); /* this stop has no signal to deliver */
	CHECK_STR(tracees.text, "cont 11; ");
	SCRIPT({ 0, 0 });
	go_on(11, CLONED);
	CHECK_STR(tracees.text, "cont 11; ");
	/* a group stop lasts until SIGCONT */
	SCRIPT({ 0, 0 });
	go_on(11, EVENT(PTRACE_EVENT_STOP, SIGSTOP));
	CHECK_STR(tracees.text, "listen 11; ");
}

UNIT_TEST(the_only_thread_is_held_at_its_exit)
{
	with_threads(1);
	SCRIPT({ PID, EXECED }, { PID, SIGNAL_STOP(SIGUSR1) },
	       { PID, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, PID);
	CHECK_STR(tracees.text, "cont 10; cont 10 signal 10; ");
}

UNIT_TEST(the_last_of_several_threads_is_held)
{
	with_threads(3);
	SCRIPT({ 11, EXIT_STOP }, { PID, EXIT_STOP }, { 11, EXITED(0) },
	       { 12, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, 12);
	CHECK_STR(tracees.text, "cont 11; cont 10; ");
}

/* SIGKILL may leave a thread without an exit stop. */
UNIT_TEST(a_thread_that_is_gone_is_not_waited_for)
{
	with_threads(2);
	SCRIPT({ 11, KILLED(SIGKILL) }, { PID, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, PID);
	with_threads(2);
	SCRIPT({ PID, KILLED(SIGKILL) }, { 11, EXIT_STOP });
	CHECK_EQ(run(), -ESRCH);
	CHECK_EQ(tid, 0);
	CHECK_EQ(status, KILLED(SIGKILL));
}

/* The thread is known from the event of its parent, or from its own first stop. */
UNIT_TEST(a_new_thread_is_waited_for)
{
	with_threads(1);
	tracees.cloned = 11;
	SCRIPT({ PID, CLONED }, { PID, EXIT_STOP }, { 11, INTERRUPTED },
	       { 11, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, 11);
	CHECK_STR(tracees.text, "cont 10; cont 10; cont 11; ");
	with_threads(1);
	SCRIPT({ 11, INTERRUPTED }, { PID, EXIT_STOP }, { 11, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, 11);
	/* tgkill() fails with EPERM: the thread exists */
	with_threads(1);
	tracees.is_thread[11] = EPERM;
	SCRIPT({ 11, INTERRUPTED }, { PID, EXIT_STOP }, { 11, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, 11);
}

/* The new task was killed before the tracer read the event, or it is a process. */
UNIT_TEST(a_clone_that_is_no_thread_is_not_waited_for)
{
	with_threads(1);
	SCRIPT({ PID, CLONED }, { PID, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, PID);
	with_threads(1);
	tracees.cloned = 20;
	SCRIPT({ PID, CLONED }, { 20, INTERRUPTED }, { PID, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, PID);
	CHECK_STR(tracees.text, "cont 10; detach 20; ");
}

/* exec() of a thread ends all others; the thread has the PID from then on. */
UNIT_TEST(exec_leaves_one_thread)
{
	with_threads(3);
	SCRIPT({ PID, EXECED }, { PID, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, PID);
	CHECK_EQ(threads.nr, 0);
}

/* A task that is not in the list is not measured at its exit stop. */
UNIT_TEST(an_unknown_thread_is_not_held)
{
	with_threads(1);
	SCRIPT({ 12, EXIT_STOP }, { PID, EXIT_STOP });
	CHECK_EQ(run(), 0);
	CHECK_EQ(tid, PID);
	CHECK_STR(tracees.text, "cont 12; ");
	with_threads(0);
	SCRIPT({ 12, EXIT_STOP });
	CHECK_EQ(run(), -ECHILD);
	CHECK_EQ(tid, 0);
}

UNIT_TEST(the_deadline_ends_the_run)
{
	with_threads(1);
	SCRIPT({ NOTHING_YET, 0 }, { PID, SIGNAL_STOP(SIGUSR2) },
	       { NOTHING_YET, 0 }, { NOTHING_YET, 0 });
	tracees.early_ns = 7;
	CHECK_EQ(run_to_exit(PID, 5000000008, &threads, &tid, &status), 1);
	CHECK_EQ(tid, 0);
	CHECK_STR(tracees.text,
		  "wait 0.000000008; cont 10 signal 12; wait 0.000000007; ");
}

static int leave(void)
{
	return let_go(PID, &threads, &tid, &status);
}

UNIT_TEST(a_running_command_is_let_go)
{
	with_threads(2);
	SCRIPT({ 11, INTERRUPTED }, { PID, INTERRUPTED });
	CHECK_EQ(leave(), 0);
	CHECK_EQ(tid, 0);
	CHECK_EQ(threads.nr, 0);
	CHECK_STR(tracees.text,
		  "interrupt 10; interrupt 11; detach 11; detach 10; ");
	/* the main thread stops for a signal, the other one in a group stop */
	with_threads(2);
	SCRIPT({ PID, SIGNAL_STOP(SIGUSR1) },
	       { 11, EVENT(PTRACE_EVENT_STOP, SIGSTOP) });
	CHECK_EQ(leave(), 0);
	CHECK_STR(tracees.text,
		  "interrupt 10; interrupt 11; detach 10 signal 10; detach 11; ");
}

/* Its tables still exist: it is measured after all. */
UNIT_TEST(a_last_thread_that_exits_meanwhile_is_held)
{
	with_threads(1);
	SCRIPT({ PID, EXIT_STOP });
	CHECK_EQ(leave(), 1);
	CHECK_EQ(tid, PID);
	CHECK_STR(tracees.text, "interrupt 10; ");
	/* one thread exits, one is killed, and the last one is held at its exit stop */
	with_threads(3);
	SCRIPT({ PID, EXIT_STOP }, { 12, KILLED(SIGKILL) }, { 11, EXIT_STOP });
	CHECK_EQ(leave(), 1);
	CHECK_EQ(tid, 11);
	CHECK_STR(tracees.text,
		  "interrupt 10; interrupt 11; interrupt 12; detach 10; ");
}

/* A thread that was continued still uses the tables. */
UNIT_TEST(an_exiting_thread_is_not_held_if_another_goes_on)
{
	with_threads(2);
	SCRIPT({ 11, INTERRUPTED }, { PID, EXIT_STOP });
	CHECK_EQ(leave(), 0);
	CHECK_EQ(tid, 0);
	CHECK_STR(tracees.text,
		  "interrupt 10; interrupt 11; detach 11; detach 10; ");
	with_threads(3);
	SCRIPT({ 11, INTERRUPTED }, { 12, EXIT_STOP }, { PID, EXIT_STOP });
	CHECK_EQ(leave(), 0);
	CHECK_EQ(tid, 0);
	/* the same if its exit stop comes before the other thread is continued */
	with_threads(2);
	SCRIPT({ PID, EXIT_STOP }, { 11, INTERRUPTED });
	CHECK_EQ(leave(), 0);
	CHECK_EQ(tid, 0);
	CHECK_STR(tracees.text,
		  "interrupt 10; interrupt 11; detach 10; detach 11; ");
}

UNIT_TEST(a_new_thread_is_let_go)
{
	with_threads(1);
	tracees.cloned = 11;
	SCRIPT({ PID, CLONED }, { 20, INTERRUPTED }, { 11, INTERRUPTED });
	CHECK_EQ(leave(), 0);
	CHECK_STR(tracees.text,
		  "interrupt 10; detach 10; detach 20; detach 11; ");
	/* the stop of a task that is not in the list changes nothing */
	with_threads(1);
	SCRIPT({ 12, EXIT_STOP }, { PID, INTERRUPTED });
	CHECK_EQ(leave(), 0);
	CHECK_STR(tracees.text, "interrupt 10; detach 10; ");
}

UNIT_TEST(a_command_that_ends_cannot_be_let_go)
{
	with_threads(2);
	SCRIPT({ 11, EXITED(0) }, { PID, EXITED(3) });
	CHECK_EQ(leave(), -ESRCH);
	CHECK_EQ(status, EXITED(3));
	with_threads(1);
	SCRIPT({ 11, EXITED(0) });
	CHECK_EQ(leave(), -ECHILD);
	/* the thread is killed before it is detached */
	with_threads(1);
	tracees.failing = PTRACE_DETACH;
	tracees.failing_errno = ESRCH;
	SCRIPT({ PID, INTERRUPTED });
	CHECK_EQ(leave(), 0);
	with_threads(1);
	tracees.failing = PTRACE_DETACH;
	tracees.failing_errno = EPERM;
	SCRIPT({ PID, INTERRUPTED });
	CHECK_EQ(leave(), -EPERM);
}

UNIT_MAIN_WITH(set_up, tear_down)
