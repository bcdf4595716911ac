// SPDX-License-Identifier: LGPL-2.1-or-later
/* Replaces page_built.c if the packages for the page are missing. */
#include "render/html/page.h"

#include <stddef.h>

const char *ptu_page_text(void)
{
	return NULL;
}
