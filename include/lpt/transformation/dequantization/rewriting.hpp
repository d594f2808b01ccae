// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization/names.hpp>

namespace lpt::inline LPT_ABI {

/// Writes an operation of one output anew, in its place or another in its stead, and appends others, which its readers read afterwards:
///
///     rewriting(r, product).reads({data, weights}, {{f32, f32}, {f32}}).times(scale, {{}, {f32}}).finish();
///
/// ShapeOf of version 0 stays at the operation itself: a dequantization does not enter the computation of shapes. Where a Result reads the
/// last one, that one takes the operation's name.
template <class Rewrite>
class rewriting {
    Rewrite& r_;
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
    constexpr rewriting(Rewrite& r, node_id operation)
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

    /// Hands the readers over. `with_shapes`: ShapeOf reads the last operation, too.
    constexpr bool finish(bool with_shapes = false) {
        graph& model = r_.model;
        for (const input_ref user : readers_) {
            const bool reads_shape = model[user.node].is<op::shape_of>() && model[user.node].version() == 0;
            model.set_input(user.node, static_cast<std::size_t>(user.port), last_);
            if (reads_shape && !with_shapes) {
                model.set_input(user.node, static_cast<std::size_t>(user.port), operation_);
            }
        }
        if (old_ != node_id::none) {
            model.replace(old_, operation_);
        }
        update_output_name(r_, last_.node, operation_);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
