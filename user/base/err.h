/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An error message. It is set once, where the cause is known, and printed by
 * main.c only.
 */
#ifndef PTU_BASE_ERR_H
#define PTU_BASE_ERR_H

#define PTU_ERR_LEN 512

struct ptu_err {
	char text[PTU_ERR_LEN];
};

#define ptu_must_check __attribute__((warn_unused_result))

/**
 * ptu_err_set() - Store an error message, with advice where possible.
 * @err: (out) the message; may be NULL; an existing message is kept
 * @error: negative errno, returned unchanged
 * @format: printf format of one sentence, without a final full stop
 *
 * Return: @error, so that a caller can write return ptu_err_set(...).
 */
int ptu_err_set(struct ptu_err *err, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * ptu_err_clear() - Forget the message of a failure that is not reported, such as that of
 *	an attempt before another one.
 * @err: may be NULL
 */
static inline void ptu_err_clear(struct ptu_err *err)
{
	if (err)
		err->text[0] = '\0';
}

#endif
