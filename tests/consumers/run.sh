#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/consumers/run.sh [WAY]...   Projects that take this checkout in each way that README names, and run a small pipeline:
# installed build_tree pkg_config add_subdirectory fetch_content meson vcpkg conan; also missing_part, no_exceptions, versions (all, unless some are named).
# They need no network but Conan, which comes from PyPI. What is built goes to build/consumers.
set -euo pipefail
cd "$(dirname "$0")/../.."
checkout=$PWD
mkdir -p build/consumers
work=$PWD/build/consumers
consumers=$checkout/tests/consumers
version=$(sed -nE 's/^#define LPT_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/lpt/base/version.hpp | paste -sd.)
expected="lpt $version: 1 operations on integers"

runs() { # runs NAME PROGRAM: the program says what it should
    local said
    said=$("$2")
    if [ "$said" != "$expected" ]; then
        printf '%s: expected "%s", not "%s"\n' "$1" "$expected" "$said"
        return 1
    fi
    echo "$1: $said"
}
# cmake_project NAME WAY OPTION...: the CMake project, unoptimised
cmake_project() {
    local name=$1 way=$2
    shift 2
    rm -rf "${work:?}/$name"
    cmake --no-warn-unused-cli -S "$consumers/cmake" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0" "-DLPT_WAY=$way" \
        "-DLPT_EXPECTED_VERSION=$version" "$@" >"$work/$name.log" || { cat "$work/$name.log"; return 1; }
    cmake --build "$work/$name" >>"$work/$name.log" || { cat "$work/$name.log"; return 1; }
    runs "$name" "$work/$name/consumer"
}
# The library, configured and installed; nothing of it is compiled.
install_library() {
    [ ! -d "$work/prefix" ] || return 0
    cmake -S . -B "$work/library" -G Ninja -DLPT_BUILD_TESTS=OFF -DLPT_BUILD_EXAMPLES=OFF >"$work/library.log"
    cmake --install "$work/library" --prefix "$work/installed_first" >>"$work/library.log"
    mv "$work/installed_first" "$work/prefix"  # what is installed does not depend on where
}
# A git repository that holds what the checkout's files are now, committed or not.
make_repository() {
    [ ! -d "$work/repository" ] || return 0
    mkdir "$work/repository"
    cp -r CMakeLists.txt LICENSE cmake include meson.build meson_options.txt "$work/repository"
    git -C "$work/repository" init -q
    git -C "$work/repository" add -A
    git -C "$work/repository" -c user.name=consumer -c user.email=consumer@localhost commit -q -m "The checkout as it is"
}

way_versions() { bash tests/consumers/versions.sh; }
way_installed() {
    install_library
    cmake_project installed find_package "-DCMAKE_PREFIX_PATH=$work/prefix"
}
way_build_tree() {
    install_library
    cmake_project build_tree find_package "-Dlpt_DIR=$work/library"
}
way_add_subdirectory() { cmake_project add_subdirectory add_subdirectory "-DLPT_CHECKOUT=$checkout"; }
way_missing_part() { # what is missing is named, and how to do without
    local part variable
    for part in "import CMAKE_DISABLE_FIND_PACKAGE_pugixml=ON" "runtime LPT__XSIMD_INCLUDE_DIR=NOTFOUND -DCMAKE_DISABLE_FIND_PACKAGE_Threads=ON"; do
        variable=${part#* } part=${part%% *}
        rm -rf "$work/missing"
        # shellcheck disable=SC2086
        if cmake -S . -B "$work/missing" -G Ninja -DLPT_BUILD_TESTS=OFF -DLPT_BUILD_EXAMPLES=OFF -D$variable >"$work/missing.log" 2>&1 ||
            ! tr -s ' \n' ' ' <"$work/missing.log" | grep -q "lpt: its part '$part', which LPT_${part^^}=OFF leaves out, needs"; then
            cat "$work/missing.log"
            return 1
        fi
    done
    echo "missing_part: the message names it"
}
way_fetch_content() {
    make_repository
    cmake_project fetch_content FetchContent "-DLPT_REPOSITORY=file://$work/repository" \
        "-DLPT_COMMIT=$(git -C "$work/repository" rev-parse HEAD)"
}
way_pkg_config() {
    install_library
    export PKG_CONFIG_PATH=$work/prefix/share/pkgconfig
    local part
    for part in lpt lpt-import lpt-runtime; do
        [ "$(pkg-config --modversion "$part")" = "$version" ]
    done
    # shellcheck disable=SC2046
    g++ -std=c++20 -O0 $(pkg-config --cflags lpt) "$consumers/main.cpp" $(pkg-config --libs lpt) -o "$work/with_pkg_config"
    runs pkg_config "$work/with_pkg_config"
    local code='#include <lpt/import.hpp>
#include <lpt/runtime.hpp>
int main() { return lpt::mapped_file("/etc/hostname").size() == 0 || lpt::thread_pool(2).threads() != 2; }'
    # shellcheck disable=SC2046
    g++ -std=c++20 -O0 $(pkg-config --cflags lpt-import lpt-runtime) -x c++ - -x none $(pkg-config --libs lpt-import lpt-runtime) \
        -o "$work/parts_with_pkg_config" <<<"$code"
    "$work/parts_with_pkg_config"
    echo "pkg_config: lpt-import and lpt-runtime compile and link"
}
way_meson() {
    make_repository
    rm -rf "$work/meson"
    mkdir -p "$work/meson/subprojects"
    cp "$consumers/meson/meson.build" "$consumers/main.cpp" "$work/meson"
    printf '[wrap-git]\nurl = file://%s\nrevision = %s\n' "$work/repository" "$(git -C "$work/repository" rev-parse HEAD)" \
        >"$work/meson/subprojects/lpt.wrap"
    meson setup "$work/meson/build" "$work/meson" -Doptimization=0 >"$work/meson.log" || { cat "$work/meson.log"; return 1; }
    ninja -C "$work/meson/build" >>"$work/meson.log" || { cat "$work/meson.log"; return 1; }
    runs meson "$work/meson/build/consumer"
}
way_vcpkg() {
    local features name
    for features in "" import "runtime;tbb" "import;runtime"; do
        name=$work/vcpkg_${features//;/_}
        rm -rf "$name" "$name-build"
        cmake -D "checkout=$checkout" -D "packages=$name" -D "features=$features" -P "$consumers/vcpkg.cmake"
    done
    cmake_project vcpkg find_package "-DCMAKE_PREFIX_PATH=$work/vcpkg_"
}
way_conan() {
    local conan=$work/conan_environment/bin/conan
    if [ ! -x "$conan" ]; then
        if ! { python3 -m venv "$work/conan_environment" && "$work/conan_environment/bin/pip" install -q "conan>=2,<3"; } >"$work/conan.log" 2>&1; then
            rm -rf "$work/conan_environment"
            echo "skipped: conan (PyPI cannot be reached, or there is no python3-venv)"
            return 0
        fi
    fi
    export CONAN_HOME=$work/conan_home
    rm -rf "$CONAN_HOME"
    "$conan" profile detect >"$work/conan.log" 2>&1
    create_with_conan "$conan" system -o "lpt/*:tbb=True"
    # Conan's own packages cannot be had without a network; what the system has stands in for them.
    rm -rf "$work/stand_in"  # Conan writes beside the recipe
    mkdir "$work/stand_in"
    cp "$consumers/conan/stand_in.py" "$work/stand_in"
    local package
    for package in boost/1.74.0 pugixml/1.13.0 protozero/1.7.1 flatbuffers/2.0.8 xsimd/8.1.0; do
        "$conan" export-pkg "$work/stand_in/stand_in.py" --name "${package%/*}" --version "${package#*/}" >"$work/conan.log" 2>&1 ||
            { cat "$work/conan.log"; return 1; }
    done
    create_with_conan "$conan" conan
    local found
    found=$(find "$work/conan_test" -name CMakeCache.txt -exec grep -h ^LPT__HANA_INCLUDE_DIR {} +)
    [[ "$found" == *"$CONAN_HOME"* ]] || { echo "conan: Boost's headers are not those of the package: $found"; return 1; }
}
create_with_conan() { # create_with_conan PROGRAM DEPENDENCIES OPTION...
    local conan=$1 dependencies=$2
    shift 2
    rm -rf "$work/conan_test"
    "$conan" create . --build=missing --no-remote -s build_type=Debug -s compiler.cppstd=20 -o "lpt/*:dependencies=$dependencies" "$@" \
        -c "tools.cmake.cmake_layout:test_folder=$work/conan_test" -c tools.cmake.cmaketoolchain:generator=Ninja >"$work/conan.log" 2>&1 ||
        { cat "$work/conan.log"; return 1; }
    grep -qxF "$expected" "$work/conan.log" || { cat "$work/conan.log"; return 1; }
    echo "conan, dependencies=$dependencies: $expected"
}
way_no_exceptions() { bash tests/consumers/no_exceptions/check.sh; }

[ $# != 0 ] || set -- versions installed build_tree pkg_config add_subdirectory missing_part fetch_content meson vcpkg conan no_exceptions
rm -rf "$work/library" "$work/prefix" "$work/installed_first" "$work/repository"
for way in "$@"; do
    if ! declare -F "way_$way" >/dev/null; then
        echo "no way '$way'"
        exit 2
    fi
    "way_$way"
done
echo "consumers: all passed"
