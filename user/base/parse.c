// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse numbers from the command line. */
#include "base/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's PID_MAX_LIMIT.  Source: include/linux/threads.h (6.1) */
#define PID_LIMIT (4 * 1024 * 1024)

#define NS_PER_SEC 1000000000LL
#define AFTER_MAX_SECS (366LL * 24 * 60 * 60)

bool ptu_is_digits(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

int ptu_parse_pid(const char *text, pid_t *ret, struct ptu_err *err)
{
	unsigned long value;

	if (!ptu_is_digits(text))
		return ptu_err_set(err, -EINVAL,
				   "'%s' is not a PID: PIDs are decimal numbers",
				   text);
	errno = 0;
	value = strtoul(text, NULL, 10);
	if (errno || value < 1 || value > PID_LIMIT)
		return ptu_err_set(err, -EINVAL,
				   "PID %s is out of range: PIDs go from 1 to %d",
				   text, PID_LIMIT);
	*ret = (pid_t)value;
	return 0;
}

int ptu_parse_seconds(const char *option, const char *text, long long *ret,
		      struct ptu_err *err)
{
	long long ns = 0;
	long long unit = NS_PER_SEC;
	const char *s = text;
	bool digits = false;

	for (; *s >= '0' && *s <= '9'; s++) {
		digits = true;
		if (ns <= AFTER_MAX_SECS)
			ns = ns * 10 + (*s - '0');
	}
	if (ns > AFTER_MAX_SECS)
		return ptu_err_set(err, -EINVAL,
				   "%s %s: that is more than a year", option,
				   text);
	ns *= NS_PER_SEC;
	if (*s == '.') {
		for (s++; *s >= '0' && *s <= '9'; s++) {
			digits = true;
			unit /= 10;
			ns += (*s - '0') * unit;
		}
	}
	if (!digits || *s || !ns)
		return ptu_err_set(err, -EINVAL,
				   "%s needs a number of seconds above 0, not '%s'",
				   option, text);
	*ret = ns;
	return 0;
}

int ptu_parse_bytes(const char *text, unsigned long long *ret,
		    struct ptu_err *err)
{
	static const char suffixes[] = "KMGT";
	const char *suffix;
	unsigned long long bytes;
	unsigned int shift = 0;
	char *end;

	errno = 0;
	bytes = strtoull(text, &end, 10);
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
		end++;
	}
	if (errno || *text < '0' || *text > '9' || *end ||
	    bytes > ~0ull >> shift)
		return ptu_err_set(err, -EINVAL,
				   "'%s' is not a size: sizes are bytes, or have a suffix K, M, G or T",
				   text);
	*ret = bytes << shift;
	return 0;
}
