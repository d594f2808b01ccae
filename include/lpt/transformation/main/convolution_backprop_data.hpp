// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/main/convolution.hpp>

namespace lpt::inline LPT_ABI {

/// Moves scales of activations and weights behind a ConvolutionBackpropData, like ConvolutionTransformation.
///
/// Output channels are axis 1 of the weights; the zero point of the activations keeps its shape. Where it refuses,
/// quantized constant weights become real constants, since nothing will read them as integers.
struct convolution_backprop_data_transformation : convolution_rule<convolution_backprop_data_transformation> {
    static constexpr text_view name = "ConvolutionBackpropDataTransformation";
    using weights = from<op::multiply, op::fake_quantize>;
    using pattern = any_of<lpt::pattern<op::convolution_backprop_data, from<op::multiply>, weights>,
                           lpt::pattern<op::convolution_backprop_data, from<op::multiply>, weights, from_constant>>;

    [[gnu::cold]] static constexpr bool refused(rewrite& r, node_id id, const verdict& why) {
        r.refused(id, name, why);
        return fold_weights(r, id);
    }

private:
    /// Replaces quantized weights by the real numbers that they stand for; false where their FakeQuantize has no constant range.
    static constexpr bool fold_weights(rewrite& r, node_id id) {
        graph& model = r.model;
        const output_ref source = model[id].input(1);
        const weights_source found = find_weights(model, id, r.options.default_precisions);
        if (!found.found.empty()) {
            fold_dequantization_at(r, normalize_dequantization(r, found.found).last());
            return true;
        }
        if (found.fake_quantize == node_id::none) {
            const output_ref folded = try_fold(model, source.node);
            model.replace_uses(source, folded);
            return folded != source;
        }
        if (!has_constant_ranges(model, found.fake_quantize)) {
            return false;
        }
        replace_by_value(model, source, found.fake_quantize);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
