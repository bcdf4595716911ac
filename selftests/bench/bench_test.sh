#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: bench_test.sh DIR
#
# bench.py must fail if a command counts wrongly, and pass otherwise. DIR has the programs of
# bench.py. A fault is a wrapper that replaces one of these programs, or the tool, in a small run.
# shellcheck disable=SC2016 # awk's own fields
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tool=$here/../../user/ptaudit
programs=$1
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=/dev/null
. "$here/../result.sh"
show_on_failure "$tmp/output"

bench() {
	"$here/bench.py" --rounds 1 --mib 8 --gib 1 --processes 3 --quick "$@" >"$tmp/output" 2>&1
}

# expect STATUS TEXT NAME: checks the previous run
expect() {
	local status=$?
	[ "$status" = "$1" ] && grep -q "$2" "$tmp/output"
	result $? "$3" "status $status"
}

# faulty NAME SCRIPT: make a copy of DIR in which the output of NAME goes through the awk script
faulty() {
	rm -rf "${tmp:?}/bin"
	mkdir "$tmp/bin"
	ln -s "$programs"/{alternate,floor,slowdown,workload} "$tmp/bin"
	[ "$1" = ptaudit ] || rm "${tmp:?}/bin/$1"
	cat >"$tmp/bin/$1" <<-END
		#!/bin/bash
		set -o pipefail
		$([ "$1" = ptaudit ] && echo "$tool" || echo "$programs/$1") "\$@" | awk '$2'
	END
	chmod +x "$tmp/bin/$1"
}

bench --out "$programs"
expect 0 'ptaudit estimate' 'a run with right counts passes'
faulty ptaudit '$1 == "pte" { $2++ } { print }'
bench --out "$programs" --tool "$tmp/bin/ptaudit"
expect 1 'PTE tables: ptaudit' 'a run fails if the tool counts a table too many'
faulty ptaudit '$1 == "pte" { $2-- } { print }'
bench --out "$programs" --tool "$tmp/bin/ptaudit"
expect 1 'PTE tables: ptaudit' 'a run fails if the tool counts a table too few'
faulty floor '$1 == "pages" && $2 > 2000 { $2-- } { print }'
bench --out "$tmp/bin"
expect 1 'the counts disagree: pages' 'a run fails if a floor misses a page'
faulty ptaudit '$2 == "workload" && !n++ { next } { print }'
bench --out "$programs" --tool "$tmp/bin/ptaudit"
expect 1 'processes of the workload' 'a run fails if the tool leaves out a process'

sleep infinity &
given=$!
trap 'kill "$given"; rm -rf "$tmp"' EXIT
while ! grep -q sleep "/proc/$given/comm"; do sleep 0.1; done
bench --out "$programs" --pid "$given"
expect 0 "process $given (sleep)" 'a run with --pid passes'
faulty ptaudit '$1 == "pte" { $2++ } { print }'
bench --out "$programs" --tool "$tmp/bin/ptaudit" --pid "$given"
expect 1 'PTE tables: ptaudit' 'a run with --pid fails if the tool counts a table too many'

finish
