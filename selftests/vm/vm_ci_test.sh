#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests scripts/vm-ci: its output and exit status if a tree cannot be used, if programs are skipped,
# if all tests pass, and if the VM fails after the tests. Boots 6.1 twice. The last line is
# `N passed, N failed`.
set -uo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$root/selftests/result.sh"
show_on_failure "$tmp/out"

# expect NAME STATUS PATTERN ARG...: PATTERN must match a line of the output.
expect() {
	local name=$1 wanted=$2 pattern=$3 status=0
	shift 3
	"${copy:-$root}/scripts/vm-ci" "$@" >"$tmp/out" 2>&1 || status=$?
	[ "$status" = "$wanted" ] && grep -qxE "$pattern" "$tmp/out" && [ "$(head -n 1 "$tmp/out")" = 'KTAP version 1' ]
	result $? "$name" "status $status, or no line: $pattern"
}

vars=$("$root/scripts/kernel" 6.1) || exit
eval "$vars"
mkdir "$tmp/empty" "$tmp/unbuilt" "$tmp/small" "$tmp/allowed"
touch "$tmp/unbuilt/.config"
# shellcheck disable=SC2154 # from scripts/kernel
sed 's/^CONFIG_DEBUG_FS=.*//; s/^CONFIG_NET_9P_VIRTIO=.*//' "$build/.config" >"$tmp/small/.config"
sed 's/=m$/=y/' "$build/.config" >"$tmp/allowed/.config"

expect tree_without_config_is_refused 125 'Bail out! vm-ci: .*/empty is not a configured kernel tree' "$tmp/empty"
expect tree_without_image_is_refused 125 'Bail out! vm-ci: there is no .*/bzImage; build it .*' "$tmp/unbuilt"
# shellcheck disable=SC2154
expect kernel_without_debugfs_is_refused 125 'Bail out! vm-ci: the kernel has no CONFIG_DEBUG_FS' --image "$vmlinuz" "$tmp/small"
expect tree_without_release_is_refused 125 'Bail out! vm-ci: .*utsrelease.*' --image "$vmlinuz" "$tmp/allowed"
mkdir -p "$tmp/allowed/include/generated"
echo '#define UTS_RELEASE "6.1.0"' >"$tmp/allowed/include/generated/utsrelease.h"
expect tree_without_symvers_is_refused 125 'Bail out! vm-ci: .* has no Module.symvers; build it with: make -C .*' --image "$vmlinuz" "$tmp/allowed"
expect unknown_program_is_refused 125 'Bail out! vm-ci: there is no program nope; .*' --image "$vmlinuz" "$build" check_all.sh nope
mkdir "$tmp/without"
sed 's/^CONFIG_OVERLAY_FS=.*//' "$tmp/allowed/.config" >"$tmp/without/.config"
# like a container without /lib/modules
export VM_CI_LIB_MODULES=$tmp/none
# shellcheck disable=SC2154
expect kernel_without_overlay_is_refused 125 'Bail out! vm-ci: the kernel has no CONFIG_OVERLAY_FS, .*' \
	--image "$vmlinuz" --modules "$modules" "$tmp/without"
unset VM_CI_LIB_MODULES
status=0
"$root/scripts/vm-ci" --image >"$tmp/out" 2>&1 || status=$?
[ "$status" = 125 ] && grep -q '^usage: vm-ci ' "$tmp/out"
result $? option_without_value_is_refused "status $status"
# vm-ci must build the module with the compiler that built the kernel.
mkdir "$tmp/clang"
echo 'CONFIG_CC_VERSION_TEXT="Debian clang version 14.0.6"' >"$tmp/clang/.config"
# shellcheck disable=SC2016 # for make
printf 'modules:\n\techo $(CC) >$(M)/fake.ko\n' >"$tmp/clang/Makefile"
module=$(env -u CC "$root/scripts/kernel" --module "$tmp/clang" "$tmp/clang/module" 2>"$tmp/out") || :
[ "$(cat "$module")" = clang ]
result $? module_is_built_by_the_compiler_of_the_tree "$(cat "$module")"
# A module loads only into a kernel of the same release. With CONFIG_LOCALVERSION_AUTO each commit changes
# the release. So the cache must not return a module that was built for an earlier release.
mkdir -p "$tmp/clang/include/generated"
# If headers were changed and nothing was committed, only vmlinux is new.
while read -r release time; do
	echo "$release" >"$tmp/clang/include/generated/utsrelease.h"
	touch -d "$time" "$tmp/clang/vmlinux"
	PTAUDIT_CACHE=$tmp/cache "$root/scripts/kernel" --module "$tmp/clang" 2>"$tmp/out"
done >"$tmp/modules" <<-'END'
	one 2026-01-01
	two 2026-01-01
	two 2026-01-02
	two 2026-01-02
END
[ "$(uniq -c "$tmp/modules" | awk '{ printf "%s ", $1 }')" = '1 1 2 ' ]
result $? each_release_and_each_build_get_their_module "$(xargs <"$tmp/modules")"

# A copy with stand-ins: the VM prints the file `guest` and exits with the status in the file `ended`;
# make fails for the tool if the file `broken` exists, and builds nothing.
copy=$tmp/copy
mkdir -p "$copy/scripts" "$copy/selftests/live" "$tmp/bin"
cp "$root/scripts/vm-ci" "$copy/scripts"
cp "$root/selftests/boot.sh" "$copy/selftests"
cp "$root/selftests/live/settings" "$copy/selftests/live"
# shellcheck disable=SC2016 # for the stand-in
printf '#!/bin/sh\ncat "%s/guest"; exit "$(cat "%s/ended")"\n' "$tmp" "$tmp" >"$copy/scripts/vm"
printf '#!/bin/sh\necho "%s/module.ko"\n' "$tmp" >"$copy/scripts/kernel"
printf '#!/bin/sh\ncase $* in *" user") [ ! -e "%s/broken" ] ;; esac\n' "$tmp" >"$tmp/bin/make"
chmod 755 "$copy/scripts/vm" "$copy/scripts/kernel" "$tmp/bin/make"
printf '%s\n' '### begin edges_test' 1..1 'ok 1 a' '### end edges_test 0' '### done' >"$tmp/guest"
echo 0 >"$tmp/ended"
touch "$tmp/allowed/Module.symvers"
sed -i '/^CONFIG_KSM=/d' "$tmp/allowed/.config"
path=$PATH PATH=$tmp/bin:$PATH
expect program_without_its_config_is_skipped 0 'ok 2 collapse_test # SKIP the kernel has no CONFIG_KSM' \
	--image "$vmlinuz" "$tmp/allowed" edges_test collapse_test
expect pattern_is_no_program 125 'Bail out! vm-ci: there is no program [.][*]_test; .*' --image "$vmlinuz" "$tmp/allowed" edges_test '.*_test'
# 7.2 and 7.3 always have 5 levels, and no option for them.
sed -i '/^CONFIG_X86_5LEVEL=/d' "$tmp/allowed/.config"
expect five_levels_need_no_option 0 'ok 1 edges_test' --levels 5 --image "$vmlinuz" "$tmp/allowed" edges_test
sed -i 's/^CONFIG_PGTABLE_LEVELS=.*/CONFIG_PGTABLE_LEVELS=4/' "$tmp/allowed/.config"
expect kernel_without_five_levels_is_refused 125 'Bail out! vm-ci: the kernel has no CONFIG_PGTABLE_LEVELS=5' \
	--levels 5 --image "$vmlinuz" "$tmp/allowed" edges_test
echo 1 >"$tmp/ended"
expect vm_that_fails_without_a_message_fails_the_run 1 'not ok 2 no_report_of_the_kernel' --image "$vmlinuz" "$tmp/allowed" edges_test
echo 0 >"$tmp/ended"
touch "$tmp/broken"
expect tool_that_does_not_build_ends_the_run 125 'Bail out! vm-ci: the tool or the tests cannot be built' \
	--image "$vmlinuz" "$tmp/allowed" edges_test
rm "$tmp/broken"
# shellcheck disable=SC2016 # for the stand-in
printf '#!/bin/sh\necho $$ >"%s/pid"\nexec sleep 1000\n' "$tmp" >"$copy/scripts/vm"
"$copy/scripts/vm-ci" --image "$vmlinuz" "$tmp/allowed" edges_test >"$tmp/out" 2>&1 &
for _ in $(seq 600); do
	[ ! -s "$tmp/pid" ] || break
	sleep 0.1
done
kill $!
wait $!
for _ in $(seq 50); do
	kill -0 "$(cat "$tmp/pid")" || break
	sleep 0.1
done 2>"$tmp/kill"
! kill "$(cat "$tmp/pid")" 2>"$tmp/kill"
result $? killed_run_leaves_no_vm "$(cat "$tmp/kill")"
PATH=$path copy=''

# shellcheck disable=SC2154
expect run_without_faults_passes 0 'ok 2 edges_test' --image "$vmlinuz" --modules "$modules" "$build" check_all.sh edges_test
# The parser of a kernel tree (kunit.py) expects the version, the name and the plan.
awk '/^  KTAP version 1$/ { getline name; getline plan; n++; bad += name !~ /^  # Subtest: / || plan !~ /^  1\.\.[1-9]/ }
	END { exit bad || n != 2 }' "$tmp/out"
result $? a_subtest_begins_with_its_plan
export PTAUDIT_VM_INJECT=noverdict
# shellcheck disable=SC2154
expect vm_that_fails_after_the_tests_fails_the_run 1 'not ok 2 no_report_of_the_kernel' \
	--image "$vmlinuz" --modules "$modules" "$build" check_all.sh
finish
