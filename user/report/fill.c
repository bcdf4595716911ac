// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sort tables into fill classes; must not know their addresses. */
#include "report/fill.h"

#include <stdio.h>

/* Maximum number of entries in each class; in the last two classes it depends on the table. */
static const unsigned int most[] = {
	[PTU_FILL_EMPTY] = 0,
	[PTU_FILL_8] = 8,
	[PTU_FILL_64] = 64,
};

static enum ptu_fill_class class_of(unsigned int entries, unsigned int room)
{
	enum ptu_fill_class class;

	if (entries >= room)
		return PTU_FILL_ALL;
	for (class = PTU_FILL_EMPTY; class < PTU_FILL_SOME; class ++) {
		if (entries <= most[class])
			return class;
	}
	return PTU_FILL_SOME;
}

void ptu_fill_add(struct ptu_fill *fill, unsigned int entries,
		  unsigned int room)
{
	fill->tables++;
	fill->counted++;
	fill->entries += entries;
	fill->room += room;
	fill->in_class[class_of(entries, room)]++;
}

void ptu_fill_merge(struct ptu_fill *fill, const struct ptu_fill *other)
{
	unsigned int i;

	fill->tables += other->tables;
	fill->counted += other->counted;
	fill->entries += other->entries;
	fill->markers += other->markers;
	fill->room += other->room;
	fill->unasked += other->unasked;
	fill->hollow += other->hollow;
	for (i = 0; i < PTU_NR_FILLS; i++)
		fill->in_class[i] += other->in_class[i];
}

bool ptu_fill_is_whole(const struct ptu_fill *fill)
{
	return fill->tables && fill->counted == fill->tables;
}

unsigned int ptu_fill_permille(const struct ptu_fill *fill)
{
	uint64_t permille;

	if (!fill->room || !fill->entries)
		return 0;
	if (fill->entries == fill->room)
		return 1000;
	permille = (fill->entries * 1000 + fill->room / 2) / fill->room;
	if (!permille)
		return 1;
	return permille < 1000 ? (unsigned int)permille : 999;
}

const char *ptu_fill_class_name(enum ptu_fill_class which, unsigned int room,
				char ret[32])
{
	switch (which) {
	case PTU_FILL_EMPTY:
		snprintf(ret, 32, "0");
		break;
	case PTU_FILL_8:
	case PTU_FILL_64:
		snprintf(ret, 32, "%u-%u", most[which - 1] + 1, most[which]);
		break;
	case PTU_FILL_SOME:
		snprintf(ret, 32, "%u-%u", most[PTU_FILL_64] + 1, room - 1);
		break;
	case PTU_FILL_ALL:
	case PTU_NR_FILLS:
		snprintf(ret, 32, "%u", room);
		break;
	}
	return ret;
}
