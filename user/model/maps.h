/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/maps and /proc/PID/smaps as an array of VMAs.  Pure: text in, array out. */
#ifndef PTU_MODEL_MAPS_H
#define PTU_MODEL_MAPS_H

#include "base/err.h"
#include "model/vma.h"

struct ptu_maps_parser;

/**
 * ptu_maps_parse() - Read the text of /proc/PID/maps or /proc/PID/smaps.
 * @text: (in) the whole file, NUL-terminated
 * @ret: (out) deinit with ptu_vmas_deinit(); untouched on failure
 *
 * The vsyscall page and whatever else lies in the kernel half is kept: its
 * start is at or above 2^63.
 *
 * Return: 0; -EINVAL for a line that is not understood (with its number);
 * -EAGAIN for overlap or disorder (likewise), which the kernel shows where
 * mappings change between two reads; -ENOMEM.
 * Source: fs/proc/task_mmu.c, show_map_vma(), show_smap(),
 * show_smap_vma_flags() (6.1).
 */
ptu_must_check int ptu_maps_parse(const char *text, struct ptu_vmas *ret,
				  struct ptu_err *err);

/**
 * ptu_maps_begin() - Read it in pieces, as it can be long.
 *
 * Return: for ptu_maps_end() or ptu_maps_cancel(); NULL without memory.
 */
struct ptu_maps_parser *ptu_maps_begin(void);

/**
 * ptu_maps_take() - The next piece.
 * @text: (in) whole lines, NUL-terminated
 *
 * Return: as ptu_maps_parse(); after a failure only ptu_maps_cancel() is left.
 */
ptu_must_check int ptu_maps_take(struct ptu_maps_parser *parser,
				 const char *text, struct ptu_err *err);

/**
 * ptu_maps_end() - There is no more; frees @parser.
 * @ret: (out) as of ptu_maps_parse()
 *
 * Return: as ptu_maps_parse().
 */
ptu_must_check int ptu_maps_end(struct ptu_maps_parser *parser,
				struct ptu_vmas *ret, struct ptu_err *err);

void ptu_maps_cancel(struct ptu_maps_parser *parser);

#endif
