/* SPDX-License-Identifier: GPL-2.0-only */
/* Short names of the levels. */
#ifndef LEVELS_H
#define LEVELS_H

#include "model/geometry.h"

#define PGD PTAUDIT_PGD
#define P4D PTAUDIT_P4D
#define PUD PTAUDIT_PUD
#define PMD PTAUDIT_PMD
#define PTE PTAUDIT_PTE

#endif
