// SPDX-License-Identifier: GPL-2.0-only
/* Finding the NUMA node of a page frame. The test defines the directories of sysfs. */
#define _GNU_SOURCE
#include "acquire/fake_machine.h"

#define NODES "/sys/devices/system/node"
#define ERROR "cannot read the NUMA nodes below " NODES ": "

/* A block has 128 MiB. */
static void nodes_are(const struct directory *d, size_t nr)
{
	directories = d;
	nr_directories = nr;
	block_size = "8000000\n";
}

#define NODES_ARE(d) nodes_are(d, sizeof(d) / sizeof((d)[0]))
#define FRAMES_OF_BLOCK (128 * MIB / 4096)

static int node_of(uint64_t block)
{
	const int first = ptu_bpf_memory_node(&found, block * FRAMES_OF_BLOCK);
	const int last = ptu_bpf_memory_node(&found,
					     (block + 1) * FRAMES_OF_BLOCK - 1);

	return first == last ? first : 42;
}

/* In the order in which a file system may list them. */
static const struct directory two_nodes[] = {
	{ NODES, { ".", "..", "possible", "node1", "has_cpu", "node0" } },
	{ NODES "/node1", { ".", "memory200", "cpu1", "memory3" } },
	{ NODES "/node0",
	  { "memory_side_cache", "memory0", "memory63", "memory64",
	    "memory1" } },
};

/* The list of blocks grows four times. */
static const struct directory growing[] = {
	{ NODES, { "node0", "node1" } },
	{ NODES "/node0", { "memory0", "memory64", "memory300" } },
	{ NODES "/node1", { "memory128", "memory63", "memory500" } },
};

UNIT_TEST(each_block_of_memory_is_on_its_node)
{
	NODES_ARE(two_nodes);
	CHECK_EQ(search(), 0);
	CHECK_EQ(found.block_bytes, 128 * MIB);
	CHECK_EQ(node_of(0), 0);
	CHECK_EQ(node_of(1), 0);
	CHECK_EQ(node_of(2), -1);
	CHECK_EQ(node_of(3), 1);
	CHECK_EQ(node_of(63), 0);
	CHECK_EQ(node_of(64), 0);
	CHECK_EQ(node_of(65), -1);
	CHECK_EQ(node_of(200), 1);
	CHECK_EQ(node_of(201), -1);
	CHECK_EQ(node_of(1 << 20), -1);
	CHECK_EQ(nr_opened, 0);
	ptu_bpf_memory_deinit(&found);
	CHECK_EQ(ptu_bpf_memory_node(&found, 200 * FRAMES_OF_BLOCK), 0);
}

/* A block that is noted later does not change the nodes of the earlier blocks. */
UNIT_TEST(blocks_are_noted_in_any_order)
{
	uint64_t block;

	NODES_ARE(growing);
	CHECK_EQ(search(), 0);
	for (block = 0; block < 1000; block++)
		CHECK_EQ(node_of(block),
			 block == 0 || block == 64 || block == 300   ? 0 :
			 block == 63 || block == 128 || block == 500 ? 1 :
								       -1);
	ptu_bpf_memory_deinit(&found);
}

UNIT_TEST(all_memory_is_on_the_only_node)
{
	static const struct directory one_node[] = {
		{ NODES, { "node0", "online" } },
		{ NODES "/node0", { "memory0" } },
	};

	NODES_ARE(one_node);
	block_size = NULL;
	CHECK_EQ(search(), 0);
	CHECK_EQ(nr_block_sizes_read, 0);
	CHECK_EQ(node_of(0), 0);
	CHECK_EQ(node_of(7), 0);
	ptu_bpf_memory_deinit(&found);
}

/* A kernel without CONFIG_MEMORY_HOTPLUG has no directory of blocks. */
UNIT_TEST(nodes_without_blocks_are_unknown)
{
	static const struct directory no_blocks[] = {
		{ NODES, { "node0", "node1" } },
		{ NODES "/node0", { "cpu0" } },
		{ NODES "/node1", { "cpu1" } },
	};

	NODES_ARE(no_blocks);
	block_size = NULL;
	CHECK_EQ(search(), 0);
	CHECK_EQ(node_of(0), -1);
	CHECK_EQ(node_of(7), -1);
	CHECK_EQ(nr_block_sizes_read, 0);
	ptu_bpf_memory_deinit(&found);
}

UNIT_TEST(a_kernel_without_numa_has_no_nodes)
{
	nodes_are(NULL, 0);
	CHECK_EQ(search(), 0);
	CHECK_EQ(nr_block_sizes_read, 0);
	CHECK_EQ(node_of(7), 0);
	CHECK_EQ(found.nr_blocks, 0);
	ptu_bpf_memory_deinit(&found);
}

/* The error is returned, and nothing stays allocated or open. */
static void fails(int error, const char *text)
{
	/* the pages of an earlier search no longer exist */
	be_machine(&four_levels, RANDOM_BASE, 0x5000);
	CHECK_EQ(search(), error);
	CHECK_STR(err.text, text);
	CHECK_EQ(found.direct_map, UNTOUCHED);
	CHECK_EQ(nr_opened, 0);
}

UNIT_TEST(nodes_that_cannot_be_read_are_an_error)
{
	NODES_ARE(two_nodes);
	unreadable = NODES "/node0";
	fails(-EACCES, ERROR "Permission denied");
	unreadable = NODES "/node1";
	fails(-EACCES, ERROR "Permission denied");
}

UNIT_TEST(memory_for_the_blocks_can_be_missing)
{
	NODES_ARE(growing);
	for (unsigned int i = 1; i <= 4; i++) {
		allocation_fails = i;
		fails(-ENOMEM, ERROR "Cannot allocate memory");
	}
}

UNIT_TEST(blocks_must_have_a_size)
{
	static const char *const wrong[] = { "0\n", "", "x\n" };

	NODES_ARE(two_nodes);
	block_size = NULL;
	fails(-ENOENT, ERROR "No such file or directory");
	for (unsigned int i = 0; i < 3; i++) {
		block_size = wrong[i];
		fails(-EINVAL, ERROR "Invalid argument");
	}
}

UNIT_MAIN_WITH(machine_set_up, NULL)
