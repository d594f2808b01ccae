// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/axes.hpp>
#include <lpt/import/tflite/network_parts.hpp>
#include <lpt/import/tflite/real_numbers.hpp>

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
        bool is_written = false;  // by an operator
    };

    const model& file_;
    const subgraph& graph_;
    place where_;
    model_builder& make_;
    std::vector<entry> entries_;
    const operator_info* op_ = nullptr;
    std::map<std::string, variable>& variables_;
    operator_budget& budget_;
    other_values others_;
    bool is_initializing_;

    forms& at(std::int64_t index, axes order) {
        return entries_[static_cast<std::size_t>(index)].by_axes[static_cast<std::size_t>(order)];
    }

    void require_four_axes(std::size_t rank) const {
        if (rank != 4) {
            wrong("takes tensors of 4 axes (batch, rows, columns, channels), not of ", rank);
        }
    }
    output_ref reordered(output_ref source, axes to) {
        require_four_axes(make_.shape_of(source).rank());
        return tflite::reordered(make_, source, to);
    }
    std::size_t quantized_axis(const tensor_info& info, axes order) const {
        if (info.quantized.scales.size() == 1) {
            return 0;  // whatever the file says
        }
        return static_cast<std::size_t>(axis_in(info.quantized.axis, info.dimensions.rank(), order));
    }
    output_ref make_real(std::int64_t index, axes order) {
        const tensor_info& info = this->info(index);
        const entry& known = entries_[static_cast<std::size_t>(index)];
        forms& mine = at(index, order);
        if (!is_quantized(info)) {
            return codes(index, order);
        }
        const std::size_t axis = quantized_axis(info, order);
        if (mine.unrounded) {
            return known.is_on_grid ? mine.unrounded : quantized(make_, info, mine.unrounded, axis, false, where_);
        }
        const forms& there = at(index, other(order));
        if (there.unrounded) {
            return reordered(real(index, other(order)), order);
        }
        const output_ref stored = codes(index, order);
        const output_ref result = dequantized(make_, info, stored, axis);
        // A FakeQuantize that changes nothing tells the transformations that they may choose the type of these data.
        return info.is_constant() || bit_width(element_of(info.type)) != 8
                   ? result
                   : quantized(make_, info, result, axis, false, where_);
    }

    /// Gives a variable tensor that no operator has written in this run the value that the last run left. Variables of quantized tensors
    /// hold real numbers.
    void read_variable(std::int64_t index) {
        const tensor_info& info = this->info(index);
        const forms& now = at(index, axes::as_in_file);
        const forms& moved = at(index, axes::channels_first);
        const bool has_value = now.codes || now.unrounded || moved.codes || moved.unrounded;
        if (!info.is_variable || info.is_constant() || has_value) {
            return;
        }
        const element type = is_quantized(info) ? f32 : element_of(info.type);
        if (type == dynamic || info.quantized.scales.size() > 1) {
            wrong("tensor ", index, " '", info.name, "' is a variable ",
                  type == dynamic ? text_view("of a type that is not supported") : "with a scale for each channel");
        }
        variable& state = variables_[variable_name(index)];
        if (state.reader == node_id::none) {
            op::read_value what;
            what.variable_id = text(variable_name(index).c_str());
            what.variable_type = type;
            what.variable_shape = info.dimensions;
            state.reader = make_.add_node(what, first_value(make_, info), 6);
        }
        (is_quantized(info) ? at(index, axes::as_in_file).unrounded : at(index, axes::as_in_file).codes) = state.reader;
        entries_[static_cast<std::size_t>(index)].is_on_grid = true;
    }
    std::string variable_name(std::int64_t index) const {
        return (is_initializing_ ? "initial tensor " : "tensor ") + std::to_string(index) + " " +
               info(index).name.c_str();
    }
    /// Begins to say what a tensor is: a variable tensor may have a value, which is then that of before.
    void begin_value(std::int64_t index) {
        if (info(index).is_variable) {
            entries_[static_cast<std::size_t>(index)] = {};
            entries_[static_cast<std::size_t>(index)].is_written = true;
        }
    }
    /// Makes what a tensor waits for.
    void make_ready(std::int64_t index) {
        finish_margin(index);
        read_variable(index);
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
    other_values& others() { return others_; }
    operator_budget& budget() { return budget_; }
    bool is_initializing() const { return is_initializing_; }

    /// Begins an operator, or what is made for the subgraph as a whole (null).
    void begin(const operator_info* op) {
        op_ = op;
        where_.op = op == nullptr ? -1 : op - graph_.operators.data();
        where_.op_name = op == nullptr ? text_view() : op->name();
        where_.byte = op == nullptr ? graph_.byte : op->byte;
        if (op == nullptr) {
            make_.begin({});
            return;
        }
        const bool has_name = !op->outputs.empty() && op->outputs[0] != operator_info::none;
        const std::string type(where_.op_name.data(), where_.op_name.size());
        make_.begin({has_name ? info(op->outputs[0]).name.c_str() : type, described(where_.op, where_.subgraph, type),
                     op->byte});
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
        const bool may_change = info(index).is_variable || info(margin.source).is_variable;
        entries_[static_cast<std::size_t>(index)].margin = std::move(margin);
        if (may_change) {
            finish_margin(index);
        }
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
        make_ready(index);
        const forms& mine = at(index, order);
        return mine.codes || mine.unrounded || mine.real;
    }
    /// A tensor as the file has it: integers where it is quantized.
    output_ref codes(std::int64_t index, axes order) {
        make_ready(index);
        forms& mine = at(index, order);
        if (mine.codes) {
            return mine.codes;
        }
        const tensor_info& info = this->info(index);
        if (element_of(info.type) == dynamic || (info.is_constant() && info.is_sparse)) {
            wrong("tensor ", index, " '", info.name, "' is ", info.is_sparse ? "sparse" : name(info.type),
                  ", which is not supported");
        }
        const forms& there = at(index, other(order));
        if (info.is_constant() && order == axes::as_in_file) {
            mine.codes = make_.constant(info.value);
        } else if (mine.unrounded) {
            mine.codes = make_.add(op::convert{element_of(info.type)},
                                   {quantized(make_, info, mine.unrounded, quantized_axis(info, order), true, where_)});
        } else if (there.codes || there.unrounded || (info.stands_in_file() && order != axes::as_in_file)) {
            mine.codes = reordered(codes(index, other(order)), order);
        } else if (info.stands_in_file()) {
            mine.codes = make_.constant(tensor_builder(element_of(info.type), info.dimensions).finish());
        } else {
            wrong("tensor ", index, " '", info.name, "' has no value");
        }
        return mine.codes;
    }
    /// A tensor's real numbers; integers, truth values … of tensors without quantization.
    output_ref real(std::int64_t index, axes order = axes::as_in_file) {
        make_ready(index);
        if (!at(index, order).real) {
            at(index, order).real = make_real(index, order);
        }
        return at(index, order).real;
    }
    output_ref real_input(std::size_t port, axes order = axes::as_in_file) { return real(input(port), order); }

    /// Says what an output of the operator is: real numbers that are not quantized yet. `is_on_grid`: quantization changes none of them.
    void give(output_ref source, axes order = axes::as_in_file, std::size_t port = 0, bool is_on_grid = false) {
        if (port >= op().outputs.size() || op().outputs[port] == operator_info::none) {
            return;
        }
        set(op().outputs[port], source, order, is_on_grid);
    }
    void set(std::int64_t index, output_ref source, axes order, bool is_on_grid) {
        check_declared(index, source, order);
        begin_value(index);
        entries_[static_cast<std::size_t>(index)].is_on_grid = is_on_grid;
        (is_quantized(info(index)) ? at(index, order).unrounded : at(index, order).codes) = source;
    }
    /// Says what a tensor is: integers, as the file has them.
    void set_codes(std::int64_t index, output_ref codes) {
        begin_value(index);
        at(index, axes::as_in_file).codes = codes;
    }
    /// Says what variable tensors keep for the next run: what operators gave them last.
    void keep_variables() {
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const auto index = static_cast<std::int64_t>(i);
            if (!entries_[i].is_written) {
                continue;
            }
            if (const auto found = variables_.find(variable_name(index)); found != variables_.end()) {
                found->second.now = is_quantized(info(index)) ? real(index) : codes(index, axes::as_in_file);
                found->second.is_written = true;
            }
        }
    }
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
};

}  // namespace lpt::inline LPT_ABI::tflite
