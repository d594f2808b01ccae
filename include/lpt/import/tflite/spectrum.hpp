// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/tflite/network.hpp>

/// Spectra: complex numbers, which a graph has as real and imaginary parts along a last axis. Only operators that are told so read them.
namespace lpt::inline LPT_ABI::tflite {

/// Whether input 0 are complex numbers that an operator gave.
inline bool has_spectrum(network& net) { return net.others().spectra.contains(net.input(0)); }

/// The parts of the complex numbers at input 0.
inline output_ref spectrum_input(network& net) {
    const auto found = net.others().spectra.find(net.input(0));
    if (found == net.others().spectra.end()) {
        net.wrong("its input 0 is ", name(net.input_info(0).type), ", but no RFFT2D gives it");
    }
    return found->second;
}

/// Says what complex numbers the output is.
inline void give_spectrum(network& net, output_ref parts) {
    static_cast<void>(net.output_info());  // an error where there is none
    net.others().spectra[net.op().outputs[0]] = parts;
}

/// The spectrum of the last two axes, cropped or padded with zeros to the length of input 1; of the last axis the first half.
inline void make_rfft2d(network& net) {
    const std::size_t rank = net.input_info(0).dimensions.rank();
    if (rank < 2 || net.input_info(0).type != tensor_type::float32 ||
        net.output_info().type != tensor_type::complex64) {
        net.wrong("needs float32 of two axes or more and gives complex64, not ", name(net.input_info(0).type), " of ",
                  rank, " axes and ", name(net.output_info().type));
    }
    const auto last = static_cast<std::int64_t>(rank) - 1;
    const output_ref length = net.make().add(op::convert{i64}, {net.codes(net.input(1), axes::as_in_file)});
    const output_ref made =
        net.make().add(op::rdft{}, {net.real_input(0), net.make().indices({last - 1, last}), length});
    shape declared = net.output_info().signature;
    declared.push_back(2);
    if (!merge_shape(declared, net.make().shape_of(made))) {
        net.wrong("its output is declared with shape ", net.output_info().signature,
                  ", but it gives complex numbers of ", net.make().shape_of(made), " parts");
    }
    give_spectrum(net, made);
}

/// The complex numbers of input 0 in the shape of the output, of which one size may be open.
inline void make_reshaped_spectrum(network& net) {
    integers sizes;
    for (const dimension size : net.output_info().signature.dimensions()) {
        sizes.push_back(size == dynamic_dimension ? -1 : size);
    }
    sizes.push_back(2);
    give_spectrum(net, net.make().add(op::reshape{}, {spectrum_input(net), net.make().indices(sizes)}));
}

/// The complex numbers of input 0 without axes of size 1: those that `squeeze_dims` names, or all.
inline void make_squeezed_spectrum(network& net) {
    const shape& sizes = net.input_info(0).signature;
    integers gone;
    for (const std::int64_t each : net.op().list("squeeze_dims")) {
        gone.push_back(each < 0 ? each + static_cast<std::int64_t>(sizes.rank()) : each);
    }
    for (std::size_t axis = 0; net.op().list("squeeze_dims").empty() && axis < sizes.rank(); ++axis) {
        if (sizes[axis] == 1) {
            gone.push_back(static_cast<std::int64_t>(axis));
        }
    }
    give_spectrum(net, net.make().add(op::squeeze{}, {spectrum_input(net), net.make().indices(gone)}));
}

/// The real parts (0) or the imaginary ones (1).
template <int Part>
void make_part_of_spectrum(network& net) {
    const output_ref all = spectrum_input(net);
    net.give(net.make().add(op::gather{}, {all, net.make().integer(Part), net.make().integer(-1)}, 8));
}

/// sqrt(re^2 + im^2)
inline void make_complex_abs(network& net) {
    const output_ref all = spectrum_input(net);
    op::reduce_l2 what;
    what.keep_dims = false;
    net.give(net.make().add(what, {all, net.make().indices({-1})}));
}

}  // namespace lpt::inline LPT_ABI::tflite
