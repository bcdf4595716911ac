/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that allocates a known number of tables on order. */
#ifndef GROWER_H
#define GROWER_H

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define BASE ((char *)(32ul << 39)) /* a PGD slot without other mappings */
#define START "0x100000000000"
#define SLOT (2ul << 20)
#define SLOTS 300ul /* 600 MiB: one PMD table, one PUD table */
#define TABLE 4096l

/* The order to unmap all slots. */
#define FREE 255

/**
 * struct grower - a process that touches one page in each of a given number of slots
 * @to: takes orders of one byte: the number of slots; 0: call vfork() and stay in it; FREE
 * @from: gives a byte when the order is done
 */
struct grower {
	pid_t pid;
	int to;
	int from;
};

/* The child shares the memory; it ends when the pipe of orders is closed. */
static void stay_in_vfork(int orders, int answers)
{
	char byte;

	if (vfork())
		return;
	if (write(answers, "", 1) == 1 && read(orders, &byte, 1) == 1)
		_exit(1);
	_exit(0);
}

static void serve(int orders, int answers)
{
	char *at = mmap(BASE, SLOTS * SLOT, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				MAP_FIXED_NOREPLACE,
			-1, 0);
	unsigned char order;

	if (at == MAP_FAILED || madvise(at, SLOTS * SLOT, MADV_NOHUGEPAGE))
		_exit(1);
	while (read(orders, &order, 1) == 1) {
		unsigned int i;

		for (i = 0; order != FREE && i < order; i++, at += SLOT)
			*at = 1;
		if (order == FREE && munmap(BASE, SLOTS * SLOT))
			_exit(1);
		if (!order)
			stay_in_vfork(orders, answers);
		else if (write(answers, "", 1) != 1)
			break;
	}
}

static bool tell(const struct grower *g, unsigned char order)
{
	char byte;

	return write(g->to, &order, 1) == 1 && read(g->from, &byte, 1) == 1;
}

/* The process has touched one slot already, so an order needs no further tables. */
static struct grower begin(const char *name)
{
	int orders[2], answers[2];
	struct grower g = { .pid = -1 };

	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		return g;
	g.pid = fork();
	if (!g.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		close(orders[1]);
		close(answers[0]);
		serve(orders[0], answers[1]);
		_exit(0);
	}
	close(orders[0]);
	close(answers[1]);
	g.to = orders[1];
	g.from = answers[0];
	if (!tell(&g, 1) || !tell(&g, 1)) {
		kill(g.pid, SIGKILL);
		g.pid = -1;
	}
	return g;
}

static void end(const struct grower *g)
{
	kill(g->pid, SIGKILL);
	waitpid(g->pid, NULL, 0);
	close(g->to);
	close(g->from);
}

static long number_after(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

#endif
