// SPDX-License-Identifier: Apache-2.0
#include "network_file.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <string>

using namespace lpt;
using testing::temporary_folder;

TEST_CASE("a window has the bytes of its place, and outlives the file's object") {
    const temporary_folder folder;
    std::optional<bytes> window;
    {
        const mapped_file file(folder.write("data", "0123456789").c_str());
        window.emplace(file.window(3, 4));
    }
    REQUIRE(window->size() == 4);
    CHECK(static_cast<char>(window->data()[0]) == '3');
    CHECK(static_cast<char>(window->data()[3]) == '6');
}

TEST_CASE("a window that was put aside has its bytes when they are read again, and so have its neighbours") {
    const temporary_folder folder;
    std::string content(300000, '\0');
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = static_cast<char>(i % 251);
    }
    const mapped_file file(folder.write("data", content).c_str());
    const bytes whole = file.window(0, content.size());
    for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{200001}}) {
        const bytes part = file.window(12345, size);
        CHECK(std::memcmp(whole.data(), content.data(), content.size()) == 0);
        part.put_aside();
        CHECK(std::memcmp(part.data(), content.data() + 12345, size) == 0);
        CHECK(std::memcmp(whole.data(), content.data(), content.size()) == 0);
    }
    bytes(seq<std::byte>{}).put_aside();
}

TEST_CASE("a window beyond its file is refused, also where offset and size leave 64 bits") {
    const temporary_folder folder;
    const mapped_file file(folder.write("data", "0123456789").c_str());
    CHECK(file.window(10, 0).size() == 0);
    CHECK(file.window(0, 10).size() == 10);
    CHECK_THROWS_WITH_AS(file.window(0, 11), "bytes 0 to 0 + 11 lie outside of the file, which has 10 bytes", error);
    CHECK_THROWS_AS(file.window(10, 1), error);
    CHECK_THROWS_AS(file.window(11, 0), error);
    CHECK_THROWS_AS(file.window(SIZE_MAX, 2), error);
    CHECK_THROWS_AS(file.window(2, SIZE_MAX), error);
}

TEST_CASE("where the system maps no files, they are read into memory, whatever their size") {
    const temporary_folder folder;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65536},
                                   std::size_t{65537}, std::size_t{200000}}) {
        CAPTURE(size);
        std::string content(size, '\0');
        for (std::size_t i = 0; i < size; ++i) {
            content[i] = static_cast<char>(i * 7 + i / 256);
        }
        const detail::file_contents read = detail::read_file(folder.write("data", content).c_str());
        CHECK(std::string(static_cast<const char*>(read.first), read.size) == content);
        read.give_back(read.first, read.size);
    }
    CHECK_THROWS_WITH_AS(detail::read_file("/no/such/file"),
                         "/no/such/file: cannot be opened: No such file or directory", error);
    CHECK_THROWS_WITH_AS(detail::read_file("/"), "/: cannot be read into memory", error);
}
