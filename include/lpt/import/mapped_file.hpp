// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/tensor/tensor.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lpt {

/// A file mapped into memory for reading. Windows on it keep the mapping alive after this object is gone.
///
/// A file must not become shorter while a window on it lives: the system ends a program that reads what is no longer there. A
/// new version of a file is therefore written under another name and renamed.
class mapped_file {
    struct mapping {
        void* first;
        std::size_t size;
        std::atomic<std::int64_t> owners{1};
    };
    mapping* mapping_ = nullptr;

    static void release(void* keeper) {
        auto* old = static_cast<mapping*>(keeper);
        if (old->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            if (old->size != 0) {
                ::munmap(old->first, old->size);
            }
            delete old;
        }
    }

public:
    /// Raises an error that names the file if it cannot be opened, or is not a regular file.
    explicit mapped_file(const char* path) {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer would never open
        if (file < 0) {
            fail({path, ": cannot be opened: ", std::strerror(errno)});
        }
        struct stat facts{};
        if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
            ::close(file);
            fail({path, ": is not a regular file"});
        }
        const auto size = static_cast<std::size_t>(facts.st_size);
        void* first = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        ::close(file);
        if (first == MAP_FAILED) {
            fail({path, ": cannot be mapped into memory: ", std::strerror(errno)});
        }
        mapping_ = new mapping{first, size};
    }
    mapped_file(mapped_file&& other) noexcept : mapping_(std::exchange(other.mapping_, nullptr)) {}
    mapped_file& operator=(mapped_file&& other) noexcept {
        std::swap(mapping_, other.mapping_);
        return *this;
    }
    ~mapped_file() {
        if (mapping_ != nullptr) {
            release(mapping_);
        }
    }

    const std::byte* data() const { return static_cast<const std::byte*>(mapping_->first); }
    std::size_t size() const { return mapping_->size; }
    /// True if the file has these bytes.
    bool has(std::size_t offset, std::size_t size) const {
        return offset <= mapping_->size && size <= mapping_->size - offset;
    }
    /// A window on `size` bytes from `offset` on. Raises an error if the file does not have them. Any offset will do:
    /// values are read without regard to alignment, and plans copy what kernels read where it is not aligned.
    bytes window(std::size_t offset, std::size_t size) const {
        if (!has(offset, size)) {
            fail({"bytes ", offset, " to ", offset, " + ", size, " lie outside of the file, which has ", mapping_->size,
                  " bytes"});
        }
        if (size == 0) {
            return bytes(seq<std::byte>{});
        }
        mapping_->owners.fetch_add(1, std::memory_order_relaxed);
        return bytes(data() + offset, size, &release, mapping_);
    }
};

}  // namespace lpt
