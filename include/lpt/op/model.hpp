// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

/// An input of the network.
struct parameter {
    static constexpr auto number = kind::parameter;
    static constexpr text_view name = "Parameter";
    static constexpr versions opsets{0};
    static constexpr ports inputs{0, 0};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    element element_type = dynamic;
    lpt::shape dimensions = lpt::shape::of_dynamic_rank();

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("element_type", self.element_type);
        visit("shape", self.dimensions);
    }
    static constexpr void infer(const parameter& self, inference& facts) {
        facts.output(self.element_type, self.dimensions);
    }
    friend constexpr bool operator==(const parameter&, const parameter&) = default;
};

/// An output of the network.
struct result {
    static constexpr auto number = kind::result;
    static constexpr text_view name = "Result";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    static constexpr void infer(const result&, inference& facts) { facts.output(facts.type(0), facts.dimensions(0)); }
    friend constexpr bool operator==(const result&, const result&) = default;
};

/// A value known before the network runs.
struct constant {
    static constexpr auto number = kind::constant;
    static constexpr text_view name = "Constant";
    static constexpr versions opsets{0};
    static constexpr ports inputs{0, 0};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    tensor value;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("value", self.value);
    }
    static constexpr void infer(const constant& self, inference& facts) {
        facts.output(self.value.type(), self.value.dimensions());
    }
    friend constexpr bool operator==(const constant&, const constant&) = default;
};

/// The same values with another element type, by the rules of `convert_value`.
struct convert {
    static constexpr auto number = kind::convert;
    static constexpr text_view name = "Convert";
    static constexpr versions opsets{0};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::elementwise_unary | trait::quantizable;

    element destination_type = dynamic;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("destination_type", self.destination_type);
    }
    static constexpr void infer(const convert& self, inference& facts) {
        facts.output(self.destination_type, facts.dimensions(0));
    }
    friend constexpr bool operator==(const convert&, const convert&) = default;
};

/// Convert to the element type of the second input.
struct convert_like {
    static constexpr auto number = kind::convert_like;
    static constexpr text_view name = "ConvertLike";
    static constexpr versions opsets{1};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::elementwise_unary;

    static constexpr void infer(const convert_like&, inference& facts) {
        facts.output(facts.type(1), facts.dimensions(0));
    }
    friend constexpr bool operator==(const convert_like&, const convert_like&) = default;
};

/// How the shapes of the inputs of an elementwise operation are brought together.
enum class auto_broadcast { none, numpy, pdpd };
inline constexpr text_view auto_broadcast_words[] = {"none", "numpy", "pdpd"};
constexpr view<text_view> words_of(auto_broadcast) { return auto_broadcast_words; }

/// Rounds to `levels` equally spaced values: quantization followed by dequantization.
///
/// y = round((min(max(x, input_low), input_high) - input_low) / (input_high - input_low) * (levels - 1))
///     / (levels - 1) * (output_high - output_low) + output_low
/// Inputs: x, input_low, input_high, output_low, output_high; the four ranges broadcast to x. `levels`: 2 to 2^32. Rounding: halves to even.
///
/// With `zero_level`, 0 to levels - 1, which the published operation does not have, it is QuantizeLinear's: steps are counted from that level, as
/// round((x - input_low) / (input_high - input_low) * (levels - 1) - zero_level) + zero_level, and the level gives 0 exactly where that is meant.
struct fake_quantize {
    static constexpr auto number = kind::fake_quantize;
    static constexpr text_view name = "FakeQuantize";
    static constexpr versions opsets{0};
    static constexpr ports inputs{5, 5};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable | trait::quantizable;

    static constexpr std::int64_t most_levels = std::int64_t{1} << 32;
    static constexpr std::int64_t no_level = -1;

    std::int64_t levels = 0;
    op::auto_broadcast auto_broadcast = op::auto_broadcast::numpy;
    std::int64_t zero_level = no_level;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("levels", self.levels);
        visit("auto_broadcast", self.auto_broadcast);
        visit("zero_level", self.zero_level);
    }
    /// The same with another number of levels; a zero level is one of those that were.
    constexpr fake_quantize with_levels(std::int64_t count) const {
        return {count, auto_broadcast, count == levels ? zero_level : no_level};
    }
    /// True if `range` can be broadcast to the data without making it larger; axes before those of the data have size 1.
    static constexpr bool broadcasts_to(const shape& range, const shape& data) {
        if (range.rank_is_dynamic() || data.rank_is_dynamic()) {
            return true;
        }
        for (std::size_t i = 0; i < range.rank(); ++i) {
            const dimension size = range[range.rank() - 1 - i];
            const dimension against = i < data.rank() ? data[data.rank() - 1 - i] : 1;
            if (size != 1 && size != dynamic_dimension && against != dynamic_dimension && size != against) {
                return false;
            }
        }
        return true;
    }
    static constexpr void infer(const fake_quantize& self, inference& facts) {
        facts.require("levels", self.levels, 2, most_levels);
        facts.require("zero_level", self.zero_level, no_level, self.levels - 1);
        for (std::size_t port = 1; port < 5; ++port) {
            if (!broadcasts_to(facts.dimensions(port), facts.dimensions(0))) {
                facts.wrong({"input ", port, " of shape ", facts.dimensions(port), " does not broadcast to ",
                             facts.dimensions(0)});
            }
        }
        // Not the merged shape: the ranges say nothing about a size of the data that is not known.
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const fake_quantize&, const fake_quantize&) = default;
};

/// Rounds to the values of an 8-bit floating point type and back: y = dequantize(quantize(x * scale - shift)).
///
/// Inputs: x, scale and, may be, shift; both broadcast to x and have no more axes than it.
struct fake_convert {
    static constexpr auto number = kind::fake_convert;
    static constexpr text_view name = "FakeConvert";
    static constexpr versions opsets{13};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    element destination_type = f8e4m3;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("destination_type", self.destination_type);
    }
    static constexpr void infer(const fake_convert& self, inference& facts) {
        if (self.destination_type != f8e4m3 && self.destination_type != f8e5m2) {
            facts.wrong({"destination_type must be f8e4m3 or f8e5m2, not ", lpt::name(self.destination_type)});
        }
        for (std::size_t port = 1; port < facts.inputs(); ++port) {
            const shape& data = facts.dimensions(0);
            const bool has_more_axes = data.rank_is_static() && facts.dimensions(port).rank() > data.rank();
            if (has_more_axes || !fake_quantize::broadcasts_to(facts.dimensions(port), data)) {
                facts.wrong({"input ", port, " of shape ", facts.dimensions(port), " does not broadcast to ",
                             facts.dimensions(0)});
            }
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const fake_convert&, const fake_convert&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
