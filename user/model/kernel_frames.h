/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Map the flags of kpageflags to bits of the kernel's own flags word, by the flag
 * names of the running kernel.  Pure.
 */
#ifndef PTU_MODEL_KERNEL_FRAMES_H
#define PTU_MODEL_KERNEL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PTU_KPAGEMAP_BITS 64
#define PTU_KPAGEMAP_NAME 32
/* Enough for every kernel. Several names may share a bit. */
#define PTU_KPAGEMAP_NAMES 128

/**
 * struct ptu_kpagemap_names - contents of the module's file `kpagemap_flags`
 * @names: [nr_names] the kernel's names, without PG_
 */
struct ptu_kpagemap_names {
	struct {
		unsigned int bit;
		char name[PTU_KPAGEMAP_NAME];
	} names[PTU_KPAGEMAP_NAMES];
	size_t nr_names;
};

/**
 * enum ptu_kpagemap_rule - the page whose flags word kpageflags shows
 * @PTU_KPAGEMAP_LEFT_OUT: none: the flag is not derived from the flags word
 * @PTU_KPAGEMAP_COPY: the page; or the head, for all tail pages. It depends on the
 *	kernel, see ptu_kpagemap.tails.
 * @PTU_KPAGEMAP_OWN: the page; for hugetlb pages as PTU_KPAGEMAP_COPY
 * @PTU_KPAGEMAP_HEAD: the head
 * @PTU_KPAGEMAP_EITHER: the page or the head
 * @PTU_KPAGEMAP_NOT_TAIL: the page; tail pages are not compared
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
 * struct ptu_kpagemap_flag - one flag of kpageflags on the running kernel
 * @rule: the page that it is read from
 * @pg: the kernel's name of the flag, or NULL
 * @bits: bits of the flags word that must all be set; 0: left out
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
 * Return: 0; -EPROTO if a line has another form or there is no line.
 */
ptu_must_check int ptu_kpagemap_names_parse(const char *text,
					    struct ptu_kpagemap_names *ret,
					    struct ptu_err *err);

/**
 * ptu_kpagemap_flags() - The flags of kpageflags on a kernel with these names.
 * @ret: (out) indexed by the bit number in kpageflags
 */
void ptu_kpagemap_flags(const struct ptu_kpagemap_names *names,
			struct ptu_kpagemap_flag ret[PTU_KPAGEMAP_BITS]);

/* The layout of `kpagemap`: a header, then one entry per page frame. */
#define PTU_KPAGEMAP_HEADER_BYTES 16
#define PTU_KPAGEMAP_ENTRY_BYTES 16
/* Value of both words if the frame has no page. */
#define PTU_KPAGEMAP_HOLE UINT64_MAX

/**
 * struct ptu_frame - the data of one page frame
 * @flags: flags word from `kpagemap`
 * @count: reference count from `kpagemap`
 * @kpf: flags from kpageflags
 * @mapcount: map count from kpagecount
 */
struct ptu_frame {
	uint64_t flags;
	uint64_t count;
	uint64_t kpf;
	uint64_t mapcount;
};

/**
 * ptu_kpagemap_check_header() - Does the file have the layout of kpagemap, and this
 *	machine's byte order and sizes?
 *
 * Return: 0; -EPROTO with a sentence.
 */
ptu_must_check int
ptu_kpagemap_check_header(const uint8_t bytes[PTU_KPAGEMAP_HEADER_BYTES],
			  uint64_t page_bytes, struct ptu_err *err);

#endif
