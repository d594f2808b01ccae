// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/network_parts.hpp>
#include <lpt/import/tflite/quantized.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

/// From the description of a file to a graph.
namespace lpt::inline LPT_ABI::tflite {

/// The tensors of a subgraph as a graph has them: real numbers, or codes (the integers of the file), in either order of axes. Each
/// form is made when somebody asks for it, so that two operations that agree about one pass it on without another operation between.
class network {
    struct forms {
        output_ref codes;  // what the file calls the tensor
        output_ref unrounded;  // real numbers before they are quantized
        output_ref real;  // quantized and dequantized; of tensors without quantization the same as `codes`
    };
    struct entry {
        std::array<forms, 2> by_axes;
        pending_margin margin;
        bool is_on_grid = false;  // `unrounded` has only values that quantization keeps
    };

    const model& file_;
    const subgraph& graph_;
    place where_;
    model_builder& make_;
    std::vector<entry> entries_;
    const operator_info* op_ = nullptr;
    std::map<std::string, variable>& variables_;
    operator_budget& budget_;
    std::map<std::int64_t, std::string> handles_;  // tensors that name variables
    bool is_initializing_;

    static axes other(axes order) { return order == axes::as_in_file ? axes::channels_first : axes::as_in_file; }
    forms& at(std::int64_t index, axes order) {
        return entries_[static_cast<std::size_t>(index)].by_axes[static_cast<std::size_t>(order)];
    }

    void require_four_axes(std::size_t rank) const {
        if (rank != 4) {
            wrong("takes tensors of 4 axes (batch, rows, columns, channels), not of ", rank);
        }
    }
    /// The other order of four axes. Where it changes nothing in memory it is a Reshape, which costs nothing either.
    output_ref reordered(output_ref source, axes to) {
        require_four_axes(make_.shape_of(source).rank());
        const integers order = to == axes::channels_first ? integers{0, 3, 1, 2} : integers{0, 2, 3, 1};
        if (const tensor* value = make_.value_of(source)) {
            return make_.constant(transposed(*value, order));
        }
        const shape& from = make_.shape_of(source);
        if (from.is_static()) {
            shape result;
            for (const std::int64_t axis : order) {
                result.push_back(from[static_cast<std::size_t>(axis)]);
            }
            const std::size_t channels = to == axes::channels_first ? 3 : 1;
            const std::int64_t pixels = to == axes::channels_first ? from[1] * from[2] : from[2] * from[3];
            if (pixels == 1 || from[channels] == 1) {
                return make_.add(op::reshape{}, {source, make_.indices(result.dimensions())});
            }
        }
        return make_.add(op::transpose{}, {source, make_.indices(order)});
    }
    std::size_t quantized_axis(const tensor_info& info, axes order) const {
        if (info.quantized.scales.size() == 1) {
            return 0;  // whatever the file says
        }
        return static_cast<std::size_t>(axis_in(info.quantized.axis, info.dimensions.rank(), order));
    }
    /// Real numbers out of codes: (q - z) * s.
    output_ref dequantized(const tensor_info& info, output_ref codes, axes order) {
        std::vector<double> scales;
        std::vector<double> zero_points;
        for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
            scales.push_back(scale_of(info, i));
            zero_points.push_back(zero_point_of(info, i));
        }
        return dequantized(codes, scales, zero_points, quantized_axis(info, order));
    }
    output_ref quantized(const tensor_info& info, output_ref source, axes order, bool to_codes) {
        const element_facts& limits = facts(element_of(info.type));
        if (limits.bits > 32) {
            wrong("tensors that are computed have quantized codes of at most 32 bits, not ", name(info.type));
        }
        std::array<std::vector<double>, 4> bounds;
        for (std::size_t i = 0; i < info.quantized.scales.size(); ++i) {
            const double zero = zero_point_of(info, i);
            bounds[0].push_back((limits.lowest - zero) * scale_of(info, i));
            bounds[1].push_back((limits.highest - zero) * scale_of(info, i));
        }
        bounds[2] = to_codes ? std::vector<double>{limits.lowest} : bounds[0];
        bounds[3] = to_codes ? std::vector<double>{limits.highest} : bounds[1];
        seq<output_ref, 5> inputs{source};
        for (const std::vector<double>& each : bounds) {
            inputs.push_back(make_.constant(along_axis(each, quantized_axis(info, order), make_.shape_of(source))));
        }
        const auto levels = static_cast<std::int64_t>(limits.highest - limits.lowest) + 1;
        // Its name is the tensor's, whichever reader asked for it.
        return make_.model().add(op::fake_quantize{levels}, inputs,
                                 text(info.name.view(), to_codes ? "/Quantize" : "/FakeQuantize"));
    }
    output_ref make_real(std::int64_t index, axes order) {
        const tensor_info& info = this->info(index);
        const entry& known = entries_[static_cast<std::size_t>(index)];
        forms& mine = at(index, order);
        if (!is_quantized(info)) {
            return codes(index, order);
        }
        if (mine.unrounded) {
            return known.is_on_grid ? mine.unrounded : quantized(info, mine.unrounded, order, false);
        }
        const forms& there = at(index, other(order));
        if (there.unrounded) {
            return reordered(real(index, other(order)), order);
        }
        const output_ref stored = codes(index, order);
        const output_ref result = dequantized(info, stored, order);
        // A FakeQuantize that changes nothing tells the transformations that they may choose the type of these data.
        return info.is_constant() || bit_width(element_of(info.type)) != 8 ? result
                                                                           : quantized(info, result, order, false);
    }

    /// Raises an error where a file declares an output that its operator cannot give.
    void check_declared(std::int64_t index, output_ref source, axes order) const {
        const tensor_info& declared = info(index);
        const element wanted = is_quantized(declared) ? f32 : element_of(declared.type);
        const element given = make_.type_of(source);
        if (wanted != given && given != dynamic) {
            wrong("its output is declared as ", name(declared.type), ", but it gives ", lpt::name(given));
        }
        shape merged = declared.signature;
        if (order == axes::channels_first && merged.rank() == 4) {
            merged = shape{in_order(merged.dimensions(), order)};
        }
        // Tensors whose sizes come with the values are declared as scalars.
        if (declared.signature.rank() != 0 && !merge_shape(merged, make_.shape_of(source))) {
            wrong("its output is declared with shape ", merged, ", but it gives ", make_.shape_of(source));
        }
    }

public:
    /// `is_initializing`: the subgraph gives variables their first values.
    network(const model& file, std::size_t which, model_builder& make, std::map<std::string, variable>& variables,
            operator_budget& budget, bool is_initializing)
        : file_(file),
          graph_(file.subgraphs[which]),
          where_{file.file, static_cast<std::int64_t>(which)},
          make_(make),
          entries_(graph_.tensors.size()),
          variables_(variables),
          budget_(budget),
          is_initializing_(is_initializing) {}

    model_builder& make() { return make_; }
    const model& file() const { return file_; }
    const subgraph& description() const { return graph_; }
    const tensor_info& info(std::int64_t index) const { return graph_.tensors[static_cast<std::size_t>(index)]; }
    const operator_info& op() const { return *op_; }
    std::map<std::string, variable>& variables() { return variables_; }
    std::map<std::int64_t, std::string>& handles() { return handles_; }
    operator_budget& budget() { return budget_; }
    bool is_initializing() const { return is_initializing_; }

    /// Begins an operator, or what is made for the subgraph as a whole (null).
    void begin(const operator_info* op) {
        op_ = op;
        where_.op = op == nullptr ? -1 : op - graph_.operators.data();
        where_.op_name = op == nullptr ? text_view() : op->name();
        if (op == nullptr) {
            make_.begin({});
            return;
        }
        const bool has_name = !op->outputs.empty() && op->outputs[0] != operator_info::none;
        const std::string type(where_.op_name.data(), where_.op_name.size());
        make_.begin({has_name ? info(op->outputs[0]).name.c_str() : type,
                     "operator " + std::to_string(where_.op) + " of subgraph " + std::to_string(where_.subgraph) +
                         ", " + type});
    }
    template <class... Parts>
    [[noreturn]] void wrong(const Parts&... parts) const {
        tflite::wrong(where_, parts...);
    }

    // ---- inputs of the operator

    bool has_input(std::size_t port) const {
        return port < op().inputs.size() && op().inputs[port] != operator_info::none;
    }
    std::int64_t input(std::size_t port) const {
        if (!has_input(port)) {
            wrong("has no input ", port);
        }
        return op().inputs[port];
    }
    const tensor_info& input_info(std::size_t port) const { return info(input(port)); }
    const tensor_info& output_info() const {
        if (op().outputs.empty() || op().outputs[0] == operator_info::none) {
            wrong("has no output 0");
        }
        return info(op().outputs[0]);
    }
    /// A constant input; raises an error where it is computed.
    const tensor& constant_input(std::size_t port, text_view role) {
        const tensor_info& from = input_info(port);
        if (from.is_constant() && !from.is_sparse) {
            return from.value;
        }
        const tensor* value = make_.value_of(codes(input(port), axes::as_in_file));
        if (value == nullptr) {
            wrong("its ", role, " (input ", port, ") must be a constant");
        }
        return *value;
    }
    integers integers_input(std::size_t port, text_view role) { return integers_of(constant_input(port, role)); }

    // ---- tensors

    /// The margin that a tensor is waiting for; null if none.
    const pending_margin* margin_of(std::int64_t index) const {
        const pending_margin& margin = entries_[static_cast<std::size_t>(index)].margin;
        return margin.source < 0 ? nullptr : &margin;
    }
    void postpone(std::int64_t index, pending_margin margin) {
        entries_[static_cast<std::size_t>(index)].margin = std::move(margin);
    }
    /// Makes a tensor that waits for its margin.
    void finish_margin(std::int64_t index) {
        const pending_margin margin = std::exchange(entries_[static_cast<std::size_t>(index)].margin, {});
        if (margin.source < 0) {
            return;
        }
        const output_ref data = real(margin.source, axes::channels_first);
        const output_ref zero = make_.real(0, make_.type_of(data));
        const output_ref padded = make_.add(op::pad{}, {data, make_.indices({0, 0, margin.begin[0], margin.begin[1]}),
                                                        make_.indices({0, 0, margin.end[0], margin.end[1]}), zero});
        set(index, padded, axes::channels_first, true);
    }
    /// True if the graph has the tensor in this order already.
    bool exists(std::int64_t index, axes order) {
        finish_margin(index);
        const forms& mine = at(index, order);
        return mine.codes || mine.unrounded || mine.real;
    }
    /// A tensor as the file has it: integers where it is quantized.
    output_ref codes(std::int64_t index, axes order) {
        finish_margin(index);
        forms& mine = at(index, order);
        if (mine.codes) {
            return mine.codes;
        }
        const tensor_info& info = this->info(index);
        const forms& there = at(index, other(order));
        if (info.is_constant() && order == axes::as_in_file) {
            if (info.is_sparse || element_of(info.type) == dynamic) {
                wrong("tensor ", index, " '", info.name, "' is ", info.is_sparse ? "sparse" : name(info.type),
                      ", which is not supported");
            }
            mine.codes = make_.constant(info.value);
        } else if (mine.unrounded) {
            mine.codes = make_.add(op::convert{element_of(info.type)}, {quantized(info, mine.unrounded, order, true)});
        } else if (there.codes || there.unrounded || (info.is_constant() && order != axes::as_in_file)) {
            mine.codes = reordered(codes(index, other(order)), order);
        } else {
            wrong("tensor ", index, " '", info.name, "' has no value");
        }
        return mine.codes;
    }
    /// A tensor's real numbers; integers, truth values … of tensors without quantization.
    output_ref real(std::int64_t index, axes order = axes::as_in_file) {
        finish_margin(index);
        forms& mine = at(index, order);
        if (!mine.real) {
            const output_ref made = make_real(index, order);
            at(index, order).real = made;
        }
        return at(index, order).real;
    }
    output_ref real_input(std::size_t port, axes order = axes::as_in_file) { return real(input(port), order); }

    /// Real numbers out of codes, with one scale and zero point for each index of an axis (or of it and the next one together), or one for all.
    output_ref dequantized(output_ref codes, const std::vector<double>& scales, const std::vector<double>& zero_points,
                           std::size_t axis) {
        const shape& dimensions = make_.shape_of(codes);
        output_ref result = make_.add_node(op::convert{f32}, {codes});
        if (std::any_of(zero_points.begin(), zero_points.end(), [](double each) { return each != 0; })) {
            result =
                make_.add_node(op::subtract{}, {result, make_.constant(along_axis(zero_points, axis, dimensions))});
        }
        return make_.add_node(op::multiply{}, {result, make_.constant(along_axis(scales, axis, dimensions))});
    }

    /// Says what an output of the operator is: real numbers that are not quantized yet. `is_on_grid`: quantization changes none of them.
    void give(output_ref source, axes order = axes::as_in_file, std::size_t port = 0, bool is_on_grid = false) {
        if (port >= op().outputs.size() || op().outputs[port] == operator_info::none) {
            return;
        }
        set(op().outputs[port], source, order, is_on_grid);
    }
    void set(std::int64_t index, output_ref source, axes order, bool is_on_grid) {
        check_declared(index, source, order);
        entries_[static_cast<std::size_t>(index)].is_on_grid = is_on_grid;
        (is_quantized(info(index)) ? at(index, order).unrounded : at(index, order).codes) = source;
    }
    /// Says what a tensor is: integers, as the file has them.
    void set_codes(std::int64_t index, output_ref codes) { at(index, axes::as_in_file).codes = codes; }
    /// Says what an output of the operator is: integers, as the file has them.
    void give_codes(output_ref codes, std::size_t port = 0) {
        if (port >= op().outputs.size() || op().outputs[port] == operator_info::none) {
            return;
        }
        const std::int64_t index = op().outputs[port];
        if (!is_quantized(info(index))) {
            return set(index, codes, axes::as_in_file, false);
        }
        shape merged = info(index).signature;
        const element given = make_.type_of(codes);
        if ((given != element_of(info(index).type) && given != dynamic) ||
            (merged.rank() != 0 && !merge_shape(merged, make_.shape_of(codes)))) {
            wrong("its output is declared as ", name(info(index).type), info(index).signature, ", but it gives ",
                  lpt::name(given), make_.shape_of(codes));
        }
        set_codes(index, codes);
    }
    /// An output that has the elements of an input, moved: on the grid where both have the same quantization.
    void give_moved(output_ref source, axes order, std::size_t from, std::size_t port = 0) {
        const bool same = port < op().outputs.size() && op().outputs[port] != operator_info::none &&
                          same_quantization(input_info(from), info(op().outputs[port]));
        give(source, order, port, same);
    }

    /// A constant tensor's real numbers, computed here;
    output_ref folded_input(std::size_t port) {
        const tensor_info& from = input_info(port);
        if (!is_quantized(from) || from.quantized.scales.size() != 1) {
            return real_input(port);
        }
        const tensor& value = constant_input(port, "value");
        seq<double> reals = reals_of(value);
        for (double& each : reals) {
            each = (each - zero_point_of(from)) * scale_of(from);
        }
        return make_.constant(make_tensor(f32, value.dimensions(), {reals.data(), reals.size()}));
    }
    /// An input that broadcasts to `rank` axes in an order.
    output_ref operand(std::size_t port, std::size_t rank, axes order) {
        const tensor_info& from = input_info(port);
        const output_ref plain = from.is_constant() ? folded_input(port) : output_ref();
        if (order == axes::as_in_file || from.dimensions.rank() == 0) {
            return plain ? plain : real_input(port);
        }
        if (from.dimensions.rank() == rank) {
            return plain ? reordered(plain, order) : real_input(port, order);
        }
        const shape padded = from.dimensions.padded_left(rank);
        return reordered(
            make_.add(op::reshape{}, {plain ? plain : real_input(port), make_.indices(padded.dimensions())}), order);
    }

    // ---- orders of axes

    /// The order to compute in what works in either: with channels first where an input is there only so.
    axes order_for_all(const std::vector<std::size_t>& ports) {
        bool only_first = false;
        for (const std::size_t port : ports) {
            const std::int64_t index = input(port);
            only_first = only_first || (!info(index).is_constant() && exists(index, axes::channels_first) &&
                                        !exists(index, axes::as_in_file));
        }
        return only_first ? axes::channels_first : axes::as_in_file;
    }
    /// Where an axis of the file is in an order.
    std::int64_t axis_in(std::int64_t axis, std::size_t rank, axes order) const {
        const std::int64_t place = normalized_axis(axis, rank);
        if (place < 0) {
            wrong("axis ", axis, " is outside of the ", rank, " axes of its input");
        }
        if (order == axes::as_in_file) {
            return place;
        }
        require_four_axes(rank);
        return std::array<std::int64_t, 4>{0, 2, 3, 1}[static_cast<std::size_t>(place)];
    }
    /// One number for each axis, in an order.
    integers in_order(const integers& by_axis, axes order) const {
        if (order == axes::as_in_file) {
            return by_axis;
        }
        return {by_axis[0], by_axis[3], by_axis[1], by_axis[2]};
    }
};

}  // namespace lpt::inline LPT_ABI::tflite
