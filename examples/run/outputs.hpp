// SPDX-License-Identifier: Apache-2.0
// What comes out of a network, for files.
#pragma once

#include "inputs.hpp"

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lpt::run {

/// Outputs of all samples, stacked if the inputs were.
class outputs {
    std::vector<std::vector<tensor>> samples_;
    bool stacked_;

    tensor stack_of(std::size_t k) const {
        const tensor& first = samples_[0][k];
        shape dimensions = first.dimensions();
        dimensions.insert(0, static_cast<dimension>(samples_.size()));
        tensor_builder stack(first.type(), dimensions);
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            const tensor& value = samples_[i][k];
            if (!(value.dimensions() == first.dimensions())) {
                fail({"output ", k, " has the shape ", first.dimensions(), " for the first sample and ",
                      value.dimensions(), " for sample ", i, ": they cannot be stacked"});
            }
            if (value.size_in_bytes() != 0) {
                std::memcpy(stack.data() + i * value.size_in_bytes(), value.data(), value.size_in_bytes());
            }
        }
        return stack.finish();
    }
    /// The stack of no sample; sizes that no run has decided are 0.
    static tensor empty_stack(const plan::port& port) {
        shape dimensions = port.dimensions;
        for (std::size_t axis = 0; axis < dimensions.rank(); ++axis) {
            dimensions[axis] = dimensions.is_static(axis) ? dimensions[axis] : 0;
        }
        dimensions.insert(0, 0);
        return tensor_builder(port.type, dimensions).finish();
    }

public:
    explicit outputs(const samples& samples) : stacked_(samples.any_stacked) {}

    void put(std::vector<tensor> values) { samples_.push_back(std::move(values)); }
    void write(const std::vector<plan::port>& ports, const std::string& folder) const {
        std::error_code wrong;
        std::filesystem::create_directories(folder, wrong);
        for (std::size_t k = 0; k < ports.size(); ++k) {
            const std::string file = (std::filesystem::path(folder) / (std::to_string(k) + ".npy")).string();
            if (samples_.empty()) {
                npy::write(file, empty_stack(ports[k]));
            } else {
                npy::write(file, stacked_ ? stack_of(k) : samples_[0][k]);
            }
        }
    }
};

}  // namespace lpt::run
