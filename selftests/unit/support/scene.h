/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds one difference for a test, and finds its cause. */
#ifndef SCENE_H
#define SCENE_H

#include "compare/table_causes.h"

#include "build.h"
#include "levels.h"
#include "pipeline.h"
#include "unit.h"

#define A UINT64_C(0x7f0000000000)
#define B (A + 16 * GIB) /* away from the claims at A */
#define C (A - TIB)	 /* below a separate PUD table */
#define SEES_EMPTY s.blind &= ~(1u << PTAUDIT_K_NONE)
#define MARKERS (1u << PTAUDIT_K_UFFD_WP | 1u << PTAUDIT_K_GUARD)

struct scene {
	struct build b; /* the second walk */
	struct build before;
	bool has_before; /* false: the first walk is equal to the second */
	struct ptu_tables claims;
	unsigned int blind;
};

/*
 * Both sides have a table at A + 1 GiB - 2 MiB, and all places are in mappings without
 * flags.
 */
static inline void scene_init(struct scene *s, unsigned int nr_levels)
{
	memset(s, 0, sizeof(*s));
	build_init(&s->b, nr_levels, true);
	build_pte(&s->b, A + GIB - 2 * MIB, 1);
	build_map(&s->b, A, A + 8 * GIB, 0);
	build_map(&s->b, B, B + 8 * GIB, 0);
	build_map(&s->b, C, C + 8 * GIB, 0);
	s->blind = 1u << PTAUDIT_K_NONE;
	build_init(&s->before, nr_levels, true);
	build_pte(&s->before, A + GIB - 2 * MIB, 1);
	build_claim(&s->claims, &s->b.geo, PTE, A + GIB - 2 * MIB, PTU_CERTAIN);
}

/*
 * Explain the differences of the scene, and return the cause of one of them; UNSET if
 * there is no such difference.
 * @ret_wants: (out) the explanation needs the flags of mappings: the tool would read
 *	smaps, and explain again
 */
static inline enum ptu_why scene_explain(struct scene *s, unsigned int level,
					 uint64_t addr, bool leaf,
					 bool *ret_wants)
{
	enum ptu_why why = PTU_WHY_UNSET;
	struct ptu_diff *diff;
	struct pipeline p;

	pipeline_explain(&p, s->has_before ? &s->before : &s->b, &s->b,
			 &s->claims, s->blind);
	diff = ptu_diffs_find(&p.diffs, addr, level, leaf);
	if (diff)
		why = diff->why;
	*ret_wants = ptu_explain_wants_flags(&p.diffs,
					     &(struct ptu_proof){
						     .geo = &s->b.geo,
						     .before = &p.before,
						     .after = &p.after,
						     .vmas = &s->b.vmas,
						     .blind = s->blind });
	pipeline_deinit(&p);
	return why;
}

/*
 * The cause of a difference. If it is another one while the flags of mappings are
 * unknown, the tool has to read smaps, which rests_on_flags() decides.
 */
static inline enum ptu_why why_of(struct scene *s, unsigned int level,
				  uint64_t addr, bool leaf)
{
	bool wants;
	enum ptu_why why = scene_explain(s, level, addr, leaf, &wants);
	enum ptu_why without;

	build_forget_flags(&s->b);
	without = scene_explain(s, level, addr, leaf, &wants);
	if (without != why && !wants)
		UNIT_FAIL("%s, but %s without smaps, and rests_on_flags() is false",
			  ptu_why_name(why), ptu_why_name(without));
	ptu_tables_deinit(&s->claims);
	build_deinit(&s->b);
	build_deinit(&s->before);
	return why;
}

static inline void claim(struct scene *s, unsigned int level, uint64_t addr,
			 enum ptu_claim what)
{
	build_claim(&s->claims, &s->b.geo, level, addr, what);
}

static inline void unclaim(struct scene *s, unsigned int level, uint64_t start)
{
	size_t i = 0;

	while (s->claims.tables[i].level != level ||
	       s->claims.tables[i].start != start)
		i++;
	memmove(&s->claims.tables[i], &s->claims.tables[i + 1],
		(--s->claims.nr_tables - i) * sizeof(s->claims.tables[0]));
}

/* A test: with @put in the scene, the table or leaf at this place has this cause. */
#define WHY(name, level, addr, leaf, expected, ...)     \
	UNIT_TEST(name)                                 \
	{                                               \
		struct scene s;                         \
		enum ptu_why got;                       \
                                                        \
		scene_init(&s, 4);                      \
		__VA_ARGS__;                            \
		got = why_of(&s, level, addr, leaf);    \
		CHECK_STR(ptu_why_name(got), expected); \
	}

#define TABLE(name, level, addr, expected, ...) \
	WHY(name, level, addr, false, expected, __VA_ARGS__)
#define LEAF(name, level, addr, expected, ...) \
	WHY(name, level, addr, true, expected, __VA_ARGS__)

#endif
