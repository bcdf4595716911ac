// SPDX-License-Identifier: LGPL-2.1-or-later
/* Validate the module's answer; must not read it, nor judge its figures. */
#include "model/kernel_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct ptaudit_header) == PTAUDIT_HEADER_SIZE,
	       "the header's layout is part of the ABI");
_Static_assert(sizeof(struct ptaudit_table) == PTAUDIT_RECORD_SIZE,
	       "the record's layout is part of the ABI");

#define KNOWN_FLAGS                                                \
	(PTAUDIT_T_PARTIAL | PTAUDIT_T_MOVED | PTAUDIT_T_HUGETLB | \
	 PTAUDIT_T_PFNMAP | PTAUDIT_T_LDT)

/* A table whose subtree is being checked. */
struct open_table {
	const struct ptaudit_table *table;
	const struct ptaudit_table *run; /* the last one, or NULL */
	unsigned int run_children;	 /* tables found for its entries */
	unsigned int by_kind[PTAUDIT_NR_KINDS]; /* entries in runs */
	unsigned int pfnmap;			/* of these, in PFN mappings */
};

struct check {
	const struct ptu_geometry *geo;
	const struct ptaudit_header *header;
	struct open_table open[PTAUDIT_NR_LEVELS];
	size_t index; /* of the checked record */
	struct ptu_err *err;
};

static int bad(struct check *check, const char *what)
{
	return ptu_err_set(check->err, -EBADMSG,
			   "the kernel's answer contradicts itself: record %zu: %s",
			   check->index, what);
}

bool ptu_record_before(const struct ptaudit_table *a,
		       const struct ptaudit_table *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->level != b->level)
		return a->level > b->level;
	return a->type < b->type;
}

static uint64_t entry_reach(const struct ptu_geometry *geo, unsigned int level)
{
	return UINT64_C(1) << geo->shift[level];
}

/* The PGD maps both halves; addresses of the kernel half are sign-extended. */
static bool maps_addr(const struct ptu_geometry *geo,
		      const struct ptaudit_table *table, uint64_t addr)
{
	uint64_t user_end = ptu_geometry_user_end(geo);

	if (table->level == PTAUDIT_PGD)
		return addr < user_end || addr >= -user_end;
	return addr >= table->start &&
	       addr - table->start < ptu_geometry_reach(geo, table->level);
}

static unsigned int sum_of_kinds(const struct ptaudit_table *r)
{
	return r->children + r->leaves + r->present + r->swap + r->migration +
	       r->uffd_wp + r->guard + r->other + r->unwalked;
}

/* Is part of the table's reach outside the requested range? */
static bool outside_range(const struct check *check,
			  const struct ptaudit_table *table)
{
	uint64_t reach = ptu_geometry_reach(check->geo, table->level);

	if (table->flags & PTAUDIT_T_LDT)
		return false;
	if (table->level == PTAUDIT_PGD)
		reach = ptu_geometry_user_end(check->geo);
	return table->start < check->header->range_start ||
	       check->header->range_end - table->start < reach;
}

static int check_fields(struct check *check, const struct ptaudit_table *r)
{
	/* both `orphans` and the BPF walk follow every entry of the user half */
	bool orphans = check->header->flags &
		       (PTAUDIT_H_ORPHANS | PTAUDIT_H_BPF);
	unsigned int known = KNOWN_FLAGS | (orphans ? PTAUDIT_T_OUTSIDE : 0);
	bool upper = r->level != PTAUDIT_PTE;

	if (r->level >= PTAUDIT_NR_LEVELS || !check->geo->unfolded[r->level])
		return bad(check, "no such level");
	if (r->flags & ~known || r->reserved[0] || r->reserved[1] ||
	    r->reserved[2])
		return bad(check, "unknown flags");
	if (orphans && (r->unwalked || r->kind == PTAUDIT_K_UNWALKED))
		return bad(check, "an entry that the walk did not follow");
	if (!r->pfn)
		return bad(check, "page frame 0");
	if (r->used > check->geo->nr_entries[r->level])
		return bad(check, "more entries than a table has");

	if (r->type == PTAUDIT_RUN) {
		if (!upper || r->kind == PTAUDIT_K_NONE ||
		    r->kind >= PTAUDIT_NR_KINDS)
			return bad(check, "a run of an unknown kind");
		if (!r->used || sum_of_kinds(r) || r->pfnmap || r->deposited ||
		    r->sharers || r->pages)
			return bad(check, "a run with counts of a table");
		if (r->flags &&
		    (r->flags != PTAUDIT_T_PFNMAP || r->kind != PTAUDIT_K_LEAF))
			return bad(check, "a run with flags of a table");
		if (r->start & (entry_reach(check->geo, r->level) - 1))
			return bad(check, "a run that starts inside an entry");
		return 0;
	}
	if (r->type != PTAUDIT_TABLE || r->kind != PTAUDIT_K_NONE)
		return bad(check, "neither a table nor a run");
	if (r->used != sum_of_kinds(r))
		return bad(check,
			   "the kinds of entries do not add up to the used ones");
	if (upper ? r->present : r->children || r->leaves || r->unwalked)
		return bad(check,
			   "kinds of entries that the level cannot have");
	if (r->pfnmap > r->present + r->leaves)
		return bad(check,
			   "more entries in PFN mappings than present ones and leaves");
	if ((r->deposited || r->sharers) && r->level != PTAUDIT_PMD)
		return bad(check, "deposits or sharers outside a PMD table");
	if (r->deposited > check->geo->nr_entries[r->level])
		return bad(check, "more deposits than a PMD table can have");
	if (r->pages !=
	    (r->level == PTAUDIT_PGD && check->header->flags & PTAUDIT_H_PTI ?
		     2 :
		     1))
		return bad(check, "a table of the wrong size");
	if (r->flags & PTAUDIT_T_PFNMAP ||
	    (r->flags & PTAUDIT_T_HUGETLB && r->level != PTAUDIT_PMD) ||
	    (r->sharers && !(r->flags & PTAUDIT_T_HUGETLB)))
		return bad(check, "flags that the table cannot have");
	if (r->flags & PTAUDIT_T_OUTSIDE &&
	    (r->level == PTAUDIT_PGD ||
	     r->flags & (PTAUDIT_T_LDT | PTAUDIT_T_HUGETLB)))
		return bad(check,
			   "a table in a mapping, marked as outside of all mappings");
	/* only the LDT's tables are in the kernel half, and only with PTI */
	if (!(r->flags & PTAUDIT_T_LDT) != !(r->start >> 63) ||
	    (r->flags & PTAUDIT_T_LDT &&
	     !(check->header->flags & PTAUDIT_H_PTI)))
		return bad(check,
			   "a table wrongly marked as LDT, or an LDT table without the mark");
	if (r->start != ptu_geometry_base(check->geo, r->level, r->start))
		return bad(check, "a table that starts inside another");
	if (!(r->flags & PTAUDIT_T_PARTIAL) != !outside_range(check, r))
		return bad(check,
			   "a complete table marked as partial, or the reverse");
	return 0;
}

/* Check that all tables announced by a run of children have appeared. */
static int close_run(struct check *check, struct open_table *open)
{
	if (open->run && open->run->kind == PTAUDIT_K_CHILD &&
	    open->run_children != open->run->used)
		return bad(check,
			   "a child of the previous table has no record");
	return 0;
}

static int close_table(struct check *check, unsigned int level)
{
	struct open_table *open = &check->open[level];
	const struct ptaudit_table *t = open->table;
	const unsigned int *n = open->by_kind;
	int err;

	if (!t)
		return 0;
	err = close_run(check, open);
	if (err)
		return err;
	if (level != PTAUDIT_PTE &&
	    (n[PTAUDIT_K_CHILD] != t->children ||
	     n[PTAUDIT_K_LEAF] != t->leaves || n[PTAUDIT_K_SWAP] != t->swap ||
	     n[PTAUDIT_K_MIGRATION] != t->migration ||
	     n[PTAUDIT_K_UFFD_WP] != t->uffd_wp ||
	     n[PTAUDIT_K_GUARD] != t->guard || n[PTAUDIT_K_OTHER] != t->other ||
	     n[PTAUDIT_K_UNWALKED] != t->unwalked || open->pfnmap != t->pfnmap))
		return bad(check,
			   "the runs of the previous table do not add up to its counts");
	open->table = NULL;
	return 0;
}

/* Close the tables at the level and below: all their records have been seen. */
static int close_upto(struct check *check, unsigned int level)
{
	unsigned int l;

	for (l = PTAUDIT_PTE; l <= level; l++) {
		int err = close_table(check, l);

		if (err)
			return err;
	}
	return 0;
}

static int check_run(struct check *check, const struct ptaudit_table *r)
{
	struct open_table *open = &check->open[r->level];
	unsigned int first, end;
	int err;

	if (!open->table || !maps_addr(check->geo, open->table, r->start) ||
	    open->table->pfn != r->pfn || open->table->node != r->node)
		return bad(check, "a run in a table that has no record");
	err = close_run(check, open);
	if (err)
		return err;
	first = ptu_geometry_index(check->geo, r->level, r->start);
	if (first + r->used > check->geo->nr_entries[r->level])
		return bad(check, "a run that extends beyond its table");
	if (open->run) {
		end = ptu_geometry_index(check->geo, r->level,
					 open->run->start) +
		      open->run->used;
		if (first < end)
			return bad(check, "runs that overlap");
		if (first == end && open->run->kind == r->kind &&
		    open->run->flags == r->flags)
			return bad(check, "a run that is split in two");
	}
	open->run = r;
	open->run_children = 0;
	open->by_kind[r->kind] += r->used;
	if (r->flags & PTAUDIT_T_PFNMAP)
		open->pfnmap += r->used;
	return 0;
}

static int check_table(struct check *check, const struct ptaudit_table *r)
{
	unsigned int above = ptu_geometry_above(check->geo, r->level);
	struct open_table *parent;
	uint64_t expected;
	int err = close_upto(check, r->level);

	if (err)
		return err;
	/* the order of records excludes a second PGD */
	if (r->level != PTAUDIT_PGD) {
		parent = &check->open[above];
		if (!parent->table ||
		    !maps_addr(check->geo, parent->table, r->start))
			return bad(check, "a table without a table above it");
		if (!parent->run || parent->run->kind != PTAUDIT_K_CHILD ||
		    parent->run_children == parent->run->used)
			return bad(check, "a table to which no entry points");
		expected = parent->run->start +
			   parent->run_children *
				   entry_reach(check->geo, above);
		if (r->start != expected)
			return bad(check,
				   "a table under another entry than the one that points to it");
		parent->run_children++;
	}
	memset(&check->open[r->level], 0, sizeof(check->open[r->level]));
	check->open[r->level].table = r;
	return 0;
}

/* The PFN of a table; 0: the slot is free. */
struct frame {
	uint64_t pfn;
	bool shared;
};

/* Find the slot of @pfn, or a free one.  @bits: log2 of the number of slots */
static struct frame *find_frame(struct frame *frames, unsigned int bits,
				uint64_t pfn)
{
	const size_t mask = ((size_t)1 << bits) - 1;
	/* Fibonacci hashing: 2^64 divided by the golden ratio */
	size_t at = pfn * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);

	while (frames[at].pfn && frames[at].pfn != pfn)
		at = (at + 1) & mask;
	return &frames[at];
}

/*
 * A process that maps a hugetlb file twice can share a PMD table with itself.
 * Source: mm/hugetlb.c, huge_pmd_share() may take the table of any other VMA of the
 * file (5.10 to 7.3).
 */
static int check_pfns(const struct ptu_snapshot *snapshot, struct ptu_err *err)
{
	struct frame *frames;
	unsigned int bits = 1;
	size_t i;
	int ret = 0;

	/* at most half of the slots are used */
	while (snapshot->nr_records > (size_t)1 << (bits - 1))
		bits++;
	frames = calloc((size_t)1 << bits, sizeof(*frames));
	if (!frames)
		return ptu_err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < snapshot->nr_records && !ret; i++) {
		const struct ptaudit_table *r = &snapshot->records[i];
		struct frame *frame;

		if (r->type != PTAUDIT_TABLE)
			continue;
		frame = find_frame(frames, bits, r->pfn);
		if (frame->pfn && !(frame->shared && r->sharers))
			ret = ptu_err_set(err, -EAGAIN,
					  "page frame %#" PRIx64
					  " held two tables within one walk: the process kept changing",
					  (uint64_t)r->pfn);
		*frame = (struct frame){ r->pfn, r->sharers };
	}
	free(frames);
	return ret;
}

static int check_header(const struct ptaudit_header *h, size_t nr_bytes,
			bool orphans, struct ptu_err *err)
{
	if (h->magic != PTAUDIT_MAGIC)
		return ptu_err_set(err, -EPROTO,
				   "this is not an answer of the ptaudit module");
	if (h->abi != PTAUDIT_ABI ||
	    (h->header_size != PTAUDIT_HEADER_SIZE &&
	     h->header_size != PTAUDIT_HEADER_SIZE_VER0) ||
	    h->record_size != PTAUDIT_RECORD_SIZE)
		return ptu_err_set(err, -EPROTO,
				   "the module uses ABI %u, this tool ABI %u: build both from the same version",
				   h->abi, PTAUDIT_ABI);
	if (h->nr_records > nr_bytes / PTAUDIT_RECORD_SIZE ||
	    nr_bytes != h->header_size + h->nr_records * PTAUDIT_RECORD_SIZE)
		return ptu_err_set(err, -EBADMSG,
				   "the kernel's answer has the wrong size: %zu bytes for %llu records",
				   nr_bytes, (unsigned long long)h->nr_records);
	if (!h->nr_records)
		return ptu_err_set(err, -EBADMSG,
				   "the kernel's answer has no record, not even of the PGD");
	if (h->flags & ~(PTAUDIT_H_PTI | PTAUDIT_H_ORPHANS | PTAUDIT_H_BPF |
			 PTAUDIT_H_PIECES) ||
	    (h->flags & PTAUDIT_H_PIECES && !(h->flags & PTAUDIT_H_BPF)) ||
	    h->range_start >= h->range_end ||
	    h->clock_before_ns > h->clock_after_ns ||
	    !h->lock_windows != !!(h->flags & PTAUDIT_H_BPF))
		return ptu_err_set(err, -EBADMSG,
				   "the header of the kernel's answer contradicts itself");
	if (!(h->flags & PTAUDIT_H_ORPHANS) != !orphans)
		return ptu_err_set(err, -EBADMSG,
				   "the header of the kernel's answer belongs to another request");
	return 0;
}

static int parse(const void *bytes, size_t nr_bytes,
		 const struct ptu_geometry *geo, bool orphans,
		 struct ptu_snapshot *ret, struct ptu_err *err)
{
	struct ptu_snapshot snapshot = { 0 };
	struct check check = { .geo = geo, .err = err };
	size_t i, header_bytes;
	int error;

	if (nr_bytes < PTAUDIT_HEADER_SIZE_VER0)
		return ptu_err_set(err, -EBADMSG,
				   "the kernel's answer is too short: %zu bytes",
				   nr_bytes);
	memcpy(&snapshot.header, bytes, PTAUDIT_HEADER_SIZE_VER0);
	header_bytes = snapshot.header.header_size;
	error = check_header(&snapshot.header, nr_bytes, orphans, err);
	if (error)
		return error;
	/* fields that the older header lacks stay 0 */
	memcpy(&snapshot.header, bytes, header_bytes);
	snapshot.nr_records = snapshot.header.nr_records;
	snapshot.records = malloc(nr_bytes - header_bytes);
	if (!snapshot.records)
		return ptu_err_set(err, -ENOMEM, "out of memory");
	memcpy(snapshot.records, (const char *)bytes + header_bytes,
	       nr_bytes - header_bytes);

	check.header = &snapshot.header;
	for (i = 0; i < snapshot.nr_records && !error; i++) {
		const struct ptaudit_table *r = &snapshot.records[i];

		check.index = i;
		error = check_fields(&check, r);
		if (!error && i && !ptu_record_before(r - 1, r))
			error = bad(&check, "out of order");
		if (!error)
			error = r->type == PTAUDIT_RUN ? check_run(&check, r) :
							 check_table(&check, r);
		snapshot.nr_moved += !!(r->flags & PTAUDIT_T_MOVED);
	}
	if (!error && !check.open[PTAUDIT_PGD].table)
		error = bad(&check, "no PGD");
	if (!error)
		error = close_upto(&check, PTAUDIT_PGD);
	if (!error)
		error = check_pfns(&snapshot, err);
	if (error) {
		ptu_snapshot_deinit(&snapshot);
		return error;
	}
	*ret = snapshot;
	return 0;
}

int ptu_snapshot_parse(const void *bytes, size_t nr_bytes,
		       const struct ptu_geometry *geo, struct ptu_snapshot *ret,
		       struct ptu_err *err)
{
	return parse(bytes, nr_bytes, geo, false, ret, err);
}

int ptu_snapshot_parse_orphans(const void *bytes, size_t nr_bytes,
			       const struct ptu_geometry *geo,
			       struct ptu_snapshot *ret, struct ptu_err *err)
{
	return parse(bytes, nr_bytes, geo, true, ret, err);
}

void ptu_snapshot_deinit(struct ptu_snapshot *snapshot)
{
	free(snapshot->records);
	memset(snapshot, 0, sizeof(*snapshot));
}

const struct ptaudit_table *
ptu_snapshot_find(const struct ptu_snapshot *snapshot,
		  const struct ptu_geometry *geo, unsigned int level,
		  uint64_t addr, enum ptaudit_kind *kind)
{
	size_t low = 0, high = snapshot->nr_records;

	*kind = PTAUDIT_K_NONE;
	/* find the first record that starts above addr */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->records[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	/* A run precedes its children: step back to the last run of the level. */
	while (low--) {
		const struct ptaudit_table *r = &snapshot->records[low];

		if (r->level != level)
			continue;
		if (r->type == PTAUDIT_TABLE)
			return NULL;
		if (addr - r->start >= r->used * entry_reach(geo, level))
			return NULL;
		*kind = r->kind;
		return r;
	}
	return NULL;
}
