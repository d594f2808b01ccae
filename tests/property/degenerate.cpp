// SPDX-License-Identifier: Apache-2.0
// Degenerate constants in every place, before every operation: ranges without width, inverted, infinite or NaN, scales of zero, negative,
// denormal, infinite or NaN, ranges that are no constants, dynamic rank, types that cannot hold the levels. The pipeline ends, the
// network that it gives verifies, and has the values of the network that it got, wherever those are defined.
#include "tests/property/on_off.hpp"
#include "tests/support/error_bound.hpp"
#include "tests/support/reference.hpp"

#include <lpt/graph/compare.hpp>
#include <lpt/graph/print.hpp>
#include <lpt/graph/verify.hpp>
#include <lpt/op/all.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace lpt;
using namespace lpt::support;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double denormal = 1e-40;  // among the floats
constexpr double huge = 3e38;  // the double of it is no float

using numbers = std::vector<double>;

/// A network under construction; all data has shape [1, 4, 4, 4] unless an operation changes it.
struct sketch {
    graph model;

    output_ref constant(const numbers& values, element type = f32, std::size_t axis = 1, std::size_t rank = 4) {
        shape dimensions;
        if (values.size() > 1) {
            dimensions = shape::of_ones(rank);
            dimensions[axis] = static_cast<dimension>(values.size());
        }
        return model.constant(make_tensor(type, dimensions, view<double>(values.data(), values.size())));
    }
    output_ref indices(view<std::int64_t> values) { return model.constant(make_indices(values)); }
    output_ref index(std::int64_t value) { return model.constant(make_integer_tensor(i64, {}, {value})); }
    output_ref number(double value) { return model.constant(make_scalar(f32, value)); }
    output_ref input(const char* name, element type = f32) { return model.parameter(type, shape{1, 4, 4, 4}, name); }
    output_ref add(op::attributes what, view<output_ref> inputs, int version = -1) {
        return model.add(std::move(what), inputs, {}, version);
    }
    output_ref quantize(output_ref data, std::int64_t levels, const numbers& in_low, const numbers& in_high,
                        const numbers& low, const numbers& high) {
        return add(op::fake_quantize{levels},
                   {data, constant(in_low), constant(in_high), constant(low), constant(high)});
    }
    /// What no test is about: activations from 0 to 2.55.
    output_ref sound(output_ref data) { return quantize(data, 256, {0}, {2.55}, {0}, {2.55}); }
    output_ref filled(element type, const shape& dimensions) {
        tensor_builder result(type, dimensions);
        for (std::size_t i = 0; i < result.elements(); ++i) {
            const auto spread = static_cast<double>((i * 37 + 11) % 15) - 7;
            result.real(i, is_integral(type) ? spread : spread / 8);
        }
        return model.constant(result.finish());
    }
    output_ref sound_weights(const shape& sizes) {
        return add(op::multiply{}, {add(op::convert{f32}, {filled(i8, sizes)}), number(0.125)});
    }
};

/// What gives degenerate values to an operation.
struct source {
    const char* name;
    output_ref (*make)(sketch&);
};
/// An operation that reads them.
struct reader {
    const char* name;
    output_ref (*make)(sketch&, output_ref);
};
/// Weights with degenerate constants for an operation that reads sound activations.
struct weights_row {
    const char* name;
    output_ref (*make)(sketch&, const shape&);
};
struct weights_reader {
    const char* name;
    shape (*sizes)();
    output_ref (*make)(sketch&, output_ref weights);
};
struct setting_row {
    const char* name;
    void (*set)(transformation_options&);
};

template <std::int64_t Levels>
output_ref same_range(sketch& s, const numbers& low, const numbers& high) {
    return s.quantize(s.input("x"), Levels, low, high, low, high);
}
output_ref output_range(sketch& s, const numbers& low, const numbers& high, std::int64_t levels = 256) {
    return s.quantize(s.input("x"), levels, {-2}, {2}, low, high);
}
output_ref input_range(sketch& s, const numbers& low, const numbers& high, std::int64_t levels = 256) {
    return s.quantize(s.input("x"), levels, low, high, {0}, {2.55});
}
output_ref stored(sketch& s, element type, const numbers& scale, const numbers& zero_point, const char* name = "x") {
    output_ref at = s.add(op::convert{f32}, {s.input(name, type)});
    if (!zero_point.empty()) {
        at = s.add(op::subtract{}, {at, s.constant(zero_point)});
    }
    return scale.empty() ? at : s.add(op::multiply{}, {at, s.constant(scale)});
}

constexpr source sources[] = {
    // ranges of FakeQuantize
    {"equal bounds", [](sketch& s) { return same_range<256>(s, {1}, {1}); }},
    {"equal bounds at 0", [](sketch& s) { return same_range<256>(s, {0}, {0}); }},
    {"equal output bounds", [](sketch& s) { return output_range(s, {-2.5}, {-2.5}); }},
    {"equal output bounds beyond the type", [](sketch& s) { return output_range(s, {1000}, {1000}); }},
    {"equal output bounds in a channel",
     [](sketch& s) { return output_range(s, {0, -3, 0.5, 0}, {2.55, -3, 0.5, 1}); }},
    {"equal bounds at 0 in a channel", [](sketch& s) { return output_range(s, {0, 0, 0, 0}, {2.55, 0, 1, 1}); }},
    {"equal input bounds", [](sketch& s) { return input_range(s, {1}, {1}); }},
    {"equal input bounds in a channel", [](sketch& s) { return input_range(s, {0, 1, 0, 0}, {1, 1, 2, 3}); }},
    {"inverted bounds", [](sketch& s) { return same_range<256>(s, {2.55}, {0}); }},
    {"inverted bounds around 0", [](sketch& s) { return same_range<256>(s, {1.27}, {-1.28}); }},
    {"inverted output bounds", [](sketch& s) { return output_range(s, {2.55}, {0}); }},
    {"inverted output bounds around 0", [](sketch& s) { return output_range(s, {1.28}, {-1.27}); }},
    {"inverted output bounds in a channel", [](sketch& s) { return output_range(s, {0, 2, 0, 1}, {1, -2, 2, 0}); }},
    {"inverted input bounds", [](sketch& s) { return input_range(s, {2}, {-2}); }},
    {"denormal bounds", [](sketch& s) { return same_range<256>(s, {0}, {denormal}); }},
    {"denormal output bounds", [](sketch& s) { return output_range(s, {-denormal}, {denormal}); }},
    {"tiny output bounds", [](sketch& s) { return output_range(s, {0}, {1e-36}); }},
    {"a denormal channel", [](sketch& s) { return output_range(s, {0, 0, 0, 0}, {1, denormal, 2, 1}); }},
    {"huge bounds", [](sketch& s) { return same_range<256>(s, {-huge}, {huge}); }},
    {"huge output bounds", [](sketch& s) { return output_range(s, {-huge}, {huge}); }},
    {"large output bounds", [](sketch& s) { return output_range(s, {0}, {huge}); }},
    {"infinite bounds", [](sketch& s) { return same_range<256>(s, {-infinite}, {infinite}); }},
    {"an infinite output bound", [](sketch& s) { return output_range(s, {0}, {infinite}); }},
    {"an infinite input bound", [](sketch& s) { return input_range(s, {0}, {infinite}); }},
    {"infinite bounds in a channel", [](sketch& s) { return output_range(s, {0, 0, 0, 0}, {1, infinite, 2, 1}); }},
    {"NaN bounds", [](sketch& s) { return same_range<256>(s, {nan}, {nan}); }},
    {"a NaN output bound", [](sketch& s) { return output_range(s, {0}, {nan}); }},
    {"a NaN output bound in a channel", [](sketch& s) { return output_range(s, {0, 0, 0, nan}, {1, 1, 2, 1}); }},
    {"a NaN input bound", [](sketch& s) { return input_range(s, {nan}, {1}); }},
    // levels
    {"2 levels", [](sketch& s) { return same_range<2>(s, {-1}, {1}); }},
    {"3 levels", [](sketch& s) { return same_range<3>(s, {-1}, {1}); }},
    {"15 levels", [](sketch& s) { return same_range<15>(s, {-0.7}, {0.7}); }},
    {"16 levels", [](sketch& s) { return same_range<16>(s, {0}, {1.5}); }},
    {"16 levels around 0", [](sketch& s) { return same_range<16>(s, {-0.8}, {0.7}); }},
    {"255 levels", [](sketch& s) { return same_range<255>(s, {-1.27}, {1.27}); }},
    {"256 levels", [](sketch& s) { return same_range<256>(s, {-1.28}, {1.27}); }},
    {"256 levels from 0", [](sketch& s) { return same_range<256>(s, {0}, {2.55}); }},
    {"256 levels with a zero point", [](sketch& s) { return same_range<256>(s, {-0.5}, {2}); }},
    {"65535 levels", [](sketch& s) { return same_range<65535>(s, {-1}, {1}); }},
    {"65536 levels", [](sketch& s) { return same_range<65536>(s, {0}, {2}); }},
    {"65536 levels around 0", [](sketch& s) { return same_range<65536>(s, {-2}, {1}); }},
    {"2^32 - 1 levels", [](sketch& s) { return same_range<4294967295>(s, {-1}, {1}); }},
    {"2^32 levels", [](sketch& s) { return same_range<4294967296>(s, {0}, {2}); }},
    {"2^32 levels around 0", [](sketch& s) { return same_range<4294967296>(s, {-2}, {1}); }},
    // no constants
    {"output bounds that are no constants",
     [](sketch& s) {
         return s.add(op::fake_quantize{256}, {s.input("x"), s.number(0), s.number(1),
                                               s.model.parameter(f32, {}, "low"), s.model.parameter(f32, {}, "high")});
     }},
    {"input bounds that are no constants",
     [](sketch& s) {
         return s.add(op::fake_quantize{256}, {s.input("x"), s.model.parameter(f32, {}, "low"),
                                               s.model.parameter(f32, {}, "high"), s.number(0), s.number(1)});
     }},
    {"a scale that is no constant",
     [](sketch& s) {
         return s.add(op::multiply{},
                      {s.add(op::convert{f32}, {s.input("x", u8)}), s.model.parameter(f32, {}, "scale")});
     }},
    {"a zero point that is no constant",
     [](sketch& s) {
         const output_ref shifted =
             s.add(op::subtract{}, {s.add(op::convert{f32}, {s.input("x", u8)}), s.model.parameter(f32, {}, "zero")});
         return s.add(op::multiply{}, {shifted, s.number(0.5)});
     }},
    // dequantization
    {"scale 0", [](sketch& s) { return stored(s, u8, {0}, {}); }},
    {"scale 0 and a zero point", [](sketch& s) { return stored(s, u8, {0}, {128}); }},
    {"scale 0 in a channel", [](sketch& s) { return stored(s, i8, {0.5, 0, 0.25, 1}, {}); }},
    {"scale 0 and a zero point in a channel", [](sketch& s) { return stored(s, u8, {0.5, 0, 0.25, 1}, {1, 2, 3, 4}); }},
    {"a negative scale", [](sketch& s) { return stored(s, u8, {-0.5}, {}); }},
    {"a negative scale and a zero point", [](sketch& s) { return stored(s, i8, {-0.5}, {7}); }},
    {"scales of both signs", [](sketch& s) { return stored(s, i8, {0.5, -0.5, 0.25, -1}, {}); }},
    {"a denormal scale", [](sketch& s) { return stored(s, u8, {denormal}, {}); }},
    {"a tiny scale and a zero point", [](sketch& s) { return stored(s, u8, {1e-36}, {128}); }},
    {"a denormal scale in a channel", [](sketch& s) { return stored(s, i8, {0.5, denormal, 0.25, 1}, {}); }},
    {"a huge scale", [](sketch& s) { return stored(s, i8, {huge}, {}); }},
    {"a large scale", [](sketch& s) { return stored(s, i8, {1e30}, {}); }},
    {"a scale of 1e19", [](sketch& s) { return stored(s, i8, {1e19}, {}); }},
    {"a scale of 20000 and a zero point", [](sketch& s) { return stored(s, i8, {20000}, {127}); }},
    {"an infinite scale", [](sketch& s) { return stored(s, u8, {infinite}, {}); }},
    {"an infinite scale in a channel", [](sketch& s) { return stored(s, i8, {0.5, infinite, 0.25, 1}, {}); }},
    {"a NaN scale", [](sketch& s) { return stored(s, u8, {nan}, {}); }},
    {"a NaN scale in a channel", [](sketch& s) { return stored(s, i8, {0.5, 0.25, nan, 1}, {}); }},
    {"an infinite zero point", [](sketch& s) { return stored(s, u8, {0.5}, {infinite}); }},
    {"a NaN zero point", [](sketch& s) { return stored(s, u8, {0.5}, {nan}); }},
    {"a zero point beyond the type", [](sketch& s) { return stored(s, u8, {0.5}, {1000}); }},
    {"a negative zero point of u8", [](sketch& s) { return stored(s, u8, {0.5}, {-3}); }},
    {"no scale", [](sketch& s) { return stored(s, u8, {}, {128}); }},
    {"no scale, a zero point per channel", [](sketch& s) { return stored(s, i8, {}, {1, 2, 3, 4}); }},
    {"neither scale nor zero point", [](sketch& s) { return stored(s, u8, {}, {}); }},
    {"zero point 0", [](sketch& s) { return stored(s, u8, {0.5}, {0}); }},
    {"scale per channel, zero point per tensor", [](sketch& s) { return stored(s, u8, {0.5, 1, 2, 4}, {128}); }},
    {"scale per tensor, zero point per channel", [](sketch& s) { return stored(s, u8, {0.5}, {1, 2, 3, 4}); }},
    {"a zero point in f16, a scale in f32",
     [](sketch& s) {
         const output_ref zero = s.add(op::convert{f32}, {s.model.constant(make_scalar(f16, 3))});
         return s.add(op::multiply{},
                      {s.add(op::subtract{}, {s.add(op::convert{f32}, {s.input("x", u8)}), zero}), s.number(0.5)});
     }},
    {"equal constants per channel", [](sketch& s) { return stored(s, u8, {0.5, 0.5, 0.5, 0.5}, {3, 3, 3, 3}); }},
};

constexpr reader readers[] = {
    {"Result", [](sketch&, output_ref x) { return x; }},
    {"Relu", [](sketch& s, output_ref x) { return s.add(op::relu{}, {x}); }},
    {"PRelu", [](sketch& s, output_ref x) { return s.add(op::prelu{}, {x, s.number(0.25)}); }},
    {"Clamp", [](sketch& s, output_ref x) { return s.add(op::clamp{{}, 0.25, 1}, {x}); }},
    {"Sigmoid", [](sketch& s, output_ref x) { return s.add(op::sigmoid{}, {x}); }},
    {"Add constant", [](sketch& s, output_ref x) { return s.add(op::add{}, {x, s.number(0.5)}); }},
    {"Add constants", [](sketch& s, output_ref x) { return s.add(op::add{}, {x, s.constant({1, 2, 0, -1})}); }},
    {"Add sound", [](sketch& s, output_ref x) { return s.add(op::add{}, {x, s.sound(s.input("y"))}); }},
    {"sound Add", [](sketch& s, output_ref x) { return s.add(op::add{}, {s.sound(s.input("y")), x}); }},
    {"Add tiny", [](sketch& s, output_ref x) { return s.add(op::add{}, {x, stored(s, i8, {1.0001e-32}, {}, "y")}); }},
    {"tiny Add", [](sketch& s, output_ref x) { return s.add(op::add{}, {stored(s, i8, {1.0001e-32}, {}, "y"), x}); }},
    {"Multiply constant", [](sketch& s, output_ref x) { return s.add(op::multiply{}, {x, s.number(0.5)}); }},
    {"Multiply 0", [](sketch& s, output_ref x) { return s.add(op::multiply{}, {x, s.number(0)}); }},
    {"Multiply large", [](sketch& s, output_ref x) { return s.add(op::multiply{}, {x, s.number(1e30)}); }},
    {"Multiply sound", [](sketch& s, output_ref x) { return s.add(op::multiply{}, {x, s.sound(s.input("y"))}); }},
    {"sound Multiply", [](sketch& s, output_ref x) { return s.add(op::multiply{}, {s.sound(s.input("y")), x}); }},
    {"Multiply large data", [](sketch& s, output_ref x) {
         return s.add(op::multiply{}, {x, stored(s, i8, {1e19}, {}, "y")});
     }},
    {"large data Multiply", [](sketch& s, output_ref x) {
         return s.add(op::multiply{}, {stored(s, i8, {1e19}, {}, "y"), x});
     }},
    {"Subtract constant", [](sketch& s, output_ref x) { return s.add(op::subtract{}, {x, s.number(0.5)}); }},
    {"FakeQuantize", [](sketch& s, output_ref x) { return s.sound(x); }},
    {"Concat sound", [](sketch& s, output_ref x) { return s.add(op::concat{1}, {x, s.sound(s.input("y"))}); }},
    {"sound Concat", [](sketch& s, output_ref x) { return s.add(op::concat{1}, {s.sound(s.input("y")), x}); }},
    {"Concat along the last axis", [](sketch& s, output_ref x) { return s.add(op::concat{3}, {x, x}); }},
    {"aligned Concat", [](sketch& s, output_ref x) {
         const output_ref joined = s.add(op::concat{1}, {x, s.sound(s.input("y"))});
         return s.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {joined, s.sound_weights({2, 8, 1, 1})});
     }},
    {"FakeQuantize of Concat", [](sketch& s, output_ref x) {
         return s.sound(s.add(op::concat{1}, {x, s.input("y")}));
     }},
    {"Convolution", [](sketch& s, output_ref x) {
         return s.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {x, s.sound_weights({3, 4, 2, 2})});
     }},
    {"Convolution with pads", [](sketch& s, output_ref x) {
         return s.add(op::convolution{{1, 1}, {1, 1}, {1, 1}, {1, 1}}, {x, s.sound_weights({3, 4, 2, 2})});
     }},
    {"GroupConvolution", [](sketch& s, output_ref x) {
         return s.add(op::group_convolution{{1, 1}, {0, 0}, {0, 0}, {1, 1}}, {x, s.sound_weights({4, 1, 1, 2, 2})});
     }},
    {"ConvolutionBackpropData", [](sketch& s, output_ref x) {
         return s.add(op::convolution_backprop_data{{2, 2}, {1, 1}, {0, 0}, {0, 0}}, {x, s.sound_weights({4, 3, 2, 2})});
     }},
    {"MatMul", [](sketch& s, output_ref x) {
         return s.add(op::mat_mul{false, true}, {x, s.sound_weights({3, 4})});
     }},
    {"Convolution with large weights", [](sketch& s, output_ref x) {
         const output_ref weights = s.add(op::convert{f32}, {s.filled(i8, {3, 4, 2, 2})});
         return s.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {x, s.add(op::multiply{}, {weights, s.number(1e20)})});
     }},
    {"MatMul of large data", [](sketch& s, output_ref x) {
         return s.add(op::mat_mul{false, true}, {x, stored(s, i8, {1e20}, {}, "y")});
     }},
    {"MatMul of activations", [](sketch& s, output_ref x) {
         return s.add(op::mat_mul{false, true}, {x, s.sound(s.input("y"))});
     }},
    {"MatMul as weights", [](sketch& s, output_ref x) {
         return s.add(op::mat_mul{false, true}, {s.sound(s.input("y")), x});
     }},
    {"AvgPool", [](sketch& s, output_ref x) { return s.add(op::avg_pool{{2, 2}, {2, 2}, {}, {0, 0}, {0, 0}, true}, {x}); }},
    {"AvgPool over pads", [](sketch& s, output_ref x) {
         return s.add(op::avg_pool{{2, 2}, {1, 1}, {}, {1, 1}, {0, 0}, false}, {x});
     }},
    {"AvgPool before Convolution", [](sketch& s, output_ref x) {
         const output_ref mean = s.add(op::avg_pool{{2, 2}, {2, 2}, {}, {0, 0}, {0, 0}, true}, {x});
         return s.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {mean, s.sound_weights({3, 4, 1, 1})});
     }},
    {"MaxPool", [](sketch& s, output_ref x) { return s.add(op::max_pool{{2, 2}, {}, {0, 0}, {0, 0}, {2, 2}}, {x}, 1); }},
    {"ReduceMax", [](sketch& s, output_ref x) { return s.add(op::reduce_max{{true}}, {x, s.indices({2, 3})}); }},
    {"ReduceMin", [](sketch& s, output_ref x) { return s.add(op::reduce_min{{true}}, {x, s.indices({2, 3})}); }},
    {"ReduceMean", [](sketch& s, output_ref x) { return s.add(op::reduce_mean{{true}}, {x, s.indices({2, 3})}); }},
    {"ReduceSum", [](sketch& s, output_ref x) { return s.add(op::reduce_sum{{false}}, {x, s.indices({2, 3})}); }},
    {"ReduceSum over channels", [](sketch& s, output_ref x) { return s.add(op::reduce_sum{{true}}, {x, s.indices({1})}); }},
    {"MVN", [](sketch& s, output_ref x) {
         op::mvn what;
         what.eps = 1e-5;
         return s.add(std::move(what), {x, s.indices({2, 3})}, 6);
     }},
    {"MVN over channels", [](sketch& s, output_ref x) {
         op::mvn what;
         what.eps = 1e-5;
         return s.add(std::move(what), {x, s.indices({1, 2, 3})}, 6);
     }},
    {"NormalizeL2", [](sketch& s, output_ref x) {
         return s.add(op::normalize_l2{1e-6, op::normalize_eps_mode::add}, {x, s.indices({1})});
     }},
    {"Interpolate", [](sketch& s, output_ref x) {
         op::interpolate what;
         what.mode = op::interpolate_mode::nearest;
         what.shape_calculation_mode = op::shape_calculation_mode::sizes;
         what.pads_begin = {0, 0, 0, 0};
         what.pads_end = {0, 0, 0, 0};
         return s.add(std::move(what), {x, s.indices({8, 8}), s.model.constant(make_tensor(f32, {2}, {2.0, 2.0})), s.indices({2, 3})}, 4);
     }},
    {"Reshape", [](sketch& s, output_ref x) { return s.add(op::reshape{true}, {x, s.indices({0, -1})}); }},
    {"Transpose", [](sketch& s, output_ref x) { return s.add(op::transpose{}, {x, s.indices({0, 2, 3, 1})}); }},
    {"Squeeze", [](sketch& s, output_ref x) { return s.add(op::squeeze{}, {x, s.indices({0})}); }},
    {"Unsqueeze", [](sketch& s, output_ref x) { return s.add(op::unsqueeze{}, {x, s.indices({1})}); }},
    {"Slice", [](sketch& s, output_ref x) {
         return s.add(op::slice{}, {x, s.indices({1}), s.indices({3}), s.indices({1}), s.indices({1})});
     }},
    {"StridedSlice", [](sketch& s, output_ref x) {
         const integers none(4, 0);
         const integers open{1, 0, 1, 1};
         return s.add(op::strided_slice{open, open, none, none, none},
                      {x, s.indices({0, 1, 0, 0}), s.indices({0, 3, 0, 0}), s.indices({1, 1, 1, 1})});
     }},
    {"Gather", [](sketch& s, output_ref x) { return s.add(op::gather{}, {x, s.indices({2, 0}), s.index(1)}, 8); }},
    {"Pad", [](sketch& s, output_ref x) {
         return s.add(op::pad{op::pad_mode::constant}, {x, s.indices({0, 0, 1, 0}), s.indices({0, 0, 0, 0}), s.number(0)});
     }},
    {"Pad with a value", [](sketch& s, output_ref x) {
         return s.add(op::pad{op::pad_mode::constant}, {x, s.indices({0, 0, 0, 1}), s.indices({0, 0, 0, 0}), s.number(2)});
     }},
    {"Broadcast", [](sketch& s, output_ref x) {
         return s.add(op::broadcast{op::broadcast_mode::numpy}, {x, s.indices({2, 4, 4, 4})}, 3);
     }},
    {"Split", [](sketch& s, output_ref x) {
         const node_id split = s.model.add(op::split{2}, {x, s.index(1)});
         s.model.result({split, 1});
         return output_ref(split);
     }},
    {"VariadicSplit", [](sketch& s, output_ref x) {
         const node_id split = s.model.add(op::variadic_split{}, {x, s.index(1), s.indices({1, 3})});
         s.model.result({split, 1});
         return output_ref(split);
     }},
    {"DepthToSpace", [](sketch& s, output_ref x) { return s.add(op::depth_to_space{2, op::depth_space_mode::blocks_first}, {x}); }},
    {"ShuffleChannels", [](sketch& s, output_ref x) { return s.add(op::shuffle_channels{1, 2}, {x}); }},
    {"SpaceToBatch", [](sketch& s, output_ref x) {
         return s.add(op::space_to_batch{}, {x, s.indices({1, 1, 2, 2}), s.indices({0, 0, 0, 0}), s.indices({0, 0, 0, 0})});
     }},
    {"SpaceToBatch with margins", [](sketch& s, output_ref x) {
         return s.add(op::space_to_batch{}, {x, s.indices({1, 1, 2, 2}), s.indices({0, 0, 2, 0}), s.indices({0, 0, 0, 2})});
     }},
    {"BatchToSpace", [](sketch& s, output_ref x) {
         const output_ref many = s.add(op::broadcast{op::broadcast_mode::numpy}, {x, s.indices({4, 4, 4, 4})}, 3);
         return s.add(op::batch_to_space{}, {many, s.indices({1, 1, 2, 2}), s.indices({0, 0, 0, 0}), s.indices({0, 0, 0, 1})});
     }},
    {"GRUSequence", [](sketch& s, output_ref x) {
         op::gru_sequence what;
         what.hidden_size = 2;
         const output_ref rows = s.add(op::reshape{true}, {x, s.indices({1, 16, 4})});
         return s.add(std::move(what), {rows, s.filled(f32, {1, 1, 2}), s.model.constant(make_integer_tensor(i64, {1}, {16})),
                                        s.sound_weights({1, 6, 4}), s.sound_weights({1, 6, 2}), s.filled(f32, {1, 6})});
     }},
    {"Assign", [](sketch& s, output_ref x) {
         const shape sizes{1, 4, 4, 4};
         const output_ref zero = s.model.constant(make_tensor(f32, sizes, {0.0}));
         const node_id read = s.model.add(op::read_value{"state", f32, sizes}, {zero}, {}, 6);
         const output_ref sum = s.sound(s.add(op::add{}, {x, read}));
         const node_id write = s.model.add(op::assign{"state", f32, sizes}, {x}, {}, 6);
         s.model.add_control_dependency(write, read);
         return sum;
     }},
    {"Relu, Concat, Convolution and Add", [](sketch& s, output_ref x) {
         const output_ref relu = s.add(op::relu{}, {x});
         const output_ref joined = s.add(op::concat{1}, {relu, s.sound(s.input("y"))});
         const output_ref at = s.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {joined, s.sound_weights({4, 8, 1, 1})});
         return s.sound(s.add(op::add{}, {at, x}));
     }},
};

/// Weights of four output channels.
output_ref quantized_weights_of(sketch& s, const shape& sizes, const numbers& low, const numbers& high,
                                std::int64_t levels = 255) {
    return s.add(op::fake_quantize{levels},
                 {s.filled(f32, sizes), s.number(-1), s.number(1), s.constant(low, f32, 0, sizes.rank()),
                  s.constant(high, f32, 0, sizes.rank())});
}
output_ref stored_weights(sketch& s, const shape& sizes, const numbers& scale, const numbers& zero_point) {
    output_ref at = s.add(op::convert{f32}, {s.filled(i8, sizes)});
    if (!zero_point.empty()) {
        at = s.add(op::subtract{}, {at, s.constant(zero_point, f32, 0, sizes.rank())});
    }
    return scale.empty() ? at : s.add(op::multiply{}, {at, s.constant(scale, f32, 0, sizes.rank())});
}
constexpr weights_row all_weights[] = {
    {"equal bounds", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {1}, {1}); }},
    {"equal bounds at 0", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {0}, {0}); }},
    {"a channel with equal bounds",
     [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1, 0, -1, 0.5}, {1, 0, 1, 0.5}); }},
    {"inverted bounds", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {1}, {-1}); }},
    {"a channel with inverted bounds",
     [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1, 1, -1, -1}, {1, -1, 1, 1}); }},
    {"denormal bounds", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-denormal}, {denormal}); }},
    {"a channel with denormal bounds",
     [](sketch& s, const shape& n) {
         return quantized_weights_of(s, n, {-1, -denormal, -1, -1}, {1, denormal, 1, 1});
     }},
    {"huge bounds", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-huge}, {huge}); }},
    {"large bounds", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1e35}, {1e35}); }},
    {"infinite bounds", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-infinite}, {infinite}); }},
    {"an infinite channel",
     [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1, -1, -1, -1}, {1, infinite, 1, 1}); }},
    {"a NaN channel",
     [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1, -1, -1, -1}, {1, nan, 1, 1}); }},
    {"a range that needs a zero point",
     [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-0.25}, {1}, 256); }},
    {"16 levels", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1}, {0.875}, 16); }},
    {"65536 levels", [](sketch& s, const shape& n) { return quantized_weights_of(s, n, {-1}, {1}, 65536); }},
    {"bounds that are no constants",
     [](sketch& s, const shape& n) {
         return s.add(op::fake_quantize{255}, {s.filled(f32, n), s.number(-1), s.number(1),
                                               s.model.parameter(f32, {}, "low"), s.model.parameter(f32, {}, "high")});
     }},
    {"scale 0", [](sketch& s, const shape& n) { return stored_weights(s, n, {0}, {}); }},
    {"scale 0 in a channel", [](sketch& s, const shape& n) { return stored_weights(s, n, {0.5, 0, 1, 0.25}, {}); }},
    {"a negative scale", [](sketch& s, const shape& n) { return stored_weights(s, n, {-0.5}, {}); }},
    {"a denormal scale", [](sketch& s, const shape& n) { return stored_weights(s, n, {denormal}, {}); }},
    {"a large scale", [](sketch& s, const shape& n) { return stored_weights(s, n, {1e37}, {}); }},
    {"an infinite scale", [](sketch& s, const shape& n) { return stored_weights(s, n, {0.5, infinite, 1, 0.25}, {}); }},
    {"a NaN scale", [](sketch& s, const shape& n) { return stored_weights(s, n, {0.5, nan, 1, 0.25}, {}); }},
    {"a NaN zero point", [](sketch& s, const shape& n) { return stored_weights(s, n, {0.5}, {nan}); }},
    {"a zero point beyond the type", [](sketch& s, const shape& n) { return stored_weights(s, n, {0.5}, {1000}); }},
    {"a zero point with a fraction", [](sketch& s, const shape& n) { return stored_weights(s, n, {0.5}, {0.25}); }},
    {"no scale", [](sketch& s, const shape& n) { return stored_weights(s, n, {}, {3}); }},
    {"neither scale nor zero point", [](sketch& s, const shape& n) { return stored_weights(s, n, {}, {}); }},
};
constexpr weights_reader weights_readers[] = {
    {"Convolution", [] { return shape{4, 4, 2, 2}; },
     [](sketch& s, output_ref w) {
         return s.add(op::convolution{{1, 1}, {1, 1}, {1, 1}, {0, 0}}, {s.sound(s.input("x")), w});
     }},
    {"GroupConvolution", [] { return shape{4, 1, 1, 2, 2}; },
     [](sketch& s, output_ref w) {
         return s.add(op::group_convolution{{1, 1}, {0, 0}, {0, 0}, {1, 1}}, {s.sound(s.input("x")), w});
     }},
    {"ConvolutionBackpropData", [] { return shape{4, 3, 2, 2}; },
     [](sketch& s, output_ref w) {
         return s.add(op::convolution_backprop_data{{2, 2}, {1, 1}, {0, 0}, {0, 0}}, {s.sound(s.input("x")), w});
     }},
    {"MatMul", [] { return shape{4, 4}; },
     [](sketch& s, output_ref w) { return s.add(op::mat_mul{false, true}, {s.sound(s.input("x")), w}); }},
    {"MatMul of large values", [] { return shape{4, 4}; },
     [](sketch& s, output_ref w) {
         return s.add(op::mat_mul{false, true}, {s.quantize(s.input("x"), 256, {0}, {2}, {0}, {1e4}), w});
     }},
    {"Multiply", [] { return shape{4, 4}; },
     [](sketch& s, output_ref w) { return s.add(op::multiply{}, {s.sound(s.input("x")), w}); }},
    {"Add", [] { return shape{4, 4}; },
     [](sketch& s, output_ref w) { return s.add(op::add{}, {s.sound(s.input("x")), w}); }},
};

constexpr setting_row settings[] = {
    {"u8, i8", [](transformation_options&) {}},
    {"in floating point", [](transformation_options& o) { o.update_precisions = false; }},
    {"i8", [](transformation_options& o) { o.default_precisions = {i8}; }},
    {"u8", [](transformation_options& o) { o.default_precisions = {u8}; }},
    {"i16, u16", [](transformation_options& o) { o.default_precisions = {i16, u16}; }},
    {"i16", [](transformation_options& o) { o.default_precisions = {i16}; }},
    {"u16", [](transformation_options& o) { o.default_precisions = {u16}; }},
    {"i32", [](transformation_options& o) { o.default_precisions = {i32}; }},
    {"u32, i32", [](transformation_options& o) { o.default_precisions = {u32, i32}; }},
    {"8, 16 and 32 bits",
     [](transformation_options& o) {
         o.default_precisions = seq<element, 8>(view<element>(int8_int16_int32_precisions));
     }},
    {"i4", [](transformation_options& o) { o.default_precisions = {i4}; }},
    {"u4", [](transformation_options& o) { o.default_precisions = {u4}; }},
    {"i4, u8", [](transformation_options& o) { o.default_precisions = {i4, u8}; }},
    {"f8", [](transformation_options& o) { o.default_precisions = seq<element, 8>(view<element>(fp8_precisions)); }},
    {"f16", [](transformation_options& o) { o.default_precisions = {f16}; }},
    {"no types", [](transformation_options& o) { o.default_precisions = {}; }},
    {"dequantization in f16", [](transformation_options& o) { o.dequantization_precision = f16; }},
    {"scaling",
     [](transformation_options& o) {
         o.update_precisions = false;
         o.default_precisions = {f16};
         o.scaling_mode = true;
     }},
};

std::vector<tensor> inputs_of(const graph& model) {
    std::vector<tensor> result;
    for (const node_id id : model.parameters()) {
        const op::parameter& self = model[id].as<op::parameter>();
        const shape dimensions = self.dimensions.is_static() ? self.dimensions : shape{1, 4, 4, 4};
        const element type = model[id].type();
        tensor_builder data(type, dimensions);
        for (std::size_t i = 0; i < data.elements(); ++i) {
            // Both ends and the middle first, then all else in disorder.
            constexpr std::size_t first[] = {0, 255, 128, 127};
            const std::size_t code = i < 4 ? first[i] : (i * 73 + 29 + 50 * result.size()) % 256;
            const auto spread = static_cast<double>(code);
            data.real(i, is_real(type) ? spread / 64 - 2 : is_signed(type) ? spread - 128 : spread);
        }
        result.push_back(data.finish());
    }
    return result;
}

bool is_finite(double value) { return !math::is_nan(value) && !math::is_infinite(value); }

/// What is wrong with the values of the transformed network; empty: nothing.
std::string compare_values(const graph& before, const graph& after, const transformation_options& options) {
    const std::vector<tensor> inputs = inputs_of(before);
    const view<tensor> given(inputs.data(), inputs.size());
    const std::vector<tensor> in_float = reference::evaluate<float>(before, given);
    const std::vector<tensor> actual_in_float = reference::evaluate<float>(after, given);
    const std::vector<tensor> actual = reference::evaluate<double>(after, given);
    const bool f16_constants = options.dequantization_precision == f16;
    const bounded_results expected = evaluate_with_bound(
        before, {inputs}, {f16_constants, options.follow_upstream_errors, options.update_precisions, f16_constants})[0];
    for (std::size_t which = 0; which < expected.results.size(); ++which) {
        const tensor& wanted = expected.results[which].value;
        if (actual[which].dimensions() != wanted.dimensions()) {
            if (expected.results[which].may_broadcast) {
                continue;  // see depth_to_space_constants in docs/differences.md
            }
            return "another shape";
        }
        for (std::size_t i = 0; i < wanted.elements(); ++i) {
            const double radius = expected.results[which].radius[i];
            const bool is_excused = options.follow_upstream_errors && !is_finite(radius);
            if (is_excused || !is_finite(in_float[which].real(i)) || !is_finite(wanted.real(i))) {
                continue;
            }
            const auto wrong = [&](const tensor& values, const char* in) {
                return "element " + std::to_string(i) + " of result " + std::to_string(which) + " is " +
                       std::to_string(values.real(i)) + in + ", not " + std::to_string(wanted.real(i)) + " within " +
                       std::to_string(radius);
            };
            if (!is_finite(actual_in_float[which].real(i))) {
                return wrong(actual_in_float[which], " in float");
            }
            if (!is_finite(actual[which].real(i))) {
                return wrong(actual[which], "");
            }
            const double off = math::absolute(actual[which].real(i) - wanted.real(i));
            // Products of denormal scales have few digits.
            if (off != 0 && !(off <= radius + 1e-40)) {
                return wrong(actual[which], "");
            }
        }
    }
    return {};
}

std::string string_of(const error& problem) {
    const text_view words = problem.message();
    return {words.data(), words.size()};
}

std::string check(const graph& before, const transformation_options& options) {
    random_setting setting{"none", {}};
    setting.where.options = options;
    graph prepared = before;
    prepare_for(prepared, setting);
    graph after = prepared;
    try {
        run_default_pipeline(after, setting);
    } catch (const error& problem) {
        std::string what = "error: " + string_of(problem);
        if (!lpt::difference(prepared, after).empty()) {
            what += "; and the graph is changed";
        }
        return what;
    }
    try {
        verify(after);
    } catch (const error& problem) {
        return "does not verify: " + string_of(problem);
    }
    return compare_values(before, after, options);
}

struct failure_count {
    int checks = 0;
    int failures = 0;

    void check_one(const char* source_name, const char* reader_name, const char* setting_name, const graph& before,
                   transformation_options options) {
        for (const bool follow : {true, false}) {
            options.follow_upstream_errors = follow;
            ++checks;
            const std::string problem = check(before, options);
            if (!problem.empty()) {
                ++failures;
                std::printf("%s | %s | %s%s: %s\n", source_name, reader_name, setting_name, follow ? "" : " (right)",
                            problem.c_str());
                if (std::getenv("LPT_PRINT") != nullptr) {
                    std::printf("%s\n", to_text(before).c_str());
                    graph after = before;
                    random_setting setting{"none", {}};
                    setting.where.options = options;
                    try {
                        prepare_for(after, setting);
                        run_default_pipeline(after, setting);
                        std::printf("-->\n%s\n", to_text(after).c_str());
                    } catch (const error&) {}
                }
            }
        }
    }
};

graph network_of(const source& from, const reader& to, bool dynamic_rank = false) {
    sketch s;
    const output_ref values = from.make(s);
    s.model.result(to.make(s, values));
    if (dynamic_rank) {
        graph open = s.model;
        for (const node_id id : open.parameters()) {
            op::parameter self = open[id].as<op::parameter>();
            self.dimensions = self.dimensions.rank() == 0 ? self.dimensions : shape::of_dynamic_rank();
            open.set_attributes(id, self);
        }
        try {
            infer_all(open);
            s.model = std::move(open);
        } catch (const error&) {}
    }
    return std::move(s.model);
}

bool wanted(const char* filter, const char* name) {
    const char* words = std::getenv(filter);
    return words == nullptr || std::string(words) == name;
}

/// Every how-many-th combination is checked; LPT_DEGENERATE_STRIDE=1 checks all.
class sample {
    unsigned long stride_;
    unsigned long next_ = 0;

public:
    explicit sample(unsigned long otherwise) : stride_(otherwise) {
        if (const char* words = std::getenv("LPT_DEGENERATE_STRIDE")) {
            stride_ = std::max(1ul, std::strtoul(words, nullptr, 10));
        }
    }
    bool takes() { return next_++ % stride_ == 0; }
};

}  // namespace

TEST_CASE("Degenerate constants above every operation") {
    failure_count all;
    sample part(1);
    for (const source& from : sources) {
        for (const reader& to : readers) {
            if (wanted("LPT_SOURCE", from.name) && wanted("LPT_READER", to.name) && part.takes()) {
                all.check_one(from.name, to.name, "", network_of(from, to), {});
            }
        }
    }
    CHECK(all.checks != 0);
    CHECK(all.failures == 0);
}

TEST_CASE("Degenerate constants of weights") {
    failure_count all;
    sample part(1);
    for (const weights_row& from : all_weights) {
        for (const weights_reader& to : weights_readers) {
            if (wanted("LPT_SOURCE", from.name) && wanted("LPT_READER", to.name) && part.takes()) {
                sketch s;
                const output_ref weights = from.make(s, to.sizes());
                s.model.result(to.make(s, weights));
                all.check_one(from.name, to.name, "weights", s.model, {});
            }
        }
    }
    CHECK(all.checks != 0);
    CHECK(all.failures == 0);
}

TEST_CASE("Degenerate constants above operations of dynamic rank") {
    failure_count all;
    sample part(1);
    for (const source& from : sources) {
        for (const reader& to : readers) {
            if (wanted("LPT_SOURCE", from.name) && wanted("LPT_READER", to.name) && part.takes()) {
                all.check_one(from.name, to.name, "dynamic rank", network_of(from, to, true), {});
            }
        }
    }
    CHECK(all.checks != 0);
    CHECK(all.failures == 0);
}

TEST_CASE("Degenerate constants in every mode, with default types of every width") {
    failure_count all;
    sample part(1);
    for (const setting_row& each : settings) {
        transformation_options options;
        each.set(options);
        for (const source& from : sources) {
            for (const reader& to : readers) {
                if (wanted("LPT_SOURCE", from.name) && wanted("LPT_READER", to.name) &&
                    wanted("LPT_SETTING", each.name) && part.takes()) {
                    all.check_one(from.name, to.name, each.name, network_of(from, to), options);
                }
            }
        }
    }
    CHECK(all.checks != 0);
    CHECK(all.failures == 0);
}
