// SPDX-License-Identifier: LGPL-2.1-or-later
/* Replace paths and page frames by numbers; must not read or write files. */
#define _GNU_SOURCE /* tdestroy() */
#include "acquire/redact.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/absent.h"
#include "model/pagemap.h"
#include "module/ptaudit_abi.h"

#define DELETED " (deleted)"

struct block {
	uint64_t block;
	uint64_t number;
};

struct path {
	uint64_t number;
	char text[];
};

static int by_block(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

static int by_text(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Takes ownership of @key.  Return: its replacement, or NULL. */
static void *number_of(struct ptu_redact *redact, void *key, void **root,
		       int (*compare)(const void *, const void *))
{
	void **found = key ? tsearch(key, root, compare) : NULL;

	if (!found)
		redact->error = -ENOMEM;
	if (!found || *found != key)
		free(key);
	return found ? *found : NULL;
}

uint64_t ptu_redact_pfn(struct ptu_redact *redact, uint64_t pfn)
{
	const uint64_t block_pages = redact->block_pages;
	struct block *block;

	if (!pfn)
		return 0;
	block = malloc(sizeof(*block));
	if (block)
		*block = (struct block){ pfn / block_pages,
					 redact->nr_blocks + 1 };
	block = number_of(redact, block, &redact->blocks, by_block);
	if (!block)
		return 0;
	if (block->number > redact->nr_blocks)
		redact->nr_blocks = block->number;
	return block->number * block_pages + pfn % block_pages;
}

static uint64_t path_number(struct ptu_redact *redact, const char *text,
			    size_t length)
{
	struct path *path = malloc(sizeof(*path) + length + 1);

	if (path) {
		path->number = redact->nr_paths + 1;
		memcpy(path->text, text, length);
		path->text[length] = '\0';
	}
	path = number_of(redact, path, &redact->paths, by_text);
	if (!path)
		return 0;
	if (path->number > redact->nr_paths)
		redact->nr_paths = path->number;
	return path->number;
}

/* Start of the name in a line that describes a mapping, else NULL. */
static const char *find_name(const char *line, const char *end)
{
	const char *at = line;
	unsigned int field;

	/* start-end perms offset device inode; keys of smaps have no '-' there */
	at += strspn(at, "0123456789abcdef");
	if (at == line || *at != '-')
		return NULL;
	for (field = 0; field < 5; field++) {
		at += strcspn(at, " \n");
		at += strspn(at, " ");
	}
	return at < end ? at : NULL;
}

/*
 * The part of a path that is kept.  A name that the kernel gave tells what is mapped.
 * @ret_is_whole: (out) nothing of the path is replaced
 * Source: mm/shmem.c, shmem_zero_setup(); include/linux/hugetlb.h, HUGETLB_ANON_FILE;
 * mm/memfd.c, MFD_NAME_PREFIX; ipc/shm.c, newseg() (7.3).
 */
static const char *kept_part(const char *path, size_t length,
			     bool *ret_is_whole)
{
	static const struct {
		const char *text;
		bool is_whole;
	} names[] = { { "/dev/zero", true },
		      { "/anon_hugepage", true },
		      { "/memfd:", false },
		      { "/SYSV", false } };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t kept = strlen(names[i].text);

		*ret_is_whole = names[i].is_whole;
		if (!strncmp(path, names[i].text, kept) &&
		    (length == kept || !names[i].is_whole))
			return names[i].text;
	}
	*ret_is_whole = false;
	return "/redacted/";
}

static void write_name(struct ptu_redact *redact, const char *name,
		       const char *end, FILE *out)
{
	static const char anon[] = "[anon";
	size_t length = (size_t)(end - name), mark = sizeof(DELETED) - 1;
	const char *colon = memchr(name, ':', length);

	if (*name == '/') {
		bool deleted = length > mark &&
			       !memcmp(end - mark, DELETED, mark);
		bool is_whole;

		if (deleted)
			length -= mark;
		fputs(kept_part(name, length, &is_whole), out);
		if (!is_whole)
			fprintf(out, "%" PRIu64,
				path_number(redact, name, length));
		fputs(deleted ? DELETED : "", out);
	} else if (colon && !strncmp(name, anon, sizeof(anon) - 1)) {
		fprintf(out, "%.*s%" PRIu64 "]", (int)(colon + 1 - name), name,
			path_number(redact, name, length));
	} else {
		fwrite(name, 1, length, out);
	}
}

int ptu_redact_maps(struct ptu_redact *redact, const char *text, char **ret)
{
	size_t bytes;
	FILE *out = open_memstream(ret, &bytes);

	if (!out)
		return -ENOMEM;
	while (*text) {
		const char *end = strchrnul(text, '\n');
		const char *name = find_name(text, end);

		fwrite(text, 1, (size_t)((name ? name : end) - text), out);
		if (name)
			write_name(redact, name, end, out);
		if (*end)
			fputc(*end++, out);
		text = end;
	}
	/* if memory is short, fclose() may leave NULL without an error */
	if (fclose(out) || !*ret)
		redact->error = -ENOMEM;
	if (redact->error)
		free(*ret);
	return redact->error;
}

void ptu_redact_pagemap(struct ptu_redact *redact, uint64_t *words,
			size_t nr_words)
{
	size_t i;

	for (i = 0; i < nr_words; i++) {
		unsigned int shift = 0;
		uint64_t pfn;

		if (words[i] & PTU_PM_SWAP) {
			/* the others have no PFN, but a swap offset or a marker */
			if (ptu_absent_kind(words[i]) != PTU_ABSENT_MOVING)
				continue;
			shift = PTU_PM_OFFSET_SHIFT;
		} else if (!(words[i] & PTU_PM_PRESENT)) {
			continue;
		}
		pfn = (words[i] & PTU_PM_PFN_MASK) >> shift;
		words[i] += (ptu_redact_pfn(redact, pfn) - pfn) << shift;
	}
}

int ptu_redact_walk(struct ptu_redact *redact, char *bytes, size_t nr_bytes)
{
	struct ptaudit_header header;
	struct ptaudit_table record;
	size_t at;

	if (nr_bytes < PTAUDIT_HEADER_SIZE_VER0)
		return -EBADMSG;
	memcpy(&header, bytes, PTAUDIT_HEADER_SIZE_VER0);
	if (header.record_size < sizeof(record))
		return -EBADMSG;
	for (at = header.header_size; at + header.record_size <= nr_bytes;
	     at += header.record_size) {
		memcpy(&record, bytes + at, sizeof(record));
		record.pfn = ptu_redact_pfn(redact, record.pfn);
		memcpy(bytes + at, &record, sizeof(record));
	}
	return redact->error;
}

void ptu_redact_deinit(struct ptu_redact *redact)
{
	tdestroy(redact->blocks, free);
	tdestroy(redact->paths, free);
	memset(redact, 0, sizeof(*redact));
}
