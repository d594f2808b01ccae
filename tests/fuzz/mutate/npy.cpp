// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/dice.hpp"
#include "tests/fuzz/mutate/mutate.hpp"

#include <algorithm>

namespace lpt::fuzz {

namespace {

constexpr std::size_t preamble = 10;  // magic, version, length of the header

struct parts {
    std::string first;
    std::string header;
    std::string values;
};

bool split(std::string_view content, parts& result) {
    if (content.size() < preamble) {
        return false;
    }
    const auto byte_at = [&](std::size_t at) {
        return static_cast<std::size_t>(static_cast<unsigned char>(content[at]));
    };
    const std::size_t length = std::min(byte_at(8) + 256 * byte_at(9), content.size() - preamble);
    result.first = content.substr(0, preamble);
    result.header = content.substr(preamble, length);
    result.values = content.substr(preamble + length);
    return true;
}
std::string joined(parts from) {
    from.first[8] = static_cast<char>(from.header.size() % 256);
    from.first[9] = static_cast<char>(from.header.size() / 256);
    return from.first + from.header + from.values;
}

/// Replaces the list in parentheses, or the type.
void change_header(std::string& header, dice& random) {
    static const char* const types[] = {"<f4", "<f8", "<f2", "<i8", "<u8", "<i4", "<u4", "<i2",
                                        "<u2", "|i1", "|u1", "|b1", ">f4", "<c8", "|S3", ""};
    const std::size_t open = header.find('(');
    const std::size_t close = header.find(')');
    const std::size_t type = header.find_first_of("<|>");
    if (open != std::string::npos && close != std::string::npos && open < close && !random.once_in(3)) {
        const std::string list = header.substr(open + 1, close - open - 1);
        header.replace(open + 1, close - open - 1, changed_list(list, ',', random));
    } else if (type != std::string::npos && !random.once_in(3)) {
        header.replace(type, 3, random.one_of(types));
    } else if (!header.empty()) {
        header.erase(random.below(header.size()), 1 + random.below(4));
    }
}

}  // namespace

std::string mutate_npy(std::string_view content, unsigned seed) {
    parts all;
    if (!split(content, all)) {
        return {};
    }
    dice random(seed);
    switch (random.below(6)) {
        case 0:
            all.first[6 + random.below(4)] = static_cast<char>(random.below(256));
            return all.first + all.header + all.values;
        case 1: all.values.resize(random.below(2 * all.values.size() + 8)); break;
        case 2: return {};
        default: change_header(all.header, random);
    }
    return joined(std::move(all));
}

std::string cross_npy(std::string_view content, std::string_view other, unsigned seed) {
    parts all;
    parts second;
    if (!split(content, all) || !split(other, second)) {
        return {};
    }
    dice random(seed);
    (random.once_in(2) ? all.header : all.values) = random.once_in(2) ? second.header : second.values;
    return joined(std::move(all));
}

}  // namespace lpt::fuzz
