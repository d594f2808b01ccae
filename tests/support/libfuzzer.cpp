// SPDX-License-Identifier: Apache-2.0
// What libFuzzer calls, for the target and the mutator of LPT_FUZZ_TARGET, LPT_FUZZ_MUTATE and LPT_FUZZ_CROSS.
#include "tests/fuzz/mutate/mutate.hpp"
#include "tests/fuzz/target.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Writes a result of a mutator; 0 where there is none, or it is too large.
std::size_t put(const std::string& result, std::uint8_t* to, std::size_t most) {
    if (result.empty() || result.size() > most) {
        return 0;
    }
    std::memcpy(to, result.data(), result.size());
    return result.size();
}

/// A machine on which large pieces of memory cannot be had. The address sanitizer's own would end the process.
constexpr std::size_t most_memory = std::size_t{256} << 20;

void* take(std::size_t size, std::size_t alignment = 1) {
    void* result = nullptr;
    if (size <= most_memory && alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        result = std::malloc(size != 0 ? size : 1);
    } else if (size <= most_memory && ::posix_memalign(&result, alignment, size != 0 ? size : 1) != 0) {
        result = nullptr;
    }
    if (result == nullptr) {
        throw std::bad_alloc();
    }
    return result;
}

}  // namespace

/// The sanitizer's own `new` allocates for some parts of the program, and `delete` is always the one below.
extern "C" const char* __asan_default_options() { return "alloc_dealloc_mismatch=0:allocator_may_return_null=1"; }

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return take(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return take(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return size <= most_memory ? std::malloc(size != 0 ? size : 1) : nullptr;
}
void operator delete(void* old) noexcept { std::free(old); }
void operator delete[](void* old) noexcept { std::free(old); }
void operator delete(void* old, std::size_t) noexcept { std::free(old); }
void operator delete[](void* old, std::size_t) noexcept { std::free(old); }
void operator delete(void* old, std::align_val_t) noexcept { std::free(old); }
void operator delete[](void* old, std::align_val_t) noexcept { std::free(old); }
void operator delete(void* old, std::size_t, std::align_val_t) noexcept { std::free(old); }
void operator delete[](void* old, std::size_t, std::align_val_t) noexcept { std::free(old); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    lpt::fuzz::LPT_FUZZ_TARGET(text_of(data, size));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    const bool bytes = seed % 64 == 0;  // now and then the file itself is broken
    const std::size_t made = bytes ? 0 : put(lpt::fuzz::LPT_FUZZ_MUTATE(text_of(data, size), seed), data, most);
    return made != 0 ? made : LLVMFuzzerMutate(data, size, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size, const std::uint8_t* other,
                                                 std::size_t other_size, std::uint8_t* to, std::size_t most,
                                                 unsigned seed) {
    return put(lpt::fuzz::LPT_FUZZ_CROSS(text_of(data, size), text_of(other, other_size), seed), to, most);
}
