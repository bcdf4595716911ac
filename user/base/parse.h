/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words of the command line to values. */
#ifndef PTU_BASE_PARSE_H
#define PTU_BASE_PARSE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/**
 * ptu_is_digits() - Does the word consist of decimal digits, at least one?
 */
bool ptu_is_digits(const char *text);

/**
 * ptu_parse_pid() - A decimal number that a PID can be.
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_parse_pid(const char *text, pid_t *ret,
				 struct ptu_err *err);

/**
 * ptu_parse_seconds() - "5", "0.25": without the locale's decimal point.
 * @option: what the sentence names
 * @ret: (out) nanoseconds, above 0
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_parse_seconds(const char *option, const char *text,
				     long long *ret, struct ptu_err *err);

/**
 * ptu_parse_bytes() - "4096", "64M": with a suffix K, M, G or T, powers of 1024.
 *
 * Return: 0; -EINVAL with a sentence.
 */
ptu_must_check int ptu_parse_bytes(const char *text, unsigned long long *ret,
				   struct ptu_err *err);

#endif
