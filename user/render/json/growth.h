/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Added and freed tables per level, for watch and diff. */
#ifndef PTU_RENDER_JSON_GROWTH_H
#define PTU_RENDER_JSON_GROWTH_H

#include "render/json/build.h"
#include "report/watch.h"

/**
 * growth_levels() - Make an array with an object for each level that has tables.
 * @before: (in) key of the earlier number of tables; NULL to omit it
 * @after: (in) key of the later number of tables
 */
static inline json_t *growth_levels(struct builder *b,
				    const struct ptu_growth *growth,
				    const char *before, const char *after)
{
	json_t *array = json_array(), *object;
	unsigned int level;

	for (level = PTAUDIT_NR_LEVELS; level-- > 0;) {
		if (!growth->before[level] && !growth->after[level])
			continue;
		object = json_object();
		put_text(b, object, "level", ptu_level_name(level));
		if (before)
			put_number(b, object, before, growth->before[level]);
		put_number(b, object, after, growth->after[level]);
		put_number(b, object, "came", growth->came[level]);
		put_number(b, object, "went", growth->went[level]);
		add(b, array, object);
	}
	return array;
}

#endif
