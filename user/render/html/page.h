/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page that data is put into; for render/html only. */
#ifndef PTU_RENDER_HTML_PAGE_H
#define PTU_RENDER_HTML_PAGE_H

/* Where the data goes. */
#define PTU_PAGE_MARKER "@DATA@"

/**
 * ptu_page_text() - map.html with its scripts.
 *
 * Return: text that has the marker once; NULL if the tool was built without it.
 */
const char *ptu_page_text(void);

#endif
