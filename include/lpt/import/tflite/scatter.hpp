// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/convolution.hpp>

/// Tensors made of values and the places where they stand.
namespace lpt::inline LPT_ABI::tflite {

/// A number that fills a shape which another tensor gives.
inline output_ref filled(network& net, output_ref number, output_ref sizes) {
    return net.make().add(op::broadcast{}, {number, sizes}, 3);
}

/// Inputs: places, values, the shape of the output. Values of one place are added up; where there are none, the code is 0, whatever it stands for.
inline void make_scatter_nd(network& net) {
    const output_ref values = net.codes(net.input(1), axes::as_in_file);
    const output_ref zero = net.make().real(0, net.make().type_of(values));
    const output_ref result = net.make().add(op::scatter_nd_update{op::scatter_reduction::sum},
                                             {filled(net, zero, net.real_input(2)), net.real_input(0), values});
    net.give_codes(result);
}

/// Inputs: places (a number, a list, or a row of indices for each), the shape of the output, values (or one for all), what stands elsewhere.
inline void make_sparse_to_dense(network& net) {
    model_builder& make = net.make();
    const std::size_t rank = net.input_info(0).dimensions.rank();
    output_ref places = net.real_input(0);
    if (rank > 2) {
        net.wrong("its places have ", rank, " axes, expected at most 2");
    }
    if (rank < 2) {
        places = make.add(op::reshape{}, {places, make.indices({-1, 1})});
    }
    output_ref values = net.codes(net.input(2), axes::as_in_file);
    if (make.shape_of(values).rank() == 0) {
        const output_ref count =
            make.add(op::gather{}, {make.add(op::shape_of{}, {places}), make.indices({0}), make.integer(0)});
        values = filled(net, values, count);
    }
    const output_ref elsewhere = net.codes(net.input(3), axes::as_in_file);
    net.give_codes(make.add(op::scatter_nd_update{}, {filled(net, elsewhere, net.real_input(1)), places, values}));
}

/// True on the diagonal of [rows, columns].
inline output_ref diagonal(network& net, output_ref rows, output_ref columns) {
    model_builder& make = net.make();
    const auto counted = [&](output_ref size, std::int64_t new_axis) {
        op::range what;
        what.output_type = i64;
        const output_ref all = make.add(what, {make.integer(0), size, make.integer(1)}, 4);
        return make.add(op::unsqueeze{}, {all, make.indices({new_axis})});
    };
    return make.add(op::equal{}, {counted(rows, 1), counted(columns, 0)});
}
inline output_ref size_along(network& net, output_ref from, std::int64_t axis) {
    return net.make().add(op::gather{},
                          {net.make().add(op::shape_of{}, {from}), net.make().integer(axis), net.make().integer(0)});
}
/// The last axis as a diagonal, zeros around it.
inline void make_matrix_diag(network& net) {
    const output_ref values = net.codes(net.input(0), axes::as_in_file);
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    if (rank < 1) {
        net.wrong("needs an axis to put on a diagonal");
    }
    const output_ref size = size_along(net, values, rank - 1);
    const output_ref zero = net.make().real(0, net.make().type_of(values));
    const output_ref wide = net.make().add(op::unsqueeze{}, {values, net.make().indices({rank})});
    net.give_codes(net.make().add(op::select{}, {diagonal(net, size, size), wide, zero}));
}
/// The diagonals of the matrices of the first input replaced by the second.
inline void make_matrix_set_diag(network& net) {
    model_builder& make = net.make();
    const output_ref data = net.codes(net.input(0), axes::as_in_file);
    const output_ref values = net.codes(net.input(1), axes::as_in_file);
    const auto rank = static_cast<std::int64_t>(net.input_info(0).dimensions.rank());
    if (rank < 2 || static_cast<std::int64_t>(net.input_info(1).dimensions.rank()) + 1 != rank) {
        net.wrong("diagonals of shape ", net.input_info(1).dimensions, " do not fit matrices of shape ",
                  net.input_info(0).dimensions);
    }
    // Rows below the end of the diagonal have none of its elements; any number will do there.
    const output_ref rows = size_along(net, data, rank - 2);
    const output_ref last = make.add(op::subtract{}, {size_along(net, values, rank - 2), make.integer(1)});
    op::range count;
    count.output_type = i64;
    const output_ref places =
        make.add(op::minimum{}, {make.add(count, {make.integer(0), rows, make.integer(1)}, 4), last});
    const output_ref by_row = make.add(op::gather{}, {values, places, make.integer(rank - 2)});
    const output_ref wide = make.add(op::unsqueeze{}, {by_row, make.indices({rank - 1})});
    net.give_codes(make.add(op::select{}, {diagonal(net, rows, size_along(net, data, rank - 1)), wide, data}));
}

/// The shape to which two shapes broadcast.
inline void make_broadcast_args(network& net) {
    model_builder& make = net.make();
    output_ref shapes[2];
    dimension longest = 0;
    for (std::size_t port = 0; port < 2; ++port) {
        const shape& own = net.input_info(port).dimensions;
        if (own.rank() != 1 || !net.input_info(port).signature.is_static()) {
            net.wrong("its shapes must have one axis of known size, not the shape ", net.input_info(port).signature);
        }
        longest = std::max(longest, own[0]);
        shapes[port] = net.real_input(port);
    }
    for (std::size_t port = 0; port < 2; ++port) {
        const element type = make.type_of(shapes[port]);
        const dimension missing = longest - net.input_info(port).dimensions[0];
        const output_ref ones = filled(net, make.integer(1, type), make.indices({missing}));
        shapes[port] = missing == 0 ? shapes[port] : make.add(op::concat{0}, {ones, shapes[port]});
    }
    const output_ref is_one = make.add(op::equal{}, {shapes[0], make.integer(1, make.type_of(shapes[0]))});
    net.give(make.add(op::select{}, {is_one, shapes[1], shapes[0]}));
}

}  // namespace lpt::inline LPT_ABI::tflite
