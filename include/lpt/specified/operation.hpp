// SPDX-License-Identifier: Apache-2.0
// What the kernels of specified arithmetic are given: an operation of a file when they are made, and its tensors' values when they run.
#pragma once

#include <lpt/import/tflite/model.hpp>
#include <lpt/kernel/rows.hpp>
#include <lpt/specified/arithmetic.hpp>
#include <lpt/specified/value.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

namespace lpt::inline LPT_ABI::specified {

/// How the codes of a tensor stand for real numbers, one scale for all.
struct quantized {
    float scale = 1;
    std::int32_t zero_point = 0;
};

/// Codes that an output may take.
struct code_range {
    std::int32_t lowest = -128;
    std::int32_t highest = 127;

    std::int32_t clamp(std::int64_t code) const {
        return static_cast<std::int32_t>(code < lowest ? lowest : code > highest ? highest : code);
    }
};

/// The codes of a type, as far as 32 bits hold them.
inline code_range range_of(element type) {
    const element_facts& range = facts(type);
    return {static_cast<std::int32_t>(std::max(range.lowest, double{INT32_MIN})),
            static_cast<std::int32_t>(std::min(range.highest, double{INT32_MAX}))};
}

/// An operation of a file, as kernels see it when they are made.
class operation {
    const tflite::model* model_;
    const tflite::subgraph* net_;
    const tflite::operator_info* info_;
    std::int64_t index_;
    const kernel::kernel_table* kernels_;
    kernel::parallel_for parallel_;
    plan::zeroed_blocks* blocks_;

    const tflite::tensor_info* at(const std::vector<std::int64_t>& tensors, std::size_t index) const {
        if (index >= tensors.size() || tensors[index] < 0) return nullptr;
        return &net_->tensors[static_cast<std::size_t>(tensors[index])];
    }

public:
    /// `kernels` may be null: then loops of the definition run. `blocks`, which may be null, give memory for packed weights.
    operation(const tflite::model& model, const tflite::subgraph& net, std::int64_t index,
              const kernel::kernel_table* kernels = nullptr, const kernel::parallel_for& parallel = {},
              plan::zeroed_blocks* blocks = nullptr)
        : model_(&model),
          net_(&net),
          info_(&net.operators[static_cast<std::size_t>(index)]),
          index_(index),
          kernels_(kernels),
          parallel_(parallel),
          blocks_(blocks) {}

    const tflite::operator_info& info() const { return *info_; }
    const kernel::kernel_table* kernels() const { return kernels_; }
    const kernel::parallel_for& parallel() const { return parallel_; }
    /// Memory that a step keeps beside the tensors.
    plan::zeroed_memory memory(std::size_t bytes) const {
        return blocks_ != nullptr ? blocks_->take(bytes) : plan::zeroed_memory(bytes);
    }
    tflite::builtin code() const { return info_->code; }
    std::size_t inputs() const { return info_->inputs.size(); }
    std::size_t outputs() const { return info_->outputs.size(); }

    /// Raises an error about this operation.
    template <class... Parts>
    [[noreturn]] void wrong(const Parts&... parts) const {
        fail({tflite::place{model_->file, -1, index_, info_->name(), -1, {}, info_->byte}, ": ", parts...});
    }

    bool has_input(std::size_t index) const { return at(info_->inputs, index) != nullptr; }
    bool has_output(std::size_t index) const { return at(info_->outputs, index) != nullptr; }
    const tflite::tensor_info& input(std::size_t index) const {
        const tflite::tensor_info* const found = at(info_->inputs, index);
        if (found == nullptr) wrong("input ", index, " is missing");
        return *found;
    }
    const tflite::tensor_info& output(std::size_t index) const {
        const tflite::tensor_info* const found = at(info_->outputs, index);
        if (found == nullptr) wrong("output ", index, " is missing");
        return *found;
    }
    const tflite::tensor_info& intermediate(std::size_t index) const {
        const tflite::tensor_info* const found = at(info_->intermediates, index);
        if (found == nullptr) wrong("intermediate tensor ", index, " is missing");
        return *found;
    }

    element type_of_input(std::size_t index) const { return tflite::element_of(input(index).type); }
    element type_of_output(std::size_t index) const { return tflite::element_of(output(index).type); }
    void expect_type(const tflite::tensor_info& tensor, element wanted) const {
        if (tflite::element_of(tensor.type) != wanted)
            wrong("tensor '", tensor.name, "' is ", tflite::name(tensor.type), ", expected ", lpt::name(wanted));
    }
    /// Raises an error unless the first inputs and the output, as many as there are of each, are int8.
    void expect_codes(std::size_t inputs) const {
        for (std::size_t i = 0; i < inputs; ++i)
            expect_type(input(i), i8);
        expect_type(output(0), i8);
    }

    float usable_scale(const tflite::tensor_info& tensor, std::size_t index) const {
        const float scale = tensor.quantized.scales[index];
        if (!(scale > 0) || !(scale <= 3.4028234663852886e38F))
            wrong("tensor '", tensor.name, "' has the scale ", static_cast<double>(scale),
                  ", expected one that is finite and above 0");
        return scale;
    }
    std::int32_t usable_zero_point(const tflite::tensor_info& tensor, std::size_t index) const {
        if (index >= tensor.quantized.zero_points.size()) return 0;
        const std::int64_t zero_point = tensor.quantized.zero_points[index];
        const element_facts& range = facts(tflite::element_of(tensor.type));
        if (static_cast<double>(zero_point) < range.lowest || static_cast<double>(zero_point) > range.highest)
            wrong("tensor '", tensor.name, "' has the zero point ", zero_point, ", which ", range.name,
                  " does not hold");
        return static_cast<std::int32_t>(zero_point);
    }
    /// The quantization of an activation.
    quantized quantization_of(const tflite::tensor_info& tensor) const {
        if (tensor.quantized.scales.empty()) wrong("tensor '", tensor.name, "' has no quantization");
        if (tensor.quantized.scales.size() != 1)
            wrong("tensor '", tensor.name, "' has ", tensor.quantized.scales.size(), " scales, expected one");
        return {usable_scale(tensor, 0), usable_zero_point(tensor, 0)};
    }
    quantized in(std::size_t index) const { return quantization_of(input(index)); }
    quantized out(std::size_t index = 0) const { return quantization_of(output(index)); }

    /// One scale for each of `channels`, along `axis` of a tensor, which is symmetric unless it `may_have_zero_points`.
    std::vector<double> channel_scales(const tflite::tensor_info& tensor, std::size_t axis, std::int64_t channels,
                                       bool may_have_zero_points = false) const {
        const std::size_t count = tensor.quantized.scales.size();
        if (count == 0) wrong("tensor '", tensor.name, "' has no quantization");
        if (count != 1 && tensor.quantized.axis != static_cast<std::int32_t>(axis))
            wrong("tensor '", tensor.name, "' has its scales along axis ", tensor.quantized.axis, ", expected ", axis);
        if (count != 1 && count != static_cast<std::size_t>(channels))
            wrong("tensor '", tensor.name, "' has ", count, " scales, expected ", channels);
        for (std::size_t i = 0; i < tensor.quantized.zero_points.size(); ++i) {
            if (!may_have_zero_points && tensor.quantized.zero_points[i] != 0)
                wrong("tensor '", tensor.name, "' has a zero point other than 0");
        }
        std::vector<double> result(static_cast<std::size_t>(channels));
        for (std::size_t i = 0; i < result.size(); ++i)
            result[i] = static_cast<double>(usable_scale(tensor, count == 1 ? 0 : i));
        return result;
    }

    bool has_option(text_view field) const { return info_->find(field) != nullptr; }
    std::int64_t option(text_view field) const {
        if (!has_option(field)) wrong("option ", field, " is missing");
        return info_->integer(field);
    }
    double real_option(text_view field) const {
        if (!has_option(field)) wrong("option ", field, " is missing");
        return info_->real(field);
    }
    std::int64_t positive_option(text_view field) const {
        const std::int64_t result = option(field);
        if (result <= 0 || result > INT32_MAX) wrong("option ", field, " is ", result, ", expected a positive number");
        return result;
    }

    /// The codes that the fused activation leaves to an output: those of v stand at z + round(v / s).
    code_range activated(tflite::activation function, const tflite::tensor_info& tensor) const {
        code_range result = range_of(tflite::element_of(tensor.type));
        if (function == tflite::activation::none) return result;
        const quantized output = quantization_of(tensor);
        const auto code_of = [&](float real) {
            return output.zero_point +
                   arithmetic::tflite_reference::round_half_away(static_cast<double>(real / output.scale));
        };
        switch (function) {
            case tflite::activation::relu: result.lowest = result.clamp(code_of(0)); break;
            case tflite::activation::relu6: result = {result.clamp(code_of(0)), result.clamp(code_of(6))}; break;
            case tflite::activation::relu_n1_to_1:
                result = {result.clamp(code_of(-1)), result.clamp(code_of(1))};
                break;
            default: wrong("this fused activation is not known in 8 bits");
        }
        return result;
    }
    code_range activated() const { return activated(info_->activation(), output(0)); }
};

/// The values of an operation's tensors while it runs.
class operands {
    const tflite::operator_info* info_;
    std::vector<value>* values_;

    /// A tensor of a list of the operation; where the file leaves it out, kernels that ask for it have no answer.
    value& at(const std::vector<std::int64_t>& tensors, std::size_t index, text_view what) const {
        if (index >= tensors.size() || tensors[index] < 0) fail({what, " ", index, " is missing"});
        return (*values_)[static_cast<std::size_t>(tensors[index])];
    }

public:
    operands(const tflite::operator_info& info, std::vector<value>& values) : info_(&info), values_(&values) {}

    bool has_input(std::size_t index) const { return index < info_->inputs.size() && info_->inputs[index] >= 0; }
    std::size_t inputs() const { return info_->inputs.size(); }
    std::size_t outputs() const { return info_->outputs.size(); }
    bool has_output(std::size_t index) const { return index < info_->outputs.size() && info_->outputs[index] >= 0; }
    const value& in(std::size_t index) const {
        const value& found = at(info_->inputs, index, "input");
        if (!found.has_value()) fail({"input ", index, " has no value: no operation gives it one"});
        return found;
    }
    /// A tensor by its number in the file.
    const value& tensor(std::int64_t number) const { return (*values_)[static_cast<std::size_t>(number)]; }
    /// The state that an operation changes.
    value& state(std::size_t index) const { return at(info_->inputs, index, "input"); }
    value& out(std::size_t index = 0) const { return at(info_->outputs, index, "output"); }
};

/// A kernel with everything that it knows before it runs.
using step = std::function<void(const operands&)>;

/// What a step knows for the shapes of its operands and the values of some inputs: made in the first run, then again only where a shape is
/// another, or where one of these inputs is no constant. What makes it gives the outputs their shapes.
template <class Known>
class for_shapes {
    std::vector<std::size_t> values_;
    std::vector<const value*> operands_;
    bool is_kept_ = false;
    std::uint64_t reshaped_ = 0;  // all operands together
    Known known_{};

    /// Grows with each shape that becomes another: a step's operands always are the same values.
    std::uint64_t reshaped() const {
        std::uint64_t result = 0;
        for (const value* each : operands_)
            result += each->reshaped;
        return result;
    }
    void keep_operands(const operands& run) {
        operands_.clear();
        for (std::size_t i = 0; i < run.inputs(); ++i)
            if (run.has_input(i)) operands_.push_back(&run.in(i));
        for (std::size_t i = 0; i < run.outputs(); ++i)
            if (run.has_output(i)) operands_.push_back(&run.out(i));
    }

public:
    /// `values`: the inputs whose values matter.
    explicit for_shapes(std::vector<std::size_t> values) : values_(lpt::move(values)) {}

    /// `make(known)` fills an empty one.
    template <class Make>
    Known& of(const operands& run, const Make& make) {
        if (is_kept_ && reshaped_ == reshaped()) return known_;
        is_kept_ = false;
        known_ = Known();
        make(known_);
        keep_operands(run);
        reshaped_ = reshaped();
        is_kept_ = true;
        for (const std::size_t each : values_)
            is_kept_ = is_kept_ && (!run.has_input(each) || run.in(each).constant != nullptr);
        return known_;
    }
};

/// Calls f(i) for i in [0, count), each of about `bytes` bytes, on as many threads as that is worth.
template <class Function>
void share(const kernel::parallel_for& parallel, std::int64_t count, std::int64_t bytes, const Function& f) {
    constexpr std::int64_t least_bytes = 16384;  // of a task: about a microsecond, as a round of threads
    struct job {
        const Function* f;
        std::int64_t count, tasks;
        static void run(void* context, int index) {
            const job& self = *static_cast<const job*>(context);
            const std::int64_t begin =
                self.count / self.tasks * index + std::min<std::int64_t>(index, self.count % self.tasks);
            const std::int64_t end = begin + self.count / self.tasks + (index < self.count % self.tasks ? 1 : 0);
            for (std::int64_t i = begin; i < end; ++i)
                (*self.f)(i);
        }
    };
    const std::int64_t worth =
        count == 0 || bytes >= least_bytes ? count : count / ((least_bytes + bytes) / (bytes + 1));
    const std::int64_t most = parallel.run == nullptr ? 1 : std::max(1, parallel.threads);
    job work{&f, count, std::max<std::int64_t>(1, std::min(most, worth))};
    if (work.tasks == 1)
        job::run(&work, 0);
    else
        parallel.run(parallel.pool, static_cast<int>(work.tasks), &job::run, &work);
}

/// An axis of a tensor, counted from its end where it is negative.
inline std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size) fail({"axis ", axis, " of a tensor with ", rank, " axes"});
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

/// The product of sizes [first, last).
inline std::int64_t product(const shape& dimensions, std::size_t first, std::size_t last) {
    std::int64_t result = 1;
    for (std::size_t i = first; i < last; ++i)
        result *= dimensions[i];
    return result;
}

/// Calls `visit(index)` for each position of a shape, the last axis fastest; `index` is a vector of positions along the axes.
template <class Visit>
void for_each_position(const shape& dimensions, Visit visit) {
    const std::size_t rank = dimensions.rank();
    std::vector<std::int64_t> index(rank, 0);
    const auto count = static_cast<std::int64_t>(dimensions.elements());
    for (std::int64_t i = 0; i < count; ++i) {
        visit(index);
        for (std::size_t axis = rank; axis-- > 0;) {
            if (++index[axis] < dimensions[axis]) break;
            index[axis] = 0;
        }
    }
}

/// Elements from one position to the next along each axis.
inline std::vector<std::int64_t> strides_of(const shape& dimensions) {
    std::vector<std::int64_t> result(dimensions.rank(), 1);
    for (std::size_t axis = dimensions.rank(); axis-- > 1;)
        result[axis - 1] = result[axis] * dimensions[axis];
    return result;
}

}  // namespace lpt::inline LPT_ABI::specified
