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

/// The pooling with windows side by side in the place of an adaptive one, of which a rule `can_take` the outputs.
template <class Rule, class Pool>
struct adaptive_pool_conversion {
    [[gnu::cold]] static constexpr bool transform(rewrite& r, node_id id) {
        const integers sizes = sizes_of_bins(r.model, id);
        if (sizes.empty() || !Rule::can_take(r.model, id)) {
            return r.refused(id, Rule::name, refuse(reason::unsupported_mode));
        }
        Pool pool;
        pool.kernel = sizes;
        pool.strides = sizes;
        pool.pads_begin.resize(sizes.size(), 0);
        pool.pads_end.resize(sizes.size(), 0);
        return replace_first_output(r, id, r.model.add(lpt::move(pool), {r.model[id].input(0)}, {}, 1));
    }
};

}  // namespace detail

/// AdaptiveAvgPool of real numbers to AvgPool, for which there are rules and kernels: where all bins along an axis have one size, which is known.
struct convert_adaptive_avg_pool : detail::adaptive_pool_conversion<convert_adaptive_avg_pool, op::avg_pool> {
    static constexpr text_view name = "ConvertAdaptiveAvgPoolToAvgPool1";
    using pattern = lpt::pattern<op::adaptive_avg_pool>;

    static constexpr bool can_take(const graph& model, node_id id) { return is_real(model.type(id)); }
};

/// AdaptiveMaxPool to MaxPool: where all bins along an axis have one size, which is known, and nothing reads the places.
struct convert_adaptive_max_pool : detail::adaptive_pool_conversion<convert_adaptive_max_pool, op::max_pool> {
    static constexpr text_view name = "ConvertAdaptiveMaxPoolToMaxPool1";
    using pattern = lpt::pattern<op::adaptive_max_pool>;

    static constexpr bool can_take(const graph& model, node_id id) { return model.use_count({id, 1}) == 0; }
};

}  // namespace lpt::inline LPT_ABI
