// SPDX-License-Identifier: Apache-2.0
// Functions of one byte are tables, also such that read it several times and through other tables: x * hsigmoid(x), quantized in between.
#pragma once

#include <lpt/plan/loops.hpp>
#include <lpt/plan/planner.hpp>

#include <algorithm>
#include <deque>
#include <utility>

namespace lpt::inline LPT_ABI::plan {

namespace detail {

/// Runs an elementwise step that treats all elements alike on 256 of them; `bytes_of(tensor)`: where those of an operand are, of `type_of(tensor)`.
template <class Bytes, class Type>
byte_table table_of(const elementwise_step& work, const kernel::kernel_table& kernels, const Bytes& bytes_of,
                    const Type& type_of) {
    constexpr auto count = static_cast<std::int64_t>(byte_table().size());
    byte_table result;
    std::vector<kernel::post_operation> posts;
    for (const planned_post& post : work.finish.posts) {
        kernel::post_operation one;
        one.kind = post.kind;
        one.function = post.function;
        one.alpha = post.a.values[0];
        one.beta = post.b.values[0];
        if (post.residual.tensor != tensor_id::none) {
            one.residual = bytes_of(post.residual.tensor);
            one.residual_type = type_of(post.residual.tensor);
            one.residual_row_stride = count;
        }
        posts.push_back(one);
    }
    kernel::epilogue finish;
    finish.scale_all = work.finish.scale.values[0];
    finish.bias_all = work.finish.bias.values[0];
    finish.post = posts.data();
    finish.post_count = static_cast<int>(posts.size());
    finish.output_type = kind_of(work.finish.type);
    finish.quant_low = work.finish.low;
    finish.quant_high = work.finish.high;
    if (!work.has_two) {
        kernel::convert_problem problem;
        problem.channels = count;
        problem.input = bytes_of(work.operands[0].tensor);
        problem.input_type = type_of(work.operands[0].tensor);
        problem.input_layout = {count, count, 1};
        problem.output = result.data();
        problem.output_layout = {count, count, 1};
        problem.finish = finish;
        kernels.convert(problem, kernel::parallel_for{});
        return result;
    }
    const auto operand = [&](int which) {
        kernel::binary_operand one;
        one.data = bytes_of(work.operands[which].tensor);
        one.type = type_of(work.operands[which].tensor);
        one.row_stride = count;
        one.scale_all = work.scales[which].values[0];
        one.shift_all = work.shifts[which].values[0];
        return one;
    };
    kernel::binary_problem problem;
    problem.function = work.function;
    problem.rows = 1;
    problem.channels = count;
    problem.a = operand(0);
    problem.b = operand(1);
    problem.output = result.data();
    problem.output_row_stride = count;
    problem.finish = finish;
    kernels.binary(problem, kernel::parallel_for{});
    return result;
}

}  // namespace detail

/// The tensor that `tensor` is computed from by tables, and the table that does it at once; else `tensor` and the identity.
inline planner::byte_function planner::function_of(tensor_id tensor) const {
    const auto known = byte_functions_.find(tensor);
    if (known != byte_functions_.end()) {
        return known->second;
    }
    byte_function result{tensor, {}};
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        result.table[i] = static_cast<std::uint8_t>(i);
    }
    return result;
}

/// Adds an elementwise step as a table, if it is a function of one byte tensor.
inline bool planner::try_lookup(step& made) {
    const auto& work = std::get<elementwise_step>(made.work);
    const std::vector<strided_tensor> operands = detail::operands_of(work);
    if (!is_byte(work.finish.type) || !detail::treats_all_alike(work)) {
        return false;
    }
    const tensor_id from = function_of(operands[0].tensor).from;
    for (const strided_tensor& each : operands) {
        const tensor_id source = function_of(each.tensor).from;
        if (!is_byte(at(each.tensor).type) || source != from || at(each.tensor).order != at(from).order ||
            !detail::same_places(each.strides, work.output.strides, work.sizes)) {
            return false;
        }
    }
    std::deque<byte_function> functions;  // a deque leaves them where they are
    const auto bytes_of = [&](tensor_id tensor) { return functions.emplace_back(function_of(tensor)).table.data(); };
    lookup_step table;
    table.input = from;
    table.output = work.output.tensor;
    table.count = static_cast<std::int64_t>(at(from).dimensions.elements());
    const byte_table values =
        detail::table_of(work, kernels(), bytes_of, [&](tensor_id tensor) { return kind_of(at(tensor).type); });
    table.table.assign(values.begin(), values.end());
    byte_functions_[table.output] = {from, values};
    for (const strided_tensor& each : operands) {
        lookups_through_[each.tensor].insert(table.output);
    }
    made.reads = {from};
    made.precision = at(from).type;
    made.kernel = std::string("lookup_") + kernel::name_of(kernels().instruction_set) + suffix_of(made.precision);
    made.work = std::move(table);
    add_step(std::move(made));
    return true;
}

/// Steps whose outputs nothing reads, since later tables include theirs.
inline std::vector<bool> planner::unread_lookups() {
    std::vector<std::size_t> readers(net_.storages.size(), 0);
    for (const step& each : net_.steps) {
        for (const tensor_id tensor : each.reads) {
            ++readers[index_of(at(tensor).storage)];
        }
    }
    for (const port& output : net_.outputs) {
        ++readers[index_of(at(output.tensor).storage)];
    }
    std::vector<bool> result(net_.steps.size(), false);
    for (std::size_t i = net_.steps.size(); i-- > 0;) {
        const auto* const table = std::get_if<lookup_step>(&net_.steps[i].work);
        result[i] = table != nullptr && lookups_through_.count(table->output) != 0 &&
                    readers[index_of(at(table->output).storage)] == 0;
        if (result[i]) {
            --readers[index_of(at(table->input).storage)];
        }
    }
    return result;
}

/// Drops tables that nothing reads; all that include them take over their operations.
inline void planner::drop_unread_lookups() {
    const std::vector<bool> is_dropped = unread_lookups();
    // Dropped steps, by the output of a table that reads theirs.
    std::map<tensor_id, std::vector<std::size_t>> included;
    for (std::size_t i = 0; i < net_.steps.size(); ++i) {
        if (is_dropped[i]) {
            for (const tensor_id through : lookups_through_.at(std::get<lookup_step>(net_.steps[i].work).output)) {
                included[through].push_back(i);
            }
        }
    }
    std::vector<step> kept;
    // By dropped step: the last one that took over its operations.
    std::vector<std::size_t> taken_by(net_.steps.size(), net_.steps.size());
    const auto take_over = [&](std::size_t i, tensor_id output) {
        std::vector<tensor_id> open{output};  // of tables, from this step's upwards
        while (!open.empty()) {
            const std::vector<std::size_t>& above = included[open.back()];
            open.pop_back();
            for (const std::size_t other : above) {
                if (std::exchange(taken_by[other], i) != i) {
                    const step& gone = net_.steps[other];
                    net_.steps[i].nodes.insert(net_.steps[i].nodes.end(), gone.nodes.begin(), gone.nodes.end());
                    open.push_back(std::get<lookup_step>(gone.work).output);
                }
            }
        }
    };
    for (std::size_t i = 0; i < net_.steps.size(); ++i) {
        if (is_dropped[i]) {
            continue;
        }
        if (const auto* const table = std::get_if<lookup_step>(&net_.steps[i].work)) {
            take_over(i, table->output);
        }
        kept.push_back(std::move(net_.steps[i]));
    }
    net_.steps = std::move(kept);
}

}  // namespace lpt::inline LPT_ABI::plan
