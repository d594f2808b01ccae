// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/file_contents.hpp>
#include <lpt/tensor/tensor.hpp>

#include <atomic>
#include <utility>

namespace lpt::inline LPT_ABI {

/// A file mapped into memory for reading; read into memory where the system maps none. Windows on it keep the mapping alive after
/// this object is gone.
///
/// A file must not become shorter while a window on it lives: the system ends a program that reads what is no longer there. A
/// new version of a file is therefore written under another name and renamed.
class mapped_file {
    struct mapping {
        detail::file_contents file;
        std::atomic<std::int64_t> owners{1};
    };
    mapping* mapping_ = nullptr;

    static void release(void* keeper) {
        auto* old = static_cast<mapping*>(keeper);
        if (old->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            old->file.give_back(old->file.first, old->file.size);
            delete old;
        }
    }

    static void put_aside(void* keeper, const std::byte* first, std::size_t size) {
        const auto forget = static_cast<mapping*>(keeper)->file.forget;
        if (forget != nullptr) {
            forget(first, size);
        }
    }

public:
    /// Raises an error that names the file if it cannot be opened, or is not a regular file.
    explicit mapped_file(const char* path) : mapping_(new mapping{detail::open_file(path)}) {}
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

    const std::byte* data() const { return static_cast<const std::byte*>(mapping_->file.first); }
    std::size_t size() const { return mapping_->file.size; }
    /// True if the file has these bytes.
    bool has(std::size_t offset, std::size_t size) const {
        return offset <= mapping_->file.size && size <= mapping_->file.size - offset;
    }
    /// A window on `size` bytes from `offset` on. Raises an error if the file does not have them. Any offset will do:
    /// values are read without regard to alignment, and plans copy what kernels read where it is not aligned.
    bytes window(std::size_t offset, std::size_t size) const {
        if (!has(offset, size)) {
            fail({"bytes ", offset, " to ", offset, " + ", size, " lie outside of the file, which has ",
                  mapping_->file.size, " bytes"});
        }
        if (size == 0) {
            return bytes(seq<std::byte>{});
        }
        mapping_->owners.fetch_add(1, std::memory_order_relaxed);
        return bytes(data() + offset, size, &release, mapping_, &put_aside);
    }
};

}  // namespace lpt::inline LPT_ABI
