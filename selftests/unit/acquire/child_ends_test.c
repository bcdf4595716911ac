// SPDX-License-Identifier: GPL-2.0-only
/* How a command is started and ended, and why one could not be measured. */
#include "acquire/fake_tracees.h"

#include <fcntl.h>

static struct ptu_run run;
static struct ptu_err err;
/* The two pipes of the start: the test has their other ends. */
static int go[2], failure[2];

static void set_up(void)
{
	memset(&tracees, 0, sizeof(tracees));
	tracees.now_ns = 5000000000;
	run = (struct ptu_run){ .name = NAME, .pid = PID };
	err.text[0] = '\0';
	if (pipe2(go, O_CLOEXEC | O_NONBLOCK) ||
	    pipe2(failure, O_CLOEXEC | O_NONBLOCK))
		abort();
}

static void tear_down(void)
{
	close(go[0]);
	close(go[1]);
	close(failure[0]);
	if (failure[1] >= 0)
		close(failure[1]);
}

/* After exec() the pipe is closed. If exec() fails, the pipe has the error. */
static void exec_ends_with(int error)
{
	if (error && write(failure[1], &error, sizeof(error)) < 0)
		abort();
	close(failure[1]);
	failure[1] = -1;
}

static int start(long long after_ns)
{
	char *argv[] = { NAME, NULL };

	return trace(argv, after_ns, go[1], failure[0], &run, &err);
}

static bool was_told_to_go(void)
{
	char bytes[2];

	return read(go[0], bytes, 2) == 1;
}

UNIT_TEST(a_command_is_traced_to_its_exit)
{
	exec_ends_with(0);
	SCRIPT({ PID, EXECED }, { PID, EXIT_STOP });
	CHECK_EQ(start(0), 0);
	CHECK_EQ(run.pid, PID);
	CHECK_EQ(run.tid, PID);
	CHECK(run.at_exit);
	CHECK_STR(tracees.text, "seize 10; cont 10; ");
	CHECK(was_told_to_go());
}

/* --after: the command continues, unless it exits at that moment. */
UNIT_TEST(a_command_is_traced_for_a_time)
{
	exec_ends_with(0);
	SCRIPT({ NOTHING_YET, 0 }, { NOTHING_YET, 0 }, { PID, INTERRUPTED });
	CHECK_EQ(start(3), 0);
	CHECK_EQ(run.pid, PID);
	CHECK_EQ(run.tid, 0);
	CHECK(!run.at_exit);
	CHECK_STR(tracees.text,
		  "seize 10; wait 0.000000003; interrupt 10; detach 10; ");
	SCRIPT({ NOTHING_YET, 0 }, { NOTHING_YET, 0 }, { PID, EXIT_STOP });
	CHECK_EQ(start(1500000000), 0);
	CHECK_EQ(run.tid, PID);
	CHECK(run.at_exit);
	CHECK_STR(tracees.text, "seize 10; wait 1.500000000; interrupt 10; ");
}

UNIT_TEST(a_command_that_cannot_be_traced_is_an_error)
{
	tracees.failing = PTRACE_SEIZE;
	tracees.failing_errno = EPERM;
	CHECK_EQ(start(0), -EPERM);
	CHECK_STR(err.text, "cannot trace command: Operation not permitted");
	CHECK(!was_told_to_go());
	CHECK_EQ(run.pid, PID);
	err.text[0] = '\0';
	tracees.failing = 0;
	SCRIPT({ INTERRUPTED_CALL, 0 });
	CHECK_EQ(start(0), -ECHILD);
	CHECK_STR(err.text, "cannot trace command: No child processes");
	/* the caller still has to kill the command */
	CHECK_EQ(run.pid, PID);
	CHECK(!run.at_exit);
}

UNIT_TEST(a_command_that_cannot_be_told_to_start_is_an_error)
{
	close(go[1]);
	go[1] = open("/dev/null", O_RDONLY);
	CHECK_EQ(start(0), -EBADF);
	CHECK_STR(err.text, "cannot start command: Bad file descriptor");
	CHECK_EQ(run.pid, PID);
}

UNIT_TEST(a_command_that_ends_before_its_measurement_is_an_error)
{
	exec_ends_with(0);
	SCRIPT({ PID, KILLED(SIGKILL) });
	CHECK_EQ(start(0), -ESRCH);
	CHECK_STR(err.text,
		  "command was killed by signal 9 before it could be measured");
	/* the command has been reaped */
	CHECK_EQ(run.pid, 0);
	CHECK(!run.at_exit);
	run.pid = PID;
	err.text[0] = '\0';
	SCRIPT({ NOTHING_YET, 0 }, { NOTHING_YET, 0 }, { PID, EXITED(1) });
	CHECK_EQ(start(1), -ESRCH);
	CHECK_STR(err.text, "command ended before it could be measured");
	CHECK_EQ(run.pid, 0);
}

UNIT_TEST(a_command_that_does_not_exist_is_an_error)
{
	exec_ends_with(ENOENT);
	SCRIPT({ PID, EXIT_STOP });
	CHECK_EQ(start(0), -ENOENT);
	CHECK_STR(err.text, "cannot run command: No such file or directory");
	CHECK_EQ(run.pid, PID);
	CHECK_EQ(run.tid, PID);
}

/* The time limit is reached before exec(): the pipe is open and empty. */
UNIT_TEST(a_command_that_has_not_started_yet_is_not_measured)
{
	SCRIPT({ NOTHING_YET, 0 }, { NOTHING_YET, 0 }, { PID, INTERRUPTED });
	CHECK_EQ(start(1), -ESRCH);
	CHECK_STR(err.text, "cannot measure command: it had not started yet");
	CHECK_EQ(run.pid, PID);
}

/* Each tracee that stops goes on, until the command is reaped. */
UNIT_TEST(a_command_is_ended_by_force)
{
	run.tid = 11;
	SCRIPT({ INTERRUPTED_CALL, 0 }, { PID, EXIT_STOP }, { 11, EXITED(0) },
	       { 11, EXIT_STOP }, { PID, KILLED(SIGKILL) }, { 12, EXITED(0) });
	end_by_force(&run);
	CHECK_EQ(tracees.next, 5);
	CHECK_STR(tracees.text,
		  "kill 10 signal 9; cont 10; cont 11; cont 10; cont 11; ");
	run.tid = 0;
	SCRIPT({ PID, KILLED(SIGKILL) }, { 12, EXITED(0) });
	end_by_force(&run);
	CHECK_EQ(tracees.next, 1);
	CHECK_STR(tracees.text, "kill 10 signal 9; cont 10; ");
	/* another caller has reaped the command */
	SCRIPT({ INTERRUPTED_CALL, 0 });
	end_by_force(&run);
	CHECK_EQ(tracees.next, 1);
}

/*
 * While this process waits, it ignores the signals of the terminal: they are for the
 * command.
 */
static void signals_are_held(bool expected)
{
	struct sigaction action;
	sigset_t mask;

	sigaction(SIGINT, NULL, &action);
	CHECK_EQ(action.sa_handler == SIG_IGN, expected);
	sigaction(SIGQUIT, NULL, &action);
	CHECK_EQ(action.sa_handler == SIG_IGN, expected);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	CHECK_EQ(sigismember(&mask, SIGCHLD), expected);
}

static void note(int signal)
{
}

UNIT_TEST(signals_are_held_and_given_back)
{
	struct ptu_run_signals saved;

	signal(SIGINT, note);
	signal(SIGQUIT, note);
	signals_are_held(false);
	signals_hold(&saved);
	signals_are_held(true);
	signals_restore(&saved);
	signals_are_held(false);
	/* the end of a command also ends the wait */
	SCRIPT({ PID, EXITED(0) });
	ptu_run_end(&run, NULL);
	signals_are_held(false);
	/* while a command runs freely, this process holds its signals back */
	run.is_free = true;
	signals_hold(&run.signals);
	SCRIPT({ PID, EXITED(0) });
	ptu_run_end(&run, NULL);
	signals_are_held(false);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

UNIT_TEST(a_measured_command_is_let_end)
{
	run.tid = 11;
	SCRIPT({ 12, EXITED(0) }, { INTERRUPTED_CALL, 0 }, { PID, EXITED(0) },
	       { 11, EXITED(0) });
	ptu_run_end(&run, NULL);
	CHECK_STR(tracees.text, "detach 11; ");
	CHECK_EQ(tracees.next, 3);
	CHECK_EQ(run.tid, 0);
	/* no thread is held any more: the command is only waited for */
	SCRIPT({ PID, EXITED(0) });
	ptu_run_end(&run, NULL);
	CHECK_STR(tracees.text, "");
	CHECK_EQ(tracees.next, 1);
	/* another caller has reaped the command */
	SCRIPT({ INTERRUPTED_CALL, 0 });
	ptu_run_end(&run, NULL);
	CHECK_EQ(tracees.next, 1);
}

/* Without ptrace: exec() closes the pipe, or the child writes the error of exec() to it. */
UNIT_TEST(a_command_that_runs_freely_is_only_started)
{
	char *argv[] = { NAME, NULL };

	exec_ends_with(0);
	CHECK_EQ(let_run(argv, go[1], failure[0], &run, &err), 0);
	CHECK(was_told_to_go());
	CHECK(run.is_free && !run.at_exit);
	CHECK_EQ(run.pid, PID);
	CHECK_STR(tracees.text, "");
}

UNIT_TEST(a_free_command_that_does_not_exist_is_an_error)
{
	char *argv[] = { NAME, NULL };

	exec_ends_with(ENOENT);
	CHECK_EQ(let_run(argv, go[1], failure[0], &run, &err), -ENOENT);
	CHECK_STR(err.text, "cannot run command: No such file or directory");
}

UNIT_TEST(an_exit_status_is_said_unless_it_is_0)
{
	SCRIPT({ 11, EXITED(4) }, { PID, EXITED(3) });
	CHECK(ptu_run_end(&run, &err));
	CHECK_STR(err.text, "command ended with status 3");
	err.text[0] = '\0';
	SCRIPT({ PID, KILLED(SIGKILL) });
	CHECK(ptu_run_end(&run, &err));
	CHECK_STR(err.text, "command was killed by signal 9 (Killed)");
	SCRIPT({ 11, EXITED(4) }, { PID, EXITED(0) });
	CHECK(!ptu_run_end(&run, &err));
	/* another caller has reaped the command */
	SCRIPT({ INTERRUPTED_CALL, 0 });
	CHECK(!ptu_run_end(&run, &err));
}

UNIT_MAIN_WITH(set_up, tear_down)
