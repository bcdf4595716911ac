/* SPDX-License-Identifier: GPL-2.0-only */
/* The architecture of the build; all headers define the same names. */
#ifdef CONFIG_X86_64
#include "x86.h"
#else
#error "the module supports only x86-64"
#endif
