#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: lockdown_test.sh [KERNEL]
#
# Boots a VM (default 6.1), runs host/privilege_test.sh there, and locks its kernel down, as
# Secure Boot does. Lockdown for integrity must refuse the module's files and allow the BPF walk.
# Lockdown for confidentiality must end that walk with one sentence. The last line is `N passed,
# N failed`. PTAUDIT_TOOL: path of the tool to test. The default is the one built here.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 2
[ $# -le 1 ] || {
	echo 'usage: lockdown_test.sh [KERNEL]' >&2
	exit 2
}
make -s user || exit 2
# shellcheck source=/dev/null
. selftests/boot.sh
vm_total --kernel "${1:-6.1}" --timeout 600 -- \
	env PTAUDIT_TOOL="${PTAUDIT_TOOL:-user/ptaudit}" selftests/vm/lockdown-guest
