// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hold back the signals that end a process; must not install handlers. */
#include "base/signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "base/clock.h"

static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

#define NR_ENDS (sizeof(ends) / sizeof(ends[0]))

void ptu_signals_hold(struct ptu_signals *ret)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NR_ENDS; i++)
		sigaddset(&set, ends[i]);
	sigprocmask(SIG_BLOCK, &set, &ret->before);
	sigaction(SIGXFSZ, &ignore, &ret->too_large);
}

void ptu_signals_release(const struct ptu_signals *signals)
{
	sigaction(SIGXFSZ, &signals->too_large, NULL);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

static bool is_ignored(int signal)
{
	struct sigaction action;

	return sigaction(signal, NULL, &action) || action.sa_handler == SIG_IGN;
}

bool ptu_signals_pending(void)
{
	sigset_t pending;
	size_t i;

	if (sigpending(&pending))
		return false;
	/* a blocked signal becomes pending even if it is ignored */
	for (i = 0; i < NR_ENDS; i++)
		if (sigismember(&pending, ends[i]) == 1 && !is_ignored(ends[i]))
			return true;
	return false;
}

void ptu_signals_wait(uint64_t until_ns)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (i = 0; i < NR_ENDS; i++)
		sigaddset(&set, ends[i]);
	for (;;) {
		const uint64_t now_ns = ptu_now_ns();
		const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns :
							     0;
		const struct timespec left = {
			.tv_sec = (time_t)(left_ns / PTU_NS_PER_SEC),
			.tv_nsec = (long)(left_ns % PTU_NS_PER_SEC)
		};
		const int signal = sigtimedwait(&set, NULL, &left);

		if (signal < 0 && errno == EINTR)
			continue;
		if (signal < 0 || signal == SIGCHLD)
			return;
		if (!is_ignored(signal)) {
			raise(signal); /* it is pending again */
			return;
		}
	}
}
