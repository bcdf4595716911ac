// SPDX-License-Identifier: LGPL-2.1-or-later
/* The page as built, embedded unchanged. */
#include "render/html/page.h"

static const unsigned char page[] = {
#include "page.inc"
	0
};

const char *ptu_page_text(void)
{
	return (const char *)page;
}
