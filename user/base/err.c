// SPDX-License-Identifier: LGPL-2.1-or-later
/* Store an error message; must not print it. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int ptu_err_set(struct ptu_err *err, int error, const char *format, ...)
{
	va_list args;

	if (!err || err->text[0])
		return error;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return error;
}
