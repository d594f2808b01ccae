// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/graph.hpp>

// How inputs are linked to the outputs that they read: the bodies of what `graph` declares.

namespace lpt::inline LPT_ABI {

constexpr void graph::check(output_ref source) const {
    if (!contains(source.node) || source.port < 0 ||
        static_cast<std::size_t>(source.port) >= nodes_[source.node].outputs()) {
        fail({"there is no output ", source.port, " of node ", static_cast<std::int32_t>(source.node)});
    }
}

// ---- uses: a list through the inputs that read an output

constexpr void graph::connect(node::input_slot& slot, input_ref user, output_ref source) {
    node::output_slot& output = nodes_[source.node].outputs_[static_cast<std::size_t>(source.port)];
    slot.source = source;
    slot.previous = output.last;
    slot.next = {};
    if (output.last.node == node_id::none) {
        output.first = user;
    } else {
        nodes_[output.last.node].inputs_[static_cast<std::size_t>(output.last.port)].next = user;
    }
    output.last = user;
    ++output.use_count;
    ++edits_;
}

constexpr void graph::disconnect(node::input_slot& slot) {
    if (!slot.source) {
        return;
    }
    node::output_slot& output = nodes_[slot.source.node].outputs_[static_cast<std::size_t>(slot.source.port)];
    if (slot.previous.node == node_id::none) {
        output.first = slot.next;
    } else {
        nodes_[slot.previous.node].inputs_[static_cast<std::size_t>(slot.previous.port)].next = slot.next;
    }
    if (slot.next.node == node_id::none) {
        output.last = slot.previous;
    } else {
        nodes_[slot.next.node].inputs_[static_cast<std::size_t>(slot.next.port)].previous = slot.previous;
    }
    if (--output.use_count == 0) {
        perhaps_dead_.push_back(slot.source.node);
    }
    slot = {};
    ++edits_;
}

constexpr void graph::connect_all(node_id id, node& mine, view<output_ref> inputs) {
    mine.inputs_.resize(inputs.size());
    node::input_slot* const slots = mine.inputs_.data();
    for (std::size_t port = 0; port < inputs.size(); ++port) {
        connect(slots[port], {id, static_cast<std::int32_t>(port)}, inputs[port]);
    }
}

constexpr void graph::disconnect_all(node& mine) {
    node::input_slot* const slots = mine.inputs_.data();
    for (std::size_t port = mine.inputs_.size(); port-- > 0;) {
        disconnect(slots[port]);
    }
}

constexpr seq<input_ref, 4> graph::uses(output_ref output) const {
    seq<input_ref, 4> result;
    input_ref each = nodes_[output.node].outputs_[static_cast<std::size_t>(output.port)].first;
    while (each.node != node_id::none) {
        result.push_back(each);
        each = next_use(each);
    }
    return result;
}

constexpr std::size_t graph::use_count(node_id id) const {
    std::size_t count = 0;
    for (const node::output_slot& output : nodes_[id].outputs_) {
        count += static_cast<std::size_t>(output.use_count);
    }
    return count;
}

// ---- what is computed from constants alone

namespace detail {

// True for operations whose results count as data whatever they read.
constexpr bool is_data(op::kind kind) {
    switch (kind) {
        case op::kind::parameter:
        case op::kind::convolution:
        case op::kind::group_convolution:
        case op::kind::convolution_backprop_data:
        case op::kind::mat_mul:
        case op::kind::read_value: return true;
        default: return false;
    }
}

}  // namespace detail

constexpr bool graph::would_read_data(const node& each) const {
    bool result = detail::is_data(each.kind());
    for (std::size_t port = 0; port < each.inputs() && !result; ++port) {
        result = each.inputs_[port].source && nodes_[each.inputs_[port].source.node].reads_data_;
    }
    return result;
}

constexpr void graph::update_reads_data(node_id id) {
    if (nodes_[id].reads_data_ == would_read_data(nodes_[id])) {
        return;
    }
    seq<node_id, 4> changed{id};
    while (!changed.empty()) {
        const node_id each = changed.back();
        changed.pop_back();
        node& mine = nodes_[each];
        const bool now = would_read_data(mine);
        if (mine.reads_data_ == now) {
            continue;
        }
        mine.reads_data_ = now;
        for (const node::output_slot& output : mine.outputs_) {
            for (input_ref user = output.first; user.node != node_id::none; user = next_use(user)) {
                changed.push_back(user.node);
            }
        }
    }
}

// ---- connecting anew

constexpr void graph::set_input(node_id id, std::size_t port, output_ref source) {
    check(source);
    node::input_slot& slot = nodes_[id].inputs_[port];
    if (slot.source == source) {
        return;
    }
    needs_verification_ = true;
    const node_id before = slot.source.node;
    const bool as_before = before != node_id::none && nodes_[before].reads_data_ == nodes_[source.node].reads_data_;
    disconnect(slot);
    connect(slot, {id, static_cast<std::int32_t>(port)}, source);
    if (!as_before) {
        update_reads_data(id);
    }
}

constexpr void graph::add_input(node_id id, output_ref source) {
    check(source);
    needs_verification_ = true;
    node::input_slot& slot = nodes_[id].inputs_.push_back({});
    connect(slot, {id, static_cast<std::int32_t>(nodes_[id].inputs_.size() - 1)}, source);
    update_reads_data(id);
}

constexpr void graph::truncate_inputs(node_id id, std::size_t count) {
    needs_verification_ = true;
    while (nodes_[id].inputs_.size() > count) {
        disconnect(nodes_[id].inputs_.back());
        nodes_[id].inputs_.pop_back();
    }
    update_reads_data(id);
}

constexpr void graph::replace_uses(output_ref from, output_ref to) {
    check(to);
    for (const input_ref user : uses(from)) {
        set_input(user.node, static_cast<std::size_t>(user.port), to);
    }
}

constexpr void graph::infer_parameter_readers(output_ref of) {
    for (const input_ref user : uses(of)) {
        if (user.port != 0) {
            infer(user.node);
        }
    }
}

constexpr void graph::replace_uses_except(output_ref from, output_ref to, node_id except) {
    check(to);
    for (const input_ref user : uses(from)) {
        if (user.node != except) {
            set_input(user.node, static_cast<std::size_t>(user.port), to);
        }
    }
}

constexpr void graph::replace(node_id from, node_id to) {
    needs_verification_ = true;
    for (const node_id sink : sinks_) {
        if (nodes_[sink].control_dependencies().empty()) {
            continue;
        }
        for (node_id& on : nodes_[sink].rare_.make().control_dependencies) {
            if (on == from) {
                on = to;
                --nodes_[from].control_users_;
                ++nodes_[to].control_users_;
                ++edits_;
            }
        }
    }
    perhaps_dead_.push_back(from);
    for (std::size_t port = 0; port < nodes_[from].outputs(); ++port) {
        replace_uses({from, static_cast<std::int32_t>(port)}, {to, static_cast<std::int32_t>(port)});
    }
}

}  // namespace lpt::inline LPT_ABI
