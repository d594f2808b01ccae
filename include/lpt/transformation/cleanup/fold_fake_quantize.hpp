// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/fake_quantize/fold_fake_quantize.hpp>
#include <lpt/transformation/guarded.hpp>

namespace lpt::inline LPT_ABI {

/// Replaces a FakeQuantize on a Constant, or one that gives the same value for every input, by its value.
struct fold_fake_quantize_transformation : guarded<fold_fake_quantize_transformation> {
    static constexpr text_view name = "FoldFakeQuantizeTransformation";
    using pattern = lpt::pattern<op::fake_quantize>;

    [[gnu::cold]] static constexpr verdict can_transform(const rewrite& r, node_id id) {
        const bool has_one_value = has_equal_output_bounds(r.model, id);
        if (!has_one_value && !has_constant_ranges(r.model, id)) {
            return refuse(reason::ranges_not_constant);
        }
        for (std::size_t port = 1; port < 5; ++port) {
            if (count_long_axes(r.model.shape(r.model[id].input(port))) > 1) {
                return refuse(reason::not_per_tensor_or_per_channel, static_cast<int>(port));
            }
        }
        return has_one_value || is_constant(r.model, r.model[id].input(0)) ? yes : refuse(reason::nothing_to_do, 0);
    }
    [[gnu::cold]] static constexpr bool apply(rewrite& r, node_id id) {
        const element type = r.model[id].type();
        tensor value = fold_fake_quantize(r.model, id, type, is_integral(type));
        if (!value) {
            return r.refused(id, name, refuse(reason::dynamic_axis, 0));
        }
        const node_id made = r.model.constant(lpt::move(value));
        replace_and_name(r, id, made);
        r.model.infer_parameter_readers(made);  // axes are known only now, and may be wrong
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
