// SPDX-License-Identifier: LGPL-2.1-or-later
/* The text form of PAGEMAP_SCAN's answers in recordings; must not call it. */
#include "acquire/scan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acquire/file.h"
#include "base/hex.h"

#define CAPS_LINE \
	"hole_is_silent %d empty_is_seen %d any_sees_empty %d wp_hole_is_seen %d\n"

void ptu_scan_record(const struct ptu_scan *scan, FILE *out)
{
	size_t i;

	for (i = 0; i < scan->nr_slots; i++) {
		const struct ptu_scan_slot *slot = &scan->slots[i];

		fprintf(out, "%" PRIx64 " %" PRIx64 " %d %d", slot->start,
			slot->first, slot->huge, slot->populated);
		if (slot->counted)
			fprintf(out, " %u", 0u + slot->entries);
		else if (slot->absent)
			fputs(" 1", out);
		if (slot->markers)
			fprintf(out, " %u", 0u + slot->markers);
		fputc('\n', out);
	}
}

static bool take_flag(const char **at, bool *ret)
{
	if (**at != '0' && **at != '1')
		return false;
	*ret = *(*at)++ == '1';
	return true;
}

/* Parse a decimal number that is at most the number of entries in a slot. */
static bool take_entries(const char **at, uint16_t *ret)
{
	const char *s = *at;
	unsigned int value = 0;

	while (*s >= '0' && *s <= '9' && s - *at < 4)
		value = 10 * value + (unsigned int)(*s++ - '0');
	if (s == *at || (**at == '0' && s - *at > 1))
		return false;
	*ret = (uint16_t)value;
	*at = s;
	return true;
}

/*
 * Parse a line: start, first, huge, populated, and entries if they were counted, and markers
 * if there are any. A huge page has an entry only if it is absent.
 * Return: its end, or NULL if it has another form.
 */
static const char *parse_slot(const char *at, struct ptu_scan_slot *slot)
{
	memset(slot, 0, sizeof(*slot));
	if (!ptu_hex_take(&at, ' ', &slot->start) ||
	    !ptu_hex_take(&at, ' ', &slot->first) ||
	    !take_flag(&at, &slot->huge) || *at++ != ' ' ||
	    !take_flag(&at, &slot->populated))
		return NULL;
	if (*at == ' ') {
		at++;
		if (!take_entries(&at, &slot->entries))
			return NULL;
		slot->absent = slot->huge && !slot->populated &&
			       slot->entries == 1;
		slot->counted = !slot->absent;
		slot->entries -= slot->absent;
	}
	if (*at == ' ') {
		at++;
		if (!take_entries(&at, &slot->markers) || !slot->markers)
			return NULL;
	}
	return *at == '\n' ? at + 1 : NULL;
}

/* Could the kernel have reported this slot for these mappings? */
static bool is_possible(const struct ptu_scan_slot *slot,
			const struct ptu_geometry *geo,
			const struct ptu_vmas *vmas)
{
	size_t i = ptu_vmas_find(vmas, slot->first);

	return slot->start ==
		       ptu_geometry_base(geo, PTAUDIT_PTE, slot->first) &&
	       slot->first % geo->page_bytes == 0 && i < vmas->nr_vmas &&
	       vmas->vmas[i].start <= slot->first &&
	       slot->entries <= geo->nr_entries[PTAUDIT_PTE] &&
	       slot->markers <= slot->entries &&
	       !(slot->counted && slot->huge) &&
	       !(slot->entries && !slot->populated);
}

int ptu_scan_parse(const char *text, const struct ptu_geometry *geo,
		   const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		   struct ptu_scan *ret, struct ptu_err *err)
{
	uint64_t above = 0; /* end of the previous slot */
	size_t nr_lines = 0;
	int error = 0;

	while (!error && *text) {
		struct ptu_scan_slot slot;

		text = parse_slot(text, &slot);
		nr_lines++;
		if (!text || nr_lines > PTU_RECORDING_SLOTS ||
		    slot.start < above || !is_possible(&slot, geo, vmas))
			return ptu_err_set(err, -EBADMSG,
					   "line %zu is not a line that record writes",
					   nr_lines);
		above = slot.start + ptu_geometry_reach(geo, PTAUDIT_PTE);
		if (slot.start >= start && slot.start < end)
			error = ptu_scan_add(ret, &slot);
	}
	return error;
}

int ptu_scan_replay(int dirfd, const struct ptu_geometry *geo,
		    const struct ptu_vmas *vmas, uint64_t start, uint64_t end,
		    struct ptu_scan *ret, struct ptu_err *err)
{
	struct ptu_err parse_err = { "" };
	char *text;
	int error = ptu_file_read(dirfd, "scan", 0, &text);

	if (error)
		return ptu_err_set(err, error,
				   "cannot read the recorded scan: %s",
				   strerror(-error));
	error = ptu_scan_parse(text, geo, vmas, start, end, ret, &parse_err);
	free(text);
	if (error == -EBADMSG)
		ptu_err_set(err, error, "the recording is damaged: scan: %s",
			    parse_err.text);
	return error;
}

void ptu_scan_record_caps(const struct ptu_scan_caps *caps, FILE *out)
{
	fprintf(out, CAPS_LINE, caps->hole_is_silent, caps->empty_is_seen,
		caps->any_sees_empty, caps->wp_hole_is_seen);
}

int ptu_scan_replay_caps(struct ptu_scan_caps *ret)
{
	int hole, empty, any, wp_hole, fields;
	char *text, again[sizeof(CAPS_LINE)];
	int error = ptu_file_read(PTU_PROC_ROOT, "scan-caps", 0, &text);

	if (error)
		return error == -ENOENT ? -EOPNOTSUPP : error;
	fields = sscanf(text, CAPS_LINE, &hole, &empty, &any, &wp_hole);
	if (fields == 4) {
		*ret = (struct ptu_scan_caps){
			.hole_is_silent = hole,
			.empty_is_seen = empty,
			.any_sees_empty = any,
			.wp_hole_is_seen = wp_hole,
		};
		snprintf(again, sizeof(again), CAPS_LINE, ret->hole_is_silent,
			 ret->empty_is_seen, ret->any_sees_empty,
			 ret->wp_hole_is_seen);
	}
	/* the text must be identical to the written form, or the file is damaged */
	if (fields != 4 || strcmp(text, again))
		error = -EBADMSG;
	free(text);
	return error;
}
