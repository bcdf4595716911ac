# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Completion of ptaudit in bash. The called tool lists the words that can
# come next (ptaudit --complete), so that they fit its version.

# _ptaudit_names WORD WHAT...: files, directories or commands that begin with WORD.
_ptaudit_names() {
	local word=$1 names

	shift
	mapfile -t names < <(compgen "$@" -- "$word")
	COMPREPLY+=("${names[@]}")
	compopt -o filenames
}

_ptaudit() {
	local cur=${2//\\\\/\\} words=() word line typed before glued='' i

	COMPREPLY=()
	# bash splits --name=value and a:b into three words
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]//\\\\/\\}
		if [[ -n $glued || ($word == [=:] && i -gt 1) ]]; then
			words[-1]+=$word
		else
			words+=("$word")
		fi
		[[ $word == [=:] ]] && glued=yes || glued=''
	done
	typed=${words[-1]}
	[[ $cur != [=:] ]] || cur=''
	before=${typed%"$cur"}
	while IFS= read -r line; do
		case $line in
		:files) _ptaudit_names "$cur" -f ;;
		:dirs) _ptaudit_names "$cur" -d ;;
		:commands) _ptaudit_names "$cur" -c ;;
		:list-of-files)
			mapfile -t COMPREPLY < <(compgen -P "${cur%"${cur##*,}"}" -f -- "${cur##*,}")
			;;
		:more) compopt -o nospace ;;
		"$typed"*)
			word=${line%%$'\t'*}
			word=${word#"$before"}
			COMPREPLY+=("${word//\\/\\\\}")
			;;
		esac
	done < <("$1" --complete "${words[@]}" 2>/dev/null)
}

complete -F _ptaudit ptaudit
