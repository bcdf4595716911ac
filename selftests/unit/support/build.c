// SPDX-License-Identifier: GPL-2.0-only
/* Builds answers of the module and claims for tests; see build.h. */
#include "build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PFN 0x100000

const struct ptu_geometry four_levels = {
	.page_bytes = 4096,
	.unfolded = { true, true, true, false, true },
	.shift = { 12, 21, 30, 39, 39 },
	.nr_entries = { 512, 512, 512, 1, 512 },
};

const struct ptu_geometry five_levels = {
	.page_bytes = 4096,
	.unfolded = { true, true, true, true, true },
	.shift = { 12, 21, 30, 39, 48 },
	.nr_entries = { 512, 512, 512, 512, 512 },
};

static _Noreturn void impossible(const char *what)
{
	fprintf(stderr, "# the test builds an impossible answer: %s\n", what);
	abort();
}

static void *must(void *memory)
{
	if (!memory)
		impossible("out of memory");
	return memory;
}

static bool has_p4d(const struct ptu_geometry *geo)
{
	return geo->unfolded[PTAUDIT_P4D];
}

static unsigned int level_above(const struct ptu_geometry *geo,
				unsigned int level)
{
	return level == PTAUDIT_PUD && !has_p4d(geo) ? PTAUDIT_PGD : level + 1;
}

static unsigned int level_below(const struct ptu_geometry *geo,
				unsigned int level)
{
	return level == PTAUDIT_PGD && !has_p4d(geo) ? PTAUDIT_PUD : level - 1;
}

static uint64_t start_of(const struct ptu_geometry *geo, unsigned int level,
			 uint64_t addr)
{
	uint64_t reach = UINT64_C(512) << geo->shift[level];

	return level == PTAUDIT_PGD ? 0 : addr & ~(reach - 1);
}

static unsigned int index_of(const struct ptu_geometry *geo, unsigned int level,
			     uint64_t addr)
{
	return addr >> geo->shift[level] & 511;
}

static struct build_table *find(const struct build *b, unsigned int level,
				uint64_t addr)
{
	uint64_t start = start_of(&b->geo, level, addr);

	for (size_t i = 0; i < b->nr_tables; i++)
		if (b->tables[i]->record.level == level &&
		    b->tables[i]->record.start == start)
			return b->tables[i];
	return NULL;
}

static struct build_table *add(struct build *b, unsigned int level,
			       uint64_t addr)
{
	struct build_table *table = find(b, level, addr), *above;
	unsigned int index;

	if (table)
		return table;
	table = must(calloc(1, sizeof(*table)));
	table->record.level = level;
	table->record.type = PTAUDIT_TABLE;
	table->record.start = start_of(&b->geo, level, addr);
	table->record.pfn = FIRST_PFN + 3 * b->nr_made++;
	table->record.pages = 1;
	if (level == PTAUDIT_PGD && b->header.flags & PTAUDIT_H_PTI)
		table->record.pages = 2;
	if (level != PTAUDIT_PGD && addr >> 63)
		table->record.flags = PTAUDIT_T_LDT;
	b->tables = must(
		realloc(b->tables, (b->nr_tables + 1) * sizeof(*b->tables)));
	b->tables[b->nr_tables++] = table;
	if (level == PTAUDIT_PGD)
		return table;
	above = add(b, level_above(&b->geo, level), addr);
	index = index_of(&b->geo, above->record.level, addr);
	if (above->kind[index])
		impossible("a table at an entry that is in use");
	above->kind[index] = PTAUDIT_K_CHILD;
	return table;
}

void build_init(struct build *b, unsigned int nr_levels, bool pti)
{
	memset(b, 0, sizeof(*b));
	if (nr_levels != 4 && nr_levels != 5)
		impossible("neither 4 nor 5 levels");
	b->geo = nr_levels == 5 ? five_levels : four_levels;
	b->geo.pti = pti;
	b->header = (struct ptaudit_header){
		.magic = UINT64_C(0x3174696475617470),
		.abi = 1,
		.header_size = 128,
		.record_size = 64,
		.range_end = UINT64_C(1) << (nr_levels == 5 ? 56 : 47),
		.start_boottime_ns = 1000000000,
		.mm = 0x1234,
		.clock_before_ns = 5000,
		.clock_after_ns = 6000,
		.hold_ns_max = 700,
		.lock_windows = 1,
		.flags = pti ? PTAUDIT_H_PTI : 0,
		.pid = 4242,
		.tgid = 4242,
		.comm = "built",
	};
	add(b, PTAUDIT_PGD, 0);
}

struct ptaudit_table *build_table(struct build *b, unsigned int level,
				  uint64_t addr)
{
	return &add(b, level, addr)->record;
}

struct ptaudit_table *build_pte(struct build *b, uint64_t addr,
				unsigned int present)
{
	struct ptaudit_table *record = build_table(b, PTAUDIT_PTE, addr);

	record->present = present;
	return record;
}

struct ptaudit_table *build_entries(struct build *b, unsigned int level,
				    uint64_t addr, unsigned int nr,
				    enum ptaudit_kind kind, unsigned int flags)
{
	struct build_table *table = add(b, level, addr);
	unsigned int first = index_of(&b->geo, level, addr), i;

	if (level == PTAUDIT_PTE || first + nr > BUILD_ENTRIES)
		impossible("entries that do not fit");
	for (i = first; i < first + nr; i++) {
		if (table->kind[i])
			impossible("an entry that is in use already");
		table->kind[i] = kind;
		table->flags[i] = flags;
	}
	return &table->record;
}

void build_forget(struct build *b, unsigned int level, uint64_t addr)
{
	struct build_table *table = find(b, level, addr), *above;
	size_t i;

	if (!table || level == PTAUDIT_PGD)
		impossible("there is no table to remove");
	above = find(b, level_above(&b->geo, level), addr);
	above->kind[index_of(&b->geo, above->record.level, addr)] = 0;
	for (i = 0; b->tables[i] != table; i++)
		;
	b->tables[i] = b->tables[--b->nr_tables];
	free(table);
}

void build_range(struct build *b, uint64_t start, uint64_t end)
{
	b->header.range_start = start;
	b->header.range_end = end;
}

/* Is the requested range smaller than what the table maps? */
static bool is_partial(const struct build *b, const struct ptaudit_table *r)
{
	uint64_t end = r->start + (UINT64_C(512) << b->geo.shift[r->level]);

	if (r->flags & PTAUDIT_T_LDT)
		return false;
	if (r->level == PTAUDIT_PGD)
		end = UINT64_C(1) << (has_p4d(&b->geo) ? 56 : 47);
	return b->header.range_start > r->start || b->header.range_end < end;
}

static void count(struct ptaudit_table *r, unsigned int kind)
{
	r->children += kind == PTAUDIT_K_CHILD;
	r->leaves += kind == PTAUDIT_K_LEAF;
	r->swap += kind == PTAUDIT_K_SWAP;
	r->migration += kind == PTAUDIT_K_MIGRATION;
	r->uffd_wp += kind == PTAUDIT_K_UFFD_WP;
	r->guard += kind == PTAUDIT_K_GUARD;
	r->other += kind == PTAUDIT_K_OTHER;
	r->unwalked += kind == PTAUDIT_K_UNWALKED;
}

/* The first address that an entry maps; sign-extended in the PGD's upper half. */
static uint64_t entry_start(const struct build *b,
			    const struct ptaudit_table *r, unsigned int index)
{
	unsigned int bits = b->geo.shift[r->level];
	uint64_t addr = r->start + ((uint64_t)index << bits);

	if (r->level == PTAUDIT_PGD && index >= 256)
		addr |= UINT64_MAX << (bits + 9);
	return addr;
}

struct output {
	struct ptaudit_table *records;
	size_t nr;
	uint64_t counted_bytes;
};

static void emit(struct output *out, const struct ptaudit_table *record)
{
	out->records = must(
		realloc(out->records, (out->nr + 1) * sizeof(*out->records)));
	out->records[out->nr++] = *record;
}

static void emit_table(struct output *out, const struct build *b,
		       const struct build_table *table)
{
	struct ptaudit_table record = table->record, run;
	unsigned int i, end, k;

	if (is_partial(b, &record))
		record.flags |= PTAUDIT_T_PARTIAL;
	for (i = 0; i < BUILD_ENTRIES; i++) {
		count(&record, table->kind[i]);
		record.pfnmap += table->kind[i] &&
				 table->flags[i] & PTAUDIT_T_PFNMAP;
	}
	record.used = record.children + record.leaves + record.present +
		      record.swap + record.migration + record.uffd_wp +
		      record.guard + record.other + record.unwalked;
	emit(out, &record);
	/* VmPTE counts PTE, PMD and PUD tables and the deposited PTE tables */
	if (record.level == PTAUDIT_PTE || record.level == PTAUDIT_PMD ||
	    record.level == PTAUDIT_PUD)
		out->counted_bytes += 4096 * (1 + record.deposited);

	for (i = 0; i < BUILD_ENTRIES; i = end) {
		for (end = i + 1; end < BUILD_ENTRIES &&
				  table->kind[end] == table->kind[i] &&
				  table->flags[end] == table->flags[i];
		     end++)
			;
		if (!table->kind[i])
			continue;
		run = (struct ptaudit_table){
			.start = entry_start(b, &record, i),
			.pfn = record.pfn,
			.level = record.level,
			.type = PTAUDIT_RUN,
			.kind = table->kind[i],
			.flags = table->flags[i],
			.used = end - i,
			.node = record.node,
		};
		emit(out, &run);
		for (k = i; k < end && run.kind == PTAUDIT_K_CHILD; k++)
			emit_table(out, b,
				   find(b, level_below(&b->geo, record.level),
					entry_start(b, &record, k)));
	}
}

void *build_image(const struct build *b, size_t *nr_bytes)
{
	struct ptaudit_header header = b->header;
	struct output out = { 0 };
	char *image;

	emit_table(&out, b, find(b, PTAUDIT_PGD, 0));
	header.nr_records = out.nr;
	if (!header.pgtables_bytes_before && !header.pgtables_bytes_after)
		header.pgtables_bytes_before = header.pgtables_bytes_after =
			out.counted_bytes;
	*nr_bytes = header.header_size + 64 * out.nr;
	image = must(malloc(*nr_bytes));
	memcpy(image, &header, header.header_size);
	memcpy(image + header.header_size, out.records, 64 * out.nr);
	free(out.records);
	return image;
}

struct ptu_snapshot build_snapshot(const struct build *b)
{
	struct ptu_snapshot snapshot;
	struct ptu_err err = { "" };
	size_t nr_bytes;
	void *image = build_image(b, &nr_bytes);

	if (ptu_snapshot_parse(image, nr_bytes, &b->geo, &snapshot, &err))
		impossible(err.text);
	free(image);
	return snapshot;
}

void build_deinit(struct build *b)
{
	for (size_t i = 0; i < b->nr_tables; i++)
		free(b->tables[i]);
	free(b->tables);
	free(b->vmas.vmas);
	memset(b, 0, sizeof(*b));
}

/* The set's order: by start, higher levels first, tables before leaves. */
static bool claim_before(const struct ptu_table *a, const struct ptu_table *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	if (a->level != b->level)
		return a->level > b->level;
	return a->claim != PTU_LEAF && b->claim == PTU_LEAF;
}

static void claim_one(struct ptu_tables *set, const struct ptu_table *claim)
{
	size_t place = 0;

	while (place < set->nr_tables &&
	       claim_before(&set->tables[place], claim))
		place++;
	if (place < set->nr_tables &&
	    !claim_before(claim, &set->tables[place])) {
		if (claim->claim == PTU_CERTAIN)
			set->tables[place].claim = PTU_CERTAIN;
		return;
	}
	set->tables = must(realloc(set->tables, (set->nr_tables + 1) *
							sizeof(*set->tables)));
	memmove(&set->tables[place + 1], &set->tables[place],
		(set->nr_tables - place) * sizeof(*set->tables));
	set->tables[place] = *claim;
	set->nr_tables++;
}

void build_claim(struct ptu_tables *set, const struct ptu_geometry *geo,
		 unsigned int level, uint64_t addr, enum ptu_claim claim)
{
	struct ptu_table one = { .start = start_of(geo, level, addr),
				 .level = level,
				 .claim = claim };

	set->geo = geo;
	if (claim == PTU_LEAF) {
		one.start = addr >> geo->shift[level] << geo->shift[level];
		claim_one(set, &one);
		build_claim(set, geo, level, addr, PTU_CERTAIN);
		return;
	}
	claim_one(set, &one);
	while (level != PTAUDIT_PGD) {
		level = level_above(geo, level);
		one.start = start_of(geo, level, addr);
		one.level = level;
		one.claim = level == PTAUDIT_PGD || claim != PTU_MAYBE ?
				    PTU_CERTAIN :
				    PTU_MAYBE;
		claim_one(set, &one);
	}
}
