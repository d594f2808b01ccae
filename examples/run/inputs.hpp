// SPDX-License-Identifier: Apache-2.0
// What goes into a network: arrays from files, stacks of samples, or seeded random numbers.
#pragma once

#include "../npy.hpp"

#include <lpt/base/memory_errors.hpp>
#include <lpt/runtime.hpp>

#include <random>
#include <string>
#include <vector>

namespace lpt::run {

/// The arrays for a network: for each input one tensor that fits its shape, or a stack of samples.
struct samples {
    std::vector<tensor> arrays;
    std::vector<bool> stacked;
    std::size_t count = 1;
    bool any_stacked = false;
    bool random = false;  // no file was given
    std::vector<plan::port> opened;  // inputs with open sizes that are made up, with the sizes that they got

    /// The inputs of one sample; they share the bytes of the arrays.
    std::vector<tensor> sample(std::size_t which) const {
        std::vector<tensor> result;
        for (std::size_t i = 0; i < arrays.size(); ++i) {
            if (!stacked[i]) {
                result.push_back(arrays[i]);
                continue;
            }
            shape dimensions = arrays[i].dimensions();
            dimensions.erase(0);
            const std::size_t size = byte_size(arrays[i].type(), dimensions.elements());
            result.emplace_back(arrays[i].type(), dimensions,
                                bytes(arrays[i].data() + which * size, size, nullptr, nullptr));
        }
        return result;
    }
};

inline bool has_name(const plan::port& port, const std::string& name) {
    bool found = port.name == name.c_str();
    for (const text& each : port.names) {
        found = found || each == name.c_str();
    }
    return found;
}

/// The input that `NAME=FILE` is for, and the file; for `FILE` the first input that has none yet.
inline std::size_t input_for(const std::string& argument, const std::vector<plan::port>& inputs,
                             const std::vector<bool>& given, std::string& file) {
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (has_name(inputs[i], argument.substr(0, equals))) {
                file = argument.substr(equals + 1);
                return i;
            }
        }
        if (!std::ifstream(argument)) {
            text names;
            for (const plan::port& each : inputs) {
                names.append(names.empty() ? text_view() : text_view(", ")).append(each.name);
            }
            fail({"the network has no input '", argument.substr(0, equals).c_str(), "'; its inputs are ", names});
        }
    }
    file = argument;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!given[i]) {
            return i;
        }
    }
    fail({argument.c_str(), ": the network has only ", inputs.size(), " inputs"});
}

inline bool fits(const shape& array, const shape& wanted) {
    shape merged = wanted;
    return merge_shape(merged, array);
}
inline bool is_stack_of(const shape& stack, const shape& one) {
    if (one.rank_is_dynamic() || stack.rank() != one.rank() + 1) {
        return false;
    }
    shape sample = stack;
    sample.erase(0);
    return fits(sample, one);
}

/// Which inputs have which sizes because nothing says otherwise, and what would; empty where there are none.
inline std::string words_of_open_sizes(const std::vector<plan::port>& opened) {
    text each_input;
    for (const plan::port& each : opened) {
        each_input.append(each_input.empty() ? text_view() : text_view(", "))
            .append(join({"'", each.name, "' is ", each.dimensions}));
    }
    const std::string words(each_input.c_str());
    return words.empty() ? words
                         : "open sizes of inputs are taken as 1: " + words + "; --input NAME=FILE.npy gives others";
}

/// Sizes that the network leaves open are 1.
inline tensor random_input(const plan::port& port, std::mt19937& numbers) {
    shape dimensions = port.dimensions;
    if (dimensions.rank_is_dynamic() || port.type == dynamic) {
        fail({"input '", port.name, "' needs a file: its ", port.type == dynamic ? "type" : "number of axes",
              " is not known"});
    }
    for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
        dimensions[axis] = dimensions.is_static(axis) ? dimensions[axis] : 1;
    }
    tensor_builder result = lpt::detail::naming_memory([&] { return tensor_builder(port.type, dimensions); },
                                                       [&] { return join({"input '", port.name, "'"}); });
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double part = static_cast<double>(numbers()) / 4294967296.0;
        result.real(i, is_real(port.type) ? 2 * part - 1 : part < 0.5 ? 0 : 1);
    }
    return result.finish();
}

/// Reads the files of the command line. Raises an error that names the file and the input for one that does not fit.
inline samples read_samples(const std::vector<std::string>& arguments, const std::vector<plan::port>& inputs) {
    samples result;
    result.arrays.resize(inputs.size());
    result.stacked.assign(inputs.size(), false);
    std::vector<bool> given(inputs.size(), false);
    for (const std::string& argument : arguments) {
        std::string file;
        const std::size_t i = input_for(argument, inputs, given, file);
        if (given[i]) {
            fail({"input '", inputs[i].name, "' is given twice"});
        }
        given[i] = true;
        const tensor array =
            lpt::detail::naming_memory([&] { return npy::read(file); }, [&] { return text(file.c_str()); });
        const bool stacked = is_stack_of(array.dimensions(), inputs[i].dimensions);
        const bool has_type = array.type() == inputs[i].type || inputs[i].type == dynamic;
        if (!has_type || (!stacked && !fits(array.dimensions(), inputs[i].dimensions))) {
            fail({file.c_str(), ": input '", inputs[i].name, "' must be ", name(inputs[i].type), inputs[i].dimensions,
                  ", or a stack of such, not ", name(array.type()), array.dimensions()});
        }
        if (stacked) {
            const auto count = static_cast<std::size_t>(array.dimensions()[0]);
            if (result.any_stacked && count != result.count) {
                fail({file.c_str(), ": has ", count, " samples for input '", inputs[i].name, "', the others have ",
                      result.count});
            }
            result.count = count;
            result.any_stacked = true;
        }
        result.arrays[i] = array;
        result.stacked[i] = stacked;
    }
    std::mt19937 numbers(20240229);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (given[i]) {
            continue;
        }
        if (!arguments.empty()) {
            fail({"input '", inputs[i].name, "' has no file"});
        }
        result.random = true;
        result.arrays[i] = random_input(inputs[i], numbers);
        if (inputs[i].dimensions.is_dynamic()) {
            result.opened.push_back(inputs[i]);
            result.opened.back().dimensions = result.arrays[i].dimensions();
        }
    }
    return result;
}

}  // namespace lpt::run
