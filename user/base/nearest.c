// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compare words, and compute their edit distance. */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
	return lower(a) == lower(b);
}

bool ptu_is_name(const char *word, size_t length, const char *name)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!name[i] || !same(word[i], name[i]))
			return false;
	return !name[length];
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Number of letters to insert, delete, replace, or swap with the next one. Row
 * i holds the distances between the first i letters of @word and each prefix of
 * @name. Only the last three rows are needed.
 */
static unsigned int distance(const char *word, size_t word_len,
			     const char *name, size_t name_len)
{
	unsigned int rows[3][PTU_NEAREST_LEN + 1];
	size_t i, j;

	for (j = 0; j <= name_len; j++)
		rows[0][j] = (unsigned int)j;
	for (i = 1; i <= word_len; i++) {
		const unsigned int *before = rows[(i + 1) % 3];
		const unsigned int *above = rows[(i + 2) % 3];
		unsigned int *row = rows[i % 3];

		row[0] = (unsigned int)i;
		for (j = 1; j <= name_len; j++) {
			row[j] = least(above[j], row[j - 1]) + 1;
			row[j] = least(row[j],
				       above[j - 1] +
					       !same(word[i - 1], name[j - 1]));
			if (i > 1 && j > 1 && same(word[i - 1], name[j - 2]) &&
			    same(word[i - 2], name[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[word_len % 3][name_len];
}

void ptu_nearest_try(struct ptu_nearest *nearest, const char *name)
{
	size_t name_len = strlen(name);
	unsigned int edits;

	if (nearest->length > PTU_NEAREST_LEN || name_len > PTU_NEAREST_LEN)
		return;
	edits = distance(nearest->word, nearest->length, name, name_len);
	if (3 * edits > name_len ||
	    (nearest->name && edits >= nearest->distance))
		return;
	nearest->name = name;
	nearest->distance = edits;
}

const char *ptu_nearest_hint(const struct ptu_nearest *nearest,
			     const char *otherwise, char *hint)
{
	if (!nearest->name)
		return otherwise;
	snprintf(hint, PTU_NEAREST_HINT, "did you mean '%s'?", nearest->name);
	return hint;
}
