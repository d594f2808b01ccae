// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/user.hpp>

/// Operation types that are not the library's, for tests of what it does with them.
namespace own {

namespace op = lpt::op;

/// Moves the channels (axis 1) of its input on by `shift`, in a circle. Data may be 8-bit integers; they stay so.
struct channel_roll {
    static constexpr lpt::text_view name = "ChannelRoll";
    static constexpr auto number = op::user_kind("ChannelRoll");
    static constexpr op::versions opsets{1, 2};
    static constexpr op::ports inputs{1, 1};
    static constexpr op::ports outputs{1, 1};
    static constexpr op::trait traits = op::trait::movement;
    static constexpr op::low_precision low_precision{.rule = op::dequantization_rule::same, .types = {lpt::u8}};

    std::int64_t shift = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("shift", self.shift);
    }
    static constexpr void infer(const channel_roll&, op::inference& facts) {
        if (facts.dimensions(0).rank_is_static() && facts.dimensions(0).rank() < 2) {
            facts.wrong({"there is no channel axis in ", to_text(facts.dimensions(0))});
        }
        facts.output(facts.type(0), facts.dimensions(0));
    }
    static constexpr void evaluate(const channel_roll& self, lpt::view<lpt::tensor> data,
                                   lpt::view<op::output_facts> facts, lpt::seq<lpt::tensor>& results) {
        const lpt::shape& dimensions = facts[0].dimensions;
        const auto channels = static_cast<std::size_t>(dimensions[1]);
        const auto batch = static_cast<std::size_t>(dimensions[0]);
        const std::size_t inner = channels == 0 || batch == 0 ? 0 : data[0].elements() / channels / batch;
        lpt::tensor_builder result(facts[0].type, dimensions);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            const std::size_t channel = i / inner % channels;
            const auto move = static_cast<std::size_t>(self.shift) % channels;
            const std::size_t from = (channel + channels - move) % channels;
            result.real(i, data[0].real(i + from * inner - channel * inner));
        }
        results.push_back(result.finish());
    }
    friend constexpr bool operator==(const channel_roll&, const channel_roll&) = default;
};

/// The product of its two inputs of equal shape: scales of both move behind it. It has no attributes.
struct own_product {
    static constexpr lpt::text_view name = "OwnProduct";
    static constexpr auto number = op::user_kind("OwnProduct");
    static constexpr op::versions opsets{1};
    static constexpr op::ports inputs{2, 2};
    static constexpr op::ports outputs{1, 1};
    static constexpr op::trait traits = op::trait::none;
    static constexpr op::low_precision low_precision{.rule = op::dequantization_rule::scaled, .ports = {0, 1}};

    static constexpr void infer(const own_product&, op::inference& facts) {
        facts.output(facts.type(0), facts.dimensions(0));
    }
    static constexpr void evaluate(const own_product&, lpt::view<lpt::tensor> data, lpt::view<op::output_facts> facts,
                                   lpt::seq<lpt::tensor>& results) {
        lpt::tensor_builder result(facts[0].type, facts[0].dimensions);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            result.real(i, data[0].real(i) * data[1].real(i));
        }
        results.push_back(result.finish());
    }
    friend constexpr bool operator==(const own_product&, const own_product&) = default;
};

/// The larger of two inputs; both must mean the same by the same integer.
struct own_larger {
    static constexpr lpt::text_view name = "OwnLarger";
    static constexpr auto number = op::user_kind("OwnLarger");
    static constexpr op::versions opsets{1};
    static constexpr op::ports inputs{2, 2};
    static constexpr op::ports outputs{1, 1};
    static constexpr op::trait traits = op::trait::none;
    static constexpr op::low_precision low_precision{.rule = op::dequantization_rule::same,
                                                     .ports = {0, 1},
                                                     .types = {lpt::u8, lpt::i8},
                                                     .per_channel = true,
                                                     .negative_scale = false};

    static constexpr void infer(const own_larger&, op::inference& facts) {
        facts.output(facts.type(0), facts.dimensions(0));
    }
    static constexpr void evaluate(const own_larger&, lpt::view<lpt::tensor> data, lpt::view<op::output_facts> facts,
                                   lpt::seq<lpt::tensor>& results) {
        lpt::tensor_builder result(facts[0].type, facts[0].dimensions);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            result.real(i, lpt::math::maximum(data[0].real(i), data[1].real(i)));
        }
        results.push_back(result.finish());
    }
    friend constexpr bool operator==(const own_larger&, const own_larger&) = default;
};

/// Declared as little as possible: it has a place in graphs and nothing else.
struct opaque {
    static constexpr lpt::text_view name = "Opaque";
    static constexpr auto number = op::user_kind("Opaque");
    static constexpr op::versions opsets{1};
    static constexpr op::ports inputs{0, op::ports::any};
    static constexpr op::ports outputs{1, 1};
    static constexpr op::trait traits = op::trait::none;
    static constexpr void infer(const opaque&, op::inference& facts) {
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const opaque&, const opaque&) = default;
};

}  // namespace own
