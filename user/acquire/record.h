/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write all data that the tool reads of a process into a directory. Commands can be
 * run again on it, elsewhere and later.
 */
#ifndef PTU_ACQUIRE_RECORD_H
#define PTU_ACQUIRE_RECORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "acquire/kernel_side.h"
#include "acquire/record_dir.h"
#include "acquire/record_frames.h"
#include "acquire/redact.h"
#include "base/err.h"
#include "model/geometry.h"

/**
 * struct ptu_record - a recording in progress
 * @dir: its directory
 * @geo: the machine's geometry
 * @side: source of the recorded walks; none if .which is PTU_SIDE_AUTO
 * @without: the reason why there are no walks
 * @is_redacted: paths and page frame numbers are replaced
 * @redact: their replacements
 * @frames: page frames of the processes
 */
struct ptu_record {
	struct ptu_record_dir dir;
	const struct ptu_geometry *geo;
	struct ptu_kernel_side side;
	struct ptu_err without;
	bool is_redacted;
	struct ptu_redact redact;
	struct ptu_record_frames frames;
};

/**
 * ptu_record_begin() - Make the directory, and write the files about the machine.
 * @dir: (in) must not exist, or be empty
 * @choice: (in) which walks to record; with PTU_SIDE_AUTO they are optional
 * @is_redacted: (in) replace paths and page frame numbers
 * @with_pages: (in) record flags and counts of all present pages
 * @ret: (out) end with ptu_record_end() or ptu_record_undo()
 *
 * Return: 0; -ENOTEMPTY; -EPERM the reader may not see page frame numbers; -errno.
 */
ptu_must_check int
ptu_record_begin(const char *dir, const struct ptu_geometry *geo,
		 enum ptu_side_choice choice, bool is_redacted, bool with_pages,
		 struct ptu_record *ret, struct ptu_err *err);

/**
 * ptu_record_add() - Record one more process.
 *
 * Return: 0; -ESRCH it ended; -EACCES no permission to read it; -EAGAIN its mappings kept
 * changing; -errno. After an error nothing of the process is left in the recording.
 */
ptu_must_check int ptu_record_add(struct ptu_record *record, pid_t pid,
				  struct ptu_err *err);

/**
 * ptu_record_end() - Complete the recording.
 *
 * Return: 0 all of it is on disk; -errno, and the recording is removed.
 */
ptu_must_check int ptu_record_end(struct ptu_record *record,
				  struct ptu_err *err);

/**
 * ptu_record_undo() - Remove the recording.
 */
void ptu_record_undo(struct ptu_record *record);

#endif
