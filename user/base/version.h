/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The release number and the version of the JSON format. */
#ifndef PTU_BASE_VERSION_H
#define PTU_BASE_VERSION_H

#define PTU_VERSION "0.1"
#define PTU_JSON_SCHEMA 1

#endif
