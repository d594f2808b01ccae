# SPDX-License-Identifier: Apache-2.0
# To be sourced. Installs Debian packages that are not there yet; does nothing when all are.

lpt_build_packages=(
    g++ cmake ninja-build make xz-utils
    libboost-dev                          # Hana's headers
    libpugixml-dev libprotozero-dev libflatbuffers-dev
    libxsimd-dev libtbb-dev
    doctest-dev nlohmann-json3-dev libcli11-dev libbenchmark-dev
)
lpt_ci_packages=(
    clang-16 clang-19 clang-format-19
    libclang-rt-19-dev                    # libFuzzer and its sanitizers
    g++-12-aarch64-linux-gnu qemu-user
    libc++-19-dev                         # the standard library of macOS
    g++-mingw-w64-x86-64-posix            # headers for Windows
    curl                                  # .ci/xsimd_14
    python3 python3-venv                  # bench/compile, Conan
    git meson pkg-config                  # tests/consumers
)

# install_packages NAME...
install_packages() {
    local missing=() name as_root=()
    if ! command -v dpkg-query >/dev/null; then
        echo "not a Debian system: expecting these or their like to be installed: $*"
        return 0
    fi
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)" = installed ] || missing+=("$name")
    done
    if [ ${#missing[@]} = 0 ]; then
        echo "all packages are installed"
        return 0
    fi
    if [ "$(id -u)" != 0 ]; then
        as_root=(sudo)
    fi
    echo "installing: ${missing[*]}"
    # The package manager may be busy with something else for a while, and the network may hiccup.
    "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
        install --no-install-recommends "${missing[@]}" </dev/null
}

# build PRESET [CMAKE-BUILD-ARGUMENT...]: configures, and builds on all cores.
build() {
    local preset=$1
    shift
    cmake --preset "$preset"
    cmake --build --preset "$preset" --parallel "$(nproc)" "$@"
}

# list_skipped PRESET: what the tests of a build said that they left out (lines "skipped: …"), each once.
list_skipped() {
    grep -ah '^skipped: ' "build/$1/Testing/Temporary/LastTest.log" | sort -u || true
}
