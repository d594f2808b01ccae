// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/null.hpp>
#include <lpt/pipeline/low_precision.hpp>
#include <lpt/restriction/checks.hpp>

/// What a plugin author sets is looked at before anything is changed.
namespace lpt::inline LPT_ABI {

namespace detail {

/// Published names of transformations and steps that are in the library but not in the default pipeline; a test compares
/// them with the registry.
inline constexpr text_view names_besides_default_pipeline[] = {
    "LowPrecision",           "ConvertQuantizeDequantize", "ConvertSubtractConstant",
    "ConvertTransformation",  "FQStrippingTransformation", "KVCacheConcat",
    "KeepConstPrecision",     "MarkDequantization",        "MoveFakeConvertUpThroughKVCacheConcat",
    "MultiplyTransformation", "SubtractTransformation",    "WeightsDequantizeToFakeQuantize",
};

struct one_is_named {
    text_view name;
    template <class... Members>
    constexpr bool operator()(hana::basic_type<Members>...) const {
        return ((Members::name == name) || ...);
    }
};
template <class Pipeline>
constexpr bool is_name_in(text_view name) {
    return hana::unpack(Pipeline::members(), one_is_named{name});
}

template <class Pipeline>
constexpr void check_name(text_view name, text_view what) {
    if (is_name_in<Pipeline>(name) || is_name_in<default_pipeline>(name)) {
        return;
    }
    for (const text_view each : names_besides_default_pipeline) {
        if (each == name) {
            return;
        }
    }
    fail({what, " '", name, "': no transformation of the library or the pipeline has this name"});
}

constexpr void check_default_precision(element type) {
    if (type == dynamic || type == boolean || bit_width(type) > 32) {
        fail({"default precision ", name(type),
              ": expected integers of 4 to 32 bits or floating point numbers of 8 to 32"});
    }
}

}  // namespace detail

/// Raises an error for options that cannot be meant: a callback, disabled transformation or argument with a name that no
/// transformation of the library or of `Pipeline` has, a callback without a function, a dequantization precision that is
/// not a floating point type of at least 16 bits, default precisions that no quantized tensor can have.
template <class Pipeline>
constexpr void check_options(const transformation_options& options) {
    for (const transformation_callback& each : options.callbacks) {
        detail::check_name<Pipeline>(each.transformation, "callback for");
        if (is_null(each.skip) && is_null(each.skip_in)) {
            fail({"callback for '", each.transformation, "': it has no function"});
        }
    }
    for (const text_view each : options.disabled) {
        detail::check_name<Pipeline>(each, "disabled transformation");
    }
    for (const transformation_arguments& each : options.arguments) {
        detail::check_name<Pipeline>(each.transformation, "arguments of");
    }
    const element computed = options.dequantization_precision;
    if (!is_real(computed) || bit_width(computed) < 16 || bit_width(computed) > 32) {
        fail({"dequantization precision ", name(computed), ": expected f32, f16 or bf16"});
    }
    for (const element each : options.default_precisions) {
        detail::check_default_precision(each);
    }
}

}  // namespace lpt::inline LPT_ABI
