// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization_constants.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Moves a FakeQuantize (and a Relu between) from below a Concat to each of its inputs, so that every branch can be
/// quantized by itself. A Convert and dequantization below it move along.
struct move_fake_quantize : guarded<move_fake_quantize> {
    static constexpr text_view name = "MoveFakeQuantize";
    using pattern = lpt::pattern<op::fake_quantize, from<op::concat, op::relu>, from_constant, from_constant,
                                 from_constant, from_constant>;

    static constexpr bool is_about(const rewrite& r, node_id id) {
        const node_id concat = concat_above(r.model, id);
        return r.model[concat].is<op::concat>() && r.model.use_count(concat) == 1;
    }
    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const graph& model = r.model;
        const node_id concat = concat_above(model, id);
        const node_id first = model.producer(concat, 0);
        const bool is_one =
            (model[concat].inputs() == 1 || model[first].is<op::split>()) &&
            for_all(1, model[concat].inputs(), [&](std::size_t port) { return model.producer(concat, port) == first; });
        if (model[concat].shape().rank_is_dynamic()) {
            return refuse(reason::dynamic_rank);
        }
        if (is_one || model.use_count({id, 0}) == 0) {
            return refuse(reason::nothing_to_do);
        }
        for (std::size_t port = 1; port < 5; ++port) {
            if (!can_split_constant(model, model.producer(id, port), concat)) {
                return refuse_axis(reason::dynamic_channel, static_cast<int>(port), concat_axis(model, concat));
            }
        }
        const node_id whole = first_constant(dequantization_below(model, id), [&](node_id constant) {
            return !can_split_constant(model, constant, concat);
        });
        return whole == node_id::none ? yes
                                      : refuse_axis(reason::dynamic_channel, -1, concat_axis(model, concat), whole);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        graph& model = r.model;
        const node_id concat = concat_above(model, id);
        seq<output_ref> ranges[4];
        for (std::size_t i = 0; i < 4; ++i) {
            ranges[i] = constants_of_branches(r, model.producer(id, i + 1), concat);
        }
        const node_id convert = convert_below(model, id);
        const dequantization below = dequantization_below(model, id);
        seq<output_ref> branches;
        for (std::size_t input = 0; input < model[concat].inputs(); ++input) {
            output_ref branch = model[concat].input(input);
            if (const node_id relu = model.producer(id, 0); relu != concat) {
                branch = numbered_clone(r, relu, {branch}, input);
            }
            branch = numbered_clone(
                r, id, {branch, ranges[0][input], ranges[1][input], ranges[2][input], ranges[3][input]}, input);
            branches.push_back(convert == node_id::none ? branch : numbered_clone(r, convert, {branch}, input));
        }
        if (below.empty()) {
            finish(r, concat, branches, convert == node_id::none ? id : convert);
        } else {
            move_dequantization_before(r, concat, branches, below);
        }
        return true;
    }

private:
    static constexpr node_id concat_above(const graph& model, node_id id) {
        const node_id above = model.producer(id, 0);
        return model[above].is<op::relu>() ? model.producer(above, 0) : above;
    }
    static constexpr node_id convert_below(const graph& model, node_id id) {
        const node_id below = model.first_use(id).node;
        return model[below].is<op::convert>() ? below : node_id::none;
    }
    static constexpr dequantization dequantization_below(const graph& model, node_id id) {
        const node_id convert = convert_below(model, id);
        return convert == node_id::none ? dequantization{} : find_dequantization_below(model, convert);
    }
    /// True if a constant behind a Concat varies over the joined axis; a range of FakeQuantize may have more axes, of size 1.
    static constexpr bool varies_over_joined_axis(const graph& model, node_id constant, node_id concat) {
        const std::size_t rank = model[concat].shape().rank();
        return model[constant].shape().trimmed_left(rank).padded_left(rank)[concat_axis(model, concat)] != 1;
    }
    /// False for a constant that varies over the axis of a Concat where it is not known which part goes to which input.
    static constexpr bool can_split_constant(const graph& model, node_id constant, node_id concat) {
        return !varies_over_joined_axis(model, constant, concat) ||
               for_all(0, model[concat].inputs(), [&](std::size_t input) {
                   const shape& branch = model.shape(model[concat].input(input));
                   return branch.rank_is_static() && branch.is_static(concat_axis(model, concat));
               });
    }
    /// The constants of the branches: parts along the joined axis where the constant varies over it, copies otherwise.
    static constexpr seq<output_ref> constants_of_branches(rewrite& r, node_id constant, node_id concat) {
        graph& model = r.model;
        const tensor values = constant_of(model, constant);
        const std::size_t rank = model[concat].shape().rank();
        const std::size_t axis = concat_axis(model, concat);
        const bool varies = varies_over_joined_axis(model, constant, concat);
        seq<output_ref> parts;
        integers lengths;
        for (std::size_t input = 0; input < model[concat].inputs(); ++input) {
            if (varies) {
                lengths.push_back(model.shape(model[concat].input(input))[axis]);
            } else {
                parts.push_back(model.constant(values));
            }
        }
        if (varies) {
            const tensor full(values, values.dimensions().trimmed_left(rank).padded_left(rank));
            const integers axes{static_cast<std::int64_t>(axis)};
            const node_id split = model.add(
                op::variadic_split{}, {model.constant(full), model.constant(make_integer_tensor(i64, shape{}, axes)),
                                       model.constant(make_indices(lengths))});
            fold(model, split, parts);
        }
        return parts;
    }

    /// A clone for one branch, called "<name>_<number>".
    static constexpr node_id numbered_clone(rewrite& r, node_id like, view<output_ref> inputs, std::size_t branch) {
        return clone_with_information(r, like, inputs, join({r.model[like].name(), "_", branch + 1}).view());
    }

    static constexpr void finish(rewrite& r, node_id concat, const seq<output_ref>& branches, node_id replaced) {
        const node_id made = clone_with_information(r, concat, branches, r.model[concat].name());
        r.model.replace(replaced, made);
        if (feeds_result(r.model, made)) {
            r.model.rename(made, r.model[replaced].name());
        }
    }

    /// Each branch gets its own copy of the dequantization that was below the Concat. The Convert of a zero point that all
    /// branches have in common stays one: whoever folds it, folds it for all.
    static constexpr void move_dequantization_before(rewrite& r, node_id concat, seq<output_ref> branches,
                                                     const dequantization& below) {
        graph& model = r.model;
        const bool shares_zero_point =
            below.zero_point_convert != node_id::none && !varies_over_joined_axis(model, below.zero_point, concat);
        const seq<output_ref> zero_points =
            below.has_subtract() ? constants_of_branches(r, below.zero_point, concat) : seq<output_ref>();
        const seq<output_ref> scales =
            below.has_multiply() ? constants_of_branches(r, below.scale, concat) : seq<output_ref>();
        for (std::size_t input = 0; input < branches.size(); ++input) {
            output_ref branch = branches[input];
            const auto append = [&](node_id like, view<output_ref> inputs) {
                return numbered_clone(r, like, inputs, input);
            };
            if (below.has_convert()) {
                branch = append(below.convert, {branch});
            }
            if (below.has_subtract()) {
                output_ref zero_point = zero_points[input];
                if (shares_zero_point) {
                    zero_point = below.zero_point_convert;
                } else if (below.zero_point_convert != node_id::none) {
                    zero_point = append(below.zero_point_convert, {zero_point});
                }
                branch = append(below.subtract, {branch, zero_point});
            }
            branches[input] = below.has_multiply() ? append(below.multiply, {branch, scales[input]}) : branch.node;
        }
        finish(r, concat, branches, below.last());
    }
};

}  // namespace lpt::inline LPT_ABI
