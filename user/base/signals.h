/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Let a signal end the process only when no incomplete file is left. */
#ifndef PTU_BASE_SIGNALS_H
#define PTU_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct ptu_signals - the signals before files are written
 * @before: signal mask
 * @too_large: action of SIGXFSZ
 */
struct ptu_signals {
	sigset_t before;
	struct sigaction too_large;
};

/**
 * ptu_signals_hold() - Block SIGHUP, SIGINT and SIGTERM, and ignore SIGXFSZ.
 * @ret: (out) for ptu_signals_release()
 *
 * A write beyond the file size limit then fails with EFBIG.
 */
void ptu_signals_hold(struct ptu_signals *ret);

/**
 * ptu_signals_release() - Undo ptu_signals_hold(). A pending signal ends the process.
 */
void ptu_signals_release(const struct ptu_signals *signals);

/**
 * ptu_signals_pending() - Has a signal come that will end the process?
 *
 * Signals that are ignored, as SIGHUP is by nohup(1), do not count.
 */
bool ptu_signals_pending(void);

/**
 * ptu_signals_wait() - Wait until a time, or until a signal arrives that ends the process.
 * @until_ns: (in) ptu_now_ns() at the end of the wait
 *
 * The signals must be held back.  If SIGCHLD is blocked, it also ends the wait.
 */
void ptu_signals_wait(uint64_t until_ns);

#endif
