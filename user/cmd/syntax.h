/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands and options, a row each: what the command line is read by, what is
 * checked to go together, and what --help shows.
 */
#ifndef PTU_CMD_SYNTAX_H
#define PTU_CMD_SYNTAX_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "cmd/options.h"

/* Sets of commands, as bits. */
#define PTU_MEASURES (1u << PTU_CMD_CHECK | 1u << PTU_CMD_ESTIMATE)
#define PTU_RECORDS (1u << PTU_CMD_RECORD)
#define PTU_PAGES (1u << PTU_CMD_COW | 1u << PTU_CMD_FLAGS)
#define PTU_FRAMES (1u << PTU_CMD_KPAGEMAP)
#define PTU_FOOTPRINTS (1u << PTU_CMD_FOOTPRINT)
#define PTU_TOPS (1u << PTU_CMD_TOP)
#define PTU_MAPS (1u << PTU_CMD_MAP)
#define PTU_GIVES (1u << PTU_CMD_WHATIF | 1u << PTU_CMD_RECLAIM)
#define PTU_WATCHES (1u << PTU_CMD_WATCH)
#define PTU_DIFFS (1u << PTU_CMD_DIFF)
#define PTU_EXPORTS (1u << PTU_CMD_EXPORT)
#define PTU_SYSTEMS (1u << PTU_CMD_SYSTEM)
#define PTU_SCORES (1u << PTU_CMD_SCORE)
/* Commands whose JSON can have chosen columns alone. */
#define PTU_CHOOSES \
	(PTU_TOPS | PTU_MAPS | PTU_FOOTPRINTS | PTU_SYSTEMS | 1u << PTU_CMD_COW)
#define PTU_SHOWS                                                            \
	(PTU_MEASURES | PTU_PAGES | PTU_FRAMES | PTU_FOOTPRINTS | PTU_TOPS | \
	 PTU_MAPS | PTU_SYSTEMS | PTU_SCORES | PTU_DIFFS)

/**
 * struct ptu_command_row - a command
 * @name: its name
 * @usage: what follows "ptaudit ", a line for each way to call it
 * @summary: what it does, one line
 * @status: what the exit status 1 means, or NULL: it has none
 * @columns: prints the columns of its table, a line each, or NULL
 */
struct ptu_command_row {
	const char *name;
	const char *usage;
	const char *summary;
	const char *status;
	void (*columns)(FILE *out);
};

/**
 * struct ptu_option_row - an option
 * @name: after --
 * @letter: after -, or 0
 * @argument: what --help calls its argument, or NULL: it has none
 * @goes_with: the commands that take it, as bits
 * @at: where it goes in struct ptu_options: a const char * if it has an
 *	argument, else a bool
 * @take: reads the argument instead, or NULL
 * @help: one line
 */
struct ptu_option_row {
	const char *name;
	char letter;
	const char *argument;
	unsigned int goes_with;
	size_t at;
	int (*take)(struct ptu_options *options, const char *argument,
		    struct ptu_err *err);
	const char *help;
};

/* No fewer than there are. */
#define PTU_MAX_OPTIONS 64

/* What --truth takes, by enum ptu_side_choice, NULL-terminated. */
extern const char *const ptu_side_words[];

/* By enum ptu_command. */
extern const struct ptu_command_row ptu_command_table[PTU_NR_COMMANDS];

extern const struct ptu_option_row ptu_option_table[];
extern const size_t ptu_nr_options;

#endif
