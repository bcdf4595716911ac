/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares a set of claims with the expected one. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "model/table_set.h"

#include "build.h"
#include "levels.h"
#include "unit.h"

struct expected_claim {
	uint64_t start;
	unsigned int level;
	enum ptu_claim claim;
};

/* The set must contain exactly @expected, in this order. */
static inline void check_claims(const struct ptu_tables *set,
				const struct expected_claim *expected,
				size_t nr_expected)
{
	if (set->nr_tables != nr_expected)
		UNIT_FAIL("the set has %zu claims, not %zu", set->nr_tables,
			  nr_expected);
	for (size_t i = 0; i < nr_expected && i < set->nr_tables; i++) {
		const struct ptu_table *t = &set->tables[i];

		if (t->start != expected[i].start ||
		    t->level != expected[i].level ||
		    t->claim != expected[i].claim)
			UNIT_FAIL("claim %zu has address 0x%llx, level %u, kind %u",
				  i, (unsigned long long)t->start, t->level,
				  t->claim);
	}
}

#define CHECK_CLAIMS(set, ...)                                           \
	do {                                                             \
		const struct expected_claim claims_[] = { __VA_ARGS__ }; \
                                                                         \
		check_claims(&(set), claims_,                            \
			     sizeof(claims_) / sizeof(claims_[0]));      \
	} while (0)

#endif
