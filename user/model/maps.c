// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse the text of maps and smaps.  Pure: a line that is not understood is an
 * error.
 */
#include "model/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"

/* Sizes of smaps that are stored, and the keys that every VMA must have. */
enum size_key {
	KEY_SIZE,
	KEY_KERNEL_PAGE,
	KEY_RSS,
	KEY_PSS,
	KEY_SWAP,
	KEY_ANON_HUGE,
	KEY_SHMEM_HUGE,
	KEY_FILE_HUGE,
	KEY_PRIVATE_HUGETLB,
	NR_SIZE_KEYS
};

static const char *const size_keys[NR_SIZE_KEYS] = {
	[KEY_SIZE] = "Size",
	[KEY_KERNEL_PAGE] = "KernelPageSize",
	[KEY_RSS] = "Rss",
	[KEY_PSS] = "Pss",
	[KEY_SWAP] = "Swap",
	[KEY_ANON_HUGE] = "AnonHugePages",
	[KEY_SHMEM_HUGE] = "ShmemPmdMapped",
	[KEY_FILE_HUGE] = "FilePmdMapped",
	[KEY_PRIVATE_HUGETLB] = "Private_Hugetlb",
};

#define SEEN_FLAGS (1u << NR_SIZE_KEYS)
#define SEEN_ALL (2 * SEEN_FLAGS - 1)
#define SEEN_ANY (2 * SEEN_FLAGS)

/* Source: fs/proc/task_mmu.c, show_smap_vma_flags() (6.1; sl: 6.10; gu: 7.2; ur: 7.3). */
static const struct {
	char name[3];
	unsigned int flag;
} vm_flags[] = {
	{ "ht", PTU_VM_HUGETLB },  { "pf", PTU_VM_PFNMAP },
	{ "mm", PTU_VM_MIXEDMAP }, { "uw", PTU_VM_UFFD_WP },
	{ "sh", PTU_VM_SHARED },   { "ms", PTU_VM_MAYSHARE },
	{ "gu", PTU_VM_GUARD },	   { "nh", PTU_VM_NOHUGE },
	{ "hg", PTU_VM_HUGE },	   { "um", PTU_VM_UFFD },
	{ "ui", PTU_VM_UFFD },	   { "ur", PTU_VM_UFFD },
	{ "lo", PTU_VM_LOCKED },   { "sl", PTU_VM_SEALED },
};

/**
 * struct ptu_maps_parser - state of the parser
 * @at: next byte of the line
 * @end: the line's newline
 * @line: its number, from 1
 * @is_smaps: the first VMA has detail lines, so all VMAs must have them
 * @seen: [bits] detail lines found for the current VMA
 * @sizes: their sizes in bytes
 */
struct ptu_maps_parser {
	const char *at;
	const char *end;
	unsigned int line;
	bool is_smaps;
	unsigned int seen;
	uint64_t sizes[NR_SIZE_KEYS];
	struct ptu_vmas vmas;
	size_t vmas_capacity;
	struct ptu_names names;
	struct ptu_err *err;
};

static int refuse_as(const struct ptu_maps_parser *p, int error,
		     const char *what)
{
	return ptu_err_set(p->err, error, "maps:%u: %s", p->line, what);
}

static int refuse(const struct ptu_maps_parser *p, const char *what)
{
	return refuse_as(p, -EINVAL, what);
}

static bool take_char(struct ptu_maps_parser *p, char c)
{
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

/* Take one of two characters, such as a letter of rwxp. */
static bool take_either(struct ptu_maps_parser *p, const char *pair, char *ret)
{
	*ret = *p->at;
	return take_char(p, pair[0]) || take_char(p, pair[1]);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return 16;
}

static bool take_number(struct ptu_maps_parser *p, unsigned int base,
			uint64_t *ret)
{
	const char *first = p->at;
	uint64_t value = 0;

	for (; p->at < p->end; p->at++) {
		unsigned int d = (unsigned int)digit(*p->at);

		if (d >= base)
			break;
		if (value > (UINT64_MAX - d) / base)
			return false;
		value = value * base + d;
	}
	*ret = value;
	return p->at > first;
}

static bool take_blanks(struct ptu_maps_parser *p)
{
	const char *first = p->at;

	while (take_char(p, ' '))
		;
	return p->at > first;
}

/* A VMA line starts with a hexadecimal number and a dash; a key never does. */
static bool is_vma_line(const struct ptu_maps_parser *p)
{
	const char *at = p->at;

	while (at < p->end && digit(*at) < 16)
		at++;
	return at > p->at && at < p->end && *at == '-';
}

static void *grow(void *array, size_t *capacity, size_t needed, size_t one)
{
	size_t more = *capacity ? *capacity : 64;
	void *grown;

	if (needed <= *capacity)
		return array;
	while (more < needed) {
		if (more > SIZE_MAX / 2 / one)
			return NULL;
		more *= 2;
	}
	grown = realloc(array, more * one);
	if (grown)
		*capacity = more;
	return grown;
}

static bool take_vma_fields(struct ptu_maps_parser *p, struct ptu_vma *vma)
{
	uint64_t major, minor;

	if (!(take_number(p, 16, &vma->start) && take_char(p, '-') &&
	      take_number(p, 16, &vma->end) && take_char(p, ' ') &&
	      take_either(p, "r-", &vma->perms[0]) &&
	      take_either(p, "w-", &vma->perms[1]) &&
	      take_either(p, "x-", &vma->perms[2]) &&
	      take_either(p, "ps", &vma->perms[3]) && take_char(p, ' ') &&
	      take_number(p, 16, &vma->offset_bytes) && take_char(p, ' ') &&
	      take_number(p, 16, &major) && take_char(p, ':') &&
	      take_number(p, 16, &minor) && take_char(p, ' ') &&
	      take_number(p, 10, &vma->inode) &&
	      (take_blanks(p) || p->at == p->end)))
		return false;
	vma->device = major << 32 | minor;
	return true;
}

static int parse_vma(struct ptu_maps_parser *p)
{
	struct ptu_vmas *vmas = &p->vmas;
	struct ptu_vma vma = { 0 };
	struct ptu_vma *array;
	int error;

	if (!take_vma_fields(p, &vma))
		return refuse(p, "not a line of a mapping");
	if (vma.end <= vma.start)
		return refuse(p, "end is not above start");
	if (vmas->nr_vmas && vma.start < vmas->vmas[vmas->nr_vmas - 1].end)
		return refuse_as(p, -EAGAIN,
				 "mapping overlaps the previous one or is below it");
	array = grow(vmas->vmas, &p->vmas_capacity, vmas->nr_vmas + 1,
		     sizeof(*array));
	if (!array)
		return -ENOMEM;
	vmas->vmas = array;
	error = ptu_names_keep(&p->names, p->at, (size_t)(p->end - p->at),
			       &vma.path);
	if (error)
		return error;
	array[vmas->nr_vmas++] = vma;
	p->seen = 0;
	return 0;
}

/* Check that the detail lines of the current VMA are complete. */
static int finish_vma(struct ptu_maps_parser *p)
{
	struct ptu_vma *vma;

	if (!p->vmas.nr_vmas)
		return 0;
	vma = &p->vmas.vmas[p->vmas.nr_vmas - 1];
	if (p->vmas.nr_vmas == 1)
		p->is_smaps = p->seen != 0;
	if (!p->is_smaps)
		return p->seen ? refuse(p, "unexpected fields of smaps") : 0;
	if ((p->seen & SEEN_ALL) != SEEN_ALL)
		return refuse(p, "the previous mapping lacks fields of smaps");
	if (p->sizes[KEY_SIZE] != vma->end - vma->start)
		return refuse(p,
			      "Size is not the size of the previous mapping");
	vma->has_flags = vma->has_smaps = true;
	vma->kernel_page_bytes = p->sizes[KEY_KERNEL_PAGE];
	vma->rss_bytes = p->sizes[KEY_RSS];
	vma->pss_bytes = p->sizes[KEY_PSS];
	vma->swap_bytes = p->sizes[KEY_SWAP];
	vma->anon_huge_bytes = p->sizes[KEY_ANON_HUGE];
	vma->huge_bytes = p->sizes[KEY_ANON_HUGE] + p->sizes[KEY_SHMEM_HUGE] +
			  p->sizes[KEY_FILE_HUGE];
	vma->private_hugetlb_bytes = p->sizes[KEY_PRIVATE_HUGETLB];
	return 0;
}

static bool mark_seen(struct ptu_maps_parser *p, unsigned int bit)
{
	bool is_new = !(p->seen & bit);

	p->seen |= bit;
	return is_new;
}

static int parse_flags(struct ptu_maps_parser *p)
{
	struct ptu_vma *vma = &p->vmas.vmas[p->vmas.nr_vmas - 1];
	size_t i;

	if (!mark_seen(p, SEEN_FLAGS))
		return refuse(p, "VmFlags twice");
	for (take_blanks(p); p->at < p->end; take_blanks(p)) {
		if (p->end - p->at < 2 || p->at[0] == ' ' || p->at[1] == ' ' ||
		    (p->end - p->at > 2 && p->at[2] != ' '))
			return refuse(p, "flag without two letters");
		for (i = 0; i < sizeof(vm_flags) / sizeof(vm_flags[0]); i++) {
			if (!memcmp(p->at, vm_flags[i].name, 2))
				vma->flags |= vm_flags[i].flag;
		}
		p->at += 2;
	}
	return 0;
}

/* Take "   123 kB"; refuse a size that overflows in bytes. */
static bool take_size(struct ptu_maps_parser *p, uint64_t *ret_bytes)
{
	uint64_t kib;

	take_blanks(p);
	if (!take_number(p, 10, &kib) || kib > UINT64_MAX / 4096 ||
	    !take_char(p, ' ') || !take_char(p, 'k') || !take_char(p, 'B') ||
	    p->at != p->end)
		return false;
	*ret_bytes = kib * 1024;
	return true;
}

static bool is_key_char(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static int parse_key(struct ptu_maps_parser *p)
{
	const char *key = p->at;
	size_t key_bytes;
	size_t i;

	if (!p->vmas.nr_vmas)
		return refuse(p, "not a line of a mapping");
	while (p->at < p->end && is_key_char(*p->at))
		p->at++;
	key_bytes = (size_t)(p->at - key);
	if (!key_bytes || !take_char(p, ':'))
		return refuse(p, "neither a mapping nor a field of smaps");
	/* a line added by a newer kernel also counts as a field */
	p->seen |= SEEN_ANY;
	if (key_bytes == strlen("VmFlags") &&
	    !memcmp(key, "VmFlags", key_bytes))
		return parse_flags(p);
	for (i = 0; i < NR_SIZE_KEYS; i++) {
		if (key_bytes != strlen(size_keys[i]) ||
		    memcmp(key, size_keys[i], key_bytes))
			continue;
		if (!mark_seen(p, 1u << i))
			return refuse(p, "the same field twice");
		if (!take_size(p, &p->sizes[i]))
			return refuse(p, "no size in kB");
		return 0;
	}
	if (!take_blanks(p) || p->at == p->end)
		return refuse(p, "a field without a value");
	return 0;
}

static int parse_line(struct ptu_maps_parser *p)
{
	int error;

	if (!is_vma_line(p))
		return parse_key(p);
	error = finish_vma(p);
	return error ? error : parse_vma(p);
}

struct ptu_maps_parser *ptu_maps_begin(void)
{
	return calloc(1, sizeof(struct ptu_maps_parser));
}

int ptu_maps_take(struct ptu_maps_parser *p, const char *text,
		  struct ptu_err *err)
{
	int error = 0;

	p->err = err;
	for (; *text && !error; text = p->end + 1) {
		p->line++;
		p->at = text;
		p->end = strchr(text, '\n');
		if (!p->end)
			return refuse(p, "last line is cut off");
		error = parse_line(p);
	}
	return error;
}

int ptu_maps_end(struct ptu_maps_parser *p, struct ptu_vmas *ret,
		 struct ptu_err *err)
{
	int error;

	p->err = err;
	error = finish_vma(p);
	if (!error) {
		*ret = p->vmas;
		ret->names = p->names.bytes;
		ret->names_bytes = p->names.nr_bytes;
		p->vmas = (struct ptu_vmas){ 0 };
		p->names.bytes = NULL;
	}
	ptu_maps_cancel(p);
	return error;
}

void ptu_maps_cancel(struct ptu_maps_parser *p)
{
	ptu_vmas_deinit(&p->vmas);
	ptu_names_deinit(&p->names);
	free(p);
}

int ptu_maps_parse(const char *text, struct ptu_vmas *ret, struct ptu_err *err)
{
	struct ptu_maps_parser *p = ptu_maps_begin();
	int error = p ? ptu_maps_take(p, text, err) : -ENOMEM;

	if (!error)
		return ptu_maps_end(p, ret, err);
	if (p)
		ptu_maps_cancel(p);
	return error;
}
