// SPDX-License-Identifier: Apache-2.0
// The bytes of files, as the operating system gives them.
#pragma once

#include <lpt/base/error.hpp>

#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace lpt::inline LPT_ABI::detail {

/// The bytes of a file, how they are given back, and how the system may take back what it can read again; null: it cannot.
struct file_contents {
    void* first;
    std::size_t size;
    void (*give_back)(void* first, std::size_t size) noexcept;
    void (*forget)(const std::byte* first, std::size_t size) noexcept = nullptr;
};

/// Reads a file into memory. Raises an error that names it if it cannot be opened or read.
inline file_contents read_file(const char* path) {
    std::FILE* const file = std::fopen(path, "rb");
    if (file == nullptr) {
        fail({path, ": cannot be opened: ", std::strerror(errno)});
    }
    void* first = nullptr;
    std::size_t size = 0;
    // The room grows with what comes, because `long`, in which positions are told, has 32 bits on some systems.
    for (std::size_t room = std::size_t{1} << 16; size == room / 2 || first == nullptr; room *= 2) {
        void* const more = ::operator new(room, std::nothrow);
        if (more == nullptr) {
            break;
        }
        if (first != nullptr) {
            std::memcpy(more, first, size);
        }
        ::operator delete(first);
        first = more;
        size += std::fread(static_cast<char*>(first) + size, 1, room - size, file);
    }
    const bool is_whole = std::feof(file) != 0 && std::ferror(file) == 0;
    std::fclose(file);
    if (!is_whole) {
        ::operator delete(first);
        fail({path, ": cannot be read into memory"});
    }
    return {first, size, [](void* memory, std::size_t) noexcept { ::operator delete(memory); }};
}

#if __has_include(<sys/mman.h>)

/// Gives back the pages that lie within these bytes of a mapping.
inline void forget_pages(const std::byte* first, std::size_t size) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(first);
    const std::uintptr_t begin = (address + page - 1) / page * page;
    const std::uintptr_t end = (address + size) / page * page;
    if (begin < end) {
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
}

/// Maps a file into memory. Raises an error that names it if it cannot be opened, or is not a regular file.
inline file_contents open_file(const char* path) {
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
        fail({path, ": its ", size, " bytes cannot be mapped into memory: ", std::strerror(errno)});
    }
    return {first, size,
            [](void* memory, std::size_t count) noexcept {
                if (count != 0) {
                    ::munmap(memory, count);
                }
            },
            &forget_pages};
}
/// True if there is something of this name, whether it can be read or not.
inline bool file_exists(const char* path) noexcept { return ::access(path, F_OK) == 0; }

#else

inline file_contents open_file(const char* path) { return read_file(path); }
inline bool file_exists(const char* path) noexcept {
    std::FILE* const file = std::fopen(path, "rb");
    return file != nullptr && std::fclose(file) == 0;
}

#endif

}  // namespace lpt::inline LPT_ABI::detail
