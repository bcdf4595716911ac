// SPDX-License-Identifier: GPL-2.0-only
/* `cow` and `flags` as JSON, from reports made by the test: each member, and its order. */
#include "render/render.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "report/cow.h"
#include "report/flags.h"
#include "support/at.h"
#include "support/unit.h"

#define OPTIONS(...) ((struct ptu_render_options){ __VA_ARGS__ })

/* 1 file page, 2 copies, 3 shared copies; nothing but a marker; copies of every kind. */
static struct ptu_cow_row mappings[] = {
	{ .start = 0x400000,
	  .end = 0x406000,
	  .perms = "rw-p",
	  .path = "/bin/x\n",
	  .count = { .pages = 6,
		     .kinds = { [PTU_COW_ORIGINAL] = 1,
				[PTU_COW_COPIED] = 2,
				[PTU_COW_SHARED] = 3 } } },
	{ .start = 0x7f0000000000,
	  .end = 0x7f0000004000,
	  .perms = "r--p",
	  .path = "",
	  .count = { .pages = 4,
		     .kinds = { [PTU_COW_UNTOUCHED] = 4 },
		     .markers = 1 } },
	{ .start = 0xfffffffffffe0000,
	  .perms = "---p",
	  .path = "[end]",
	  .count = { .pages = 32,
		     .kinds = { 2, 4, 6, 8, 12 },
		     .maybe_zero = 7,
		     .maybe_markers = 5,
		     .disagree = 9 } },
};

static struct ptu_flag_group groups[] = {
	{ .flags = 0, .pages = 1 },
	{ .flags = UINT64_C(1) << 47 | 1 << 12 | 1 << 5, .pages = 40 },
	{ .flags = UINT64_C(1) << 63, .pages = 300 },
};

static struct ptu_flag_run runs[] = {
	{ .start = 0x1000, .end = 0x2000, .flags = 0 },
	{ .start = 0x10000, .end = 0x10000 + 40 * 4096, .flags = 1 << 5 },
	{ .start = 0xffffffffffffe000, .end = 0, .flags = UINT64_C(1) << 63 },
};

static struct ptu_cow_report cow;
static struct ptu_flags_report flags;
static char *text;
static json_t *root;

static void set_up(void)
{
	const struct ptu_mapped_head head = {
		.host = { .release = "6.1.0-test",
			  .machine = "x86_64",
			  .page_bytes = 4096,
			  .time = "2026-01-02T03:04:05Z" },
		.boot_id = "a-b-c",
		.pid = 4242,
		.tid = 4242,
		.comm = "a\"\xff",
	};

	cow = (struct ptu_cow_report){
		.head = head,
		.known = { .pfnzero = true },
		.rows = mappings,
		.nr_rows = 3,
		.total = { .pages = 6 + 4 + 32,
			   .kinds = { 4 + 2, 1 + 4, 2 + 6, 3 + 8, 12 },
			   .maybe_zero = 7,
			   .maybe_markers = 5,
			   .markers = 1,
			   .disagree = 9 },
	};
	flags = (struct ptu_flags_report){
		.head = head,
		.counted = { .pages = 1 + 40 + 300,
			     .groups = groups,
			     .nr_groups = 3,
			     .by_bit = { [5] = 40, [12] = 40, [47] = 40, [63] = 300 },
			     .runs = runs,
			     .nr_runs = 3 },
	};
}

static void tear_down(void)
{
	json_decref(root);
	root = NULL;
}

static int render(bool is_cow, struct ptu_render_options options)
{
	struct ptu_err err = { "" };
	json_error_t wrong;
	int error;

	tear_down();
	text = OUTPUT_OF(
		error = is_cow ?
				ptu_render_cow_json(&cow, &options, out, &err) :
				ptu_render_flags_json(&flags, &options, out,
						      &err));
	if (error)
		return error;
	root = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
	if (!root)
		UNIT_FAIL("%s in:\n%s", wrong.text, text);
	return 0;
}

/* Compare the value at a path with JSON without blanks, members in order. */
static void is_at(const char *path, const char *expected)
{
	char *got = json_dumps(at(root, path), JSON_COMPACT | JSON_ENCODE_ANY |
						       JSON_PRESERVE_ORDER);

	if (!got || strcmp(got, expected))
		UNIT_FAIL("%s is %s, not %s", path, got ? got : "absent",
			  expected);
	free(got);
}

static void keys_are(const char *expected)
{
	char keys[256] = "";
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value)
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys),
			 "%s ", key);
	CHECK_STR(keys, expected);
}

UNIT_TEST(cow_shows_each_mapping)
{
	CHECK_EQ(render(true, OPTIONS(.raw = false)), 0);
	keys_are(
		"ptaudit pid comm pfnzero kpageflags mappings total disagreements ");
	is_at("ptaudit.command", "\"cow\"");
	is_at("ptaudit.schema", "1");
	is_at("ptaudit.kernel", "\"6.1.0-test\"");
	is_at("ptaudit.machine", "\"x86_64\"");
	is_at("ptaudit.page_size", "4096");
	is_at("ptaudit.time", "\"2026-01-02T03:04:05Z\"");
	is_at("ptaudit.boot_id", "\"a-b-c\"");
	CHECK(!at(root, "ptaudit.output"));
	is_at("pid", "4242");
	is_at("comm", "\"a\\\"\\\\xff\"");
	is_at("pfnzero", "true");
	is_at("kpageflags", "false");
	CHECK_EQ(json_array_size(at(root, "mappings")), 3);
	is_at("mappings.0",
	      "{\"start\":\"0x400000\",\"end\":\"0x406000\",\"perms\":\"rw-p\","
	      "\"path\":\"/bin/x\\n\",\"pages\":6,\"untouched\":0,"
	      "\"original\":1,\"copied\":2,\"copied_shared\":3,"
	      "\"copied_swapped\":0,\"ambiguous\":0,\"ambiguous_swapped\":0,"
	      "\"markers\":0,\"disagree\":0}");
	is_at("mappings.1",
	      "{\"start\":\"0x7f0000000000\",\"end\":\"0x7f0000004000\","
	      "\"perms\":\"r--p\",\"path\":\"\",\"pages\":4,\"untouched\":4,"
	      "\"original\":0,\"copied\":0,\"copied_shared\":0,"
	      "\"copied_swapped\":0,\"ambiguous\":0,\"ambiguous_swapped\":0,"
	      "\"markers\":1,\"disagree\":0}");
	is_at("mappings.2",
	      "{\"start\":\"0xfffffffffffe0000\",\"end\":\"0x10000000000000000\","
	      "\"perms\":\"---p\",\"path\":\"[end]\",\"pages\":32,"
	      "\"untouched\":2,\"original\":4,\"copied\":6,\"copied_shared\":8,"
	      "\"copied_swapped\":12,\"ambiguous\":7,\"ambiguous_swapped\":5,"
	      "\"markers\":0,\"disagree\":9}");
	is_at("total",
	      "{\"pages\":42,\"untouched\":6,\"original\":5,\"copied\":8,"
	      "\"copied_shared\":11,\"copied_swapped\":12,\"ambiguous\":7,"
	      "\"ambiguous_swapped\":5,\"markers\":1,\"disagree\":9}");
	is_at("disagreements", "[]");
}

UNIT_TEST(cow_shows_the_samples)
{
	cow.known = (struct ptu_cow_known){ .flags = true };
	cow.samples[0] = (struct ptu_cow_sample){
		.addr = 0x7f0000001000,
		.kind = PTU_COW_COPIED,
		.by_flags = PTU_COW_ORIGINAL,
		.page = { .word = UINT64_C(0x8000000000000abc),
			  .flags = 0x1868,
			  .count = 3 },
	};
	cow.samples[1] = (struct ptu_cow_sample){
		.kind = PTU_COW_SWAPPED,
		.by_flags = PTU_COW_SHARED,
		.page = { .count = UINT64_C(1) << 40 },
	};
	cow.nr_samples = 2;
	CHECK_EQ(render(true, OPTIONS(.raw = false)), 0);
	is_at("pfnzero", "false");
	is_at("kpageflags", "true");
	is_at("disagreements",
	      "[{\"start\":\"0x7f0000001000\",\"pagemap\":\"copied\","
	      "\"kpageflags\":\"original\","
	      "\"pagemap_entry\":\"0x8000000000000abc\",\"flags\":\"0x1868\","
	      "\"count\":3},"
	      "{\"start\":\"0x0\",\"pagemap\":\"copied_swapped\","
	      "\"kpageflags\":\"copied_shared\",\"pagemap_entry\":\"0x0\","
	      "\"flags\":\"0x0\",\"count\":1099511627776}]");
}

/* --output, --sort and --limit change the mappings, not the total. */
UNIT_TEST(cow_sorts_and_chooses)
{
	CHECK_EQ(render(true, OPTIONS(.columns = "PAGES,START", .sort = "PAGES",
				      .limit = 2)),
		 0);
	is_at("ptaudit.output", "\"PAGES,START\"");
	is_at("mappings", "[{\"pages\":32,\"start\":\"0xfffffffffffe0000\"},"
			  "{\"pages\":6,\"start\":\"0x400000\"}]");
	CHECK_EQ(json_object_size(at(root, "total")), 10);
	is_at("total.pages", "42");
}

UNIT_TEST(cow_refuses_an_unknown_column)
{
	CHECK_EQ(render(true, OPTIONS(.columns = "RAW")), -EINVAL);
	CHECK_STR(text, "");
}

/* The thread is shown if it is not the main one. */
UNIT_TEST(the_thread_that_was_read_is_named)
{
	CHECK_EQ(render(true, OPTIONS(.raw = false)), 0);
	CHECK(!at(root, "tid"));
	cow.head.tid = flags.head.tid = 4243;
	CHECK_EQ(render(true, OPTIONS(.raw = false)), 0);
	is_at("tid", "4243");
	is_at("pid", "4242");
	CHECK_EQ(render(false, OPTIONS(.raw = false)), 0);
	is_at("tid", "4243");
}

#define BY_FLAG                                                  \
	"[{\"flag\":\"LRU\",\"bit\":5,\"pages\":40},"            \
	"{\"flag\":\"ANON\",\"bit\":12,\"pages\":40},"           \
	"{\"flag\":\"ANON_EXCLUSIVE\",\"bit\":47,\"pages\":40}," \
	"{\"flag\":\"bit63\",\"bit\":63,\"pages\":300}]"
#define NONE "{\"raw\":\"0x0\",\"flags\":[],\"pages\":1}"
#define ANON                                                       \
	"{\"raw\":\"0x800000001020\",\"flags\":[\"LRU\",\"ANON\"," \
	"\"ANON_EXCLUSIVE\"],\"pages\":40}"
#define LAST                                                     \
	"{\"raw\":\"0x8000000000000000\",\"flags\":[\"bit63\"]," \
	"\"pages\":300}"

UNIT_TEST(flags_shows_combinations_and_flags)
{
	CHECK_EQ(render(false, OPTIONS(.raw = false)), 0);
	keys_are("ptaudit pid comm pages combinations ksm_is_anon flags ");
	is_at("ptaudit.command", "\"flags\"");
	is_at("ptaudit.page_size", "4096");
	CHECK(!at(root, "ptaudit.output"));
	is_at("pid", "4242");
	is_at("pages", "341");
	is_at("combinations", "[" NONE "," ANON "," LAST "]");
	is_at("ksm_is_anon", "false");
	is_at("flags", BY_FLAG);
	flags.ksm_is_anon = true;
	CHECK_EQ(render(false, OPTIONS(.raw = false)), 0);
	is_at("ksm_is_anon", "true");
}

/* The first and the last bit are flags, too. */
UNIT_TEST(flags_shows_each_bit)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++)
		flags.counted.by_bit[bit] = bit + 1;
	CHECK_EQ(render(false, OPTIONS(.raw = false)), 0);
	CHECK_EQ(json_array_size(at(root, "flags")), 64);
	is_at("flags.0", "{\"flag\":\"LOCKED\",\"bit\":0,\"pages\":1}");
	is_at("flags.63", "{\"flag\":\"bit63\",\"bit\":63,\"pages\":64}");
	memset(flags.counted.by_bit, 0, sizeof(flags.counted.by_bit));
	CHECK_EQ(render(false, OPTIONS(.raw = false)), 0);
	is_at("flags", "[]");
}

UNIT_TEST(flags_sorts_and_chooses_combinations)
{
	CHECK_EQ(render(false, OPTIONS(.columns = "PAGES,RAW", .sort = "PAGES",
				       .limit = 2)),
		 0);
	is_at("ptaudit.output", "\"PAGES,RAW\"");
	is_at("combinations", "[{\"pages\":300,\"raw\":\"0x8000000000000000\"},"
			      "{\"pages\":40,\"raw\":\"0x800000001020\"}]");
	is_at("flags", BY_FLAG);
}

/* With --ranges the options choose among the ranges; all combinations are printed. */
UNIT_TEST(flags_sorts_and_chooses_runs)
{
	flags.counted.with_runs = true;
	CHECK_EQ(render(false, OPTIONS(.raw = false)), 0);
	keys_are(
		"ptaudit pid comm pages combinations ksm_is_anon flags ranges ");
	is_at("combinations", "[" NONE "," ANON "," LAST "]");
	is_at("ranges",
	      "[{\"start\":\"0x1000\",\"end\":\"0x2000\",\"pages\":1,"
	      "\"raw\":\"0x0\",\"flags\":[]},"
	      "{\"start\":\"0x10000\",\"end\":\"0x38000\",\"pages\":40,"
	      "\"raw\":\"0x20\",\"flags\":[\"LRU\"]},"
	      "{\"start\":\"0xffffffffffffe000\","
	      "\"end\":\"0x10000000000000000\",\"pages\":2,"
	      "\"raw\":\"0x8000000000000000\",\"flags\":[\"bit63\"]}]");
	CHECK_EQ(render(false, OPTIONS(.columns = "START,PAGES",
				       .sort = "PAGES", .limit = 2)),
		 0);
	is_at("combinations", "[" NONE "," ANON "," LAST "]");
	is_at("ranges", "[{\"start\":\"0x10000\",\"pages\":40},"
			"{\"start\":\"0xffffffffffffe000\",\"pages\":2}]");
}

/* A column of the ranges is unknown to the combinations. */
UNIT_TEST(flags_refuses_a_column_of_the_other_table)
{
	CHECK_EQ(render(false, OPTIONS(.columns = "START")), -EINVAL);
	CHECK_STR(text, "");
	flags.counted.with_runs = true;
	CHECK_EQ(render(false, OPTIONS(.columns = "START")), 0);
	CHECK_EQ(render(false, OPTIONS(.columns = "COPIED")), -EINVAL);
	CHECK_STR(text, "");
}

UNIT_MAIN_WITH(set_up, tear_down)
