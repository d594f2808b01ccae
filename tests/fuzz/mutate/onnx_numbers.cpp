// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/numbers.hpp"
#include "tests/fuzz/mutate/onnx_mutator.hpp"
#include "tests/fuzz/mutate/onnx_words.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace lpt::fuzz {

namespace {

/// The bits of an element, by the number of its type.
constexpr unsigned char widths[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                    64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};

}  // namespace

std::uint64_t onnx_mutator::new_type() {
    static constexpr std::uint64_t supported[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16, 21, 22};
    switch (random_.below(6)) {
        case 0: return 1 + new_index(std::size(widths) - 1, random_);
        case 1:
        case 2: return number_of_any(types);
        default: return random_.one_of(supported);
    }
}

/// Tensors mostly have their dimensions and types from each other: where one becomes another, the others often do, too.
template <class Known>
bool onnx_mutator::set_numbers(const Known& known, const message_field& one, std::uint64_t value) {
    const std::uint64_t old = one.number;
    const bool everywhere = random_.once_in(3);
    for (const field_place& each : all(known)) {
        message_field& field = each.get();
        if (is_number(field) && (&field == &one || (everywhere && field.number == old))) {
            field.number = value;
        }
    }
    if (!random_.once_in(4)) {
        fit_tensors();
    }
    return true;
}

bool onnx_mutator::change_dimension() {
    const message_field* const one = any(dimensions);
    return one != nullptr &&
           set_numbers(dimensions, *one, new_dimension(one->number, number_of_any(dimensions), random_));
}

bool onnx_mutator::change_type() {
    const message_field* const one = any(types);
    return one != nullptr && set_numbers(types, *one, new_type());
}

bool onnx_mutator::change_integer() {
    static constexpr known_field integers[] = {{message::attribute, attribute_integer},
                                               {message::attribute, attribute_integers}};
    const std::vector<field_place> found = all(integers);
    if (found.empty()) {
        return false;
    }
    const field_place at = random_.one_of(found);
    at.get().number = new_small_integer(at.get().number, number_of_any(dimensions), random_);
    const auto where = at.list->begin() + static_cast<std::ptrdiff_t>(at.index);
    if (at.get().tag == attribute_integers && random_.once_in(4)) {
        at.list->insert(where, message_field(*where));
    } else if (at.get().tag == attribute_integers && random_.once_in(6)) {
        at.list->erase(where);
    }
    return true;
}

bool onnx_mutator::change_real() {
    static constexpr known_field reals[] = {{message::attribute, attribute_real},
                                            {message::attribute, attribute_reals}};
    message_field* const one = any(reals);
    if (one != nullptr) {
        one->number = std::bit_cast<std::uint32_t>(interesting_real(random_));
    }
    return one != nullptr;
}

bool onnx_mutator::change_attribute_name() {
    message_field* const name = any(message::attribute, attribute_name);
    if (name != nullptr) {
        name->bytes = random_.one_of(onnx_attributes());
    }
    return name != nullptr;
}

bool onnx_mutator::change_words() {
    static constexpr known_field words[] = {{message::attribute, attribute_words},
                                            {message::attribute, attribute_word_list}};
    message_field* const one = any(words);
    if (one != nullptr) {
        one->bytes = random_.one_of(onnx_words());
    }
    return one != nullptr;
}

bool onnx_mutator::change_version() {
    constexpr std::size_t newest = 28;
    message_field* const one = any(message::opset, version);
    if (one != nullptr) {
        one->number = new_index(newest, random_);
    }
    return one != nullptr;
}

/// An element of a tensor whose bytes are in the file.
bool onnx_mutator::change_constant() {
    message_field* const tensor = any_message(message::tensor);
    const std::vector<std::size_t> found =
        tensor == nullptr ? std::vector<std::size_t>() : indices_of(*tensor, tensor_bytes);
    if (found.empty()) {
        return false;
    }
    std::string& bytes = tensor->inside[found.back()].bytes;
    const std::uint64_t type = number_in(*tensor, tensor_type);
    const std::size_t width = type < std::size(widths) ? std::clamp<std::size_t>(widths[type] / 8, 1, 8) : 1;
    if (bytes.size() < width) {
        return false;
    }
    constexpr std::uint64_t f32 = 1;
    constexpr std::uint64_t f16 = 10;
    constexpr std::uint64_t f64 = 11;
    constexpr std::uint64_t bf16 = 16;
    char* const at = &bytes[width * random_.below(bytes.size() / width)];
    std::uint64_t value = 0;
    std::memcpy(&value, at, width);
    switch (type) {
        case f32: value = std::bit_cast<std::uint32_t>(interesting_real(random_)); break;
        case f64: value = std::bit_cast<std::uint64_t>(static_cast<double>(interesting_real(random_))); break;
        case f16:
        case bf16: value = interesting_half(random_); break;
        default: value = new_small_integer(value, number_of_any(dimensions), random_);
    }
    std::memcpy(at, &value, width);
    return true;
}

/// Readers ask that tensors have as many bytes as type and shape want.
void onnx_mutator::fit_tensors() {
    constexpr std::size_t most_bits = std::size_t{1} << 15;
    for (const field_place& place : places_) {
        message_field& tensor = place.get();
        const std::uint64_t type = tensor.is == message::tensor ? number_in(tensor, tensor_type) : 0;
        std::size_t bits = type < std::size(widths) ? widths[type] : 0;
        for (const message_field& each : tensor.inside) {
            if (each.tag == tensor_dimension && bits <= most_bits && is_number(each)) {
                bits *= std::min<std::uint64_t>(each.number, most_bits + 1);
            }
        }
        for (message_field& each : tensor.inside) {
            const bool is_content = each.tag == tensor_bytes || (each.tag == tensor_reals && type == 1);
            if (tensor.is == message::tensor && type != 0 && is_content && !is_number(each) && bits <= most_bits) {
                each.bytes.resize((bits + 7) / 8, '\1');
            }
        }
    }
}

}  // namespace lpt::fuzz
