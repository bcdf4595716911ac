// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and descriptions of causes. */
#include "report/pages.h"

const char *ptu_totals_why_name(enum ptu_totals_why why)
{
	static const char *const names[PTU_NR_TOTALS_WHY] = {
		[PTU_TOTALS_AGREE] = "agree",
		[PTU_TOTALS_UNKNOWN] = "unknown",
		[PTU_TOTALS_UNEXPLAINED] = "unexplained",
		[PTU_TOTALS_IN_FLUX] = "in-flux",
		[PTU_TOTALS_PFNMAP] = "pfnmap",
		[PTU_TOTALS_HUGETLB_ABSENT] = "hugetlb-absent",
		[PTU_TOTALS_LARGE_FOLIO] = "large-folio",
		[PTU_TOTALS_AVERAGE] = "average",
		[PTU_TOTALS_DEVICE_LEAF] = "device-leaf",
		[PTU_TOTALS_DEVICE_RSS] = "device-rss",
		[PTU_TOTALS_PROTNONE_LEAF] = "protnone-leaf",
		[PTU_TOTALS_KSM_FLAG] = "ksm-flag",
		[PTU_TOTALS_MOVING_LEAF] = "moving-leaf",
		[PTU_TOTALS_HWPOISON] = "hwpoison",
	};

	return why < PTU_NR_TOTALS_WHY ? names[why] : "?";
}

const char *ptu_totals_why_sentence(enum ptu_totals_why why)
{
	static const char *const sentences[PTU_NR_TOTALS_WHY] = {
		[PTU_TOTALS_PFNMAP] =
			"in a mapping of page frames (flag pf), which pagemap and smaps skip",
		[PTU_TOTALS_HUGETLB_ABSENT] =
			"entries of hugetlb that are not present, which pagemap leaves out",
		[PTU_TOTALS_LARGE_FOLIO] =
			"in large folios, for which kpageflags does not show the flag of each page",
		[PTU_TOTALS_AVERAGE] =
			"in large folios, whose mappings this kernel counts per folio",
		[PTU_TOTALS_DEVICE_LEAF] =
			"by huge leaves of device memory, which smaps leaves out",
		[PTU_TOTALS_DEVICE_RSS] =
			"of device memory, which smaps of this kernel counts",
		[PTU_TOTALS_PROTNONE_LEAF] =
			"by huge leaves without access, which smaps of this kernel leaves out",
		[PTU_TOTALS_KSM_FLAG] =
			"that are not merged: kpageflags of this kernel sets KSM for every anonymous page",
		[PTU_TOTALS_MOVING_LEAF] =
			"by huge leaves that are being migrated, which smaps counts as present",
		[PTU_TOTALS_HWPOISON] =
			"poisoned by a hardware error, which smaps of this kernel counts",
	};

	return why < PTU_NR_TOTALS_WHY && sentences[why] ? sentences[why] : "";
}
