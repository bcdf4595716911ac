// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find numbers in text; must not know their use. */
#include "model/meminfo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && end[1] ? end + 1 : NULL;
}

bool ptu_meminfo_bytes(const char *text, const char *key, uint64_t *ret)
{
	size_t key_bytes = strlen(key);
	const char *line;

	for (line = text; line; line = next_line(line)) {
		const char *name = line;
		unsigned int node;
		uint64_t kib;
		int bytes = 0;

		/* a line of a node's meminfo */
		if (sscanf(line, "Node %u %n", &node, &bytes) == 1 && bytes)
			name += bytes;
		if (strncmp(name, key, key_bytes) || name[key_bytes] != ':')
			continue;
		bytes = 0;
		if (sscanf(name + key_bytes + 1, "%" SCNu64 " kB%n", &kib,
			   &bytes) != 1 ||
		    !bytes || kib > UINT64_MAX / 1024)
			return false;
		*ret = kib * 1024;
		return true;
	}
	return false;
}

bool ptu_memory_stat_bytes(const char *text, const char *key, uint64_t *ret)
{
	size_t key_bytes = strlen(key);
	const char *line;

	for (line = text; line; line = next_line(line)) {
		if (strncmp(line, key, key_bytes) || line[key_bytes] != ' ')
			continue;
		return sscanf(line + key_bytes, "%" SCNu64, ret) == 1;
	}
	return false;
}

int ptu_node_spans(const char *text, struct ptu_node_span **ret, size_t *nr)
{
	struct ptu_node_span *spans = NULL;
	uint64_t spanned = 0, start;
	unsigned int node = 0;
	size_t nr_spans = 0;
	const char *line;

	for (line = text; line; line = next_line(line)) {
		struct ptu_node_span *more;

		/* the kernel prints `spanned` of each zone before `start_pfn` */
		if (sscanf(line, "Node %u, zone", &node) == 1 ||
		    sscanf(line, " spanned %" SCNu64, &spanned) == 1 ||
		    sscanf(line, " start_pfn: %" SCNu64, &start) != 1 ||
		    !spanned)
			continue;
		more = reallocarray(spans, nr_spans + 1, sizeof(*spans));
		if (!more) {
			free(spans);
			return -ENOMEM;
		}
		spans = more;
		spans[nr_spans++] = (struct ptu_node_span){
			.start = start,
			.end = start + spanned,
			.node = node,
		};
	}
	if (!nr_spans)
		return -EBADMSG;
	*ret = spans;
	*nr = nr_spans;
	return 0;
}
