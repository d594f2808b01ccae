// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Turns FakeConvert into the conversion to an 8-bit floating point type and back that it stands for:
///
/// y = (convert_back(convert(clamp(x * scale - shift))) + shift) / scale, where clamp keeps to the finite range of the type.
/// The second pair of constants is folded; a shift of zeros is left out. Where the input has another type than the scale it is
/// converted to that first, and the result back. The last operation takes the name.
struct fake_convert_decomposition_transformation {
    static constexpr text_view name = "FakeConvertDecomposition";
    using pattern = lpt::pattern<op::fake_convert>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        const element given = model[id].type();
        const element low = model[id].as<op::fake_convert>().destination_type;
        const output_ref scale = model[id].input(1);
        const element computed = model.type(scale);
        const tensor* known_shift = model[id].inputs() == 3 ? model.constant_value(model[id].input(2)) : nullptr;
        const bool shifted = model[id].inputs() == 3 && (known_shift == nullptr || !is_zero(*known_shift));
        output_ref last = convert_to(r, id, model[id].input(0), computed);
        last = append(r, id, op::multiply{}, {last, scale});
        if (shifted) {
            last = append(r, id, op::subtract{}, {last, model[id].input(2)});
        }
        last = append(r, id, op::clamp{{}, facts(low).lowest, facts(low).highest}, {last});
        last = append(r, id, op::convert{low}, {last});
        last = append(r, id, op::convert{computed}, {last});
        if (shifted) {
            last = append(r, id, op::subtract{}, {last, negated(model, model[id].input(2))});
        }
        last = append(r, id, op::multiply{}, {last, inverted(model, scale)});
        last = convert_to(r, id, last, given);
        model.rename(last.node, model[id].name());
        model.replace(id, last.node);
        return true;
    }

private:
    static constexpr output_ref append(rewrite& r, node_id id, op::attributes what, view<output_ref> inputs) {
        const node_id made = r.model.add(lpt::move(what), inputs);
        copy_information(r, id, made);
        return made;
    }
    static constexpr output_ref convert_to(rewrite& r, node_id id, output_ref source, element type) {
        return r.model.type(source) == type ? source : append(r, id, op::convert{type}, {source});
    }
    static constexpr output_ref negated(graph& model, output_ref shift) {
        if (model.constant_value(shift) == nullptr) {
            return model.add(op::negative{}, {shift});
        }
        const output_ref zero = model.constant(make_scalar(model.type(shift), 0));
        return fold_operation(model, op::subtract{}, {zero, shift});
    }
    static constexpr output_ref inverted(graph& model, output_ref scale) {
        const element type = model.type(scale);
        if (model.constant_value(scale) == nullptr) {
            return model.add(op::power{}, {scale, model.constant(make_scalar(type, -1))});
        }
        return fold_operation(model, op::divide{}, {model.constant(make_scalar(type, 1)), scale});
    }
};

}  // namespace lpt::inline LPT_ABI
