#!/bin/sh
# Print one line on the git repository of the current folder: branch, distance to its upstream, changes,
# and what is in progress. Styled ok when it is clean and warn when it is not; silent outside of a repository.

# Takes no lock beside a git that the agent runs, and starts no fsmonitor program of the repository's.
export GIT_OPTIONAL_LOCKS=0 LC_ALL=C
# Where git runs an agent (a hook of git's), its variables name a repository that need not be this folder's.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars 2>/dev/null)

top=$(git rev-parse --show-toplevel 2>/dev/null) || exit 0
[ -n "$top" ] || exit 0
status=$(git -c core.fsmonitor=false status --porcelain=v2 --branch 2>/dev/null) || exit 0
folder=$(git rev-parse --git-dir 2>/dev/null) || exit 0

branch='' commit='' ahead=0 behind=0 staged=0 changed=0 untracked=0 conflicts=0

while IFS= read -r line; do
    case $line in
        '# branch.oid '*) commit=${line#'# branch.oid '} ;;
        '# branch.head '*) branch=${line#'# branch.head '} ;;
        '# branch.ab '*)
            counts=${line#'# branch.ab +'}
            ahead=${counts%% *}
            behind=${counts##*-}
            ;;
        'u '*) conflicts=$((conflicts + 1)) ;;
        '? '*) untracked=$((untracked + 1)) ;;
        '1 '* | '2 '*)
            states=${line#? }
            case $states in .*) ;; *) staged=$((staged + 1)) ;; esac
            case $states in ?.*) ;; *) changed=$((changed + 1)) ;; esac
            ;;
    esac
done <<EOF
$status
EOF

short=$(printf '%.7s' "$commit")
[ "$branch" != '(detached)' ] || branch="detached at $short"
[ "$commit" != '(initial)' ] || branch="$branch, no commits yet"

progress=''
if [ -d "$folder/rebase-merge" ] || [ -d "$folder/rebase-apply" ]; then
    progress='rebasing'
elif [ -f "$folder/MERGE_HEAD" ]; then
    progress='merging'
elif [ -f "$folder/CHERRY_PICK_HEAD" ]; then
    progress='cherry-picking'
elif [ -f "$folder/REVERT_HEAD" ]; then
    progress='reverting'
elif [ -f "$folder/BISECT_LOG" ]; then
    progress='bisecting'
fi

text=$branch
add() { text="$text, $1"; }
[ "$ahead" -eq 0 ] || add "$ahead ahead"
[ "$behind" -eq 0 ] || add "$behind behind"
[ -z "$progress" ] || add "$progress"
[ "$conflicts" -eq 0 ] || add "$conflicts in conflict"
[ "$staged" -eq 0 ] || add "$staged staged"
[ "$changed" -eq 0 ] || add "$changed changed"
[ "$untracked" -eq 0 ] || add "$untracked untracked"

if [ -z "$progress" ] && [ $((conflicts + staged + changed + untracked)) -eq 0 ]; then
    printf 'ok|%s, clean\n' "$text"
else
    printf 'warn|%s\n' "$text"
fi
