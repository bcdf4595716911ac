// SPDX-License-Identifier: LGPL-2.1-or-later
/* Format numbers; must not depend on the locale. */
#include "render/format.h"

#include <inttypes.h>
#include <stdio.h>

const char *ptu_format_size(uint64_t bytes, bool in_bytes,
			    char ret[PTU_FORMAT_LEN])
{
	static const char units[] = "BKMGTPE";
	unsigned int unit = 0;
	uint64_t whole = bytes, rest = 0, tenths;

	if (in_bytes || !bytes) {
		snprintf(ret, PTU_FORMAT_LEN, "%" PRIu64, bytes);
		return ret;
	}
	for (; whole >= 1024; whole >>= 10, unit++)
		rest = whole & 1023;
	/* round to nearest: from 100 on to whole units, below it to tenths */
	tenths = whole < 100 ? (rest * 10 + 512) >> 10 :
			       ((rest + 512) >> 10) * 10;
	whole += tenths / 10;
	tenths %= 10;
	if (whole == 1024) {
		whole = 1;
		unit++;
	}
	if (tenths)
		snprintf(ret, PTU_FORMAT_LEN, "%" PRIu64 ".%" PRIu64 "%c",
			 whole, tenths, units[unit]);
	else
		snprintf(ret, PTU_FORMAT_LEN, "%" PRIu64 "%c", whole,
			 units[unit]);
	return ret;
}

const char *ptu_format_exact(uint64_t bytes, bool in_bytes,
			     char ret[PTU_FORMAT_LEN])
{
	if (in_bytes || bytes % 1024)
		snprintf(ret, PTU_FORMAT_LEN, "%" PRIu64 " bytes", bytes);
	else
		snprintf(ret, PTU_FORMAT_LEN, "%" PRIu64 " KiB", bytes / 1024);
	return ret;
}

const char *ptu_format_percent(unsigned int permille, char ret[PTU_FORMAT_LEN])
{
	if (permille % 10)
		snprintf(ret, PTU_FORMAT_LEN, "%u.%u", permille / 10,
			 permille % 10);
	else
		snprintf(ret, PTU_FORMAT_LEN, "%u", permille / 10);
	return ret;
}

const char *ptu_format_at_least(uint64_t number, bool or_more,
				char ret[PTU_FORMAT_LEN])
{
	snprintf(ret, PTU_FORMAT_LEN, "%" PRIu64 "%s", number,
		 or_more ? "+" : "");
	return ret;
}

const char *ptu_format_diff(uint64_t plus, uint64_t minus,
			    char ret[PTU_FORMAT_LEN])
{
	if (plus > minus)
		snprintf(ret, PTU_FORMAT_LEN, "+%" PRIu64, plus - minus);
	else if (plus < minus)
		snprintf(ret, PTU_FORMAT_LEN, "-%" PRIu64, minus - plus);
	else
		snprintf(ret, PTU_FORMAT_LEN, "0");
	return ret;
}
