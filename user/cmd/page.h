/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output file of --html. */
#ifndef PTU_CMD_PAGE_H
#define PTU_CMD_PAGE_H

#include <stdio.h>

#include "base/err.h"
#include "report/map_sheet.h"

/**
 * ptu_page_write() - Write the page; the file appears only when it is complete.
 * @path: (in) the file; "-" for @out
 * @out: standard output
 *
 * Return: 0; -errno with a sentence.
 */
ptu_must_check int ptu_page_write(const char *path,
				  const struct ptu_map_sheet *sheet, FILE *out,
				  struct ptu_err *err);

#endif
