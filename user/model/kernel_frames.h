/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which bit of the kernel's own flags word stands behind which flag of
 * kpageflags, by the names that the running kernel gives.  Pure.
 */
#ifndef PTU_MODEL_KERNEL_FRAMES_H
#define PTU_MODEL_KERNEL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PTU_KPAGEMAP_BITS 64
#define PTU_KPAGEMAP_NAME 32
/* More names than any kernel has: several may share a bit. */
#define PTU_KPAGEMAP_NAMES 128

/**
 * struct ptu_kpagemap_names - `kpagemap_flags` of the module
 * @names: [nr_names] as the kernel has them, without PG_
 */
struct ptu_kpagemap_names {
	struct {
		unsigned int bit;
		char name[PTU_KPAGEMAP_NAME];
	} names[PTU_KPAGEMAP_NAMES];
	size_t nr_names;
};

/**
 * enum ptu_kpagemap_rule - whose flags word kpageflags shows
 * @PTU_KPAGEMAP_LEFT_OUT: not made from the flags word
 * @PTU_KPAGEMAP_COPY: the page's, or for all tail pages the head's: kernels
 *	differ, see ptu_kpagemap.tail_rule
 * @PTU_KPAGEMAP_OWN: the page's; of a hugetlb page as PTU_KPAGEMAP_COPY
 * @PTU_KPAGEMAP_HEAD: the head's
 * @PTU_KPAGEMAP_EITHER: the page's, or else the head's
 * @PTU_KPAGEMAP_NOT_TAIL: the page's; tail pages are not compared
 */
enum ptu_kpagemap_rule {
	PTU_KPAGEMAP_LEFT_OUT,
	PTU_KPAGEMAP_COPY,
	PTU_KPAGEMAP_OWN,
	PTU_KPAGEMAP_HEAD,
	PTU_KPAGEMAP_EITHER,
	PTU_KPAGEMAP_NOT_TAIL,
};

/**
 * struct ptu_kpagemap_flag - what is known of one flag of kpageflags
 * @rule: how it comes about
 * @pg: the name that was found for it, or NULL
 * @bits: of the flags word, all of which have to be set; 0: left out
 * @reason: why it is left out, or NULL
 */
struct ptu_kpagemap_flag {
	enum ptu_kpagemap_rule rule;
	const char *pg;
	uint64_t bits;
	const char *reason;
};

/**
 * ptu_kpagemap_names_parse() - Read "BIT NAME" lines.
 * @ret: (out) untouched on failure
 *
 * Return: 0; -EPROTO a line is not of that form, or there are none.
 */
ptu_must_check int ptu_kpagemap_names_parse(const char *text,
					    struct ptu_kpagemap_names *ret,
					    struct ptu_err *err);

/**
 * ptu_kpagemap_flags() - The flags of kpageflags on a kernel with these names.
 * @ret: (out) by the number that kpageflags gives them
 */
void ptu_kpagemap_flags(const struct ptu_kpagemap_names *names,
			struct ptu_kpagemap_flag ret[PTU_KPAGEMAP_BITS]);

/* The layout of `kpagemap`: a header, then an entry a page frame. */
#define PTU_KPAGEMAP_HEADER_BYTES 16
#define PTU_KPAGEMAP_ENTRY_BYTES 16
/* Both words of an entry where there is no page. */
#define PTU_KPAGEMAP_HOLE UINT64_MAX

/**
 * struct ptu_frame - what is said of one page frame
 * @flags: flags word, as `kpagemap` has it
 * @count: reference count, as `kpagemap` has it
 * @kpf: as kpageflags has it
 * @mapcount: as kpagecount has it
 */
struct ptu_frame {
	uint64_t flags;
	uint64_t count;
	uint64_t kpf;
	uint64_t mapcount;
};

/**
 * ptu_kpagemap_check_header() - Is the file of the layout of 2007, and this
 * machine's?
 *
 * Return: 0; -EPROTO with a sentence.
 */
ptu_must_check int
ptu_kpagemap_check_header(const uint8_t bytes[PTU_KPAGEMAP_HEADER_BYTES],
			  uint64_t page_bytes, struct ptu_err *err);

#endif
