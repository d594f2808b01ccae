#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/single_include/check.sh [FOLDER]   single_include is what include/lpt gives; each of its headers compiles alone without a warning,
# with every compiler that is supported; two files that transform networks link, header-only and with one shared implementation; two
# versions do not mix; the program of examples/makefile, built by make in FOLDER (build/single_include), transforms and runs a network.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build/single_include}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

.ci/single_include --check

compilers=()
for compiler in g++ clang++-16 clang++-19; do
    if command -v "$compiler" >/dev/null; then
        compilers+=("$compiler")
    else
        echo "skipped: single headers with $compiler (it is not installed)"
    fi
done
# The largest first, as many at a time as there are cores.
for header in kernels runtime import lpt extend; do printf "$header %s\n" "${compilers[@]}"; done | xargs -P "$(nproc)" -L 1 bash -c '
    "$1" -std=c++20 -fsyntax-only -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Isingle_include -x c++ - \
        <<<"#include <lpt/$0.hpp>" && echo "lpt/$0.hpp compiles alone with $1"'

# Names of the program's own are no shadowed ones, whatever the headers call their parameters.
for compiler in "${compilers[@]}"; do
    "$compiler" -std=c++20 -fsyntax-only -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Isingle_include -x c++ - <<'code'
int x, value, count, each, what, i, a, b, type, at, id, name, model, data, result, shape, tensor, node, graph;
#include <lpt/lpt.hpp>
void transformed(lpt::graph& network) {
    lpt::prepare(network);
    lpt::transform(network, lpt::cpu_x86);
}
code
    echo "the program's own names cast no shadow on lpt/lpt.hpp with $compiler"
done
# Who forgets -std=c++20 is told so, and nothing else.
for header in kernels runtime import lpt extend; do
    if g++ -std=c++17 -fsyntax-only -Isingle_include -x c++ - <<<"#include <lpt/$header.hpp>" 2>"$folder/cpp17"; then
        echo "lpt/$header.hpp compiles as C++17"
        exit 1
    fi
    if grep 'error:' "$folder/cpp17" | grep -vF 'lpt needs C++20: -std=c++20'; then
        cat "$folder/cpp17"
        exit 1
    fi
done
echo "C++17 is refused in one sentence"

# Two files that use the same things, in any order of headers.
cat >"$folder/first.cpp" <<'code'
#include <lpt/runtime.hpp>
#include <lpt/import.hpp>
#include <lpt/lpt.hpp>
std::size_t second(lpt::graph& model);
int main() {
    lpt::graph model;
    model.result(model.add(lpt::op::relu{}, {model.parameter(lpt::f32, {1, 8})}));
    lpt::prepare(model);
    const lpt::report first = lpt::transform(model, lpt::cpu_x86);
    try {
        lpt::import("no_such_network.onnx");
    } catch (const lpt::error&) {
        return first.int8_operations() == 0 && second(model) == 0 ? 0 : 1;
    }
    return 1;
}
code
cat >"$folder/second.cpp" <<'code'
#include <lpt/lpt.hpp>
std::size_t second(lpt::graph& model) {
    lpt::prepare(model);
    return lpt::transform(model, lpt::cpu_x86).int8_operations();
}
code
link() { # link NAME FILE... -- OPTION...: builds the program and runs it
    local name=$1 files=()
    shift
    while [ "$1" != -- ]; do files+=("$1") && shift; done
    shift
    g++ -std=c++20 -O0 -ffp-contract=off -Isingle_include "$@" "${files[@]}" -o "$folder/$name" -lpugixml -pthread
    "$folder/$name"
    echo "two files link: $name"
}
link header_only "$folder/first.cpp" "$folder/second.cpp" --
link shared_implementation "$folder/first.cpp" "$folder/second.cpp" examples/makefile/lpt.cpp -- -DLPT_SHARED_IMPLEMENTATION

bash tests/single_include/two_versions.sh "$folder"

# At -O1, which takes two thirds of the time; what kernels give is tested elsewhere.
make -s -j "$(nproc)" -C examples/makefile OUT="$folder" CXXFLAGS=-O1 kernel_flags="-O1 -fno-exceptions"
"$folder/program" examples/data/digits/model.xml | tee "$folder/program.txt"
grep -q '^[1-9][0-9]* operations on integers, 1 outputs$' "$folder/program.txt"
echo "single_include: all checks passed"
