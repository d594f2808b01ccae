// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

/// Squeeze-15 to Squeeze-0, the one that low precision rules match, where it may not skip axes.
struct convert_squeeze {
    static constexpr text_view name = "ConvertSqueeze15ToSqueeze0";
    using pattern = lpt::pattern<op::squeeze>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        graph& model = r.model;
        if (model[id].version() != 15) {
            return false;
        }
        if (model[id].as<op::squeeze>().allow_axis_skip) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        seq<output_ref, 5> inputs;
        for (std::size_t port = 0; port < model[id].inputs(); ++port) {
            inputs.push_back(model[id].input(port));
        }
        const node_id made = model.add(op::squeeze{}, inputs, {}, 0);
        model.set_tensor_names(made, model[id].tensor_names());
        replace_and_name(r, id, made);
        return true;
    }
};

}  // namespace lpt::inline LPT_ABI
