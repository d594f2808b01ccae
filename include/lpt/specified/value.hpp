// SPDX-License-Identifier: Apache-2.0
// Tensors of a network that runs as specified.
#pragma once

#include <lpt/specified/value_memory.hpp>
#include <lpt/tensor/tensor.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lpt::inline LPT_ABI::specified {

/// A tensor while a network runs. Constants lie in the model.
struct value {
    element type = dynamic;
    shape dimensions;
    value_memory memory;
    const std::byte* constant = nullptr;
    std::uint64_t reshaped = 0;  // how often the shape became another

    /// False until an operation, or the caller of the network, has given it one; one without elements needs none.
    bool has_value() const { return constant != nullptr || has_room_ || dimensions.dimensions().contains(0); }
    std::int64_t elements() const { return static_cast<std::int64_t>(dimensions.elements()); }
    const std::byte* data() const { return constant != nullptr ? constant : memory.data(); }

    template <class T>
    const T* as() const {
        return reinterpret_cast<const T*>(data());
    }
    template <class T>
    T* to() {
        return reinterpret_cast<T*>(memory.data());
    }
    std::int64_t integer(std::int64_t index) const {
        return load_integer(type, data(), static_cast<std::size_t>(index));
    }
    /// All elements as integers.
    std::vector<std::int64_t> integers() const {
        std::vector<std::int64_t> result(static_cast<std::size_t>(elements()));
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = load_integer(type, data(), i);
        return result;
    }
    /// Bytes of `count` elements that lie side by side. Raises an error where rows of so many would begin within a byte.
    std::size_t bytes_of(std::int64_t count) const {
        const auto bits = static_cast<std::int64_t>(bit_width(type));
        if (bits * (count % 8) % 8 != 0) fail({count, " elements of ", name(type), " do not fill whole bytes"});
        return byte_size(type, static_cast<std::size_t>(count));
    }
    /// Gives it a shape and room for the elements; what they are is left open.
    void reshape(const shape& wanted) {
        if (has_room_ && wanted == dimensions) return;
        become(wanted);
    }
    /// Gives it a type; elements of another are lost.
    void retype(element wanted) {
        if (wanted == type) return;
        type = wanted;
        has_room_ = false;
    }

private:
    bool has_room_ = false;  // for its type and shape

    void become(const shape& wanted) {
        if (!wanted.is_possible() || wanted.is_dynamic()) fail({"a tensor cannot have the shape ", wanted});
        has_room_ = false;
        dimensions = wanted;
        ++reshaped;
        memory.resize(byte_size(type, dimensions.elements()));
        has_room_ = true;
    }
};

/// A tensor of a type that an operation needs beside its outputs, of the memory that these may take.
inline value like(element type, const value& output) {
    value result;
    result.type = type;
    result.memory = value_memory(output.memory.budget());
    return result;
}

}  // namespace lpt::inline LPT_ABI::specified
