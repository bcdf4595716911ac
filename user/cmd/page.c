// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open the file of an HTML page; must not know its contents. */
#include "cmd/page.h"

#include <string.h>

#include "cmd/new_file.h"
#include "render/render.h"

int ptu_page_write(const char *path, const struct ptu_map_sheet *sheet,
		   FILE *out, struct ptu_err *err)
{
	struct ptu_new_file file;
	int error;

	if (!strcmp(path, "-"))
		return ptu_render_map_html(sheet, out, err);
	error = ptu_new_file_open(path, &file, err);
	if (error)
		return error;
	error = ptu_render_map_html(sheet, file.out, err);
	return ptu_new_file_close(&file, error, err);
}
