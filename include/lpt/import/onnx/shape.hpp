// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/operation.hpp>

/// Constants, shapes, and what is made of them.
namespace lpt::inline LPT_ABI::onnx {

inline void read_constant(operation& n) {
    session& shared = n.reader().shared();
    const auto out = [&](tensor made) { n.out(n.builder().constant(std::move(made))); };
    if (const attribute* found = n.find("value", 4)) {
        return out(read_tensor(found->tensor, shared.file, shared.others, n.builder()));
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
        filling = tensor(filling, lpt::shape{});
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

inline constexpr operator_entry shape_operators[] = {
    {"", "Constant", read_constant}, {"", "ConstantOfShape", read_constant_of_shape},
    {"", "Shape", read_shape},       {"", "Size", read_size},
    {"", "Range", read_range},       {"", "NonZero", read_non_zero},
    {"", "OneHot", read_one_hot},    {"", "EyeLike", read_eye_like},
    {"", "Compress", read_compress},
};

}  // namespace lpt::inline LPT_ABI::onnx
