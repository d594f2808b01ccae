// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/scatter.hpp>

#include <cmath>

/// Operators of networks that find objects.
namespace lpt::inline LPT_ABI::tflite {

/// The first numbers of a list that may be shorter, with zeros behind it.
inline output_ref padded_list(network& net, output_ref from, output_ref count) {
    model_builder& make = net.make();
    const output_ref zeros = filled(net, make.real(0, make.type_of(from)), count);
    const output_ref result = make.add(op::slice{}, {make.add(op::concat{0}, {from, zeros}), make.indices({0}), count,
                                                     make.indices({1}), make.indices({0})});
    // Where the count is known, the size is.
    return make.value_of(count) == nullptr ? result : make.add(op::reshape{}, {result, count});
}

/// Boxes [N, 4] and scores [N] of one image and class; the most boxes to keep; thresholds; in version 5 sigma.
inline void make_non_max_suppression(network& net) {
    model_builder& make = net.make();
    const bool has_scores = net.op().code == builtin::non_max_suppression_v5;
    const shape boxes = net.input_info(0).dimensions;
    if (boxes.rank() != 2 || net.input_info(1).dimensions.rank() != 1) {
        net.wrong("its boxes and scores have ", boxes.rank(), " and ", net.input_info(1).dimensions.rank(),
                  " axes, expected 2 and 1");
    }
    const output_ref most = make.add(op::convert{i64}, {net.real_input(2)});
    // Boxes are dropped from the threshold on here, above it in the operation.
    const seq<double> threshold = reals_of(net.constant_input(3, "threshold of overlaps"));
    if (threshold.size() != 1) {
        net.wrong("its threshold of overlaps must be one number, not ", threshold.size());
    }
    const double overlap = static_cast<double>(std::nextafter(static_cast<float>(threshold[0]), -1.0F));
    op::non_max_suppression what;
    what.sort_result_descending = false;
    what.output_type = i32;
    const output_ref sigma = has_scores ? net.real_input(5) : make.real(0);
    const node_id made = make.add_node(what, {make.add(op::unsqueeze{}, {net.real_input(0), make.indices({0})}),
                                              make.add(op::unsqueeze{}, {net.real_input(1), make.indices({0, 1})}),
                                              most, make.real(overlap), net.real_input(4), sigma});
    const output_ref count = make.add(op::reshape{}, {most, make.indices({1})});
    const auto column = [&](std::int32_t port) {
        const output_ref all(made, port);
        return padded_list(net, make.add(op::gather{}, {all, make.integer(2), make.integer(1)}), count);
    };
    net.give(column(0));
    if (has_scores) {
        net.give(column(1), axes::as_in_file, 1);
    }
    net.give(make.add(op::reshape{}, {output_ref(made, 2), make.indices(integers{})}), axes::as_in_file,
             has_scores ? 2 : 1);
}

}  // namespace lpt::inline LPT_ABI::tflite
