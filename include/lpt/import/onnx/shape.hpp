// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Constants, shapes, and what is made of them.
namespace lpt::inline LPT_ABI::onnx {

inline void read_constant(operation& n) {
    session& shared = n.reader().shared();
    const auto out = [&](tensor made) { n.out(n.builder().constant(std::move(made))); };
    if (const attribute* found = n.find("value", 4)) {
        return n.out(n.reader().constant_as_read(read_tensor(found->tensor, shared.file, shared.others, n.builder())));
    }
    if (n.has_attribute("value_float")) {
        return out(make_scalar(f32, n.real("value_float", 0)));
    }
    if (n.has_attribute("value_int")) {
        return n.out(n.integer_constant(n.integer("value_int", 0)));
    }
    if (n.has_attribute("value_ints")) {
        return n.out(n.indices(n.list("value_ints")));
    }
    if (n.has_attribute("value_floats")) {
        seq<double> numbers;
        for (const float each : n.reals("value_floats")) {
            numbers.push_back(static_cast<double>(each));
        }
        return out(make_tensor(f32, lpt::shape{static_cast<dimension>(numbers.size())}, numbers));
    }
    n.wrong({"has no value, or one of strings or of a sparse tensor, which are not supported"});
}

/// A tensor of one value, f32 zero where none is given.
inline void read_constant_of_shape(operation& n) {
    session& shared = n.reader().shared();
    tensor filling = make_scalar(f32, 0);
    if (const attribute* found = n.find("value", 4)) {
        filling = read_tensor(found->tensor, shared.file, shared.others, n.builder());
        if (filling.elements() != 1) {
            n.wrong({"value must be one number, not ", filling.elements()});
        }
        filling = evaluation::convert_tensor(tensor(filling, lpt::shape{}), shared.as_read(filling.type()));
    }
    op::broadcast what;
    what.mode = op::broadcast_mode::numpy;
    n.out(n.make(what, {n.builder().constant(std::move(filling)), n.in(0)}, 3));
}

inline void read_shape(operation& n) {
    const output_ref all = n.shape_of(n.in(0));
    if (!n.has_attribute("start") && !n.has_attribute("end")) {
        return n.out(all);
    }
    if (!n.shape(n.in(0)).rank_is_static()) {
        return n.out(n.slice(all, 0, n.integer("start", 0), n.integer("end", INT64_MAX)));
    }
    const auto rank = static_cast<std::int64_t>(n.rank(n.in(0)));
    const auto clamped = [&](std::int64_t place) {
        place = place < 0 ? place + rank : place;
        return math::maximum<std::int64_t>(0, math::minimum(place, rank));
    };
    const std::int64_t begin = clamped(n.integer("start", 0));
    const std::int64_t end = clamped(n.integer("end", rank));
    n.out(n.slice(all, 0, begin, math::maximum(begin, end)));
}

inline void read_size(operation& n) { n.out(n.reduce<op::reduce_prod>(n.shape_of(n.in(0)), {0}, false)); }

inline void read_range(operation& n) {
    op::range what;
    what.output_type = n.type(n.in(0));
    const auto number = [&](std::size_t port) {
        return n.shape(n.in(port)).rank() == 0 ? n.in(port) : n.reshape(n.in(port), view<std::int64_t>());
    };
    n.out(n.make(what, {number(0), number(1), number(2)}));
}

inline void read_non_zero(operation& n) { n.out(n.make(op::non_zero{}, {n.in(0)})); }

/// Places count from the back where they are negative.
inline void read_one_hot(operation& n) {
    op::one_hot what;
    what.axis = n.integer("axis", -1);
    const output_ref depth = n.shape(n.in(1)).rank() == 0 ? n.in(1) : n.reshape(n.in(1), view<std::int64_t>());
    const output_ref size = n.convert(depth, i64);
    const output_ref places = n.convert(n.in(0), i64);
    const output_ref below = n.make(op::less{}, {places, n.integer_constant(0)});
    const output_ref moved = n.make(op::select{}, {below, n.make(op::add{}, {places, size}), places});
    const output_ref off = n.squeeze(n.slice(n.in(2), 0, 0, 1), {0});
    const output_ref on = n.squeeze(n.slice(n.in(2), 0, 1, 2), {0});
    n.out(n.make(what, {moved, size, on, off}, 1));
}

/// Ones on a diagonal.
inline void read_eye_like(operation& n) {
    const output_ref x = n.in(0);
    const element type = n.type_attribute("dtype", n.type(x));
    const output_ref rows = n.unsqueeze(n.counted(n.size_along(x, 0)), {1});
    const output_ref columns = n.unsqueeze(n.counted(n.size_along(x, 1)), {0});
    const output_ref shifted = n.make(op::add{}, {rows, n.integer_constant(n.integer("k", 0))});
    n.out(n.convert(n.make(op::equal{}, {shifted, columns}), type));
}

/// The elements, or parts along an axis, where a condition of one axis holds.
inline void read_compress(operation& n) {
    const bool flat = !n.has_attribute("axis");
    const output_ref x = flat ? n.reshape(n.in(0), {-1}) : n.in(0);
    const output_ref places = n.reshape(n.make(op::non_zero{}, {n.in(1)}), {-1});
    n.out(n.gather(x, places, flat ? 0 : n.integer("axis", 0)));
}

/// a0 - a1 cos(2 pi i / N) + a2 cos(4 pi i / N): the windows that signals are seen through.
inline void read_window_function(operation& n, double a0, double a1, double a2) {
    const element type = n.type_attribute("output_datatype", f32);
    const output_ref count = n.shape(n.in(0)).rank() == 0 ? n.in(0) : n.reshape(n.in(0), view<std::int64_t>());
    const output_ref size = n.convert(count, f32);
    const output_ref length = n.flag("periodic", true) ? size : n.make(op::subtract{}, {size, n.like(size, 1)});
    const output_ref place = n.convert(n.counted(n.convert(count, i64)), f32);
    const output_ref angle =
        n.make(op::divide{}, {n.make(op::multiply{}, {place, n.like(size, 6.283185307179586)}), length});
    const auto cosine = [&](double times, double weight) {
        const output_ref inner = n.make(op::multiply{}, {angle, n.like(size, times)});
        return n.make(op::multiply{}, {n.make(op::cos{}, {inner}), n.like(size, weight)});
    };
    const output_ref first = n.make(op::add{}, {cosine(1, -a1), n.like(size, a0)});
    n.out(n.convert(a2 == 0 ? first : n.make(op::add{}, {first, cosine(2, a2)}), type));
}
inline void read_hann_window(operation& n) { read_window_function(n, 0.5, 0.5, 0); }
inline void read_hamming_window(operation& n) { read_window_function(n, 25.0 / 46, 21.0 / 46, 0); }
inline void read_blackman_window(operation& n) { read_window_function(n, 0.42, 0.5, 0.08); }

/// The middle of the axes, or zeros round them, so that they get the sizes that are asked for.
inline void read_center_crop_pad(operation& n) {
    const output_ref x = n.in(0);
    lpt::integers axes = n.list("axes");
    for (std::size_t axis = 0; !n.has_attribute("axes") && axis < n.rank(x); ++axis) {
        axes.push_back(static_cast<std::int64_t>(axis));
    }
    const output_ref zero = n.integer_constant(0);
    const output_ref two = n.integer_constant(2);
    const output_ref wanted = n.convert(n.in(1), i64);
    const output_ref sizes = n.gather(n.shape_of(x), n.indices(axes), 0);
    const auto half = [&](output_ref from, output_ref less) {
        return n.make(op::divide{}, {n.make(op::maximum{}, {n.make(op::subtract{}, {from, less}), zero}), two});
    };
    const output_ref begin = half(sizes, wanted);
    const output_ref kept = n.make(op::minimum{}, {sizes, wanted});
    const output_ref ones = n.indices(lpt::integers(axes.size(), 1));
    const output_ref cropped = n.make(op::slice{}, {x, begin, n.make(op::add{}, {begin, kept}), ones, n.indices(axes)});
    const output_ref before = half(wanted, kept);
    const output_ref after = n.make(op::subtract{}, {n.make(op::subtract{}, {wanted, kept}), before});
    lpt::integers places;
    places.resize(n.rank(x), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        places[static_cast<std::size_t>(n.axis_of(axes[i], n.rank(x)))] = static_cast<std::int64_t>(i + 1);
    }
    const auto all = [&](output_ref margins) {
        return n.gather(n.concat({n.indices({0}), margins}, 0), n.indices(places), 0);
    };
    n.out(n.make(op::pad{}, {cropped, all(before), all(after), n.like(x, 0)}, 12));
}

/// Places in [-1, 1] along each axis of an image, moved by matrices.
inline void read_affine_grid(operation& n) {
    const output_ref theta = n.in(0);
    const element type = n.type(theta);
    const bool aligned = n.flag("align_corners");
    const std::int64_t axes = n.static_size_of(theta, 1);
    const output_ref sizes = n.convert(n.in(1), i64);
    const output_ref inner = n.slice(sizes, 0, 2, 2 + axes);
    seq<output_ref> parts;
    for (std::int64_t part = axes - 1; part >= 0; --part) {
        const output_ref count = n.slice(inner, 0, part, part + 1);
        const output_ref size = n.convert(n.squeeze(count, {0}), type);
        const output_ref place = n.convert(n.counted(count), type);
        const output_ref two = n.like(size, 2);
        const output_ref one = n.like(size, 1);
        output_ref along;
        if (aligned) {
            along = n.make(op::divide{}, {n.make(op::multiply{}, {place, two}), n.make(op::subtract{}, {size, one})});
        } else {
            const output_ref odd = n.make(op::add{}, {n.make(op::multiply{}, {place, two}), one});
            along = n.make(op::divide{}, {odd, size});
        }
        lpt::integers as;
        as.resize(static_cast<std::size_t>(axes), 1);
        as[static_cast<std::size_t>(part)] = -1;
        const output_ref spread = n.broadcast(n.reshape(n.make(op::subtract{}, {along, one}), as), inner);
        parts.push_back(n.reshape(spread, {-1, 1}));
    }
    const output_ref places = n.concat(parts, 1);
    const output_ref ones = n.broadcast(n.like(theta, 1), n.concat({n.size_along(places, 0), n.indices({1})}, 0));
    op::mat_mul product;
    product.transpose_b = true;
    const output_ref moved = n.make(product, {n.concat({places, ones}, 1), theta});
    const output_ref wanted = n.concat({n.slice(sizes, 0, 0, 1), inner, n.indices({axes})}, 0);
    n.out(n.make(op::reshape{}, {moved, wanted}));
}

/// A tensor is there where it is given.
inline void read_optional_has_element(operation& n) {
    n.out(n.builder().constant(make_scalar(boolean, n.has(0) ? 1 : 0)));
}
inline void read_optional_get_element(operation& n) { n.out_value(0, n.value_at(0)); }

inline constexpr operator_entry shape_operators[] = {
    {"", "HannWindow", read_hann_window},
    {"", "HammingWindow", read_hamming_window},
    {"", "BlackmanWindow", read_blackman_window},
    {"", "CenterCropPad", read_center_crop_pad},
    {"", "AffineGrid", read_affine_grid},
    {"", "OptionalHasElement", read_optional_has_element},
    {"", "OptionalGetElement", read_optional_get_element},
    {"", "Constant", read_constant},
    {"", "ConstantOfShape", read_constant_of_shape},
    {"", "Shape", read_shape},
    {"", "Size", read_size},
    {"", "Range", read_range},
    {"", "NonZero", read_non_zero},
    {"", "OneHot", read_one_hot},
    {"", "EyeLike", read_eye_like},
    {"", "Compress", read_compress},
};

}  // namespace lpt::inline LPT_ABI::onnx
