// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one place of the version; CMake, Conan, pkg-config and the single headers read these lines.
#define LPT_VERSION_MAJOR 0
#define LPT_VERSION_MINOR 1
#define LPT_VERSION_PATCH 0

namespace lpt {

/// Version of the library: major.minor.patch, by the rules of semantic versioning.
struct version_number {
    int major_part;
    int minor_part;
    int patch_part;
};

inline constexpr version_number library_version{LPT_VERSION_MAJOR, LPT_VERSION_MINOR, LPT_VERSION_PATCH};

}  // namespace lpt
