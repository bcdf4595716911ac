/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of commands and options, used for parsing, for checking combinations,
 * and for --help.
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
/* they take --truth both */
#define PTU_BOTH_SIDES (1u << PTU_CMD_CHECK | PTU_RECORDS)
/* they take PID ADDR-END; not those with --pages */
#define PTU_PAGES (1u << PTU_CMD_COW | 1u << PTU_CMD_FLAGS)
#define PTU_FRAMES (1u << PTU_CMD_KPAGEMAP)
#define PTU_FOOTPRINTS (1u << PTU_CMD_FOOTPRINT)
#define PTU_TOPS (1u << PTU_CMD_TOP)
#define PTU_MAPS (1u << PTU_CMD_MAP)
/* about tables that can be given back */
#define PTU_GIVES (1u << PTU_CMD_WHATIF | 1u << PTU_CMD_RECLAIM)
#define PTU_WATCHES (1u << PTU_CMD_WATCH)
/* they take -- COMMAND */
#define PTU_RUNS (PTU_MEASURES | PTU_WATCHES)
#define PTU_DIFFS (1u << PTU_CMD_DIFF)
#define PTU_EXPORTS (1u << PTU_CMD_EXPORT)
#define PTU_SYSTEMS (1u << PTU_CMD_SYSTEM)
#define PTU_SCORES (1u << PTU_CMD_SCORE)
#define PTU_WITHOUT_PROCESSES                                     \
	(1u << PTU_CMD_LOAD | 1u << PTU_CMD_UNLOAD | PTU_FRAMES | \
	 PTU_SYSTEMS | PTU_EXPORTS)
#define PTU_SHOWS                                                            \
	(PTU_MEASURES | PTU_PAGES | PTU_FRAMES | PTU_FOOTPRINTS | PTU_TOPS | \
	 PTU_MAPS | PTU_SYSTEMS | PTU_SCORES | PTU_DIFFS | PTU_GIVES)

/**
 * struct ptu_command_row - a command
 * @name: its name
 * @usage: text after "ptaudit ", one line per form
 * @summary: its purpose, one line
 * @status: meaning of exit status 1, or NULL if it does not occur
 * @columns: prints the columns of its table, one per line, or NULL
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
 * @name: long name, after --
 * @letter: letter, after -, or 0
 * @argument: placeholder for its argument in --help, or NULL if it has none
 * @goes_with: commands that accept it, as bits
 * @at: offset in struct ptu_options of a const char * if it has an argument, else
 *	of a bool
 * @take: parses the argument instead, or NULL
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

/* At least the number of options. */
#define PTU_MAX_OPTIONS 64

/* Values of --truth by enum ptu_side_choice, NULL-terminated. */
extern const char *const ptu_side_words[];

/* Indexed by enum ptu_command. */
extern const struct ptu_command_row ptu_command_table[PTU_NR_COMMANDS];

extern const struct ptu_option_row ptu_option_table[];
extern const size_t ptu_nr_options;

/**
 * ptu_option_take() - Set the member of an option.
 * @argument: (in) ignored if the option has none
 *
 * Return: 0; -EINVAL the argument is invalid.
 */
int ptu_option_take(struct ptu_options *options,
		    const struct ptu_option_row *row, const char *argument,
		    struct ptu_err *err);

#endif
