// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/mutate.hpp"
#include "tests/fuzz/mutate/numbers.hpp"
#include "tests/fuzz/mutate/tflite_values.hpp"

#include <lpt/import/tflite/model.hpp>
#include <lpt/import/tflite/schema.hpp>

#include <algorithm>
#include <cstring>

namespace lpt::fuzz {

namespace {

constexpr std::size_t least_size = 16;

/// Writes a number; nothing at 0, which stands for no place.
void write(std::string& content, std::size_t at, std::size_t width, std::uint64_t value) {
    if (at != 0 && at < content.size()) {
        std::memcpy(&content[at], &value, std::min(width, content.size() - at));
    }
}

/// A number of `width` bytes at a place where one may stand, changed.
void change_anywhere(std::string& content, dice& random) {
    static constexpr std::size_t widths[] = {1, 2, 4, 4, 4, 8};
    const std::size_t width = random.one_of(widths);
    const std::size_t at = random.below(content.size() / width) * width;
    std::uint64_t value = 0;
    std::memcpy(&value, &content[at], std::min(width, content.size() - at));
    switch (random.below(6)) {
        case 0: ++value; break;
        case 1: --value; break;
        case 2: value *= 2; break;
        case 3: value ^= std::uint64_t{1} << random.below(8 * width); break;
        default: value = static_cast<std::uint64_t>(interesting_integer(random));
    }
    std::memcpy(&content[at], &value, std::min(width, content.size() - at));
}

/// Changes numbers to others that their place may have, and now and then to some that it may not.
class tflite_mutator {
    std::string& content_;
    dice& random_;
    tflite_places places_;

    /// Another code of the file, or any: for all operators that have the old one.
    void change_code() {
        if (places_.codes.empty()) {
            return;
        }
        const code_places& code = random_.one_of(places_.codes);
        constexpr auto all_codes = static_cast<std::size_t>(lpt::tflite::builtin_count);
        const std::uint64_t value = random_.once_in(4) ? static_cast<std::uint64_t>(random_.one_of(places_.codes).code)
                                                       : new_index(all_codes, random_);
        write(content_, code.old_code, 1, std::min<std::uint64_t>(value, 127));  // newer ones have 127 there
        write(content_, code.new_code, 4, value);
    }
    /// Two numbers of a list exchanged: inputs, or the dimensions of a tensor, which keeps as many elements.
    void exchange(const number_place& where) {
        const std::size_t one = random_.below(where.count);
        const std::size_t other = random_.below(where.count);
        const std::int64_t first = value_of(content_, where, one);
        const std::int64_t second = value_of(content_, where, other);
        write(content_, where.first + where.width * one, where.width, static_cast<std::uint64_t>(second));
        write(content_, where.first + where.width * other, where.width, static_cast<std::uint64_t>(first));
    }
    /// Tensors mostly have their dimensions and types from each other: where one becomes another, the others do, too.
    void change_everywhere(role is, std::int64_t from, std::uint64_t to) {
        for (const number_place& each : places_.all) {
            for (std::size_t i = 0; i < each.count && each.is == is; ++i) {
                if (value_of(content_, each, i) == from) {
                    write(content_, each.first + each.width * i, each.width, to);
                }
            }
        }
    }
    void change(const number_place& where) {
        if (where.is == role::builtin_code) {
            return change_code();
        }
        if (where.count > 1 && random_.once_in(6)) {
            return exchange(where);
        }
        const std::size_t index = random_.below(where.count);
        const std::int64_t old = value_of(content_, where, index);
        const std::uint64_t value = new_value(content_, places_, where, old, random_);
        if ((where.is == role::dimension || where.is == role::element_type) && random_.once_in(2)) {
            return change_everywhere(where.is, old, value);
        }
        write(content_, where.first + where.width * index, where.width, value);
    }

    /// Readers ask that operators have the options of their code.
    void fit_options() {
        for (const operator_places& each : places_.operators) {
            const std::int64_t code = each.code < places_.codes.size() ? places_.codes[each.code].code : -1;
            if (each.options_type != 0 && code >= 0 && code < lpt::tflite::builtin_count) {
                write(content_, each.options_type, 1,
                      lpt::tflite::options_of(static_cast<lpt::tflite::builtin>(code)).tag);
            }
        }
    }
    /// Readers ask that constants have as many bytes as type and shape want; those behind a buffer serve as well as any.
    void fit_buffers() {
        for (const tensor_places& each : places_.tensors) {
            const number_list old = each.buffer < places_.buffers.size() ? places_.buffers[each.buffer] : number_list();
            if (old.count == 0 || each.type < 0 || each.type >= lpt::tflite::tensor_type_count) {
                continue;
            }
            const element type = lpt::tflite::element_of(static_cast<lpt::tflite::tensor_type>(each.type));
            const std::size_t most = content_.size() - old.first;
            std::size_t count = type == dynamic ? most + 1 : 1;
            for (std::size_t i = 0; i < each.shape.count && count <= most; ++i) {
                count *= number_at<std::uint32_t>(content_, each.shape.first + 4 * i);
            }
            if (count <= most && byte_size(type, count) <= most) {
                write(content_, old.first - 4, 4, byte_size(type, count));
            }
        }
    }

public:
    tflite_mutator(std::string& content, dice& random) : content_(content), random_(random) {}

    /// Changes a place of a role that is drawn first: of some there are few in a file. False if the file has no places.
    bool change_something() {
        places_ = places_of(content_);
        std::vector<std::vector<number_place>> by_role(role_count);
        for (const number_place& each : places_.all) {
            by_role[static_cast<std::size_t>(each.is)].push_back(each);
        }
        std::erase_if(by_role, [](const std::vector<number_place>& each) { return each.empty(); });
        if (by_role.empty()) {
            return false;
        }
        const number_place where = random_.one_of(random_.one_of(by_role));
        change(where);
        if (!random_.once_in(8)) {
            places_ = places_of(content_);
            switch (where.is) {
                case role::builtin_code:
                case role::operator_index: fit_options(); break;
                case role::dimension:
                case role::element_type:
                case role::buffer_index: fit_buffers(); break;
                default: break;
            }
        }
        return true;
    }
};

}  // namespace

std::string mutate_tflite(std::string_view content, unsigned seed) {
    if (content.size() < least_size) {
        return {};
    }
    dice random(seed);
    std::string result(content);
    if (random.once_in(40)) {
        result.resize(least_size + random.below(result.size() - least_size + 1));
    }
    for (std::size_t left = 1 + random.below(3); left != 0; --left) {
        if (random.once_in(5) || !tflite_mutator(result, random).change_something()) {
            change_anywhere(result, random);
        }
    }
    return result;
}

std::string cross_tflite(std::string_view content, std::string_view other, unsigned seed) {
    if (content.size() < least_size || other.size() < least_size) {
        return {};
    }
    dice random(seed);
    std::string result(content);
    const std::size_t words = std::min(content.size(), other.size()) / 4;
    const std::size_t from = random.below(words);
    const std::size_t to = random.below(words);
    const std::size_t count = std::min(random.below(32) + 1, words - std::max(from, to));
    result.replace(4 * to, 4 * count, other.substr(4 * from, 4 * count));
    return result;
}

}  // namespace lpt::fuzz
