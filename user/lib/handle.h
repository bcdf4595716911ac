/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Definitions shared by the two files of the library. */
#ifndef PTU_LIB_HANDLE_H
#define PTU_LIB_HANDLE_H

#include "lib/ptaudit.h"
#include "report/map.h"

enum ptu_lib_kind { PTU_LIB_ESTIMATE, PTU_LIB_CHECK, PTU_LIB_MAP };

/**
 * struct ptaudit_report - result of a measurement
 * @kind: kind of measurement
 * @map: sets .geo and .process; the other fields only for PTU_LIB_MAP
 */
struct ptaudit_report {
	enum ptu_lib_kind kind;
	struct ptu_map_report map;
};

#endif
