// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hold back the signals that end a process; must not install handlers. */
#include "base/signals.h"

#include <stddef.h>

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

bool ptu_signals_pending(void)
{
	struct sigaction action;
	sigset_t pending;
	size_t i;

	if (sigpending(&pending))
		return false;
	/* a blocked signal becomes pending even if it is ignored */
	for (i = 0; i < NR_ENDS; i++)
		if (sigismember(&pending, ends[i]) == 1 &&
		    !sigaction(ends[i], NULL, &action) &&
		    action.sa_handler != SIG_IGN)
			return true;
	return false;
}
