# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Completion of ptaudit in bash. Commands, options, columns and estimators are read
# from the help of the tool that is called, so that they are those that it has.

# _ptaudit_list TITLE ARG...: the lines of that list in the help that these print.
_ptaudit_list() {
	local title=$1

	shift
	"$@" 2>/dev/null | sed -n "/^$title.*:\$/,/^\$/s/^ //p"
}

_ptaudit_options() {
	_ptaudit_list Options "$@" --help | grep -oE '^ *(-[A-Za-z],)? *--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

# _ptaudit_argument OPTION COMMAND...: what the help calls its argument, if it has one.
_ptaudit_argument() {
	_ptaudit_list Options "${@:2}" --help |
		sed -nE "/(^| )$1[, ]/s/^ *(-[A-Za-z],)? *--[a-z-]+ ([][A-Z,.+]+) .*/\2/p"
}

# _ptaudit_words CUR WORD...: as compgen, for the last one of a list with commas.
_ptaudit_words() {
	local cur=$1 before=''

	shift
	[[ $cur != *,* ]] || before=${cur%,*},
	[[ -n $before || $cur != +* ]] || before=+
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${cur#"$before"}")
}

_ptaudit_pids() {
	local dir

	for dir in /proc/[0-9]*; do
		echo "${dir#/proc/}"
	done
}

# What an option of that name takes.
_ptaudit_value() {
	local option=$1 cur=$2

	shift 2
	case $option in
	-o | --output)
		compopt -o nospace
		_ptaudit_words "$cur" "$("$@" --list-columns 2>/dev/null | awk '{ print $1 }')"
		;;
	-e | --estimator)
		compopt -o nospace
		if [[ ${cur##*,} == */* ]]; then
			mapfile -t COMPREPLY < <(compgen -P "${cur%"${cur##*,}"}" -f -- "${cur##*,}")
		else
			_ptaudit_words "$cur" all "$(_ptaudit_list Estimators "$@" --help | awk '!/^[.]/ { print $1 }')"
		fi
		;;
	--truth)
		_ptaudit_words "$cur" "$("$@" --truth '?' 1 2>&1 | sed -n 's/.*there are //; s/, / /g; s/ and / /p')"
		;;
	--user) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
	--cgroup)
		compopt -o nospace
		mapfile -t COMPREPLY < <(cd /sys/fs/cgroup 2>/dev/null && compgen -S / -d -- "${cur#/}")
		;;
	--from | --to) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	--module) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}

_ptaudit() {
	local tool=$1 cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local commands command='' call word i

	COMPREPLY=()
	commands=$(_ptaudit_list Commands "$tool" --help | awk '{ print $1 }')
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == -- ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
		fi
		[[ -n $command || $'\n'$commands$'\n' != *$'\n'"$word"$'\n'* ]] || command=$word
	done
	# Without a command the tool takes the first one, but shows the help of all.
	call=("$tool" "${command:-check}")
	[[ " ${COMP_WORDS[*]} " != *' --pages '* ]] || call+=(--pages)
	# --name=value is three words
	if [[ $previous == = ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		cur=''
	fi
	if [[ $previous == -* && -n $(_ptaudit_argument "$previous" "${call[@]}") ]]; then
		_ptaudit_value "$previous" "$cur" "${call[@]}"
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_ptaudit_options "${call[@]}")" -- "$cur")
	elif [[ $command == help ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
	elif [[ -z $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$commands $(_ptaudit_pids)" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$(_ptaudit_pids)" -- "$cur")
	fi
}

complete -F _ptaudit ptaudit
