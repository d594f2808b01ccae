#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/headers/links.sh [ROOT]   Links of the documents lead to files, and where a link's text is a name in backticks, that name stands in the
# file. Prints each that does not; exit 1 where there is one.
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"
broken=0
complain() { # complain DOCUMENT WORDS
    echo "$1: $2"
    broken=$((broken + 1))
}
while IFS= read -r document; do
    while IFS= read -r link; do
        words=${link%%](*}
        words=${words#[}
        target=${link##*](}
        target=${target%)}
        target=${target%%#*}
        case "$target" in '' | *://* | mailto:*) continue ;; esac
        target=$(dirname "$document")/$target
        if [ ! -e "$target" ]; then
            complain "$document" "[$words] leads to $target, which does not exist"
        elif [[ "$words" == \`*\` && -f "$target" ]]; then
            name=${words//\`/}
            grep -qwF -- "${name##*::}" "$target" || complain "$document" "$words does not stand in $target"
        fi
    done < <(grep -oE '\[[^][]*\]\([^() ]+\)' "$document")
done < <(git ls-files '*.md' 2>/dev/null | grep . || find . -name '*.md' -not -path './build/*')
[ "$broken" = 0 ] || exit 1
echo "links lead where they say"
