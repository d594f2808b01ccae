// SPDX-License-Identifier: Apache-2.0
#include <lpt/base/memory.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <thread>

using namespace lpt::detail;

TEST_CASE("a block that a thread gave back is the next one of its size") {
    void* first = take_memory(100);
    give_memory(first, 100);
    first = take_memory(100);  // from now on there is somebody who keeps blocks
    give_memory(first, 100);
    void* again = take_memory(110);  // sizes are rounded up to 16 bytes
    if (keeps_small_memory) {
        CHECK(again == first);
    }
    std::memset(again, 1, 110);
    give_memory(again, 110);
}

TEST_CASE("blocks of up to 16 KiB are kept, sizes that are near each other together") {
    give_memory(take_memory(100), 100);  // from now on there is somebody who keeps blocks
    for (const std::size_t largest : {512u, 640u, 1024u, 1280u, 7168u, 16384u}) {
        void* const first = take_memory(largest);
        give_memory(first, largest);
        void* const other = take_memory(largest + 1);
        void* const again = take_memory(largest - 8);
        if (keeps_small_memory) {
            CHECK(other != first);
            CHECK(again == first);
        }
        std::memset(again, 1, largest - 8);
        give_memory(again, largest - 8);
        give_memory(other, largest + 1);
    }
}

TEST_CASE("blocks of all sizes are as large as was asked for") {
    for (std::size_t size = 1; size < 20000; size += size < 1200 ? 7 : 101) {
        void* one = take_memory(size);
        void* two = take_memory(size);
        std::memset(one, 1, size);
        std::memset(two, 2, size);
        CHECK(static_cast<const char*>(one)[size - 1] == 1);
        give_memory(one, size);
        give_memory(two, size);
    }
}

TEST_CASE("a block may be given back by another thread, and threads give theirs back at their end") {
    void* block = take_memory(64);
    std::thread other([&] {
        give_memory(block, 64);
        void* mine = take_memory(64);
        std::memset(mine, 3, 64);
        give_memory(mine, 64);
        give_memory(take_memory(64), 64);
    });
    other.join();
    void* next = take_memory(64);
    std::memset(next, 4, 64);
    CHECK(static_cast<const char*>(next)[63] == 4);
    give_memory(next, 64);
}
