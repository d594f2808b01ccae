// SPDX-License-Identifier: Apache-2.0
// What quantization costs: a network with and without it, side by side, operation by operation.
#pragma once

#include "print.hpp"

#include <lpt/lpt.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/runtime.hpp>
#include <lpt/transformation/preparation/convert_quantize_dequantize.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace lpt::run {

/// Sums over values x and what quantization made of them, q.
struct noise_sums {
    double signal = 0;  // of x^2
    double noise = 0;   // of (q - x)^2

    void add(double x, double q) {
        signal += x * x;
        noise += (q - x) * (q - x);
    }
    /// 10 log10(signal / noise): infinity where nothing differs.
    double decibels() const {
        return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
    }
};

/// One operation on the way, in both networks.
struct compared_operation {
    std::string name;
    std::string type;
    noise_sums all;  // its values against those of the network without quantization
    // Of a FakeQuantize:
    bool quantizes = false;
    bool of_constants = false;
    bool per_tensor = false;
    noise_sums own;      // its values against what it takes
    double clipped = 0;  // the part of the noise that lies outside of its bounds
    double widest = 0;   // the largest share of its range that values took
    std::vector<double> channel_shares;  // the same for each channel (axis 1, of weights axis 0)
};

/// What would make an operation's noise less; empty where it comes from elsewhere.
inline std::string improvement_of(const compared_operation& each) {
    constexpr double fine = 30;  // dB: a step of a hundredth of the values' size
    if (!each.quantizes || each.own.decibels() >= fine) {
        return {};
    }
    if (each.clipped > each.own.noise / 2) {
        return "values lie outside of its range: widen it";
    }
    if (each.widest < 0.5) {
        return "values use " + std::to_string(std::lround(each.widest * 100)) + " % of its range: narrow it";
    }
    const auto least = std::min_element(each.channel_shares.begin(), each.channel_shares.end());
    if (each.per_tensor && least != each.channel_shares.end() && *least < each.widest / 8) {
        return each.of_constants ? "channels differ much in size: give each a range of its own"
                                 : "channels differ much in size: balance them with the weights behind them";
    }
    return "its steps are coarse for these values: keep what reads it in more than 8 bits";
}

namespace detail {

/// The element of `part`, which broadcasts to `whole`, that belongs to element `i` of `whole`.
inline std::size_t broadcast_index(const shape& whole, const shape& part, std::size_t i) {
    std::size_t result = 0;
    std::size_t stride = 1;
    for (std::size_t back = 1; back <= part.rank(); ++back) {
        const auto size = static_cast<std::size_t>(whole[whole.rank() - back]);
        const auto own = static_cast<std::size_t>(part[part.rank() - back]);
        result += own == 1 ? 0 : i % size * stride;
        stride *= own;
        i /= size;
    }
    return result;
}

/// FakeQuantizes before all others, worst first: by what they do themselves, others by their values.
inline bool comes_first(const compared_operation& a, const compared_operation& b) {
    if (a.quantizes != b.quantizes) {
        return a.quantizes;
    }
    return (a.quantizes ? a.own : a.all).decibels() < (b.quantizes ? b.own : b.all).decibels();
}

/// Two graphs with the same operations: quantized as the file says, and with real numbers in place of what FakeQuantizes give.
class quantized_and_real {
    using quantize_and_dequantize = pipeline<stage<convert_quantize_dequantize>, stage<>, stage<>, stage<>, stage<>>;

    graph quantized_;
    graph real_;
    std::vector<compared_operation> operations_;
    std::vector<node_id> nodes_;

    static bool has_range(const graph& model, const node& each) {
        for (std::size_t port = 1; port < 5; ++port) {
            if (model.constant_value(each.input(port)) == nullptr) {
                return false;
            }
        }
        const tensor& low = *model.constant_value(each.input(1));
        const tensor& high = *model.constant_value(each.input(2));
        bool result = low.dimensions() == high.dimensions() && low.elements() != 0;
        for (std::size_t i = 0; result && i < low.elements(); ++i) {
            result = low.real(i) != high.real(i);
        }
        return result;
    }
    /// Whether all bounds of a FakeQuantize on these two ports are `value`, but for what rounding of a scale makes of it.
    static bool has_bounds(const graph& model, const node& each, std::size_t in, std::size_t out, double value) {
        bool result = true;
        for (const std::size_t port : {in, out}) {
            const tensor& bounds = *model.constant_value(each.input(port));
            for (std::size_t i = 0; i < bounds.elements(); ++i) {
                result = result && std::abs(bounds.real(i) - value) <= value * 1e-6;
            }
        }
        return result;
    }
    /// The data of a FakeQuantize behind the activation that its range stands for. Calibration lets a range of data begin at zero where there are
    /// no negative values: a Relu stands in front, or this quantization has taken its place; one that ends at 6 is a Relu6 in the same way.
    static output_ref data_of(graph& model, node_id id) {
        const node& each = model[id];
        const output_ref data = each.input(0);
        if (model.constant_value(data) != nullptr || !has_bounds(model, each, 1, 3, 0)) {
            return data;
        }
        if (has_bounds(model, each, 2, 4, 6)) {
            return model.add(op::clamp{{}, 0, 6}, {data});
        }
        return model.add(op::relu{}, {data});
    }
    /// The line through a FakeQuantize's bounds, without steps and limits but those of an activation; the data where input and output bounds are
    /// the same.
    static output_ref without_steps(graph& model, node_id id) {
        const output_ref data = data_of(model, id);
        const node& each = model[id];
        const output_ref bounds[4] = {each.input(1), each.input(2), each.input(3), each.input(4)};
        if (*model.constant_value(bounds[0]) == *model.constant_value(bounds[2]) &&
            *model.constant_value(bounds[1]) == *model.constant_value(bounds[3])) {
            return data;
        }
        const output_ref from = model.add(op::subtract{}, {bounds[1], bounds[0]});
        const output_ref to = model.add(op::subtract{}, {bounds[3], bounds[2]});
        const output_ref factor = model.add(op::divide{}, {to, from});
        const output_ref moved = model.add(op::subtract{}, {data, bounds[0]});
        return model.add(op::add{}, {model.add(op::multiply{}, {moved, factor}), bounds[2]});
    }
    bool is_compared(node_id id) const {
        const node& each = quantized_[id];
        if (each.outputs() == 0 || each.is<op::parameter>() || each.is<op::constant>() || each.is<op::result>() ||
            !is_real(each.type())) {
            return false;
        }
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            if (quantized_.constant_value(each.input(port)) == nullptr) {
                return true;
            }
        }
        return each.is<op::fake_quantize>();
    }
    void describe(node_id id) {
        const node& each = quantized_[id];
        compared_operation row;
        row.name = string_of(each.name());
        row.type = string_of(each.operation());
        row.quantizes = each.is<op::fake_quantize>() && has_range(quantized_, each);
        row.of_constants = row.quantizes && quantized_.constant_value(each.input(0)) != nullptr;
        row.per_tensor = row.quantizes && quantized_.constant_value(each.input(1))->elements() == 1;
        nodes_.push_back(id);
        operations_.push_back(std::move(row));
    }
    /// Whatever is compared becomes an output: of a FakeQuantize its line in the quantized network, too.
    void make_outputs() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const node_id id = nodes_[i];
            output_ref real = id;
            quantized_.result(id);
            if (operations_[i].quantizes) {
                quantized_.result(without_steps(quantized_, id));
                real = without_steps(real_, id);
                real_.replace_uses(id, real);
            }
            real_.result(real);
        }
    }
    static void compare(noise_sums& to, const tensor& x, const tensor& q) {
        for (std::size_t i = 0; i < x.elements(); ++i) {
            to.add(x.real(i), q.real(i));
        }
    }
    /// A FakeQuantize by itself: `line`, what it would give without steps and limits.
    void look_into(compared_operation& row, const node& each, const tensor& line, const tensor& q) const {
        const tensor& low = *quantized_.constant_value(each.input(3));
        const tensor& high = *quantized_.constant_value(each.input(4));
        const shape& whole = line.dimensions();
        const std::size_t axis = row.of_constants ? 0 : 1;
        const std::size_t channels = axis < whole.rank() ? static_cast<std::size_t>(whole[axis]) : 1;
        std::size_t behind = 1;
        for (std::size_t other = axis + 1; other < whole.rank(); ++other) {
            behind *= static_cast<std::size_t>(whole[other]);
        }
        row.channel_shares.resize(channels, 0);
        for (std::size_t i = 0; i < line.elements(); ++i) {
            const double x = line.real(i);
            const double ends[2] = {low.real(broadcast_index(whole, low.dimensions(), i)),
                                    high.real(broadcast_index(whole, high.dimensions(), i))};
            const double least = std::min(ends[0], ends[1]);
            const double most = std::max(ends[0], ends[1]);
            const double limited = std::clamp(x, least, most);
            row.own.add(x, q.real(i));
            row.clipped += (limited - x) * (limited - x);
            const double bound = x < 0 ? least : most;
            double& share = row.channel_shares[i / behind % channels];
            share = bound != 0 ? std::max(share, std::min(1.0, x / bound)) : share;
            row.widest = std::max(row.widest, share);
        }
    }

public:
    explicit quantized_and_real(const graph& model) : quantized_(model) {
        prepare(quantized_);
        run_pipeline<quantize_and_dequantize>(quantized_);  // pairs, too, that the transformations take as they are
        for (const node_id id : topological_order(quantized_)) {
            if (is_compared(id)) {
                describe(id);
            }
        }
        real_ = quantized_;
        make_outputs();
    }
    /// Runs both on all samples; `net` is the network as it really runs, whose outputs become rows of their own.
    std::vector<compared_operation> run(executable& net, const compile_options& options,
                                        const std::vector<std::vector<tensor>>& all_inputs) {
        executable quantized = compile(quantized_, options);
        executable real = compile(real_, options);
        const std::size_t outputs = net.outputs().size();
        std::vector<compared_operation> last(outputs);
        for (const std::vector<tensor>& inputs : all_inputs) {
            const std::vector<tensor> q = quantized.run(inputs);
            const std::vector<tensor> x = real.run(inputs);
            const std::vector<tensor> ran = net.run(inputs);
            for (std::size_t k = 0; k < outputs; ++k) {
                last[k].name = string_of(net.outputs()[k].name);
                last[k].type = "output";
                compare(last[k].all, x[k], ran[k]);
            }
            std::size_t next = outputs;
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                compare(operations_[i].all, x[outputs + i], q[next]);
                if (operations_[i].quantizes) {
                    look_into(operations_[i], quantized_[nodes_[i]], q[next + 1], q[next]);
                }
                next += operations_[i].quantizes ? 2 : 1;
            }
        }
        // In the order of the network where two are as bad.
        std::vector<std::size_t> order(operations_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return comes_first(operations_[a], operations_[b]) ||
                   (!comes_first(operations_[b], operations_[a]) && a < b);
        });
        std::vector<compared_operation> result = std::move(last);
        for (const std::size_t each : order) {
            result.push_back(operations_[each]);
        }
        return result;
    }
};

inline std::string decibels(double value) {
    char words[32];
    std::snprintf(words, sizeof words, std::isinf(value) ? "-" : "%.1f", value);
    return words;
}

}  // namespace detail

/// The network `net`, made of `original`, and `original` in real numbers without any quantization, on the same inputs (ranges from
/// zero on and from 0 to 6 keep their limits as the Relu and Relu6 that they stand for): first what becomes of the outputs, then the FakeQuantizes, which are what can be improved, by the noise of their own, then every other operation of real numbers, whose noise
/// comes from those above it; each worst first. Runs everything once more, and keeps all intermediate values.
inline std::vector<compared_operation> compare_with_real(const graph& original, executable& net,
                                                         const compile_options& options,
                                                         const std::vector<std::vector<tensor>>& inputs) {
    return detail::quantized_and_real(original).run(net, options, inputs);
}

/// What is compared, and for people what would improve it, in lines of at most `width` characters: then advice has lines of its own; 0: a line
/// for each operation, names whole. `on_random` says what the numbers are of.
inline void print_comparison(const std::vector<compared_operation>& rows, std::size_t width, bool on_random) {
    if (on_random) {
        print_wrapped(
            "these numbers are of random data, and so is the advice: --input FILE.npy compares on data of the network",
            width);
    }
    print_wrapped(
        "signal to noise against the network without quantization, in dB: the more, the better; - is no difference",
        width);
    std::printf("values: of what the operation gives; itself: of what its own quantization adds\n");
    std::size_t types = 22;
    for (const compared_operation& each : rows) {
        types = width == 0 ? types : std::max(types, characters(each.type));
    }
    const std::size_t names = width == 0 ? 44 : std::max(width, 8 + 1 + 8 + 2 + types + 1 + 16) - 20 - types;
    const std::string advice = width == 0 ? " what would improve it" : "";
    std::printf("%8s %8s  %-*s %-*s%s\n", "values", "itself", static_cast<int>(types), "type",
                static_cast<int>(width == 0 ? names : 0), "operation", advice.c_str());
    for (const compared_operation& each : rows) {
        const std::string name = width == 0 ? printable(each.name) : shortened(printable(each.name), names);
        const std::string improvement = improvement_of(each);
        std::printf("%8s %8s  %-*s %-*s%s\n", detail::decibels(each.all.decibels()).c_str(),
                    each.quantizes ? detail::decibels(each.own.decibels()).c_str() : "", static_cast<int>(types),
                    each.type.c_str(), static_cast<int>(width == 0 ? names : 0), name.c_str(),
                    width == 0 ? (" " + improvement).c_str() : "");
        if (width != 0 && !improvement.empty()) {
            print_wrapped(improvement, width, 20, 20);
        }
    }
}

}  // namespace lpt::run
