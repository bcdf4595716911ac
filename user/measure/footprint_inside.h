/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does only the set map its shared memory?
 *
 * A page that a process maps after it was read has more mappings than were seen.  So its map
 * count does not show that they are all in the set. But if no other process maps the file, all
 * of them are.  This is certain only for files of the kernel's internal mount, see
 * ptu_shmem_internal().
 */
#ifndef PTU_MEASURE_FOOTPRINT_INSIDE_H
#define PTU_MEASURE_FOOTPRINT_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/footprint.h"
#include "model/vma.h"
#include "report/footprint.h"

/**
 * struct ptu_footprint_files - files of the internal mount that the set maps
 * @has_device: @device is known
 * @device: of the internal mount, as ptu_vma.device
 * @inodes: [nr]
 */
struct ptu_footprint_files {
	bool has_device;
	uint64_t device;
	uint64_t *inodes;
	size_t nr;
	size_t capacity;
};

/**
 * ptu_footprint_files_begin() - Start without files.
 * @ret: (out) free with ptu_footprint_files_deinit()
 */
void ptu_footprint_files_begin(struct ptu_footprint_files *ret);

/**
 * ptu_footprint_files_add() - Add the file of a mapping, if it is on the internal mount.
 * @ret: (out) whether it is
 *
 * Return: 0; -ENOMEM.
 */
ptu_must_check int ptu_footprint_files_add(struct ptu_footprint_files *files,
					   const struct ptu_vma *vma,
					   bool *ret);

/**
 * ptu_footprint_files_inside() - Compare with the mappings of all other processes.
 * @report: (in) the processes of the set
 * @files: (in, out) their files, which are sorted
 *
 * Return: true if no other process maps one of the files; false also if another process
 * could not be read, or if /proc does not show all processes.
 */
bool ptu_footprint_files_inside(const struct ptu_footprint_report *report,
				const struct ptu_footprint_ask *ask,
				struct ptu_footprint_files *files);

void ptu_footprint_files_deinit(struct ptu_footprint_files *files);

#endif
