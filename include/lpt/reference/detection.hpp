// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/reference/activation.hpp>

#include <algorithm>
#include <vector>

namespace lpt::inline LPT_ABI::reference {

namespace detail {

// ---- NonMaxSuppression

template <class Real>
struct kept_box {
    Real score = 0;
    std::int64_t image = 0;
    std::int64_t kind = 0;  // class
    std::int64_t index = 0;
};

/// A box by its least and greatest coordinates.
template <class Real>
struct box_corners {
    Real y1, x1, y2, x2;

    static box_corners of(const Real* from, op::box_encoding encoding) {
        if (encoding == op::box_encoding::corner) {
            return {std::min(from[0], from[2]), std::min(from[1], from[3]), std::max(from[0], from[2]),
                    std::max(from[1], from[3])};
        }
        const Real width = from[2] / 2;
        const Real height = from[3] / 2;
        return {from[1] - height, from[0] - width, from[1] + height, from[0] + width};
    }
    Real area() const { return (y2 - y1) * (x2 - x1); }
};

template <class Real>
Real intersection_over_union(const box_corners<Real>& a, const box_corners<Real>& b) {
    const Real height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
    const Real width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
    if (!(height > 0) || !(width > 0) || !(a.area() > 0) || !(b.area() > 0)) {
        return 0;
    }
    const Real both = height * width;
    return both / (a.area() + b.area() - both);
}

/// What decides which boxes of one image and class are kept.
template <class Real>
struct suppression {
    std::int64_t most = 0;
    Real overlap = 0;
    Real least_score = 0;
    Real sigma = 0;

    /// A box that waits for its turn, and how many of the kept ones it was compared with.
    struct candidate {
        Real score;
        std::int64_t index;
        std::size_t compared = 0;

        bool operator<(const candidate& other) const {  // the greatest of a heap comes first
            return score != other.score ? score < other.score : index > other.index;
        }
    };

    void operator()(const std::vector<box_corners<Real>>& boxes, const Real* scores, std::int64_t image,
                    std::int64_t kind, std::vector<kept_box<Real>>& kept) const {
        std::vector<candidate> waiting;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (scores[i] > least_score) {
                waiting.push_back({scores[i], static_cast<std::int64_t>(i)});
            }
        }
        std::make_heap(waiting.begin(), waiting.end());
        const std::size_t first = kept.size();
        while (!waiting.empty() && static_cast<std::int64_t>(kept.size() - first) < most) {
            std::pop_heap(waiting.begin(), waiting.end());
            candidate next = waiting.back();
            waiting.pop_back();
            const Real before = next.score;
            if (!survives(next, boxes, kept, first)) {
                continue;
            }
            if (next.score == before) {
                kept.push_back({next.score, image, kind, next.index});
            } else if (next.score > least_score) {
                waiting.push_back(next);
                std::push_heap(waiting.begin(), waiting.end());
            }
        }
    }

private:
    /// False for a box that lies over a kept one; lowers its score otherwise.
    bool survives(candidate& next, const std::vector<box_corners<Real>>& boxes, const std::vector<kept_box<Real>>& kept,
                  std::size_t first) const {
        for (std::size_t i = kept.size(); i > first + next.compared; --i) {
            const Real shared = intersection_over_union(boxes[static_cast<std::size_t>(next.index)],
                                                        boxes[static_cast<std::size_t>(kept[i - 1].index)]);
            if (shared > overlap) {
                return false;
            }
            if (sigma > 0) {
                const double weight =
                    math::exp(-0.5 / static_cast<double>(sigma) * static_cast<double>(shared * shared));
                next.score = static_cast<Real>(static_cast<double>(next.score) * weight);
            }
        }
        next.compared = kept.size() - first;
        return true;
    }
};

template <class Real>
void non_max_suppression(const call& node, seq<tensor>& outputs) {
    const auto& self = node.as<op::non_max_suppression>();
    const auto count = static_cast<std::size_t>(node.dimensions(0)[1]);
    const auto classes = static_cast<std::size_t>(node.dimensions(1)[1]);
    const operand<Real> boxes(node.input(0));
    const operand<Real> scores(node.input(1));
    const suppression<Real> choose{node.integer_at(2), static_cast<Real>(node.real_at(3)),
                                   static_cast<Real>(node.real_at(4)), static_cast<Real>(node.real_at(5))};
    std::vector<kept_box<Real>> kept;
    for (std::size_t image = 0; image < static_cast<std::size_t>(node.dimensions(0)[0]); ++image) {
        std::vector<box_corners<Real>> corners;
        for (std::size_t i = 0; i < count; ++i) {
            corners.push_back(box_corners<Real>::of(boxes.data() + (image * count + i) * 4, self.box_encoding));
        }
        for (std::size_t kind = 0; kind < classes; ++kind) {
            choose(corners, scores.data() + (image * classes + kind) * count, static_cast<std::int64_t>(image),
                   static_cast<std::int64_t>(kind), kept);
        }
    }
    if (self.sort_result_descending) {
        std::sort(kept.begin(), kept.end(), [](const kept_box<Real>& a, const kept_box<Real>& b) {
            return a.score != b.score   ? a.score > b.score
                   : a.image != b.image ? a.image < b.image
                   : a.kind != b.kind   ? a.kind < b.kind
                                        : a.index < b.index;
        });
    }
    const shape dimensions{static_cast<dimension>(kept.size()), 3};
    tensor_builder indices(self.output_type, dimensions);
    outcome<Real> values(node.output(1).type, dimensions);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        indices.integer(3 * i, kept[i].image);
        indices.integer(3 * i + 1, kept[i].kind);
        indices.integer(3 * i + 2, kept[i].index);
        values[3 * i] = static_cast<Real>(kept[i].image);
        values[3 * i + 1] = static_cast<Real>(kept[i].kind);
        values[3 * i + 2] = kept[i].score;
    }
    tensor_builder number(self.output_type, shape{1});
    number.integer(0, static_cast<std::int64_t>(kept.size()));
    outputs.push_back(indices.finish());
    outputs.push_back(values.finish());
    outputs.push_back(number.finish());
}

// ---- ROIAlign

/// The samples of the bins of one region along one axis: the two elements that each lies between, and how near the second one is.
template <class Real>
struct sampled_axis {
    struct sample {
        std::size_t low = 0;
        std::size_t high = 0;
        Real rest = 0;
        bool is_outside = false;
    };
    std::vector<sample> samples;  // bin by bin
    std::size_t in_bin = 0;

    sampled_axis(Real begin, Real end, std::int64_t bins, std::int64_t size, const op::roi_align& self) {
        constexpr Real most_samples = 65536;  // along one axis
        Real extent = end - begin;
        if (self.aligned_mode == op::roi_aligned_mode::asymmetric) {
            extent = std::max(extent, Real(1));
        }
        const Real width = extent / static_cast<Real>(bins);
        const Real wanted = self.sampling_ratio > 0 ? static_cast<Real>(self.sampling_ratio) : math::ceil(width);
        if (!math::is_finite(begin) || !math::is_finite(end) || wanted * static_cast<Real>(bins) > most_samples) {
            fail({"ROIAlign: a region from ", static_cast<double>(begin), " to ", static_cast<double>(end), " in ",
                  bins, " bins cannot be sampled"});
        }
        in_bin = wanted > 0 ? static_cast<std::size_t>(wanted) : 0;
        for (std::int64_t bin = 0; bin < bins; ++bin) {
            for (std::size_t i = 0; i < in_bin; ++i) {
                samples.push_back(at(begin + static_cast<Real>(bin) * width +
                                         (static_cast<Real>(i) + Real(0.5)) * width / static_cast<Real>(in_bin),
                                     size));
            }
        }
    }

private:
    static sample at(Real place, std::int64_t size) {
        sample result;
        if (size == 0 || !(place >= -1) || place > static_cast<Real>(size)) {
            result.is_outside = true;
            return result;
        }
        place = std::max(place, Real(0));
        const std::int64_t low = static_cast<std::int64_t>(place);
        const bool is_last = low >= size - 1;
        result.low = static_cast<std::size_t>(is_last ? size - 1 : low);
        result.high = is_last ? result.low : result.low + 1;
        result.rest = is_last ? Real(0) : place - static_cast<Real>(low);
        return result;
    }
};

/// One bin of one channel.
template <class Real>
Real pooled(const Real* channel, std::size_t columns, const typename sampled_axis<Real>::sample* y, std::size_t rows,
            const typename sampled_axis<Real>::sample* x, std::size_t places, op::roi_pooling mode) {
    Real sum = 0;
    Real most = 0;
    bool is_first = true;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t k = 0; k < places; ++k) {
            Real parts[4] = {};
            if (!y[i].is_outside && !x[k].is_outside) {
                const Real up = 1 - y[i].rest;
                const Real left = 1 - x[k].rest;
                parts[0] = up * left * channel[y[i].low * columns + x[k].low];
                parts[1] = up * x[k].rest * channel[y[i].low * columns + x[k].high];
                parts[2] = y[i].rest * left * channel[y[i].high * columns + x[k].low];
                parts[3] = y[i].rest * x[k].rest * channel[y[i].high * columns + x[k].high];
            }
            sum += parts[0] + parts[1] + parts[2] + parts[3];
            const Real here = std::max(std::max(parts[0], parts[1]), std::max(parts[2], parts[3]));
            most = is_first ? here : std::max(most, here);
            is_first = false;
        }
    }
    return mode == op::roi_pooling::max ? most : sum / static_cast<Real>(std::max<std::size_t>(rows * places, 1));
}

template <class Real>
tensor roi_align(const call& node) {
    const auto& self = node.as<op::roi_align>();
    const shape& data = node.dimensions(0);
    const std::size_t channels = static_cast<std::size_t>(data[1]);
    const std::size_t plane = elements_between(data, 2, 4);
    const operand<Real> x(node.input(0));
    const operand<Real> regions(node.input(1));
    const operand<std::int64_t> images(node.input(2));
    outcome<Real> result(node.output());
    const Real scale = static_cast<Real>(self.spatial_scale);
    const Real before = self.aligned_mode == op::roi_aligned_mode::half_pixel ? Real(0.5) : Real(0);
    const Real behind = self.aligned_mode == op::roi_aligned_mode::asymmetric ? Real(0) : Real(0.5);
    const auto rows = static_cast<std::size_t>(self.pooled_h);
    const auto places = static_cast<std::size_t>(self.pooled_w);
    for (std::size_t region = 0; region < static_cast<std::size_t>(node.output().dimensions[0]); ++region) {
        const std::int64_t image = images[region];
        if (image < 0 || image >= data[0]) {
            fail({"ROIAlign: region ", region, " is of image ", image, ", but there are ", data[0]});
        }
        const auto corner = [&](std::size_t which) { return (regions[region * 4 + which] + before) * scale - behind; };
        const sampled_axis<Real> down(corner(1), corner(3), self.pooled_h, data[2], self);
        const sampled_axis<Real> across(corner(0), corner(2), self.pooled_w, data[3], self);
        for (std::size_t channel = 0; channel < channels; ++channel) {
            const Real* from = x.data() + (static_cast<std::size_t>(image) * channels + channel) * plane;
            for (std::size_t bin = 0; bin < rows * places; ++bin) {
                result[(region * channels + channel) * rows * places + bin] = pooled<Real>(
                    from, static_cast<std::size_t>(data[3]), down.samples.data() + bin / places * down.in_bin,
                    down.in_bin, across.samples.data() + bin % places * across.in_bin, across.in_bin, self.mode);
            }
        }
    }
    return result.finish();
}

}  // namespace detail

/// NonMaxSuppression and ROIAlign, in the number type of the scores or the data.
[[gnu::cold]] inline bool evaluate_detection(const call& node, seq<tensor>& outputs) {
    if (node.kind() == op::kind::roi_align) {
        outputs.push_back(
            detail::with_real(node.output().type, [&](auto zero) { return detail::roi_align<decltype(zero)>(node); }));
        return true;
    }
    detail::with_real(node.output(1).type,
                      [&](auto zero) { detail::non_max_suppression<decltype(zero)>(node, outputs); });
    return true;
}

}  // namespace lpt::inline LPT_ABI::reference
