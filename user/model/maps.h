/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse /proc/PID/maps and /proc/PID/smaps into an array of VMAs.  Pure. */
#ifndef PTU_MODEL_MAPS_H
#define PTU_MODEL_MAPS_H

#include "base/err.h"
#include "model/vma.h"

struct ptu_maps_parser;

/**
 * ptu_maps_parse() - Parse the text of /proc/PID/maps or /proc/PID/smaps.
 * @text: (in) the whole file, NUL-terminated
 * @ret: (out) free with ptu_vmas_deinit(); untouched on failure
 *
 * Mappings in the kernel half, such as the vsyscall page, are kept: they start at
 * or above 2^63.
 *
 * Return: 0; -EINVAL for a line that is not understood, with its number; -EAGAIN
 * for mappings that overlap or are out of order, with the line number: the kernel
 * shows this if mappings change between two reads; -ENOMEM.
 * Source: fs/proc/task_mmu.c, show_map_vma(), show_smap(),
 * show_smap_vma_flags() (6.1).
 */
ptu_must_check int ptu_maps_parse(const char *text, struct ptu_vmas *ret,
				  struct ptu_err *err);

/**
 * ptu_maps_begin() - Begin to parse a long file in pieces.
 *
 * Return: the state for ptu_maps_end() or ptu_maps_cancel(); NULL if out of memory.
 */
struct ptu_maps_parser *ptu_maps_begin(void);

/**
 * ptu_maps_take() - Parse the next piece.
 * @text: (in) whole lines, NUL-terminated
 *
 * Return: as ptu_maps_parse(); after a failure call only ptu_maps_cancel().
 */
ptu_must_check int ptu_maps_take(struct ptu_maps_parser *parser,
				 const char *text, struct ptu_err *err);

/**
 * ptu_maps_end() - Finish parsing and free @parser.
 * @ret: (out) as in ptu_maps_parse()
 *
 * Return: as ptu_maps_parse().
 */
ptu_must_check int ptu_maps_end(struct ptu_maps_parser *parser,
				struct ptu_vmas *ret, struct ptu_err *err);

void ptu_maps_cancel(struct ptu_maps_parser *parser);

#endif
