// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/graph/fold/values.hpp>
#include <lpt/transformation/markup/bodies.hpp>

namespace lpt::inline LPT_ABI {

/// Operations on f16 and bf16 compute in f32, as kernels do; a Convert stands where a value of 16 bits is asked for.
///
/// Inputs, outputs and variables of the network and of bodies keep their types, and so does what operations of the user see. Results
/// differ by the rounding to 16 bits, and by overflows of f16, that intermediate values no longer have.
struct convert_precision {
    static constexpr text_view name = "ConvertPrecision";

    [[gnu::cold]] static constexpr void run(rewrite& r) {
        const seq<node_id> order = r.operations();
        for (const node_id id : order) {
            run_on_bodies<convert_precision>(r, id);
        }
        if (!has_halves(r.model, order)) {
            return;
        }
        convert_precision work(r.model);
        for (const node_id id : order) {
            work.convert(id);
        }
        for (const node_id id : order) {
            work.bound(id);
        }
        r.model.collect();
    }

private:
    graph& model_;
    seq<std::size_t> first_;  // by node: where its outputs begin in the lists
    seq<output_ref> singles_;  // by output of 16 bits: the same in f32, where there is one
    seq<output_ref> halves_;  // by output of 16 bits: the same, made of that in f32

    explicit constexpr convert_precision(graph& model) : model_(model) {
        std::size_t outputs = 0;
        for (std::size_t i = 0; i < model.id_bound(); ++i) {
            first_.push_back(outputs);
            outputs += model.contains(id_at(i)) ? model[id_at(i)].outputs() : 0;
        }
        singles_.resize(outputs);
        halves_.resize(outputs);
    }

    static constexpr bool is_half(element type) { return type == f16 || type == bf16; }
    static constexpr element widened(element type) { return is_half(type) ? f32 : type; }
    static constexpr bool has_half_output(const node& each) {
        for (std::size_t port = 0; port < each.outputs(); ++port) {
            if (is_half(each.type(port))) {
                return true;
            }
        }
        return false;
    }
    static constexpr bool has_halves(const graph& model, const seq<node_id>& order) {
        for (const node_id id : order) {
            if (has_half_output(model[id])) {
                return true;
            }
        }
        return false;
    }
    /// Operations whose types somebody outside knows.
    static constexpr bool is_boundary(const node& each) {
        switch (each.kind()) {
            case op::kind::parameter:
            case op::kind::result:
            case op::kind::read_value:
            case op::kind::assign: return true;
            default: return is_of_user(each.kind()) || each.bodies().size() != 0;
        }
    }

    constexpr std::size_t place_of(output_ref output) const {
        return first_[index_of(output.node)] + static_cast<std::size_t>(output.port);
    }
    /// `output` in another type, named after what it is in the network.
    constexpr output_ref converted(output_ref output, output_ref named, element type) {
        const text made_name = join({model_[named.node].name(), "/", lpt::name(type)});
        return model_.add(op::convert{type}, view<output_ref>(&output, 1), made_name);
    }
    /// An output as operations that compute in f32 read it.
    constexpr output_ref single(output_ref output) {
        if (index_of(output.node) >= first_.size() || !is_half(model_.type(output))) {
            return output;
        }
        const std::size_t place = place_of(output);
        if (!singles_[place]) {
            const tensor* value = model_.constant_value(output);
            singles_[place] = !is_null(value) ? model_.constant(evaluation::convert_late(*value, f32))
                                              : converted(output, output, f32);
        }
        return singles_[place];
    }
    /// An output that is computed in f32, as its readers outside know it.
    constexpr output_ref half(output_ref output) {
        const std::size_t place = place_of(output);
        if (!halves_[place]) {
            halves_[place] = converted(singles_[place], output, model_.type(output));
            model_.set_tensor_names(halves_[place],
                                    model_[output.node].tensor_names(static_cast<std::size_t>(output.port)));
        }
        return halves_[place];
    }

    /// The same operation on inputs in f32.
    constexpr node_id widened(node_id id, view<output_ref> inputs) {
        const text own_name = model_[id].name();
        const op::attributes what = widened(model_[id]);
        const int version = model_[id].version();
        node_id result = node_id::none;
        if (is_null(model_[id].own_types())) {
            result = model_.add(what, inputs, own_name, version);
            if (model_[id].relaxed()) {
                model_.relax(result);
            }
        } else {
            relaxation types = *model_[id].own_types();
            for (element& type : types.input_types) {
                type = widened(type);
            }
            for (element& type : types.output_types) {
                type = widened(type);
            }
            result = model_.add_relaxed(what, inputs, lpt::move(types), own_name, version);
        }
        model_.set_mark(result, model_[id].marks());
        return result;
    }
    static constexpr op::attributes widened(const node& each) {
        if (each.is<op::convert>()) {
            return op::convert{widened(each.as<op::convert>().destination_type)};
        }
        if (each.is<op::range>()) {
            return op::range{widened(each.as<op::range>().output_type)};
        }
        return each.attributes();
    }

    constexpr void convert(node_id id) {
        if (is_boundary(model_[id]) || model_[id].is<op::constant>()) {
            return;
        }
        bool has_half = has_half_output(model_[id]);
        seq<output_ref> inputs;
        for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
            has_half = has_half || is_half(model_.type(model_[id].input(port)));
            inputs.push_back(model_[id].input(port));
        }
        if (!has_half) {
            return;
        }
        for (output_ref& each : inputs) {
            each = single(each);
        }
        const node_id made = widened(id, inputs);
        for (std::size_t port = 0; port < model_[id].outputs(); ++port) {
            const output_ref before(id, static_cast<std::int32_t>(port));
            const output_ref after(made, static_cast<std::int32_t>(port));
            if (is_half(model_.type(before))) {
                singles_[place_of(before)] = after;
            } else {
                model_.set_tensor_names(after, model_[id].tensor_names(port));
                model_.replace_uses(before, after);
            }
        }
    }
    /// Gives an operation whose types are known outside the values of 16 bits that it reads.
    constexpr void bound(node_id id) {
        if (!is_boundary(model_[id])) {
            return;
        }
        for (std::size_t port = 0; port < model_[id].inputs(); ++port) {
            const output_ref source = model_[id].input(port);
            if (index_of(source.node) >= first_.size() || !is_half(model_.type(source)) ||
                is_boundary(model_[source.node]) || model_[source.node].is<op::constant>()) {
                continue;
            }
            if (model_[id].is<op::result>() && model_[id].name().empty()) {
                model_.rename(id, model_[source.node].name());
            }
            model_.set_input(id, port, half(source));
        }
    }
};

}  // namespace lpt::inline LPT_ABI
