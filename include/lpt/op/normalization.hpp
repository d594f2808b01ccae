// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/op/row.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// Raises an error where an axis attribute is outside the rank of the data.
constexpr void require_axis(const inference& facts, std::int64_t axis, const shape& data) {
    if (data.rank_is_static() && normalized_axis(axis, data.rank()) < 0) {
        facts.wrong({"axis ", axis, " is outside the rank of data of shape ", data});
    }
}

/// Raises an error where axes at a port are no integers, or constant ones are outside the rank of the data.
constexpr void require_axes(const inference& facts, std::size_t port, const shape& data) {
    facts.require_integers(port);
    if (const tensor* axes = facts.constant(port)) {
        for (const std::int64_t axis : integers_of(*axes)) {
            require_axis(facts, axis, data);
        }
    }
}

/// Raises an error unless the input can have one axis whose size agrees with `size`, which takes what is learnt.
constexpr void require_vector(const inference& facts, std::size_t port, dimension& size) {
    const shape& dimensions = facts.dimensions(port);
    if (dimensions.rank_is_static() && (dimensions.rank() != 1 || !merge_dimension(size, dimensions[0]))) {
        facts.wrong({"input ", port, " must have shape ", shape{size}, ", not ", dimensions});
    }
}

}  // namespace detail

/// Where MVN adds eps.
enum class mvn_eps_mode { inside_sqrt, outside_sqrt };
inline constexpr text_view mvn_eps_mode_words[] = {"INSIDE_SQRT", "OUTSIDE_SQRT"};
constexpr view<text_view> words_of(mvn_eps_mode) { return mvn_eps_mode_words; }

/// Subtracts the mean over some axes and, with `normalize_variance`, divides by the standard deviation.
///
/// y = (x - mean) / sqrt(variance + eps), or / (sqrt(variance) + eps) with `outside_sqrt`; eps > 0.
/// Version 6: inputs x, axes (integers in [-rank, rank)). Version 0: input x; the axes are `reduction_axes`, or, if that
/// is empty, those after the batch (with `across_channels`) or after batch and channel; the eps mode is `inside_sqrt`.
struct mvn {
    static constexpr auto number = kind::mvn;
    static constexpr text_view name = "MVN";
    static constexpr versions opsets{0, 6};
    static constexpr ports inputs{1, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable | trait::quantizable;

    double eps = 1e-9;
    bool across_channels = true;
    bool normalize_variance = true;
    integers reduction_axes{};
    mvn_eps_mode eps_mode = mvn_eps_mode::inside_sqrt;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("eps", self.eps);
        visit("across_channels", self.across_channels, in_versions{0, 0});
        visit("normalize_variance", self.normalize_variance);
        visit("reduction_axes", self.reduction_axes, in_versions{0, 0});
        visit("eps_mode", self.eps_mode, in_versions{6});
    }
    static constexpr void infer(const mvn& self, inference& facts) {
        const shape& data = facts.dimensions(0);
        const std::size_t wanted = facts.version() < 6 ? 1 : 2;
        if (facts.inputs() != wanted) {
            facts.wrong({"version ", facts.version(), " has ", wanted, " inputs, not ", facts.inputs()});
        }
        if (wanted == 1) {
            for (const std::int64_t axis : self.reduction_axes) {
                detail::require_axis(facts, axis, data);
            }
        } else {
            detail::require_axes(facts, 1, data);
        }
        facts.output(facts.type(0), data);
    }
    friend constexpr bool operator==(const mvn&, const mvn&) = default;
};

/// How NormalizeL2 keeps the norm away from zero.
enum class normalize_eps_mode { add, max };
inline constexpr text_view normalize_eps_mode_words[] = {"add", "max"};
constexpr view<text_view> words_of(normalize_eps_mode) { return normalize_eps_mode_words; }

/// y = x / sqrt(sum of x^2 over the axes + eps), or / sqrt(max(sum, eps)) with `max`.
///
/// Inputs: x, axes (integers in [-rank, rank); none: every element is divided by its own norm). eps > 0.
struct normalize_l2 {
    static constexpr auto number = kind::normalize_l2;
    static constexpr text_view name = "NormalizeL2";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::relaxable | trait::quantizable;

    double eps = 0;
    normalize_eps_mode eps_mode = normalize_eps_mode::add;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("eps", self.eps);
        visit("eps_mode", self.eps_mode);
    }
    static constexpr void infer(const normalize_l2&, inference& facts) {
        detail::require_axes(facts, 1, facts.dimensions(0));
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const normalize_l2&, const normalize_l2&) = default;
};

/// y = exp(x) / (sum of exp(x) along `axis`).
///
/// `axis` is in [0, rank) in version 1, in [-rank, rank) from version 8 on.
struct softmax {
    static constexpr auto number = kind::softmax;
    static constexpr text_view name = "Softmax";
    static constexpr versions opsets{1, 8};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    std::int64_t axis = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
    static constexpr void infer(const softmax& self, inference& facts) {
        if (self.axis < 0 && facts.version() < 8) {
            facts.wrong(
                {"axis ", self.axis, " counts from the back, which version ", facts.version(), " does not allow"});
        }
        detail::require_axis(facts, self.axis, facts.dimensions(0));
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const softmax&, const softmax&) = default;
};

/// y = x - log(sum of exp(x) along `axis`); `axis` is in [-rank, rank).
struct log_softmax {
    static constexpr auto number = kind::log_softmax;
    static constexpr text_view name = "LogSoftmax";
    static constexpr versions opsets{5};
    static constexpr ports inputs{1, 1};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    std::int64_t axis = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("axis", self.axis);
    }
    static constexpr void infer(const log_softmax& self, inference& facts) {
        detail::require_axis(facts, self.axis, facts.dimensions(0));
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const log_softmax&, const log_softmax&) = default;
};

/// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, channel by channel (axis 1 of x).
///
/// Inputs: x, gamma, beta, mean, variance; in version 0 gamma, beta, x, mean, variance. All but x have shape [channels].
/// epsilon >= 0.
struct batch_norm_inference {
    static constexpr auto number = kind::batch_norm_inference;
    static constexpr text_view name = "BatchNormInference";
    static constexpr versions opsets{0, 5};
    static constexpr ports inputs{5, 5};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    double epsilon = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("epsilon", self.epsilon);
    }
    /// The input that brings x.
    static constexpr std::size_t data_port(int version) { return version < 5 ? 2 : 0; }
    static constexpr void infer(const batch_norm_inference& self, inference& facts) {
        if (self.epsilon < 0) {
            facts.wrong({"epsilon must not be negative, but is ", self.epsilon});
        }
        const std::size_t data = data_port(facts.version());
        shape dimensions = facts.dimensions(data);
        if (dimensions.rank_is_static() && dimensions.rank() < 2) {
            facts.wrong({"data must have a batch and a channel axis, not shape ", dimensions});
        }
        dimension channels = dimensions.rank_is_static() ? dimensions[1] : dynamic_dimension;
        for (std::size_t port = 0; port < 5; ++port) {
            if (port != data) {
                detail::require_vector(facts, port, channels);
            }
        }
        if (dimensions.rank_is_static()) {
            dimensions[1] = channels;
        }
        facts.output(facts.type(data), lpt::move(dimensions));
    }
    friend constexpr bool operator==(const batch_norm_inference&, const batch_norm_inference&) = default;
};

/// y = x / (bias + alpha / size^axes * (sum of x^2 in a window of `size` along the axes))^beta.
///
/// Inputs: x, axes (integers in [-rank, rank)). `size`: 1 to 2^31 - 1, odd for a window that is centred on its element.
struct lrn {
    static constexpr auto number = kind::lrn;
    static constexpr text_view name = "LRN";
    static constexpr versions opsets{0};
    static constexpr ports inputs{2, 2};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    double alpha = 1;
    double beta = 0.5;
    double bias = 1;
    std::int64_t size = 1;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("alpha", self.alpha);
        visit("beta", self.beta);
        visit("bias", self.bias);
        visit("size", self.size);
    }
    static constexpr void infer(const lrn& self, inference& facts) {
        facts.require("size", self.size, 1, most_step);
        detail::require_axes(facts, 1, facts.dimensions(0));
        facts.output(facts.type(0), facts.dimensions(0));
    }
    friend constexpr bool operator==(const lrn&, const lrn&) = default;
};

/// y = scale * (x - mean) / sqrt(variance + epsilon) + bias; mean and variance of each group of channels of each sample.
///
/// Inputs: x [batch, channels, …], scale [channels], bias [channels]. `num_groups` >= 1 divides the channels.
struct group_normalization {
    static constexpr auto number = kind::group_normalization;
    static constexpr text_view name = "GroupNormalization";
    static constexpr versions opsets{12};
    static constexpr ports inputs{3, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::none;

    std::int64_t num_groups = 1;
    double epsilon = 0;

    template <class Self, class Visit>
    static constexpr void fields(Self& self, Visit&& visit) {
        visit("num_groups", self.num_groups);
        visit("epsilon", self.epsilon);
    }
    static constexpr void infer(const group_normalization& self, inference& facts) {
        shape dimensions = facts.dimensions(0);
        if (dimensions.rank_is_static() && dimensions.rank() < 2) {
            facts.wrong({"data must have a batch and a channel axis, not shape ", dimensions});
        }
        dimension channels = dimensions.rank_is_static() ? dimensions[1] : dynamic_dimension;
        detail::require_vector(facts, 1, channels);
        detail::require_vector(facts, 2, channels);
        facts.require("num_groups", self.num_groups, 1, most_step);
        if (channels != dynamic_dimension && channels % self.num_groups != 0) {
            facts.wrong(
                {"num_groups ", self.num_groups, " does not divide the channels of data of shape ", dimensions});
        }
        if (dimensions.rank_is_static()) {
            dimensions[1] = channels;
        }
        facts.output(facts.type(0), lpt::move(dimensions));
    }
    friend constexpr bool operator==(const group_normalization&, const group_normalization&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
