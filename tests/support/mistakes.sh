# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of code that must not compile, after `prelude` was set: `begin "$@"`, then `accepts`, `refuses`, then `finish`.
# Each mistake stands beside the same code without it. One error, whose line holds the sentence, within the budget of lines.

lines_at_most=20

begin() { # COMPILER INCLUDE_DIRECTORY...
  compiler=$1
  shift
  includes=("${@/#/-I}")
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  failures=0
  count=0
}
# The prelude is most of what the compiler reads: it does so once, and again where a test adds to it.
precompile() {
  [ "$prelude" != "${precompiled:-}" ] || return 0
  precompiled=$prelude
  printf '%s\n' "$prelude" > "$folder/prelude.hpp"
  case $compiler in
    *clang*) suffix=pch ;;
    *) suffix=gch ;;
  esac
  "$compiler" -std=c++20 "${includes[@]}" -x c++-header "$folder/prelude.hpp" -o "$folder/prelude.hpp.$suffix"
}
compile() { # CODE: messages go to $folder/messages
  precompile
  printf '%s\n' "$1" > "$folder/code.cpp"
  LC_ALL=C "$compiler" -std=c++20 "${includes[@]}" -include "$folder/prelude.hpp" -fsyntax-only -fdiagnostics-color=never "$folder/code.cpp" \
    > "$folder/messages" 2>&1
}
failed() { # WHAT CODE
  echo "$1: $2"
  cat "$folder/messages"
  failures=$((failures + 1))
}
accepts() { # CODE
  count=$((count + 1))
  compile "$1" || failed "must compile" "$1"
}
refuses() { # CODE SENTENCE: the sentence without namespaces
  count=$((count + 1))
  if compile "$1"; then
    failed "must not compile" "$1"
    return
  fi
  local errors
  errors=$(grep -c ' error: ' "$folder/messages")
  # g++ calls an enumerator of a class template argument by its type's full name, clang by a shorter one.
  if [ "$errors" != 1 ] || ! grep ' error: ' "$folder/messages" |
    sed -E 's/lpt::(v[0-9_]+::)?(op::|element::|attribute::|detail::|mistake::)*//g; s/(op|element|attribute)::(kind::)?//g; s/kind:://g' |
    grep -qF "$2"; then
    failed "must be one error that says '$2'" "$1"
  elif [ "$(wc -l < "$folder/messages")" -gt "$lines_at_most" ]; then
    failed "more than $lines_at_most lines of messages" "$1"
  fi
}
finish() {
  echo "$count pieces of code, $failures failures"
  [ "$failures" = 0 ]
}
