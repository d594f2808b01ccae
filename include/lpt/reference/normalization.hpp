// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

/// For each element of a tensor the number of the group that it is normalised with: elements that differ in the reduced axes only.
class element_groups {
    const shape& data_;
    seq<bool, 8> reduced_;
    std::size_t count_ = 1;

public:
    constexpr element_groups(const shape& data, const integers& axes)
        : data_(data), reduced_(evaluation::detail::reduced_axes(axes, data.rank())) {
        for (std::size_t axis = 0; axis < data.rank(); ++axis) {
            count_ *= reduced_[axis] ? 1 : static_cast<std::size_t>(data[axis]);
        }
    }
    constexpr std::size_t count() const { return count_; }
    /// The number of elements of one group.
    constexpr double size() const { return static_cast<double>(data_.elements()) / static_cast<double>(count_); }
    /// Calls `visit(element, group)` for each element in order.
    template <class Visit>
    constexpr void for_each(Visit visit) const {
        evaluation::detail::for_each_reduced_row(
            data_, reduced_, [&](std::size_t at, std::size_t group, std::size_t length, std::size_t step) {
                for (std::size_t i = 0; i < length; ++i) {
                    visit(at + i, group + i * step);
                }
            });
    }
};

struct moments {
    seq<double> mean;
    seq<double> variance;
};

template <class Real>
constexpr moments moments_of(const operand<Real>& x, const element_groups& groups) {
    moments result{seq<double>(groups.count(), 0.0), seq<double>(groups.count(), 0.0)};
    groups.for_each([&](std::size_t i, std::size_t group) { result.mean[group] += static_cast<double>(x[i]); });
    for (double& mean : result.mean) {
        mean /= groups.size();
    }
    groups.for_each([&](std::size_t i, std::size_t group) {
        const double distance = static_cast<double>(x[i]) - result.mean[group];
        result.variance[group] += distance * distance;
    });
    for (double& variance : result.variance) {
        variance /= groups.size();
    }
    return result;
}

/// The axes of MVN: an input from version 6 on; in version 0 an attribute, or what `across_channels` says.
constexpr integers mvn_axes(const call& node) {
    const auto& self = node.as<op::mvn>();
    if (node.version >= 6) {
        return node.integers_at(1);
    }
    integers axes = self.reduction_axes;
    for (std::size_t axis = self.across_channels ? 1 : 2;
         self.reduction_axes.empty() && axis < node.dimensions(0).rank(); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    return axes;
}

template <class Real>
constexpr tensor mvn(const call& node) {
    const auto& self = node.as<op::mvn>();
    const bool outside_root = node.version >= 6 && self.eps_mode == op::mvn_eps_mode::outside_sqrt;
    const element_groups groups(node.dimensions(0), mvn_axes(node));
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    const moments all = moments_of(x, groups);
    seq<double> divisor(groups.count(), 1.0);
    for (std::size_t i = 0; self.normalize_variance && i < divisor.size(); ++i) {
        divisor[i] = outside_root ? math::sqrt(all.variance[i]) + self.eps : math::sqrt(all.variance[i] + self.eps);
    }
    groups.for_each([&](std::size_t i, std::size_t group) {
        result[i] = static_cast<Real>((static_cast<double>(x[i]) - all.mean[group]) / divisor[group]);
    });
    return result.finish();
}

template <class Real>
constexpr tensor normalize_l2(const call& node) {
    const auto& self = node.as<op::normalize_l2>();
    const element_groups groups(node.dimensions(0), node.integers_at(1));
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    seq<double> norm(groups.count(), 0.0);
    groups.for_each([&](std::size_t i, std::size_t group) {
        norm[group] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    });
    for (double& each : norm) {
        each =
            math::sqrt(self.eps_mode == op::normalize_eps_mode::add ? each + self.eps : math::maximum(each, self.eps));
    }
    groups.for_each([&](std::size_t i, std::size_t group) {
        result[i] = static_cast<Real>(static_cast<double>(x[i]) / norm[group]);
    });
    return result.finish();
}

template <class Real>
constexpr tensor softmax(const call& node, std::int64_t axis_value, bool logarithm) {
    const shape& data = node.dimensions(0);
    const element_groups groups(data,
                                data.rank() == 0 ? integers{} : integers{normalized_axis(axis_value, data.rank())});
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    seq<double> most(groups.count(), -math::infinity);
    seq<double> sum(groups.count(), 0.0);
    seq<double> powers(result.elements(), 0.0);
    groups.for_each(
        [&](std::size_t i, std::size_t group) { most[group] = math::maximum(most[group], static_cast<double>(x[i])); });
    groups.for_each([&](std::size_t i, std::size_t group) {
        powers[i] = math::exp(static_cast<double>(x[i]) - most[group]);
        sum[group] += powers[i];
    });
    groups.for_each([&](std::size_t i, std::size_t group) {
        result[i] = static_cast<Real>(logarithm ? static_cast<double>(x[i]) - most[group] - math::log(sum[group])
                                                : powers[i] / sum[group]);
    });
    return result.finish();
}

template <class Real>
constexpr tensor batch_norm(const call& node) {
    const bool data_first = node.version >= 5;
    const std::size_t port = data_first ? 0 : 2;
    const shape& data = node.dimensions(port);
    operand<Real> x(node.input(port));
    operand<Real> gamma(node.input(data_first ? 1 : 0));
    operand<Real> beta(node.input(data_first ? 2 : 1));
    operand<Real> mean(node.input(3));
    operand<Real> variance(node.input(4));
    outcome<Real> result(node.output());
    const std::size_t inner = elements_between(data, 2, data.rank());
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const std::size_t channel = i / inner % static_cast<std::size_t>(data[1]);
        const double root =
            math::sqrt(static_cast<double>(variance[channel]) + node.as<op::batch_norm_inference>().epsilon);
        const double centred = static_cast<double>(x[i]) - static_cast<double>(mean[channel]);
        result[i] = static_cast<Real>(static_cast<double>(gamma[channel]) * (centred / root) +
                                      static_cast<double>(beta[channel]));
    }
    return result.finish();
}

/// Adds up the squares in a window of `size` places around each place of one axis.
constexpr seq<double> window_sums(const seq<double>& squares, const shape& data, std::size_t axis, std::int64_t size) {
    const std::int64_t stride = evaluation::strides_of(data)[axis];
    const std::int64_t before = (size - 1) / 2;
    seq<double> result(squares.size(), 0.0);
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t place = at / stride % data[axis];
        const std::int64_t first = math::maximum<std::int64_t>(0, place - before);
        const std::int64_t last = math::minimum(data[axis], place - before + size);
        for (std::int64_t other = first; other < last; ++other) {
            result[i] += squares[static_cast<std::size_t>(at + (other - place) * stride)];
        }
    }
    return result;
}

template <class Real>
constexpr tensor lrn(const call& node) {
    const auto& self = node.as<op::lrn>();
    const shape& data = node.dimensions(0);
    const seq<bool, 8> windowed = evaluation::detail::reduced_axes(node.integers_at(1), data.rank());
    operand<Real> x(node.input(0));
    outcome<Real> result(node.output());
    seq<double> sums;
    for (std::size_t i = 0; i < result.elements(); ++i) {
        sums.push_back(static_cast<double>(x[i]) * static_cast<double>(x[i]));
    }
    double volume = 1;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (windowed[axis]) {
            sums = window_sums(sums, data, axis, self.size);
            volume *= static_cast<double>(self.size);
        }
    }
    for (std::size_t i = 0; i < result.elements(); ++i) {
        const double base = self.bias + self.alpha / volume * sums[i];
        result[i] = static_cast<Real>(static_cast<double>(x[i]) / math::power(base, self.beta));
    }
    return result.finish();
}

template <class Real>
constexpr tensor group_normalization(const call& node) {
    const auto& self = node.as<op::group_normalization>();
    const shape& data = node.dimensions(0);
    const dimension batches = data[0] * self.num_groups;
    const shape grouped{batches, batches == 0 ? 0 : static_cast<dimension>(data.elements()) / batches};
    const element_groups groups(grouped, {1});
    operand<Real> x(node.input(0));
    operand<Real> scale(node.input(1));
    operand<Real> bias(node.input(2));
    outcome<Real> result(node.output());
    const moments all = moments_of(x, groups);
    const std::size_t inner = elements_between(data, 2, data.rank());
    groups.for_each([&](std::size_t i, std::size_t group) {
        const std::size_t channel = i / inner % static_cast<std::size_t>(data[1]);
        const double centred = static_cast<double>(x[i]) - all.mean[group];
        const double normal = centred / math::sqrt(all.variance[group] + self.epsilon);
        result[i] =
            static_cast<Real>(normal * static_cast<double>(scale[channel]) + static_cast<double>(bias[channel]));
    });
    return result.finish();
}

template <class Real>
constexpr bool normalization(const call& node, seq<tensor>& outputs) {
    switch (node.kind()) {
        case op::kind::mvn: outputs.push_back(mvn<Real>(node)); return true;
        case op::kind::normalize_l2: outputs.push_back(normalize_l2<Real>(node)); return true;
        case op::kind::softmax: outputs.push_back(softmax<Real>(node, node.as<op::softmax>().axis, false)); return true;
        case op::kind::log_softmax:
            outputs.push_back(softmax<Real>(node, node.as<op::log_softmax>().axis, true));
            return true;
        case op::kind::batch_norm_inference: outputs.push_back(batch_norm<Real>(node)); return true;
        case op::kind::lrn: outputs.push_back(lrn<Real>(node)); return true;
        case op::kind::group_normalization: outputs.push_back(group_normalization<Real>(node)); return true;
        default: return false;
    }
}

}  // namespace detail

/// Normalizations and softmaxes; sums and functions in double, results rounded once.
[[gnu::cold]] inline bool evaluate_normalization(const call& node, seq<tensor>& outputs) {
    return detail::with_real(node.output().type,
                             [&](auto zero) { return detail::normalization<decltype(zero)>(node, outputs); });
}

}  // namespace lpt::inline LPT_ABI::reference
