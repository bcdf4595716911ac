/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTML page without data; for render/html only. */
#ifndef PTU_RENDER_HTML_PAGE_H
#define PTU_RENDER_HTML_PAGE_H

/* Replaced by the data. */
#define PTU_PAGE_MARKER "@DATA@"

/**
 * ptu_page_text() - Return map.html with its scripts.
 *
 * Return: text that contains the marker once; NULL if the tool was built without
 * it.
 */
const char *ptu_page_text(void);

#endif
