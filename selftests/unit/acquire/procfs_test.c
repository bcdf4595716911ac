// SPDX-License-Identifier: GPL-2.0-only
/* Parsing the status of a process.  The test writes the file. */
#include "acquire/procfs.h"

#include <errno.h>

#include "support/tree.h"
#include "support/unit.h"

#define OWNER "Uid:\t7\t8\t9\t10\n"
#define RSS "VmRSS:\t 4 kB\n"
#define PTES "VmPTE:\t 8 kB\n"

static int parse(const char *text, struct ptu_proc_status *ret,
		 struct ptu_err *err)
{
	const struct ptu_proc proc = { .pid = 77, .dirfd = tree_fd };

	tree_write("status", text);
	return ptu_proc_status(&proc, ret, err);
}

UNIT_TEST(status_has_user_and_memory)
{
	struct ptu_proc_status status;

	CHECK_EQ(parse(OWNER RSS PTES, &status, NULL), 0);
	CHECK_EQ(status.uid, 7);
	CHECK(status.has_mm);
	CHECK_EQ(status.vmrss_bytes, 4096);
	CHECK_EQ(status.vmpte_bytes, 8192);
	/* a kernel thread or a zombie */
	CHECK_EQ(parse(OWNER, &status, NULL), 0);
	CHECK_EQ(status.uid, 7);
	CHECK(!status.has_mm);
	CHECK_EQ(status.vmrss_bytes, 0);
	CHECK_EQ(status.vmpte_bytes, 0);
}

static const struct {
	const char *name, *text;
} damaged[] = {
	{ "without_uid", RSS PTES },
	{ "without_number_of_uid", "Uid:\tx\t8\t9\t10\n" RSS PTES },
	{ "with_a_word_as_uid", "Uid:\t7x\t8\t9\t10\n" RSS PTES },
	{ "without_rss", OWNER PTES },
	{ "without_vmpte", OWNER RSS },
	{ "without_number_of_rss", OWNER "VmRSS:\t kB\n" PTES },
	{ "with_another_unit", OWNER RSS "VmPTE:\t 8 MB\n" },
	{ "with_more_than_64_bits",
	  OWNER RSS "VmPTE:\t 18014398509481984 kB\n" },
	{ "cut_off", OWNER RSS "VmPTE:\t 8" },
};

UNIT_CASES(status_of_another_format_is_refused, damaged, one)
{
	struct ptu_proc_status status;
	struct ptu_err err = { "" };

	CHECK_EQ(parse(one->text, &status, &err), -EIO);
	CHECK_STR(err.text,
		  "process 77: status does not have the format of the kernel");
}

/* 36 characters and the NUL, which ASan finds behind a smaller array. */
UNIT_TEST(boot_id_needs_37_bytes)
{
	char id[37], less[36];

	CHECK_EQ(ptu_proc_boot_id(id, sizeof(id), NULL), 0);
	CHECK_EQ(strlen(id), 36);
	CHECK_EQ(ptu_proc_boot_id(less, sizeof(less), NULL), -EIO);
}

UNIT_MAIN_WITH(tree_make, tree_remove)
