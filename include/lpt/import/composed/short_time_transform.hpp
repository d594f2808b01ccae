// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/composer.hpp>

namespace lpt::inline LPT_ABI::composed {

/// Spectra of windows of a signal, [batch, places, 1 or 2], that begin a step apart; step and length may be known only when the network runs.
///
/// `signal`: [batch, samples, 1 or 2]; `step`, `length`: single numbers; `window`: [length], or none. Spectra: [batch, places, bins, 2].
inline output_ref short_time_transform(composer& n, output_ref signal, output_ref step_value, output_ref length_value,
                                       output_ref window, bool is_one_sided) {
    const dimension parts = n.size_of(signal, 2);
    if (n.rank(signal) != 3 || parts < 1 || parts > 2) {
        n.wrong({"needs a signal of real or complex numbers, not of shape ", n.shape(signal)});
    }
    const element type = n.type(signal);
    const auto scalar = [&](output_ref from) { return n.reshape(n.convert(from, i64), view<std::int64_t>()); };
    const output_ref step = scalar(step_value);
    const output_ref length = scalar(length_value);
    const output_ref one = n.integer_constant(1);
    const output_ref room = n.make(op::subtract{}, {scalar(n.size_along(signal, 1)), length});
    const output_ref frames = n.make(op::add{}, {n.make(op::divide{}, {room, step}), one});
    const output_ref place = n.counted(length);
    const output_ref begin = n.make(op::multiply{}, {n.counted(frames), step});
    const output_ref places = n.make(op::add{}, {n.unsqueeze(begin, {1}), n.unsqueeze(place, {0})});
    const output_ref half = n.make(op::add{}, {n.make(op::divide{}, {length, n.integer_constant(2)}), one});
    const output_ref bins = n.counted(is_one_sided ? half : length);
    // Angles are small for the sake of sine and cosine.
    const output_ref turns =
        n.make(op::floor_mod{}, {n.make(op::multiply{}, {n.unsqueeze(place, {1}), n.unsqueeze(bins, {0})}), length});
    const output_ref unit = n.make(op::divide{}, {n.builder().real(6.283185307179586, f64), n.convert(length, f64)});
    const output_ref angle = n.make(op::multiply{}, {n.convert(turns, f64), unit});
    const output_ref cosine = n.convert(n.make(op::cos{}, {angle}), type);
    const output_ref sine = n.convert(n.make(op::sin{}, {angle}), type);
    const auto part = [&](std::int64_t which) {
        const output_ref taken = n.gather(n.squeeze(n.slice(signal, 2, which, which + 1), {2}), places, 1);
        return window ? n.make(op::multiply{}, {taken, window}) : taken;
    };
    const auto product = [&](output_ref of, output_ref with) { return n.make(op::mat_mul{}, {of, with}); };
    output_ref real = product(part(0), cosine);
    output_ref imaginary = n.make(op::negative{}, {product(part(0), sine)});
    if (parts == 2) {
        real = n.make(op::add{}, {real, product(part(1), sine)});
        imaginary = n.make(op::add{}, {imaginary, product(part(1), cosine)});
    }
    return n.concat({n.unsqueeze(real, {3}), n.unsqueeze(imaginary, {3})}, 3);
}

}  // namespace lpt::inline LPT_ABI::composed
