// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/transformation/dequantization.hpp>
#include <lpt/transformation/pattern.hpp>

namespace lpt::inline LPT_ABI {

namespace detail {

/// The size that all bins of an adaptive pooling have along each spatial axis; none where one is not known, or bins differ.
constexpr integers sizes_of_bins(const graph& model, node_id id) {
    const shape& data = model.shape(model[id].input(0));
    const shape& bins = model.shape(id);
    integers result;
    for (std::size_t axis = 2; data.rank_is_static() && axis < data.rank(); ++axis) {
        const dimension size = data[axis];
        const dimension count = bins[axis];
        if (size == dynamic_dimension || count == dynamic_dimension || size % count != 0) {
            return {};
        }
        result.push_back(size / count);
    }
    return result;
}

/// The pooling with windows side by side in the place of an adaptive one.
template <class Pool>
constexpr bool replace_adaptive_pool(rewrite& r, node_id id, const integers& sizes) {
    graph& model = r.model;
    Pool pool;
    pool.kernel = sizes;
    pool.strides = sizes;
    pool.pads_begin.resize(sizes.size(), 0);
    pool.pads_end.resize(sizes.size(), 0);
    const node_id made = model.add(lpt::move(pool), {model[id].input(0)}, {}, 1);
    copy_information(r, id, made);
    model.rename(made, model[id].name());
    model.set_tensor_names(made, model[id].tensor_names());
    model.replace_uses(id, made);
    return true;
}

}  // namespace detail

/// AdaptiveAvgPool of real numbers to AvgPool, for which there are rules and kernels: where all bins along an axis have one size, which is known.
struct convert_adaptive_avg_pool {
    static constexpr text_view name = "ConvertAdaptiveAvgPoolToAvgPool1";
    using pattern = lpt::pattern<op::adaptive_avg_pool>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const integers sizes = detail::sizes_of_bins(r.model, id);
        if (sizes.empty() || !is_real(r.model.type(id))) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        return detail::replace_adaptive_pool<op::avg_pool>(r, id, sizes);
    }
};

/// AdaptiveMaxPool to MaxPool: where all bins along an axis have one size, which is known, and nothing reads the places.
struct convert_adaptive_max_pool {
    static constexpr text_view name = "ConvertAdaptiveMaxPoolToMaxPool1";
    using pattern = lpt::pattern<op::adaptive_max_pool>;

    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const integers sizes = detail::sizes_of_bins(r.model, id);
        if (sizes.empty() || r.model.use_count({id, 1}) != 0) {
            return r.refused(id, name, refuse(reason::unsupported_mode));
        }
        return detail::replace_adaptive_pool<op::max_pool>(r, id, sizes);
    }
};

}  // namespace lpt::inline LPT_ABI
