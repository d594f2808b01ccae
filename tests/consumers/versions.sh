#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/consumers/versions.sh   The version stands in include/lpt/base/version.hpp. CMake, pkg-config, Conan and the single headers take it from
# there; where it must be written again, it is the same.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -nE 's/^#define LPT_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/lpt/base/version.hpp | paste -sd.)
wrong=0
same() { # same FILE FOUND
    if [ "$2" != "$version" ]; then
        echo "$1 says '$2', include/lpt/base/version.hpp '$version'"
        wrong=1
    fi
}
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "include/lpt/base/version.hpp: expected LPT_VERSION_MAJOR, _MINOR and _PATCH, found '$version'"; exit 1; }
same CHANGELOG.md "$(sed -nE '/Unreleased/d; s/^## \[([^]]*)\].*/\1/p' CHANGELOG.md | head -n 1)"
same meson.build "$(sed -nE "s/^  version: '([^']*)',.*/\1/p" meson.build)"
same ports/lpt/vcpkg.json "$(python3 -c 'import json; print(json.load(open("ports/lpt/vcpkg.json"))["version-semver"])')"
for header in single_include/lpt/*.hpp; do
    same "$header" "$(sed -nE 's/^\/\/ lpt ([^,]*),.*/\1/p' "$header")"
done
[ "$wrong" = 0 ] && echo "every place says version $version"
