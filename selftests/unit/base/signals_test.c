// SPDX-License-Identifier: GPL-2.0-only
/* Test the signals that end the process and are held back until a wait ends. */
#include "base/signals.h"

#include <unistd.h>

#include "base/clock.h"
#include "support/unit.h"

/* SIGALRM ends a wait that does not end by itself. */
#define LONG_NS (3600 * PTU_NS_PER_SEC)

static struct ptu_signals held;

static void set_up(void)
{
	ptu_signals_hold(&held);
	alarm(300);
}

static void tear_down(void)
{
	sigset_t set;
	const struct timespec none = { 0 };

	alarm(0);
	sigfillset(&set);
	while (sigtimedwait(&set, NULL, &none) > 0)
		;
	signal(SIGHUP, SIG_DFL);
	ptu_signals_release(&held);
}

UNIT_TEST(a_signal_ends_the_wait_and_stays_pending)
{
	CHECK(!ptu_signals_pending());
	raise(SIGINT);
	ptu_signals_wait(ptu_now_ns() + LONG_NS);
	CHECK(ptu_signals_pending());
}

/* The kernel keeps a blocked signal even if it is ignored. */
UNIT_TEST(an_ignored_signal_does_not_end_the_wait)
{
	signal(SIGHUP, SIG_IGN);
	raise(SIGHUP);
	CHECK(!ptu_signals_pending());
	ptu_signals_wait(ptu_now_ns() + PTU_NS_PER_SEC / 1000);
	CHECK(!ptu_signals_pending());
	raise(SIGHUP);
	raise(SIGTERM);
	ptu_signals_wait(ptu_now_ns() + LONG_NS);
	CHECK(ptu_signals_pending());
}

UNIT_TEST(a_child_ends_the_wait_if_its_signal_is_blocked)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGCHLD);
	ptu_signals_wait(ptu_now_ns() + LONG_NS);
	CHECK(!ptu_signals_pending());
	/* the next wait does not end at once */
	sigpending(&set);
	CHECK(!sigismember(&set, SIGCHLD));
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

UNIT_TEST(a_wait_ends_at_its_time)
{
	const uint64_t until_ns = ptu_now_ns() + PTU_NS_PER_SEC / 1000;

	ptu_signals_wait(until_ns);
	CHECK(ptu_now_ns() >= until_ns);
	ptu_signals_wait(1);
	CHECK(!ptu_signals_pending());
}

UNIT_TEST(signals_are_as_before_after_their_release)
{
	struct sigaction too_large;
	sigset_t blocked;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigaction(SIGXFSZ, NULL, &too_large);
	CHECK(sigismember(&blocked, SIGTERM));
	CHECK(too_large.sa_handler == SIG_IGN);
	ptu_signals_release(&held);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigaction(SIGXFSZ, NULL, &too_large);
	ptu_signals_hold(&held);
	CHECK(!sigismember(&blocked, SIGTERM));
	CHECK(too_large.sa_handler == SIG_DFL);
}

UNIT_MAIN_WITH(set_up, tear_down)
