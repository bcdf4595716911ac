#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compares the module and the tool with a walk of the guest's physical memory
# from outside the VM, on Debian's 6.1. Prints KTAP; the last line is
# `N passed, N failed`.
#
# usage: run.sh [LEVELS:PTI[:LAYOUT,...]...]    default: 4:off 4:on 5:on; 5:off works too
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
export PYTHONDONTWRITEBYTECODE=1

[ $# -gt 0 ] || set -- 4:off 4:on 5:on

make -s -C "$here/../.." user >&2 || {
	echo 'not ok 1 the tool does not build'
	echo '0 passed, 1 failed'
	exit 1
}
exec python3 "$here/witness.py" "$here/../../user/ptaudit" "$@"
