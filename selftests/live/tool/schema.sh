#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Validates the JSON of the commands that need root and the module against the schema.
exec "$(dirname "$0")/../../schema_test.py" --module "${PTAUDIT_TOOL:?}"
