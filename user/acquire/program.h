/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An estimator provided by the user: an executable that gets a PID and prints one
 * line per table, `level address` ("pte 0x7f0000000000").
 */
#ifndef PTU_ACQUIRE_PROGRAM_H
#define PTU_ACQUIRE_PROGRAM_H

#include <sys/types.h>

#include "base/err.h"

/* Time limit of a program.  With --freeze, the process is stopped while the program runs. */
#define PTU_PROGRAM_MOST_S 60u

/* Limit of its output: 3.5 million lines like "pte 0x7f0000000000". */
#define PTU_PROGRAM_MOST_BYTES ((size_t)64 << 20)

/**
 * ptu_program_run() - Run the program for a process.
 * @path: (in) path of the executable
 * @most_s: (in) seconds after which it is killed
 * @ret: (out) its output, NUL-terminated; free() it
 *
 * Return: 0; -ECHILD it could not be run, failed, was killed, took too long,
 * printed too much or a NUL; -ENOMEM.
 */
ptu_must_check int ptu_program_run(const char *path, pid_t pid,
				   unsigned int most_s, char **ret,
				   struct ptu_err *err);

#endif
