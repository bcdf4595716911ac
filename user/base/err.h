/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One sentence of context for an error, set once, where the cause is known.
 * Nothing here prints: only main.c does.
 */
#ifndef PTU_BASE_ERR_H
#define PTU_BASE_ERR_H

#define PTU_ERR_LEN 512

struct ptu_err {
	char text[PTU_ERR_LEN];
};

#define ptu_must_check __attribute__((warn_unused_result))

/**
 * ptu_err_set() - Say what went wrong, and what to do about it.
 * @err: (out) where to say it; NULL is allowed; a text already there is kept
 * @error: negative errno, handed back
 * @format: printf format of one sentence, without a final full stop
 *
 * Return: @error, so that a caller can write return ptu_err_set(...).
 */
int ptu_err_set(struct ptu_err *err, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
