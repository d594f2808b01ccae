// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace lpt::fuzz {

/// A file that is in memory only, for functions that take the path of one.
class memory_file {
    int descriptor_ = ::memfd_create("lpt_fuzz", MFD_CLOEXEC);

public:
    explicit memory_file(std::string_view content) {
        while (!content.empty()) {
            const ssize_t written = ::write(descriptor_, content.data(), content.size());
            if (written <= 0) {
                throw std::runtime_error("a file in memory cannot be written");
            }
            content.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;
    ~memory_file() { ::close(descriptor_); }

    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
};

}  // namespace lpt::fuzz
