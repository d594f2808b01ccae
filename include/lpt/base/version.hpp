// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lpt {

/// Version of the library: major.minor.patch, by the rules of semantic versioning.
struct version_number {
    int major_part;
    int minor_part;
    int patch_part;
};

inline constexpr version_number library_version{0, 1, 0};

}  // namespace lpt
