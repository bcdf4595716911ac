#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: setup_test.sh
#
# The packages that scripts/setup would install on a machine that has none: dpkg-query and
# apt-get are stand-ins that report no package and record their arguments. Then what scripts/kernel
# and scripts/vm say without a network or a place for their cache. The last line is `N passed, N failed`.
set -euo pipefail

setup=$(cd "$(dirname "$0")/.." && pwd)/scripts/setup
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$(dirname "$0")/result.sh"
show_on_failure "$tmp/log"

mkdir "$tmp/bin"
for name in dpkg-query apt-get sudo id; do
	printf '#!/bin/sh\n' >"$tmp/bin/$name"
	chmod 755 "$tmp/bin/$name"
done
echo 'exit 1' >>"$tmp/bin/dpkg-query"
# an ordinary user with sudo, so that the machine is not changed
echo 'echo 1000' >>"$tmp/bin/id"
# shellcheck disable=SC2016 # expanded by the stand-in
echo '[ "$1" != -- ] || shift; case $* in *apt-get*install*) echo "$*" >"$SETUP_LOG" ;; esac' >>"$tmp/bin/sudo"

# packages WORD...: the packages that setup WORD... would install; other output in log
packages() {
	rm -f "$tmp/apt"
	SETUP_LOG=$tmp/apt PATH=$tmp/bin:$PATH "$setup" "$@" >"$tmp/log" 2>&1 || return
	sed 's/.*--no-install-recommends//' "$tmp/apt" | xargs -n 1
}

expected='gcc libc6-dev libjansson-dev libkmod-dev libncurses-dev libsmartcols-dev make pkg-config zlib1g-dev'
status=0
[ "$(packages --tool true | sort | xargs)" = "$expected" ] || status=1
result $status tool_installs_what_make_user_needs_and_no_more

status=0
packages true >"$tmp/all" || status=1
for name in $expected gcc-12 qemu-system-x86 clang jq; do
	grep -qx "$name" "$tmp/all" || status=1
done
result $status without_an_option_all_packages_are_installed

status=0
packages --tool echo it-ran >/dev/null && grep -qx it-ran "$tmp/log" || status=1
result $status the_command_is_run_afterwards

status=0
! packages --toll true >/dev/null && grep -q 'unknown option --toll' "$tmp/log" && [ ! -e "$tmp/apt" ] || status=1
result $status an_unknown_option_installs_nothing

status=0
"$setup" --help >"$tmp/log" && grep -q -- '--tool' "$tmp/log" || status=1
result $status help_names_the_option

# The real dpkg-query, with one package that is installed for two architectures and one for a foreign
# one only.
mkdir "$tmp/dpkg" "$tmp/dpkg/info" "$tmp/dpkg/updates" "$tmp/two"
cp "$tmp"/bin/[!d]* "$tmp/two"
native=$(dpkg --print-architecture)
for name in $expected; do
	for arch in "$native" alpha; do
		case $name:$arch in gcc:alpha | make:"$native") continue ;; esac
		printf 'Package: %s\nStatus: install ok installed\nArchitecture: %s\nMulti-Arch: same\nMaintainer: a\nVersion: 1\nDescription: a\n\n' "$name" "$arch"
	done
done >"$tmp/dpkg/status"
status=0
rm -f "$tmp/apt"
DPKG_ADMINDIR=$tmp/dpkg SETUP_LOG=$tmp/apt PATH=$tmp/two:$PATH "$setup" --tool >"$tmp/log" 2>&1 || status=1
[ "$(sed 's/.*--no-install-recommends//' "$tmp/apt" | xargs)" = make ] || status=1
result $status a_package_of_two_architectures_is_installed_and_of_a_foreign_one_is_not

# Like sudo, this one keeps only the variables that it is told to keep.
mkdir "$tmp/proxy"
cp "$tmp"/bin/* "$tmp/proxy"
# shellcheck disable=SC2016 # for the stand-in
printf '%s\n' '#!/bin/sh' 'echo "$*: ${http_proxy-} ${https_proxy-} ${no_proxy-}" >>"$SETUP_LOG"' >"$tmp/proxy/apt-get"
cat >"$tmp/proxy/sudo" <<-'END'
	#!/bin/sh
	case $* in *http_proxy*) ;; *) unset http_proxy ;; esac
	case $* in *https_proxy*) ;; *) unset https_proxy ;; esac
	case $* in *no_proxy*) ;; *) unset no_proxy ;; esac
	while [ "$1" != -- ]; do shift; done
	shift
	case $* in *apt-get*) exec "$@" ;; esac
END
status=0
rm -f "$tmp/apt"
http_proxy='http://a:1' https_proxy='http://b:2' no_proxy=c SETUP_LOG=$tmp/apt PATH=$tmp/proxy:$PATH \
	"$setup" --tool >"$tmp/log" 2>&1 || status=1
[ "$(grep -c ': http://a:1 http://b:2 c$' "$tmp/apt")" = 2 ] || status=1
result $status apt_is_given_the_proxy_of_a_user_with_sudo

# Only the tools that setup and the stand-ins need, and no apt-get.
mkdir "$tmp/other" && ln -s "$(command -v sh)" "$(command -v cat)" "$tmp/other"
status=0
! PATH=$tmp/other "$setup" --tool make user >"$tmp/log" 2>&1 && grep -q "Debian have: gcc libc6-dev make" "$tmp/log" &&
	grep -qx 'Then run: make user' "$tmp/log" || status=1
result $status without_apt_the_packages_and_the_command_are_named

# The real apt-get, with a proxy that does not answer.
kernel=${setup%/setup}/kernel
mkdir "$tmp/offline"
# shellcheck disable=SC2016 # for the stand-in
printf '#!/bin/sh\nexec %s "$@" -o Acquire::Retries=0\n' "$(command -v apt-get)" >"$tmp/offline/apt-get"
chmod 755 "$tmp/offline/apt-get"
status=0
! PATH=$tmp/offline:$PATH http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 PTAUDIT_CACHE=$tmp/cache \
	"$kernel" 6.1 >"$tmp/log" 2>&1 && tail -n 1 "$tmp/log" | grep -qx 'kernel: could not read the package lists of bookworm' || status=1
result $status without_a_network_the_kernel_is_not_reported_as_gone

# ends NAME STATUS LINE COMMAND...: COMMAND has to end with this status and this last line.
ends() {
	local name=$1 wanted=$2 line=$3 status=0
	shift 3
	"$@" >"$tmp/log" 2>&1 || status=$?
	if [ "$status: $(tail -n 1 "$tmp/log")" = "$wanted: $line" ]; then
		result 0 "$name"
	else
		result 1 "$name" "status $status, not $wanted"
	fi
}

# Services and containers may have no HOME. The cache is used from several directories.
vm=${setup%/setup}/vm
without=(env -u HOME -u XDG_CACHE_HOME -u PTAUDIT_CACHE)
relative='PTAUDIT_CACHE or XDG_CACHE_HOME has to be an absolute path, not cache'
ends kernel_needs_no_HOME 0 "$("$kernel" --names)" "${without[@]}" "$kernel" --names
ends vm_needs_no_HOME 125 "vm: there is no image $tmp/none" "${without[@]}" "$vm" --image "$tmp/none" -- true
ends kernel_refuses_a_relative_cache 1 "kernel: $relative" env PTAUDIT_CACHE=cache "$kernel" --source 6.1
ends vm_refuses_a_relative_cache 125 "vm: $relative" env PTAUDIT_CACHE=cache "$vm" --no-module -- true
ends a_debug_kernel_has_no_other_flavour 1 "kernel: no kernel is called '6.12-rt-debug'; there are $("$kernel" --names all)" \
	env PTAUDIT_CACHE="$tmp/cache" PATH="$tmp/bin:$PATH" "$kernel" 6.12-rt-debug
# A debug kernel is built from source, which takes minutes; 6.12 is another one.
mkdir -p "$tmp/cache/ptaudit/debug/6.12-debug-0"
touch "$tmp/cache/ptaudit/debug/6.12-debug-0/SHA256SUMS"
env PTAUDIT_CACHE="$tmp/cache" PATH="$tmp/bin:$PATH" "$kernel" --refresh 6.12 >"$tmp/log" 2>&1 || :
status=0
[ -e "$tmp/cache/ptaudit/debug/6.12-debug-0/SHA256SUMS" ] || status=1
result $status refreshing_a_kernel_keeps_its_debug_kernel
env PTAUDIT_CACHE="$tmp/cache" PATH="$tmp/bin:$PATH" "$kernel" --refresh 6.12-debug >"$tmp/log" 2>&1 || :
status=0
[ ! -e "$tmp/cache/ptaudit/debug/6.12-debug-0/SHA256SUMS" ] || status=1
result $status a_debug_kernel_can_be_refreshed

finish
