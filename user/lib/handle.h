/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two files of the library share. */
#ifndef PTU_LIB_HANDLE_H
#define PTU_LIB_HANDLE_H

#include "lib/ptaudit.h"
#include "report/map.h"

enum ptu_lib_kind { PTU_LIB_ESTIMATE, PTU_LIB_CHECK, PTU_LIB_MAP };

/**
 * struct ptaudit_report - what was measured
 * @kind: how
 * @map: .geo and .process; the rest of PTU_LIB_MAP alone
 */
struct ptaudit_report {
	enum ptu_lib_kind kind;
	struct ptu_map_report map;
};

#endif
