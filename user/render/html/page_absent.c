// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stands for page_built.c where the packages for the page are missing. */
#include "render/html/page.h"

#include <stddef.h>

const char *ptu_page_text(void)
{
	return NULL;
}
