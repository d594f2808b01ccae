// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of real and complex numbers, whose two parts lie along the last axis.
#pragma once

#include <lpt/op/movement/port_values.hpp>
#include <lpt/op/sizes.hpp>

namespace lpt::inline LPT_ABI::op {

namespace detail {

/// The axes that are transformed, counted from the front among the first `rank`; false if they are not known.
constexpr bool transformed_axes(const inference& facts, std::size_t rank, integers& axes) {
    if (!known_axes(facts, 1, rank, axes)) {
        return false;
    }
    if (axes.empty() || has_duplicates(axes)) {
        facts.wrong({"axes (input 1) must each be named once, and one at least"});
    }
    return true;
}

/// The length of the transform along axis number `which` of `axes`: the given one, or that of the data where none or -1 is given.
constexpr dimension transform_length(const inference& facts, std::size_t which, std::size_t axes, dimension otherwise) {
    if (facts.inputs() < 3) {
        return otherwise;
    }
    integers lengths;
    if (!facts.values(2, lengths)) {
        return dynamic_dimension;
    }
    if (lengths.size() != axes) {
        facts.wrong({"signal sizes (input 2) must be ", axes, " numbers, one for each axis, not ", lengths.size()});
    }
    const std::int64_t length = lengths[which];
    if (length == unknown_value) {
        return dynamic_dimension;
    }
    if (length < -1 || length == 0 || length > most_elements) {
        facts.wrong({"signal size ", length, " must be positive, or -1 for the size of the data"});
    }
    return length == -1 ? otherwise : length;
}

/// What a transform of two parts gives; `is_real_in`, `is_real_out`: the data, or the output, has no axis for the parts.
constexpr void infer_transform(inference& facts, bool is_real_in, bool is_real_out) {
    shape data = facts.dimensions(0);
    require_real(facts, 0);
    if (data.rank_is_dynamic()) {
        return facts.output(facts.type(0), data);
    }
    const std::size_t parts = is_real_in ? 0 : 1;
    dimension two = 2;
    if (data.rank() < 1 + parts || (!is_real_in && !merge_dimension(two, data[data.rank() - 1]))) {
        facts.wrong({"data of shape ", data, " has no ", is_real_in ? "axis" : "complex numbers along its last axis"});
    }
    if (!is_real_in) {
        data = shape(view<dimension>(data.dimensions().data(), data.rank() - 1));
    }
    integers axes;
    const bool known = transformed_axes(facts, data.rank(), axes);
    for (std::size_t i = 0; known && i < axes.size(); ++i) {
        dimension& size = data[static_cast<std::size_t>(axes[i])];
        const bool is_last = i + 1 == axes.size();
        const bool doubles = is_last && is_real_out;
        const dimension own = doubles && size != dynamic_dimension ? 2 * (size - 1) : size;
        const dimension length = transform_length(facts, i, axes.size(), own);
        const bool halves = is_last && is_real_in && length != dynamic_dimension;
        if (length == 0) {
            facts.wrong({"axis ", axes[i], " of data of shape ", facts.dimensions(0), " has too few elements"});
        }
        size = halves ? length / 2 + 1 : length;
    }
    if (!known && (facts.inputs() > 2 || is_real_in || is_real_out)) {
        data = shape::of_rank(data.rank());
    }
    if (!is_real_out) {
        data.push_back(2);
    }
    facts.output(facts.type(0), data);
}

}  // namespace detail

/// The discrete Fourier transform along some axes, one after the other.
///
/// y[k] = sum over n of x[n] * exp(-2 pi i k n / length). Inputs: x [sizes…, 2] with real and imaginary parts along the last axis; axes
/// (integers, each once, not the last; negative ones count from the one before it); perhaps the lengths (-1: that of x), for which x is cut off
/// or continued with zeros. Output: [sizes…, 2]. Source: OpenVINO operation set, DFT-7.
struct dft {
    static constexpr auto number = kind::dft;
    static constexpr text_view name = "DFT";
    static constexpr versions opsets{7};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    static constexpr void infer(const dft&, inference& facts) { detail::infer_transform(facts, false, false); }
    friend constexpr bool operator==(const dft&, const dft&) = default;
};

/// The inverse of `dft`: y[n] = 1 / length * sum over k of x[k] * exp(2 pi i k n / length). Source: OpenVINO operation set, IDFT-7.
struct idft {
    static constexpr auto number = kind::idft;
    static constexpr text_view name = "IDFT";
    static constexpr versions opsets{7};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    static constexpr void infer(const idft&, inference& facts) { detail::infer_transform(facts, false, false); }
    friend constexpr bool operator==(const idft&, const idft&) = default;
};

/// `dft` of real numbers [sizes…]: of the last of the axes only the first length / 2 + 1 numbers, the others being their mirror.
///
/// Output: [sizes…, 2]. Source: OpenVINO operation set, RDFT-9.
struct rdft {
    static constexpr auto number = kind::rdft;
    static constexpr text_view name = "RDFT";
    static constexpr versions opsets{9};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    static constexpr void infer(const rdft&, inference& facts) { detail::infer_transform(facts, true, false); }
    friend constexpr bool operator==(const rdft&, const rdft&) = default;
};

/// The inverse of `rdft`: [sizes…, 2], of the last of the axes the first half, to real numbers [sizes…].
///
/// The length of that axis is 2 * (size - 1) unless it is given. Source: OpenVINO operation set, IRDFT-9.
struct irdft {
    static constexpr auto number = kind::irdft;
    static constexpr text_view name = "IRDFT";
    static constexpr versions opsets{9};
    static constexpr ports inputs{2, 3};
    static constexpr ports outputs{1, 1};
    static constexpr trait traits = trait::reads_values;

    static constexpr void infer(const irdft&, inference& facts) { detail::infer_transform(facts, false, true); }
    friend constexpr bool operator==(const irdft&, const irdft&) = default;
};

}  // namespace lpt::inline LPT_ABI::op
