/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes for mutations: the kernel's tables, the mappings, and an estimator's claims,
 * which were derived by hand.  Unchanged, each must end with exit status 0.  Mappings
 * are as short as their content allows; they are wide where the surviving mutants are of
 * interest.
 */
#ifndef IMAGES_H
#define IMAGES_H

#include "build.h"
#include "levels.h"

#define A UINT64_C(0x7f0000000000)
#define B (A + 16 * GIB) /* another PMD table than that of A maps it */
#define C (A - TIB)	 /* another PUD table than that of A maps it */

struct image {
	const char *name;
	unsigned int nr_levels;
	bool pti;
	unsigned int blind;
	bool counts; /* the estimator counts the entries of a PTE table */
	void (*put)(struct build *b, struct ptu_tables *claims);
};

/* A PTE table that both sides have. */
static inline struct ptaudit_table *known(struct build *b,
					  struct ptu_tables *claims,
					  uint64_t addr, unsigned int present)
{
	build_claim(claims, &b->geo, PTE, addr, PTU_CERTAIN);
	return build_pte(b, addr, present);
}

/* Leaves that both sides have. */
static inline struct ptaudit_table *known_leaves(struct build *b,
						 struct ptu_tables *claims,
						 unsigned int level,
						 uint64_t addr, unsigned int nr)
{
	uint64_t bytes = level == PUD ? GIB : 2 * MIB;

	for (unsigned int i = 0; i < nr; i++)
		build_claim(claims, &b->geo, level, addr + i * bytes, PTU_LEAF);
	return build_entries(b, level, addr, nr, PTAUDIT_K_LEAF, 0);
}

static inline void put_dense(struct build *b, struct ptu_tables *claims)
{
	struct ptaudit_table *mixed = known(b, claims, A + 12 * MIB, 5);

	mixed->swap = 7;
	mixed->migration = 1;
	known(b, claims, A, 512);
	known(b, claims, A + 2 * MIB, 512);
	known(b, claims, A + 4 * MIB, 512);
	known(b, claims, A + 10 * MIB, 1);
	/* last slot of a PMD table, lowest and highest address of user space */
	known(b, claims, A + 4 * GIB - 2 * MIB, 2);
	known(b, claims, 0, 1);
	known(b, claims, UINT64_C(0x7fffffe00000), 3);
	build_map(b, 0, 4 * KIB, 0);
	build_map(b, A, A + 14 * MIB, 0);
	build_map(b, A + 4 * GIB - 2 * MIB, A + 4 * GIB, 0);
	build_map(b, UINT64_C(0x7fffffff0000), UINT64_C(0x7ffffffff000), 0);
}

static inline void put_empties(struct build *b, struct ptu_tables *claims)
{
	known(b, claims, A, 1);
	build_pte(b, A + 2 * MIB, 0);
	build_pte(b, A + 4 * MIB, 0);
	build_pte(b, A + 8 * MIB, 0);
	/* hollow: above empty tables, and without any child */
	build_pte(b, B, 0);
	build_pte(b, B + 6 * MIB, 0);
	build_pte(b, C, 0);
	build_table(b, PMD, C + GIB);
	/* entries without a mapping */
	build_entries(b, PMD, A + 5 * GIB, 2, PTAUDIT_K_UNWALKED, 0);
	build_map(b, A, A + 6 * MIB, 0);
	build_map(b, A + 8 * MIB, A + 8 * MIB + 4 * KIB, 0);
	build_map(b, A + 5 * GIB + 4 * MIB, A + 5 * GIB + 5 * MIB, 0);
	build_map(b, B, B + 8 * MIB, 0);
	build_map(b, C, C + 4 * KIB, 0);
	build_map(b, C + GIB, C + GIB + 4 * KIB, 0);
}

static inline void put_huge(struct build *b, struct ptu_tables *claims)
{
	struct ptaudit_table *hugetlb;

	known(b, claims, A, 512);
	known_leaves(b, claims, PMD, A + 16 * MIB, 3);
	/* a possible claim for a table and for a leaf; a migrating leaf */
	build_pte(b, A + 2 * MIB, 512);
	build_claim(claims, &b->geo, PTE, A + 2 * MIB, PTU_POSSIBLE);
	build_entries(b, PMD, A + 40 * MIB, 1, PTAUDIT_K_LEAF, 0);
	build_claim(claims, &b->geo, PTE, A + 40 * MIB, PTU_POSSIBLE);
	build_entries(b, PMD, A + 60 * MIB, 1, PTAUDIT_K_MIGRATION, 0);
	build_claim(claims, &b->geo, PMD, A + 60 * MIB, PTU_LEAF);
	build_table(b, PMD, A)->deposited = 5;
	/* hugetlb: shared; of 1 GiB; and a migrating page, which no file shows */
	hugetlb = known_leaves(b, claims, PMD, A + GIB, 2);
	hugetlb->flags = PTAUDIT_T_HUGETLB;
	hugetlb->sharers = 2;
	known_leaves(b, claims, PUD, A + 2 * GIB, 1);
	build_entries(b, PMD, A + 6 * GIB, 1, PTAUDIT_K_MIGRATION, 0)->flags =
		PTAUDIT_T_HUGETLB;
	/* memory of a device */
	build_pte(b, B, 4)->pfnmap = 4;
	build_entries(b, PMD, B + 8 * MIB, 2, PTAUDIT_K_LEAF, PTAUDIT_T_PFNMAP);
	build_map(b, A, A + 64 * MIB, PTU_VM_HUGE);
	build_map(b, A + GIB, A + GIB + 4 * MIB, PTU_VM_HUGETLB);
	build_map(b, A + 2 * GIB, A + 3 * GIB, PTU_VM_HUGETLB);
	build_map(b, A + 6 * GIB, A + 6 * GIB + 2 * MIB, PTU_VM_HUGETLB);
	build_map(b, B, B + 16 * KIB, PTU_VM_PFNMAP);
	build_map(b, B + 8 * MIB, B + 12 * MIB, PTU_VM_PFNMAP);
}

/* For an estimator that finds neither leaves nor markers. */
static inline void put_naive(struct build *b, struct ptu_tables *claims)
{
	struct ptaudit_table *markers = build_pte(b, A + 2 * MIB, 0);

	markers->guard = 2;
	markers->uffd_wp = 3;
	build_pte(b, B, 0)->guard = 1;
	known(b, claims, A, 512);
	build_entries(b, PMD, A + 8 * MIB, 2, PTAUDIT_K_LEAF, 0)->deposited = 2;
	build_claim(claims, &b->geo, PTE, A + 8 * MIB, PTU_CERTAIN);
	build_claim(claims, &b->geo, PTE, A + 10 * MIB, PTU_CERTAIN);
	build_entries(b, PUD, A + 2 * GIB, 1, PTAUDIT_K_LEAF, 0);
	build_claim(claims, &b->geo, PTE, A + 2 * GIB, PTU_CERTAIN);
	build_claim(claims, &b->geo, PTE, A + 2 * GIB + 6 * MIB, PTU_CERTAIN);
	build_map(b, A, A + 2 * MIB + 20 * KIB, 0);
	build_map(b, A + 8 * MIB, A + 12 * MIB, 0);
	build_map(b, A + 2 * GIB, A + 3 * GIB, PTU_VM_HUGETLB);
	build_map(b, B, B + 4 * KIB, 0);
}

static inline void put_ldt(struct build *b, struct ptu_tables *claims)
{
	known(b, claims, A, 9);
	known(b, claims, A + 2 * MIB, 512);
	build_pte(b, LDT_4, 16);
	build_map(b, A, A + 4 * MIB, 0);
}

static inline void put_five(struct build *b, struct ptu_tables *claims)
{
	const uint64_t far = UINT64_C(1) << 52;

	known(b, claims, A, 9);
	known(b, claims, UINT64_C(0xffffffffe00000), 1);
	known_leaves(b, claims, PMD, A + 6 * MIB, 2)->deposited = 2;
	build_pte(b, far, 0);
	build_pte(b, far + 600 * GIB, 0);
	build_pte(b, LDT_5, 16);
	build_map(b, A, A + 2 * MIB, 0);
	build_map(b, A + 6 * MIB, A + 10 * MIB, 0);
	build_map(b, far, far + 4 * KIB, 0);
	build_map(b, far + 600 * GIB, far + 600 * GIB + 4 * KIB, 0);
	build_map(b, UINT64_C(0xffffffffe00000), UINT64_C(0xfffffffffff000), 0);
}

/* For an estimator that sees empty tables, but not always for certain. */
static inline void put_written(struct build *b, struct ptu_tables *claims)
{
	known(b, claims, A, 1);
	known(b, claims, A + 2 * MIB, 0);
	known(b, claims, A + 6 * MIB, 0);
	known(b, claims, B, 0);
	build_pte(b, C, 0);
	build_claim(claims, &b->geo, PTE, C, PTU_MAYBE);
	build_claim(claims, &b->geo, PTE, C + GIB, PTU_MAYBE);
	/* tables in places where the estimator cannot see them */
	build_pte(b, B + GIB, 0);
	build_pte(b, B + GIB + 2 * MIB, 3)->pfnmap = 3;
	build_map(b, A, A + 16 * MIB, 0);
	build_map(b, B, B + 16 * MIB, 0);
	build_map(b, B + GIB, B + GIB + 2 * MIB + 12 * KIB, PTU_VM_PFNMAP);
	build_map(b, C, C + 2 * MIB, PTU_VM_UFFD_WP);
	build_map(b, C + GIB, C + GIB + 2 * MIB, PTU_VM_UFFD_WP);
}

#define NONE (1u << PTAUDIT_K_NONE)

static const struct image images[] = {
	{ "dense", 4, false, NONE, true, put_dense },
	{ "dense, uncounted", 4, false, NONE, false, put_dense },
	{ "empties", 4, false, NONE, true, put_empties },
	{ "huge", 4, false, NONE, true, put_huge },
	{ "naive", 4, false,
	  NONE | 1u << PTAUDIT_K_LEAF | 1u << PTAUDIT_K_UFFD_WP |
		  1u << PTAUDIT_K_GUARD,
	  false, put_naive },
	{ "ldt", 4, true, NONE, true, put_ldt },
	{ "five", 5, true, NONE, true, put_five },
	{ "written", 4, false, 0, true, put_written },
};

#define NR_IMAGES (sizeof(images) / sizeof(images[0]))

#endif
