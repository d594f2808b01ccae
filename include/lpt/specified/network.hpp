// SPDX-License-Identifier: Apache-2.0
// Runs a TensorFlow Lite model operation by operation in the arithmetic that its operations carry: equal to the reference kernels to the bit.
#pragma once

#include <lpt/specified/kernels.hpp>

namespace lpt::inline LPT_ABI::specified {

/// A network with its kernels. The model outlives it.
///
///     specified::network net(model);
///     net.set_input(0, bytes);
///     net.run();
///     net.output(0).data();
template <class Arithmetic>
class basic_network {
    const tflite::model* model_;
    const tflite::subgraph* net_;
    std::vector<value> values_;
    std::vector<step> steps_;

    /// Real zero: in 8 bits the zero point.
    static void clear(const tflite::tensor_info& info, value& variable) {
        const bool has_code = variable.type == i8 && info.quantized.zero_points.size() == 1;
        detail::fill(variable, has_code ? info.quantized.zero_points[0] : 0);
    }

    void make_value(const tflite::tensor_info& info) {
        value result;
        result.type = tflite::element_of(info.type);
        result.dimensions = info.dimensions;
        if (info.is_constant()) {
            if (!info.is_sparse && info.value.type() == result.type) result.constant = info.value.data();
        } else if (result.type != dynamic && info.is_variable) {
            result.reshape(info.dimensions);
            clear(info, result);
        }
        values_.push_back(move(result));
    }

public:
    /// Makes the kernels. Raises an error that names the operation where one has no specified arithmetic, or breaks the specification
    /// in a way that leaves open what it means.
    explicit basic_network(const tflite::model& model) : model_(&model), net_(&model.subgraphs.front()) {
        for (const tflite::tensor_info& each : net_->tensors)
            make_value(each);
        for (std::size_t i = 0; i < net_->operators.size(); ++i)
            steps_.push_back(make_step<Arithmetic>(operation(model, *net_, static_cast<std::int64_t>(i))));
        for (const std::int64_t each : net_->inputs)
            values_[static_cast<std::size_t>(each)].reshape(net_->tensors[static_cast<std::size_t>(each)].dimensions);
    }

    const tflite::subgraph& subgraph() const { return *net_; }
    std::size_t inputs() const { return net_->inputs.size(); }
    std::size_t outputs() const { return net_->outputs.size(); }

    /// The value of a tensor, by its number in the file; after a run that of every tensor that an operation writes.
    const value& tensor(std::size_t index) const { return values_[index]; }
    const value& input(std::size_t index) const { return values_[static_cast<std::size_t>(net_->inputs[index])]; }
    const value& output(std::size_t index) const { return values_[static_cast<std::size_t>(net_->outputs[index])]; }

    /// Gives an input its elements, as many bytes as its shape and type ask for.
    void set_input(std::size_t index, view<std::byte> content) {
        if (index >= inputs()) fail({"input ", index, " of a network with ", inputs()});
        value& input = values_[static_cast<std::size_t>(net_->inputs[index])];
        if (content.size() != input.memory.size())
            fail({"input ", index, ": ", content.size(), " bytes, expected ", input.memory.size(), " (",
                  name(input.type), input.dimensions, ")"});
        if (content.size() != 0) std::memcpy(input.memory.data(), content.data(), content.size());
    }

    /// Variables become zeros, as when the network was made.
    void reset() {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (net_->tensors[i].is_variable) clear(net_->tensors[i], values_[i]);
        }
    }

    /// Runs one operation; all before it have run.
    void run_step(std::size_t index) {
        const tflite::operator_info& info = net_->operators[index];
#if LPT_THROWS
        try {
            steps_[index](operands(info, values_));
        } catch (const error& raised) {
            operation(*model_, *net_, static_cast<std::int64_t>(index)).wrong(raised.message());
        }
#else
        steps_[index](operands(info, values_));
#endif
    }

    /// Runs all operations in the order of the file.
    void run() {
        for (std::size_t i = 0; i < steps_.size(); ++i)
            run_step(i);
    }
};

using network = basic_network<arithmetic::tflite_reference>;

}  // namespace lpt::inline LPT_ABI::specified
