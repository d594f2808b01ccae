// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/pipeline/low_precision.hpp>
#include <lpt/pipeline/pass.hpp>

// Those that are not in the default pipeline.
#include <lpt/transformation/main/convert.hpp>
#include <lpt/transformation/main/multiply.hpp>
#include <lpt/transformation/main/subtract.hpp>
#include <lpt/transformation/preparation/convert_quantize_dequantize.hpp>
#include <lpt/transformation/preparation/convert_subtract_constant.hpp>
#include <lpt/transformation/preparation/fq_stripping.hpp>
#include <lpt/transformation/preparation/keep_const_precision.hpp>
#include <lpt/transformation/preparation/kv_cache_concat.hpp>
#include <lpt/transformation/preparation/mark_dequantization.hpp>
#include <lpt/transformation/preparation/move_fake_convert_up.hpp>
#include <lpt/transformation/preparation/weights_dequantize_to_fake_quantize.hpp>

namespace lpt::inline LPT_ABI {

/// A whole pipeline as one step.
template <class Pipeline>
struct low_precision_by {
    static constexpr text_view name = "LowPrecision";
    static constexpr void run(rewrite& r) { Pipeline::run(r); }
};
using low_precision = low_precision_by<default_pipeline>;

/// Every transformation and every step of the library, as a list: all of the default pipeline, and those outside of it.
using all_transformations =
    detail::joined<stage<low_precision>,
                   stage<convert_quantize_dequantize, convert_subtract_constant, fq_stripping_transformation,
                         keep_const_precision, kv_cache_concat, mark_dequantization,
                         move_fake_convert_up_through_kv_cache_concat, weights_dequantize_to_fake_quantize>,
                   decltype(default_pipeline::replace<fake_convert_decomposition_for_real_types,
                                                      fake_convert_decomposition_transformation>::members()),
                   stage<convert_transformation, multiply_transformation, subtract_transformation>>;

namespace detail {
template <std::size_t Count>
struct pass_table {
    pass_row rows[Count];
    constexpr const pass_row* begin() const { return rows; }
    constexpr const pass_row* end() const { return rows + Count; }
    constexpr std::size_t size() const { return Count; }
};
struct make_pass_table {
    template <class... Passes>
    constexpr auto operator()(hana::basic_type<Passes>...) const {
        return pass_table<sizeof...(Passes)>{{make_pass<Passes>()...}};
    }
};
}  // namespace detail

/// A list of transformations as data, for programs that choose them by their published names. It holds the code of all of them, so it is
/// made only where a program asks for it.
template <class List>
inline constexpr auto pass_rows = hana::unpack(List{}, detail::make_pass_table{});

/// The pass of a list with a published name; null where there is none.
template <class List = all_transformations>
constexpr const pass_row* find_pass(text_view name) {
    for (const pass_row& each : pass_rows<List>) {
        if (each.name == name) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace lpt::inline LPT_ABI
