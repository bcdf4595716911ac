// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read tables one by one.  Must interpret only the entries that point to the next table
 * of a chain.
 */
#include "acquire/bpf_pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/bpf_accept.h"

/* Attempts for a run of PTE tables; each failed one halves their number, down to one. */
#define TRIES 200

/* A list of deposits may have this many more elements than there are leaves. */
#define LIST_SLACK 2

/**
 * struct chain - tables that lead to a table, from the PGD on
 * @places: [nr] their places
 * @levels: [nr] their levels
 */
struct chain {
	struct ptu_bpf_place places[PTAUDIT_NR_LEVELS];
	unsigned int levels[PTAUDIT_NR_LEVELS];
	unsigned int nr;
};

struct ptu_bpf_place ptu_bpf_pgd(const struct ptu_bpf_walking *walk)
{
	return (struct ptu_bpf_place){ .pfn = (walk->task.pgd -
					       walk->memory->direct_map) /
					      PTU_BPF_TABLE };
}

unsigned int ptu_bpf_deposit_limit(const struct ptaudit_table *table)
{
	return table->leaves + table->migration + table->other + LIST_SLACK;
}

void ptu_bpf_enter_deposits(const struct ptu_bpf_walking *walk,
			    struct ptaudit_table *table, uint32_t deposits,
			    uint32_t sharers)
{
	table->deposited = deposits;
	/* only tables of hugetlb memory have sharers */
	if (walk->without_vmas && sharers)
		table->flags |= PTAUDIT_T_HUGETLB;
	if (table->flags & PTAUDIT_T_HUGETLB)
		table->sharers = sharers;
}

static void note_counter(struct ptu_bpf_walking *walk,
			 const struct ptu_bpf_state *state)
{
	if (state->pgtables_bytes < walk->low_bytes)
		walk->low_bytes = state->pgtables_bytes;
	if (state->pgtables_bytes > walk->high_bytes)
		walk->high_bytes = state->pgtables_bytes;
}

/* Does each copied table of the chain point to the next one? */
static bool leads_on(const struct ptu_bpf_walking *walk,
		     const struct chain *chain,
		     const struct ptu_bpf_copied *copied)
{
	unsigned int i;

	for (i = 1; i < chain->nr; i++)
		if (!ptu_bpf_leads_to(&walk->reader, chain->levels[i - 1],
				      copied->tables[i - 1], &chain->places[i]))
			return false;
	return true;
}

/*
 * Copy the tables of the chain, and @nr further ones.
 * @since: (in) no table may have been freed since this state; NULL: since the run began
 *
 * Return: 0; -EAGAIN a table was freed meanwhile; -ENOLINK a table of the chain no longer
 * points to the next one; -errno.
 */
static int copy(struct ptu_bpf_walking *walk, const struct chain *chain,
		const struct ptu_bpf_place *places, size_t nr,
		const struct ptu_bpf_state *since, struct ptu_bpf_copied *ret)
{
	uint64_t addresses[PTU_BPF_CHUNK];
	size_t i;
	int error;

	for (i = 0; i < chain->nr + nr; i++) {
		const struct ptu_bpf_place *place =
			i < chain->nr ? &chain->places[i] :
					&places[i - chain->nr];

		addresses[i] = walk->memory->direct_map +
			       place->pfn * PTU_BPF_TABLE;
	}
	error = ptu_bpf_run_copy(walk->run, walk->task.mm, addresses,
				 chain->nr + nr, ret, walk->err);
	if (error)
		return error;
	if (ret->before.ctx_id != walk->task.ctx_id ||
	    !ptu_bpf_is_live(since ? since : &ret->before, &ret->after) ||
	    ret->nr_faults)
		return -EAGAIN;
	note_counter(walk, &ret->before);
	note_counter(walk, &ret->after);
	return leads_on(walk, chain, ret) ? 0 : -ENOLINK;
}

/* Clear the entry whose table is gone. */
static void clear_entry(const struct ptu_bpf_walking *walk, unsigned int level,
			uint8_t *bytes, const struct ptu_bpf_place *place,
			bool *is_moved)
{
	const unsigned int index = ptu_geometry_index(walk->reader.geo, level,
						      place->start);

	memset(bytes + index * sizeof(uint64_t), 0, sizeof(uint64_t));
	*is_moved = true;
}

/* Read the PTE tables at @places, which the last table of the chain points to. */
static int read_ptes(struct ptu_bpf_walking *walk, const struct chain *chain,
		     uint8_t *bytes, const struct ptu_bpf_list *children,
		     bool *is_moved)
{
	struct ptu_bpf_list *list = &walk->lists[PTAUDIT_PTE];
	const unsigned int last = chain->nr - 1;
	size_t most = PTU_BPF_CHUNK - chain->nr, at = 0, nr, i;
	unsigned int tries = 0;
	int error = 0;

	while (!error && at < children->nr_places) {
		struct ptu_bpf_copied copied;

		nr = children->nr_places - at < most ?
			     children->nr_places - at :
			     most;
		error = copy(walk, chain, children->places + at, nr, NULL,
			     &copied);
		if (error == -EAGAIN && tries++ < TRIES) {
			most = nr > 1 ? nr / 2 : 1;
			error = 0;
			continue;
		}
		for (i = 0; !error && i < nr; i++) {
			const struct ptu_bpf_place *place =
				&children->places[at + i];

			if (ptu_bpf_leads_to(&walk->reader, PTAUDIT_PMD,
					     copied.tables[last], place))
				error = ptu_bpf_read_table(&walk->reader,
							   PTAUDIT_PTE, place,
							   copied.tables
								   [chain->nr +
								    i],
							   list);
			else
				clear_entry(walk, PTAUDIT_PMD, bytes, place,
					    is_moved);
		}
		at += nr;
		tries = 0;
		if (2 * most <= PTU_BPF_CHUNK - chain->nr)
			most *= 2;
	}
	return error;
}

/* Count the deposits of the PMD table, which must stay the last table of the chain. */
static int read_deposits(struct ptu_bpf_walking *walk,
			 const struct chain *chain, struct ptaudit_table *table)
{
	const uint64_t page = walk->memory->struct_pages +
			      table->pfn * walk->memory->struct_page_bytes;
	const uint32_t limit = ptu_bpf_deposit_limit(table);
	unsigned int tries = 0;
	int error = -EAGAIN;

	while (error == -EAGAIN && tries++ < TRIES) {
		struct ptu_bpf_copied found, after;
		uint32_t deposits, sharers;

		error = ptu_bpf_run_deposits(walk->run, walk->task.mm, &page,
					     &limit, 1, &found, walk->err);
		if (error)
			break;
		deposits = found.deposits[0];
		sharers = found.sharers[0];
		error = copy(walk, chain, NULL, 0, &found.before, &after);
		if (!error &&
		    (found.nr_faults ||
		     found.before.pgtables_bytes != after.after.pgtables_bytes))
			error = -EAGAIN;
		if (!error)
			ptu_bpf_enter_deposits(walk, table, deposits, sharers);
	}
	return error;
}

static int read_table(struct ptu_bpf_walking *walk, struct chain *chain,
		      unsigned int level, const struct ptu_bpf_place *place);

/* Read the tables that the last table of the chain points to. */
static int read_below(struct ptu_bpf_walking *walk, struct chain *chain,
		      uint8_t *bytes, const struct ptu_bpf_list *children,
		      bool *is_moved)
{
	const unsigned int level = chain->levels[chain->nr - 1];
	unsigned int below = level - 1;
	int error = 0;
	size_t i;

	while (!walk->reader.geo->unfolded[below])
		below--;
	if (below == PTAUDIT_PTE)
		return read_ptes(walk, chain, bytes, children, is_moved);
	for (i = 0; !error && i < children->nr_places; i++) {
		error = read_table(walk, chain, below, &children->places[i]);
		if (error != -ENOLINK)
			continue;
		clear_entry(walk, level, bytes, &children->places[i], is_moved);
		error = 0;
	}
	return error;
}

/*
 * Add the record of the last table of the chain.
 * @bytes: (in) its contents, without the entries whose tables are gone
 */
static int enter_table(struct ptu_bpf_walking *walk, const struct chain *chain,
		       const uint8_t *bytes, bool is_moved)
{
	const unsigned int level = chain->levels[chain->nr - 1];
	struct ptu_bpf_list *list = &walk->lists[level];
	const size_t at = list->nr_records;
	int error = ptu_bpf_read_table(&walk->reader, level,
				       &chain->places[chain->nr - 1], bytes,
				       list);

	if (!error && is_moved)
		list->records[at].flags |= PTAUDIT_T_MOVED;
	if (!error && level == PTAUDIT_PMD)
		error = read_deposits(walk, chain, &list->records[at]);
	return error;
}

/* Shorten the lists of @level and below to these numbers of records. */
static void take_back(struct ptu_bpf_walking *walk, unsigned int level,
		      const size_t nr_records[PTAUDIT_NR_LEVELS])
{
	unsigned int i;

	for (i = 0; i <= level; i++)
		walk->lists[i].nr_records = nr_records[i];
}

/*
 * Read the table at @place, and all tables below it.  The last table of the chain points
 * to it.
 *
 * Return: 0; -ENOLINK it is gone; -EAGAIN a table could not be read; -errno.
 */
static int read_table(struct ptu_bpf_walking *walk, struct chain *chain,
		      unsigned int level, const struct ptu_bpf_place *place)
{
	struct ptu_bpf_list children = { .nr_places = 0 };
	size_t nr_records[PTAUDIT_NR_LEVELS];
	uint8_t bytes[PTU_BPF_TABLE];
	struct ptu_bpf_copied copied;
	unsigned int tries = 0, i;
	bool is_moved = false;
	int error;

	for (i = 0; i < PTAUDIT_NR_LEVELS; i++)
		nr_records[i] = walk->lists[i].nr_records;
	chain->places[chain->nr] = *place;
	chain->levels[chain->nr++] = level;
	do
		error = copy(walk, chain, NULL, 0, NULL, &copied);
	while (error == -EAGAIN && tries++ < TRIES);
	if (!error) {
		memcpy(bytes, copied.tables[chain->nr - 1], sizeof(bytes));
		error = ptu_bpf_read_table(&walk->reader, level, place, bytes,
					   &children);
	}
	if (!error)
		error = read_below(walk, chain, bytes, &children, &is_moved);
	if (!error)
		error = enter_table(walk, chain, bytes, is_moved);
	ptu_bpf_list_deinit(&children);
	if (error)
		take_back(walk, level, nr_records);
	chain->nr--;
	return error;
}

int ptu_bpf_read_pieces(struct ptu_bpf_walking *walk)
{
	const struct ptu_bpf_place pgd = ptu_bpf_pgd(walk);
	struct chain chain = { .nr = 0 };
	int error;

	walk->low_bytes = UINT64_MAX;
	walk->high_bytes = 0;
	error = read_table(walk, &chain, PTAUDIT_PGD, &pgd);
	if (error == -ENOMEM)
		return ptu_err_set(walk->err, error, "out of memory");
	return error;
}
