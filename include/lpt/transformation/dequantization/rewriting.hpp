// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/constant/facts.hpp>
#include <lpt/transformation/rewrite.hpp>

/// What a replacement takes over from what it replaces, and operations that are written anew.
namespace lpt::inline LPT_ABI {

/// What a replacement takes over from the node that it replaces: run-time attributes (those of the ports only if it is the
/// same operation, and reads the same inputs), marks (not `disable_cleanup`), annotations.
constexpr void copy_information(rewrite& r, node_id from, node_id to, bool with_ports = true) {
    if (with_ports && r.model[from].kind() == r.model[to].kind()) {
        r.attributes.copy(from, to);
    } else {
        r.attributes.copy_node(from, to);
    }
    r.model.set_mark(to, r.model[from].marks() & ~mark::disable_cleanup);
    for (const annotation& each : r.model[from].annotations()) {
        bool known = false;
        for (const annotation& mine : r.model[to].annotations()) {
            known = known || mine.key == each.key;
        }
        if (!known) {
            r.model.annotate(to, each.key, each.value);
        }
    }
}
/// What `copy_information` takes over, and the name.
constexpr void copy_information_and_name(rewrite& r, node_id from, node_id to, bool with_ports = true) {
    copy_information(r, from, to, with_ports);
    r.model.rename(to, r.model[from].name());
}
/// A clone on other inputs, with what `copy_information` takes over.
constexpr node_id clone_with_information(rewrite& r, node_id like, view<output_ref> inputs, text_view name = {}) {
    const node_id made = r.model.clone(like, inputs, name);
    copy_information(r, like, made);
    return made;
}
/// Puts `to` in the place of `from`: its readers, its name and what `copy_information` takes over. Gives true, as a rewrite does.
constexpr bool replace_and_name(rewrite& r, node_id from, node_id to) {
    copy_information_and_name(r, from, to);
    r.model.replace(from, to);
    return true;
}
/// The same where only output 0 has readers; its tensor names come along.
constexpr bool replace_first_output(rewrite& r, node_id from, node_id to) {
    copy_information_and_name(r, from, to);
    r.model.set_tensor_names(to, r.model[from].tensor_names());
    r.model.replace_uses(from, to);
    return true;
}
/// Puts the same operation of another version in the place of a node, with these attributes and inputs.
constexpr bool replace_by_version(rewrite& r, node_id id, op::attributes what, view<output_ref> inputs, int version) {
    const node_id made = r.model.add(lpt::move(what), inputs, {}, version);
    r.model.set_tensor_names(made, r.model[id].tensor_names());
    return replace_and_name(r, id, made);
}
/// A node without an interval of its own in a group of FakeQuantize operations gets that of another node.
constexpr void take_alignment(rewrite& r, node_id to, node_id from) {
    auto intervals = attributes_of<attribute::intervals_alignment>(r);
    if (!intervals.has(attribute::place::on_node(to)) && intervals.has(attribute::place::on_node(from))) {
        intervals.share(attribute::place::on_node(to), attribute::place::on_node(from));
    }
}
/// The inputs of a node, the first ones replaced by others.
constexpr seq<output_ref, 5> inputs_of(const graph& model, node_id id, seq<output_ref, 5> first = {}) {
    for (std::size_t port = first.size(); port < model[id].inputs(); ++port) {
        first.push_back(model[id].input(port));
    }
    return first;
}
/// Lets readers read the last operation of a dequantization, but ShapeOf of version 0 its data: shapes are computed without it.
constexpr void hand_over(graph& model, view<input_ref> readers, output_ref last, output_ref data) {
    for (const input_ref user : readers) {
        const bool reads_shape = model[user.node].is<op::shape_of>() && model[user.node].version() == 0;
        model.set_input(user.node, static_cast<std::size_t>(user.port), reads_shape ? data : last);
    }
}
/// Where the last node of a moved dequantization feeds a Result, it takes the name of the operation, which becomes "<name>_original".
constexpr void update_output_name(rewrite& r, node_id last, node_id operation) {
    if (feeds_result(r.model, last)) {
        const text original = r.model[operation].name();
        r.model.rename(operation, join({original, "_original"}));
        r.model.rename(last, original);
    }
}

/// Writes an operation of one output anew, in its place or another in its stead, and appends others, which its readers read afterwards:
///
///     rewriting(r, product).reads({data, weights}, {{f32, f32}, {f32}}).times(scale, {{}, {f32}}).finish();
///
/// ShapeOf of version 0 stays at the operation itself: a dequantization does not enter the computation of shapes. Where a Result reads the
/// last one, that one takes the operation's name.
class rewriting {
    rewrite& r_;
    node_id operation_;
    node_id old_ = node_id::none;
    output_ref last_;
    seq<input_ref, 4> readers_;

    constexpr bool has_same_shapes(view<output_ref> inputs) const {
        const graph& model = r_.model;
        return model[operation_].shape().is_static() && inputs.size() == model[operation_].inputs() &&
               for_all(0, inputs.size(), [&](std::size_t port) {
                   return model.shape(inputs[port]) == model.shape(model[operation_].input(port));
               });
    }

public:
    constexpr rewriting(rewrite& r, node_id operation)
        : r_(r), operation_(operation), last_(operation), readers_(r.model.uses({operation, 0})) {}

    /// `made` stands for the operation from now on.
    constexpr rewriting& becomes(node_id made) {
        old_ = operation_;
        operation_ = made;
        return then(made);
    }
    /// A clone on other inputs, under the same name, stands for the operation from now on.
    constexpr rewriting& becomes_clone(view<output_ref> inputs) {
        return becomes(clone_with_information(r_, operation_, inputs, r_.model[operation_].name()));
    }
    /// Other inputs, and types of its own.
    constexpr rewriting& reads(view<output_ref> inputs, relaxation types) {
        const bool same = has_same_shapes(inputs);
        r_.model.renew(operation_, inputs);
        if (same) {
            const element output = types.output_types[0];
            r_.model.relax_keeping_shape(operation_, output, lpt::move(types));
        } else {
            r_.model.relax(operation_, lpt::move(types));
        }
        return *this;
    }

    constexpr node_id operation() const { return operation_; }
    constexpr output_ref last() const { return last_; }
    /// `last` is what was appended behind all others.
    constexpr rewriting& then(output_ref last) {
        last_ = last;
        return *this;
    }
    /// Appends a Subtract, which is called as the operation with a suffix.
    constexpr rewriting& minus(output_ref zero_point, text_view suffix) {
        return then(r_.model.add(op::subtract{}, {last_, zero_point}, named(suffix).view()));
    }
    /// Appends a Multiply with types of its own.
    constexpr rewriting& times(output_ref scale, relaxation types, text_view suffix = {}) {
        return then(r_.model.add_relaxed(op::multiply{}, {last_, scale}, lpt::move(types), named(suffix).view()));
    }
    /// The name of the operation with a suffix; none without.
    constexpr text named(text_view suffix) const {
        if (suffix.empty()) {
            return {};  // g++ 12 destroys what a conditional expression gives twice while it compiles
        }
        return text(r_.model[operation_].name().view(), suffix);
    }

    /// Hands the readers over.
    constexpr bool finish() { return hand_over(operation_); }
    /// Hands the readers over; ShapeOf reads the last operation, too.
    constexpr bool finish_with_shapes() { return hand_over(last_); }

private:
    constexpr bool hand_over(output_ref with_shape) {
        graph& model = r_.model;
        for (const input_ref user : readers_) {
            const bool reads_shape = model[user.node].is<op::shape_of>() && model[user.node].version() == 0;
            model.set_input(user.node, static_cast<std::size_t>(user.port), reads_shape ? with_shape : last_);
        }
        if (old_ != node_id::none) {
            model.replace(old_, operation_);
        }
        update_output_name(r_, last_.node, operation_);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
