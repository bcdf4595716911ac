/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convert words of the command line to values. */
#ifndef PTU_BASE_PARSE_H
#define PTU_BASE_PARSE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_is_digits() - Is the word one or more decimal digits?
 */
bool ptu_is_digits(const char *text);

/**
 * ptu_parse_pid() - Parse a decimal PID within the kernel's limit.
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_parse_pid(const char *text, pid_t *ret,
				 struct ptu_err *err);

/**
 * ptu_parse_seconds() - Parse "5" or "0.25"; the locale is ignored.
 * @option: name of the option, for the error message
 * @ret: (out) nanoseconds, above 0
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_parse_seconds(const char *option, const char *text,
				     long long *ret, struct ptu_err *err);

/**
 * ptu_parse_bytes() - Parse "4096" or "64M": suffixes K, M, G, T are powers of
 *	1024.
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_parse_bytes(const char *text, unsigned long long *ret,
				   struct ptu_err *err);

#endif
