/* SPDX-License-Identifier: GPL-2.0-only */
/* Layouts of memory, and the entries of page tables that they need. */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

/*
 * Far from program, heap and stack.  With pages of 4 and of 16 KiB, a PTE table and a PMD table
 * begin here.
 */
#define BASE TIB

/* Levels of entries, from the lowest; a table of the level has such entries. */
enum { PTE, PMD, PUD, P4D, NR_LEVELS };

extern const char *const level_names[NR_LEVELS];

enum kind {
	SEEN,	   /* the estimate must have the table */
	EMPTY,	   /* only PAGEMAP_SCAN shows it */
	DEPOSITED, /* a PTE table kept for the split of a huge page */
};

struct note {
	uint64_t addr;
	unsigned int level;
	enum kind kind;
};

/* Written by the child, read by its parent. */
struct shared {
	unsigned int nr;
	struct note notes[256];
	char why[200]; /* not empty: the layout was not built */
};

extern struct shared *shared;

struct layout {
	const char *name;
	void (*build)(uint64_t arg);
	uint64_t arg;
	bool forked; /* measure children that are forked before and after it is built */
	bool vague; /* without PAGEMAP_SCAN, the estimate has its deposited tables as possible PTE tables */
	/* NULL, or a line of smaps_rollup and the value that it must have */
	const char *line;
	uint64_t (*line_bytes)(uint64_t arg);
	const char *(*missing)(uint64_t arg);
	/* NULL, or the used entries of the PTE tables of the mappings at BASE */
	uint64_t (*entries)(uint64_t arg);
};

extern unsigned int address_bits;
extern uint64_t page;
extern const struct layout layouts[];
extern const unsigned int nr_layouts;

/* Of 10 PTE tables, 4 become empty. A second mapping has an empty PTE and PMD table. */
void build_dontneed(uint64_t arg);

/**
 * shift() - log2 of the bytes that one entry of the level maps.
 */
unsigned int shift(unsigned int level);

uint64_t entry_bytes(unsigned int level);

/**
 * level_exists() - Does the level have tables that are not the PGD?
 */
bool level_exists(unsigned int level);

#endif
