# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Completion of ptaudit in fish. The called tool lists the words that can
# come next (ptaudit --complete), so that they fit its version.

# __ptaudit_paths HEAD COMMAND WORD: completes the part of WORD after the match of
# HEAD with COMMAND.
function __ptaudit_paths
    set -l head (string match -r -- $argv[1] $argv[3])
    set -l paths ($argv[2] (string replace -r -- $argv[1] '' $argv[3]))
    printf '%s\n' "$head"$paths
end

function __ptaudit_words
    set -l words (commandline -opc | string unescape)
    set -l typed (commandline -ct | string unescape)
    for line in (command $words[1] --complete $words[2..] "$typed" 2>/dev/null)
        switch $line
            case :files
                __ptaudit_paths '^--[a-z-]+=' __fish_complete_path "$typed"
            case :dirs
                __ptaudit_paths '^--[a-z-]+=' __fish_complete_directories "$typed"
            case :list-of-files
                __ptaudit_paths '^(?:--[a-z-]+=)?(?:.*,)?' __fish_complete_path "$typed"
            case :commands
                __fish_complete_command
            case ':*'
            case '*'
                echo $line
        end
    end
end

complete -c ptaudit -f -a '(__ptaudit_words)'
