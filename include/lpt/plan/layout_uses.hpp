// SPDX-License-Identifier: Apache-2.0
// Which layouts the operations of a graph can compute in.
#pragma once

#include <lpt/plan/groups.hpp>
#include <lpt/plan/layout_choice.hpp>
#include <lpt/plan/movement_kinds.hpp>

#include <utility>
#include <vector>

namespace lpt::inline LPT_ABI::plan {

/// The layouts of what can choose in a graph.
///
/// Convolutions and pooling take channels innermost. Functions of elements, Concat, movements that keep the axes, Interpolate and TopK over channels
/// take either, and a Transpose of channels turns one into the other. All else takes its axes in order, as inputs, results and states do.
class chosen_layouts {
    quantized_sources& sources_;
    const grouping& grouping_;
    std::vector<int> first_tensor_;  // by node: the number of its first output
    std::vector<std::int64_t> bytes_;
    std::vector<layout_use> uses_;
    std::vector<std::size_t> user_;  // by use: the node

    const graph& model() const { return sources_.model(); }

    void number_outputs(const seq<node_id>& order) {
        first_tensor_.assign(model().id_bound(), -1);
        for (const node_id id : order) {
            const node& each = model()[id];
            first_tensor_[index_of(id)] = static_cast<int>(bytes_.size());
            for (std::size_t port = 0; port < each.outputs(); ++port) {
                const shape& dimensions = each.shape(port);
                const bool is_known = dimensions.is_static() && each.type(port) != dynamic;
                bytes_.push_back(!is_known || layouts_agree(dimensions)
                                     ? 0
                                     : static_cast<std::int64_t>(byte_size(each.type(port), dimensions.elements())));
            }
        }
    }
    /// The number of the tensor that stands for an output, the low precision one of a dequantization, which keeps its layout; -1 for constants,
    /// which are laid out while planning.
    int number_of(output_ref output) {
        const output_ref base = sources_.of(output).base;
        return model()[base.node].is<op::constant>() ? -1 : first_tensor_[index_of(base.node)] + base.port;
    }
    static void add(std::vector<int>& numbers, int number) {
        if (number >= 0) {
            numbers.push_back(number);
        }
    }
    void enter(node_id id, layout_use use) {
        uses_.push_back(std::move(use));
        user_.push_back(index_of(id));
    }

    void enter_group(const group& made) {
        layout_use use;
        layout_use in_order;  // what it broadcasts from fewer axes
        const std::size_t rank = made.functions.dimensions.rank();
        const auto read = [&](output_ref output) {
            const bool has_axes = model().shape(output).rank() == rank || made.form == group_form::product;
            add(has_axes ? use.reads : in_order.reads, number_of(output));
        };
        const bool by_elements = made.form == group_form::one_operand || made.form == group_form::two_operands;
        use.chooses = by_elements && rank > 2;
        use.order = made.form == group_form::convolution || made.form == group_form::pool ? layout::channels_last
                                                                                          : layout::plain;
        const bool has_two = made.form == group_form::two_operands || made.form == group_form::product;
        read(made.operands[0].base);
        if (has_two) {
            read(made.operands[1].base);
        }
        for (const chain_function& each : made.functions.functions) {
            if (each.what == chain_function::form::add || each.what == chain_function::form::multiply) {
                read(each.other);
            }
        }
        add(use.gives, number_of(made.functions.tail));
        enter(made.functions.tail.node, std::move(use));
        if (!in_order.reads.empty()) {
            enter(made.anchor, std::move(in_order));
        }
    }

    void enter_node(node_id id) {
        const node& each = model()[id];
        layout_use use;
        const bool from_last = detail::moves_channels(model(), each, layout::channels_last);
        const bool from_plain = detail::moves_channels(model(), each, layout::plain);
        use.swaps = from_last || from_plain;
        use.chooses = (from_last && from_plain) || (!use.swaps && detail::keeps_axes(model(), each));
        use.order = from_last ? layout::channels_last : layout::plain;
        for (std::size_t port = 0; port < each.inputs(); ++port) {
            add(use.reads, number_of(each.input(port)));
        }
        const bool gives = !each.is<op::result>() && !detail::gives_planes(model(), id);
        for (std::size_t port = 0; port < each.outputs() && gives; ++port) {
            add(use.gives, number_of({id, static_cast<std::int32_t>(port)}));
        }
        enter(id, std::move(use));
    }

public:
    chosen_layouts(quantized_sources& sources, const grouping& groups, const seq<node_id>& order)
        : sources_(sources), grouping_(groups) {
        number_outputs(order);
        for (const node_id id : order) {
            const node& each = model()[id];
            const int number = grouping_.of_node[index_of(id)];
            if (number >= 0) {
                const group& mine = grouping_.groups[static_cast<std::size_t>(number)];
                if (mine.functions.nodes.back() == id) {
                    enter_group(mine);
                }
            } else if (!each.is<op::constant>() && !(each.outputs() == 1 && sources_.is_dequantization(id))) {
                enter_node(id);
            }
        }
        layout_chooser(uses_, bytes_).choose();
    }

    /// By node: the layout of what can choose, or of the group that ends with it; plain for all else.
    std::vector<layout> by_node() const {
        std::vector<layout> result(model().id_bound(), layout::plain);
        for (std::size_t i = 0; i < uses_.size(); ++i) {
            if (uses_[i].chooses) {
                result[user_[i]] = uses_[i].order;
            }
        }
        return result;
    }
};

}  // namespace lpt::inline LPT_ABI::plan
