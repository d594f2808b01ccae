// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place of the version; CMake, Conan, pkg-config and the single headers read these lines.
#define LPT_VERSION_MAJOR 0
#define LPT_VERSION_MINOR 1
#define LPT_VERSION_PATCH 0

// Everything of the library lies in an inline namespace whose name carries the version, so that two versions in one program have symbols
// of their own and do not mix. Users write `lpt::` alone. No option changes a layout; one that ever does has to appear in this name.
#define LPT_ABI_OF(major, minor, patch) v##major##_##minor##_##patch
#define LPT_ABI_NAME(major, minor, patch) LPT_ABI_OF(major, minor, patch)
#define LPT_ABI LPT_ABI_NAME(LPT_VERSION_MAJOR, LPT_VERSION_MINOR, LPT_VERSION_PATCH)

namespace lpt::inline LPT_ABI {

/// Version of the library: major.minor.patch, by the rules of semantic versioning.
struct version_number {
    int major_part;
    int minor_part;
    int patch_part;
};

inline constexpr version_number library_version{LPT_VERSION_MAJOR, LPT_VERSION_MINOR, LPT_VERSION_PATCH};

}  // namespace lpt::inline LPT_ABI
