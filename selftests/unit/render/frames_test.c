// SPDX-License-Identifier: GPL-2.0-only
/* `kpagemap` as JSON, from a report made by the test: each figure at its place. */
#include "report/frames.h"

#include "support/at.h"
#include "support/check.h"

/* Bits of kpageflags that the report has: one compared, one left out. */
#define COMPARED 2
#define LEFT_OUT 20

/* Four results that are different from all others of the report. */
static void put_ends(uint64_t *ends, uint64_t base)
{
	ends[PTU_KPAGEMAP_AGREED] = base + 1;
	ends[PTU_KPAGEMAP_CHANGED] = base + 2;
	ends[PTU_KPAGEMAP_IN_FLUX] = base + 3;
	ends[PTU_KPAGEMAP_UNEXPLAINED] = base + 4;
}

static void ends_at(json_t *root, const char *place, long long base)
{
	static const char *const names[] = { "agree", "changed", "in_flux",
					     "unexplained" };
	char path[64];

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", place, names[i]);
		number_at(root, path, base + 1 + i);
	}
}

static struct ptu_kpagemap_report report = {
	.host = { .release = "6.1", .machine = "x86_64", .page_bytes = 4096 },
	.boot_id = "boot",
	.duration_ns = 77,
	.nr_flags = 2000,
	.names = { .names = { { 4, "lru" } }, .nr_names = 1 },
	.compared = {
		.tails = PTU_KPAGEMAP_TAILS_HEAD,
		.frames = 1000,
		.head_frames = 11,
		.holes_marked = 12,
		.holes_silent = 13,
		.unknown = UINT64_C(1) << 50 | UINT64_C(1) << 61,
		.by_flag = { [COMPARED] = { .set = 200 },
			     [LEFT_OUT] = { .set = 21 } },
		.by_hole = { .set = 300 },
		.by_count = { [PTU_KPAGEMAP_BUDDY] = { .set = 400 } },
		.flags = { [COMPARED] = { .rule = PTU_KPAGEMAP_COPY,
					  .pg = "referenced",
					  .bits = 4 },
			   [LEFT_OUT] = { .reason = "why" } },
	},
	.samples = { { .pfn = 0x123,
		       .frame = { 0x5, 6, 0x7, 8 },
		       .verdict = { .differ = 1 << COMPARED,
				    .hole = true,
				    .broken = 1 << PTU_KPAGEMAP_TAIL } },
		     { .pfn = 0x124 } },
	.nr_samples = 2,
};

static json_t *rendered(void)
{
	const struct ptu_render_options options = { .raw = false };

	return json_from(PRINTED(ptu_render_kpagemap_json, &report, &options));
}

int main(void)
{
	json_t *root;

	put_ends(report.compared.ends, 1000);
	put_ends(report.compared.by_flag[COMPARED].ends, 200);
	put_ends(report.compared.by_hole.ends, 300);
	put_ends(report.compared.by_count[PTU_KPAGEMAP_BUDDY].ends, 400);
	root = rendered();
	text_at(root, "ptaudit.kernel", "6.1");
	number_at(root, "ptaudit.duration_ns", 77);
	number_at(root, "pages", 1000);
	ends_at(root, "", 1000);
	number_at(root, "kpageflags_pages", 2000);
	text_at(root, "tails", "head");
	number_at(root, "tails_other_than_head", 11);
	check(json_array_size(at(root, "flags")) == 1,
	      "kpagemap: one compared flag");
	number_at(root, "flags.0.kpf", COMPARED);
	number_at(root, "flags.0.set", 200);
	text_at(root, "flags.0.pg", "referenced");
	ends_at(root, "flags.0.", 200);
	check(json_array_size(at(root, "left_out")) == 1,
	      "kpagemap: one flag is left out");
	number_at(root, "left_out.0.kpf", LEFT_OUT);
	number_at(root, "left_out.0.set", 21);
	text_at(root, "left_out.0.reason", "why");
	check(json_array_size(at(root, "unknown_kpf")) == 2,
	      "kpagemap: two unknown bits");
	number_at(root, "unknown_kpf.0", 50);
	number_at(root, "unknown_kpf.1", 61);
	text_at(root, "counts.1.rule", "buddy");
	number_at(root, "counts.1.pages", 400);
	ends_at(root, "counts.1.", 400);
	number_at(root, "holes.pages", 300);
	number_at(root, "holes.marked", 12);
	number_at(root, "holes.silent", 13);
	ends_at(root, "holes.", 300);
	number_at(root, "names.0.bit", 4);
	text_at(root, "names.0.name", "lru");
	check(json_array_size(at(root, "unexplained_pages")) == 2,
	      "kpagemap: two unexplained pages");
	text_at(root, "unexplained_pages.0.pfn", "0x123");
	text_at(root, "unexplained_pages.0.flags", "0x5");
	number_at(root, "unexplained_pages.0.count", 6);
	text_at(root, "unexplained_pages.0.kpageflags", "0x7");
	number_at(root, "unexplained_pages.0.kpagecount", 8);
	text_at(root, "unexplained_pages.0.differ.0", "REFERENCED");
	text_at(root, "unexplained_pages.0.differ.1", "hole");
	text_at(root, "unexplained_pages.0.differ.2", "count:tail");
	check(json_array_size(at(root, "unexplained_pages.1.differ")) == 0,
	      "kpagemap: the other page differs in nothing");
	json_decref(root);
	return check_end();
}
