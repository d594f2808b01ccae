// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

struct convolution_case {
    k::convolution_shape shape;
    k::element_kind input_type = k::element_kind::u8;
    k::element_kind weights_type = k::element_kind::i8;
    std::int32_t zero_point = 0;
    int weights_zero_points = 0; // 0, 1 or per channel (2)
    int epilogue = 0;
    int threads = 1;
    std::int64_t input_gap = 0, output_gap = 0;
};

std::int64_t taps_of(const k::convolution_shape& s) { return s.kernel[0] * s.kernel[1] * s.kernel[2]; }
std::int64_t pixels_of(const k::convolution_shape& s, const std::int64_t (&size)[3]) {
    return s.batch * size[0] * size[1] * size[2];
}

struct convolution_data {
    convolution_case c;
    guarded<std::uint8_t> input{1}, weights{1};
    std::vector<std::int32_t> zero_points;
    epilogue_data finish;

    explicit convolution_data(const convolution_case& of, std::uint64_t seed) : c(of) {
        generator random(seed);
        const k::convolution_shape& s = c.shape;
        input = random_elements(random, c.input_type,
                                (pixels_of(s, s.in) - 1) * (s.in_channels + c.input_gap) + s.in_channels);
        const std::int64_t depth = taps_of(s) * s.in_channels / s.groups;
        weights = random_elements(random, c.weights_type, s.out_channels * depth);
        const std::int64_t count = c.weights_zero_points == 2 ? s.out_channels : c.weights_zero_points;
        const std::int32_t lowest = c.weights_type == k::element_kind::u8 ? 0 : -128;
        for (std::int64_t i = 0; i < count; ++i)
            zero_points.push_back(lowest + static_cast<std::int32_t>(random.below(256)));
        const bool is_float = c.input_type == k::element_kind::f32;
        const float spread = std::sqrt(static_cast<float>(depth));
        finish = make_epilogue(random, c.epilogue, pixels_of(s, s.out), s.out_channels,
                               is_float ? 2 * spread : 8000 * spread);
        if (is_float) avoid_accumulators(finish);
    }

    /// Weights are [group][out][in][tap], for transposed ones [group][in][out][tap].
    k::convolution_weights described() const {
        const k::convolution_shape& s = c.shape;
        const std::int64_t group_in = s.in_channels / s.groups;
        const std::int64_t group_out = s.out_channels / s.groups;
        k::convolution_weights w;
        w.data = weights.data();
        w.type = c.weights_type;
        w.group_stride = group_in * group_out * taps_of(s);
        w.out_stride = s.transposed ? taps_of(s) : group_in * taps_of(s);
        w.in_stride = s.transposed ? group_out * taps_of(s) : taps_of(s);
        w.tap_stride = 1;
        w.zero_points = zero_points.data();
        w.zero_point_count = static_cast<std::int64_t>(zero_points.size());
        return w;
    }

    guarded<std::uint8_t> run(const k::kernel_table& table) const {
        const k::convolution_shape& s = c.shape;
        guarded<std::uint8_t> packed(table.packed_convolution_bytes(s, c.weights_type));
        table.pack_convolution(s, described(), packed.data(), {});
        guarded<std::uint8_t> scratch(table.convolution_scratch_bytes(s, c.input_type, c.threads));
        std::memset(scratch.data(), 0xcc, scratch.size());
        k::convolution_problem p;
        p.shape = s;
        p.input = input.data();
        p.input_type = c.input_type;
        p.input_pixel_stride = s.in_channels + c.input_gap;
        p.input_zero_point = c.zero_point;
        p.packed_weights = packed.data();
        p.output_pixel_stride = s.out_channels + c.output_gap;
        p.scratch = scratch.data();
        p.finish = finish.value;
        guarded<std::uint8_t> out =
            output_buffer((pixels_of(s, s.out) - 1) * p.output_pixel_stride + s.out_channels, p.finish.output_type);
        p.output = out.data();
        table.convolution(p, threads(c.threads));
        return out;
    }

    std::int64_t element(const guarded<std::uint8_t>& data, k::element_kind type, std::int64_t i) const {
        const std::uint8_t raw = data[static_cast<std::size_t>(i)];
        return type == k::element_kind::u8 ? static_cast<std::int64_t>(raw) : static_cast<std::int8_t>(raw);
    }

    /// Sums by scattering (transposed) or gathering, straight from the definition, without zero points folded anywhere.
    std::vector<std::int64_t> sums() const {
        const k::convolution_shape& s = c.shape;
        const std::int64_t group_in = s.in_channels / s.groups;
        const std::int64_t group_out = s.out_channels / s.groups;
        const k::convolution_weights w = described();
        std::vector<std::int64_t> result(static_cast<std::size_t>(pixels_of(s, s.out) * s.out_channels), 0);
        const std::int64_t(&from)[3] = s.transposed ? s.in : s.out;  // the side that taps are counted from
        const std::int64_t(&to)[3] = s.transposed ? s.out : s.in;
        for (std::int64_t n = 0; n < s.batch; ++n)
            for (std::int64_t d = 0; d < from[0]; ++d)
                for (std::int64_t h = 0; h < from[1]; ++h)
                    for (std::int64_t x = 0; x < from[2]; ++x)
                        for (std::int64_t kd = 0; kd < s.kernel[0]; ++kd)
                            for (std::int64_t kh = 0; kh < s.kernel[1]; ++kh)
                                for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw) {
                                    const std::int64_t td = d * s.stride[0] + kd * s.dilation[0] - s.pad_begin[0];
                                    const std::int64_t th = h * s.stride[1] + kh * s.dilation[1] - s.pad_begin[1];
                                    const std::int64_t tw = x * s.stride[2] + kw * s.dilation[2] - s.pad_begin[2];
                                    if (td < 0 || td >= to[0] || th < 0 || th >= to[1] || tw < 0 || tw >= to[2])
                                        continue;
                                    const std::int64_t near_pixel = ((n * from[0] + d) * from[1] + h) * from[2] + x;
                                    const std::int64_t far_pixel = ((n * to[0] + td) * to[1] + th) * to[2] + tw;
                                    const std::int64_t in_pixel = s.transposed ? near_pixel : far_pixel;
                                    const std::int64_t out_pixel = s.transposed ? far_pixel : near_pixel;
                                    const std::int64_t tap = (kd * s.kernel[1] + kh) * s.kernel[2] + kw;
                                    for (std::int64_t o = 0; o < s.out_channels; ++o) {
                                        const std::int64_t g = o / group_out;
                                        const std::int64_t zero =
                                            zero_points.empty()
                                                ? 0
                                                : zero_points[zero_points.size() > 1 ? static_cast<std::size_t>(o) : 0];
                                        for (std::int64_t i = 0; i < group_in; ++i) {
                                            const std::int64_t a =
                                                element(input, c.input_type,
                                                        in_pixel * (s.in_channels + c.input_gap) + g * group_in + i);
                                            const std::int64_t b =
                                                element(weights, c.weights_type,
                                                        g * w.group_stride + o % group_out * w.out_stride +
                                                            i * w.in_stride + tap);
                                            result[static_cast<std::size_t>(out_pixel * s.out_channels + o)] +=
                                                (a - c.zero_point) * (b - zero);
                                        }
                                    }
                                }
        return result;
    }
};

void compare_all(const convolution_case& c, std::uint64_t seed) {
    const convolution_data data(c, seed);
    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
    for (const k::isa set : instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        CAPTURE(std::string(k::name_of(k::table_for(set).method_of_convolution(c.shape))));
        CAPTURE(c.shape.in_channels);
        CAPTURE(c.shape.out_channels);
        CAPTURE(c.shape.groups);
        CAPTURE(c.threads);
        CAPTURE(data.finish.name);
        CHECK(first_difference(expected, data.run(k::table_for(set)), data.finish.value.output_type) == -1);
    }
}

/// A shape whose output sizes follow from the rest.
k::convolution_shape shape_of(std::int64_t in_channels, std::int64_t out_channels, std::int64_t groups,
                              std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                              std::int64_t pad, int axes = 2) {
    k::convolution_shape s;
    s.in_channels = in_channels;
    s.out_channels = out_channels;
    s.groups = groups;
    for (int axis = 3 - axes; axis < 3; ++axis) {
        s.in[axis] = size + (axis == 1 ? 1 : 0);
        s.kernel[axis] = kernel;
        s.stride[axis] = stride;
        s.dilation[axis] = dilation;
        s.pad_begin[axis] = pad;
        s.out[axis] = (s.in[axis] + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
    }
    return s;
}

k::convolution_shape transposed_shape_of(std::int64_t in_channels, std::int64_t out_channels, std::int64_t groups,
                                         std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t pad,
                                         std::int64_t output_padding) {
    k::convolution_shape s;
    s.transposed = true;
    s.in_channels = in_channels;
    s.out_channels = out_channels;
    s.groups = groups;
    for (int axis = 1; axis < 3; ++axis) {
        s.in[axis] = size + (axis == 1 ? 1 : 0);
        s.kernel[axis] = kernel;
        s.stride[axis] = stride;
        s.pad_begin[axis] = pad;
        s.out[axis] = (s.in[axis] - 1) * stride + kernel - 2 * pad + output_padding;
    }
    return s;
}

/// Strides with and without taps for each phase, dilations, more and less padding than taps, one channel, groups, one and three axes.
std::vector<k::convolution_shape> transposed_shapes() {
    std::vector<k::convolution_shape> shapes = {
        transposed_shape_of(24, 24, 1, 5, 2, 2, 0, 0),  // each pixel has one tap
        transposed_shape_of(24, 1, 1, 20, 2, 2, 0, 0),  // the same, one channel
        transposed_shape_of(7, 1, 1, 5, 5, 3, 2, 1),  // one channel, several taps
        transposed_shape_of(12, 20, 1, 5, 4, 2, 1, 1),
        transposed_shape_of(16, 70, 1, 4, 3, 1, 1, 0),  // stride 1
        transposed_shape_of(8, 6, 2, 5, 1, 2, 0, 1),  // pixels without taps
        transposed_shape_of(8, 1, 1, 5, 2, 3, 0, 2),  // the same, one channel
        transposed_shape_of(30, 18, 3, 4, 5, 2, 3, 0),
        transposed_shape_of(20, 300, 1, 3, 3, 2, 0, 0),  // more channels than one epilogue takes
        transposed_shape_of(9, 9, 9, 6, 4, 2, 1, 0),
        transposed_shape_of(70, 70, 70, 5, 5, 3, 2, 1),  // depthwise, whole vectors and some channels
        transposed_shape_of(4, 4, 4, 5, 1, 2, 0, 1),  // the same, pixels without taps
        transposed_shape_of(300, 300, 300, 3, 9, 1, 3, 0),  // the same, more taps and channels than are taken at once
    };
    k::convolution_shape dilated = transposed_shape_of(10, 12, 1, 6, 3, 2, 2, 3);
    dilated.dilation[1] = 3;
    dilated.dilation[2] = 2;  // all taps in one phase
    dilated.out[1] = 17;
    dilated.out[2] = 14;
    dilated.batch = 2;
    shapes.push_back(dilated);
    dilated.in_channels = dilated.out_channels = dilated.groups = 10;
    shapes.push_back(dilated);
    k::convolution_shape deep = transposed_shape_of(5, 6, 1, 3, 3, 2, 1, 1);
    deep.in[0] = 3;
    deep.kernel[0] = 2;
    deep.stride[0] = 3;
    deep.out[0] = 8;
    shapes.push_back(deep);
    k::convolution_shape line = transposed_shape_of(8, 16, 1, 9, 6, 4, 1, 0);
    line.in[1] = line.out[1] = line.kernel[1] = line.stride[1] = 1;
    line.pad_begin[1] = 0;
    shapes.push_back(line);
    return shapes;
}

std::vector<k::convolution_shape> all_shapes() {
    std::vector<k::convolution_shape> shapes = {
        shape_of(16, 20, 1, 7, 3, 1, 1, 1),  // implicit matrix
        shape_of(18, 70, 1, 6, 3, 2, 1, 1),  // channels not a multiple of 4, columns past one panel
        shape_of(20, 9, 1, 9, 3, 1, 2, 2),  // dilated
        shape_of(3, 17, 1, 11, 5, 2, 1, 2),  // few channels: taps of a line merged
        shape_of(3, 33, 1, 13, 3, 2, 1, 1),  // short lines: joined
        shape_of(1, 70, 1, 6, 3, 1, 1, 1, 3),  // one channel, three axes, joined
        shape_of(8, 12, 2, 6, 3, 1, 1, 1),  // groups, lines merged
        shape_of(15, 70, 5, 9, 4, 3, 1, 2),  // odd channels of groups, lines merged
        shape_of(3, 9, 1, 9, 3, 1, 2, 2),  // few channels, dilated: gathered
        shape_of(10, 6, 2, 8, 3, 2, 3, 3),  // groups, dilated: gathered
        shape_of(2, 5, 1, 3, 5, 1, 1, 4),  // more padding than image
        shape_of(36, 10, 2, 4, 3, 1, 1, 3),  // groups of 18 channels, output columns without any pixel
        shape_of(64, 64, 2, 4, 3, 1, 1, 1),  // groups, implicit matrix
        shape_of(24, 40, 1, 5, 1, 1, 1, 0),  // pointwise
        shape_of(24, 40, 4, 5, 1, 1, 1, 0),  // pointwise in groups
        shape_of(32, 33, 1, 7, 1, 2, 1, 0),  // pointwise with stride
        shape_of(1, 1, 1, 5, 3, 1, 1, 1),  // one channel
        shape_of(20, 8, 1, 13, 4, 3, 1, 1, 1),  // one axis
        shape_of(17, 8, 1, 4, 3, 1, 1, 1, 3),  // three axes
        shape_of(40, 40, 40, 7, 3, 1, 1, 1),  // depthwise
        shape_of(19, 19, 19, 8, 5, 2, 1, 2),  // depthwise, odd channels
        shape_of(300, 300, 300, 3, 3, 1, 1, 1),  // depthwise, more channels than one epilogue takes
        shape_of(5, 5, 5, 4, 3, 1, 1, 1, 3),  // depthwise, three axes
        shape_of(70, 70, 70, 6, 3, 1, 1, 1),  // depthwise, two blocks of channels, an odd number of rows
        shape_of(96, 96, 96, 6, 3, 2, 1, 1),  // depthwise, a block of channels and the half of one
        shape_of(35, 35, 35, 9, 5, 1, 1, 2),  // depthwise, more rows than fit in four bytes
        shape_of(20, 20, 20, 9, 3, 1, 2, 3),  // depthwise, dilated
        shape_of(4, 4, 4, 150, 3, 1, 1, 1, 1),  // depthwise, one axis, longer than a window
        shape_of(4, 4, 4, 9, 3, 1, 70, 70),  // depthwise, taps too far apart for a window
        shape_of(6, 12, 6, 5, 3, 1, 1, 1),  // two outputs per input channel
        transposed_shape_of(16, 10, 1, 4, 3, 2, 1, 1),
        transposed_shape_of(6, 8, 2, 4, 4, 2, 1, 0),
        transposed_shape_of(12, 12, 12, 3, 2, 2, 0, 0),
    };
    k::convolution_shape asymmetric = shape_of(21, 6, 1, 6, 3, 1, 1, 0);
    asymmetric.batch = 2;
    asymmetric.pad_begin[1] = 0;
    asymmetric.pad_begin[2] = 2;
    asymmetric.kernel[1] = 2;
    asymmetric.out[1] = asymmetric.in[1] - 1 + 1;  // one row of padding at the end
    asymmetric.out[2] = asymmetric.in[2] + 2 - 2;
    shapes.push_back(asymmetric);
    asymmetric.in_channels = 3;
    shapes.push_back(asymmetric);
    for (const k::convolution_shape& each : transposed_shapes())
        shapes.push_back(each);
    return shapes;
}

}  // namespace

TEST_CASE("the scalar convolution is the sum over taps and channels, with padding that contributes nothing") {
    std::uint64_t seed = 0;
    for (const k::convolution_shape& shape : all_shapes()) {
        convolution_case c;
        c.shape = shape;
        c.input_type = seed % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8;
        c.zero_point = seed % 2 == 0 ? 200 : -77;
        c.weights_zero_points = static_cast<int>(seed % 3);
        c.epilogue = 3;
        CAPTURE(seed);
        const convolution_data data(c, ++seed);
        const guarded<std::uint8_t> out = data.run(k::table_for(k::isa::scalar));
        const std::vector<std::int64_t> expected = data.sums();
        REQUIRE(out.size() == expected.size() * 4);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            std::int32_t found;
            std::memcpy(&found, out.data() + i * 4, 4);
            wrong += found != expected[i];
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("every instruction set gives the scalar bits for every geometry, type and zero point") {
    std::uint64_t seed = 100;
    for (const k::convolution_shape& shape : all_shapes()) {
        for (int variant = 0; variant < 5; ++variant) {
            convolution_case c;
            c.shape = shape;
            c.input_type = variant % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8;
            c.weights_type = variant < 3    ? k::element_kind::i8
                             : variant == 3 ? k::element_kind::u8
                                            : k::element_kind::i4;
            c.zero_point = variant == 0 ? 0 : variant % 2 == 0 ? 255 : -128;
            c.weights_zero_points = variant == 2 ? 2 : variant == 3 ? 1 : 0;
            c.epilogue = static_cast<int>(seed % 4);
            c.input_gap = variant;
            c.output_gap = variant % 2 * 3;
            compare_all(c, ++seed);
        }
    }
}

TEST_CASE("transposed convolution gives the scalar bits with every epilogue and on any number of threads") {
    std::uint64_t seed = 700;
    for (const k::convolution_shape& shape : transposed_shapes()) {
        for (int variant = 0; variant < epilogue_variants; ++variant) {
            convolution_case c;
            c.shape = shape;
            c.input_type = variant % 3 == 0 ? k::element_kind::u8 : k::element_kind::i8;
            c.zero_point = variant % 2 == 0 ? 0 : 100;
            c.epilogue = variant;
            c.threads = 1 + variant % 4;
            c.output_gap = seed % 5 == 0 ? 2 : 0;
            compare_all(c, ++seed);
            c.input_type = c.weights_type = k::element_kind::f32;
            c.zero_point = 0;
            compare_all(c, ++seed);
        }
    }
}

TEST_CASE("transposed convolution takes many post operations with residuals") {
    convolution_case c;
    c.shape = transposed_shape_of(12, 20, 1, 5, 4, 2, 1, 1);
    c.epilogue = 7;
    convolution_data data(c, 1);
    while (data.finish.post.size() < 20)
        data.finish.post.push_back(data.finish.post[0]);
    data.finish.value.post = data.finish.post.data();
    data.finish.value.post_count = 20;
    const guarded<std::uint8_t> expected = data.run(k::table_for(k::isa::scalar));
    for (const k::isa set : instruction_sets())
        CHECK(first_difference(expected, data.run(k::table_for(set)), k::element_kind::u8) == -1);
}

TEST_CASE(
    "dense convolution gives the scalar bits where pixels at the ends of lines leave out taps, for every width, on any "
    "number of threads") {
    std::uint64_t seed = 900;
    for (const std::int64_t width : {4, 5, 6, 7, 8, 9, 13, 14, 27, 64, 65}) {
        for (int variant = 0; variant < 3; ++variant) {
            const bool wide_kernel = variant == 2;
            const std::int64_t stride = variant == 1 ? 2 : 1;
            convolution_case c;
            c.shape = shape_of(16, variant == 0 ? 70 : 20, 1, 2 + 130 / width, 3, stride, wide_kernel ? 2 : 1, 1);
            c.shape.batch = seed % 3 == 0 ? 2 : 1;
            c.shape.in[2] = width * stride;
            c.shape.kernel[2] = wide_kernel ? 4 : 3;
            c.shape.pad_begin[2] = wide_kernel ? 3 : 1;
            c.shape.out[2] = width;
            c.input_type = seed % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8;
            c.zero_point = c.input_type == k::element_kind::u8 ? 0 : -128;  // zeros to dot products of unsigned rows
            if (seed % 4 == 1) c.zero_point = 0;
            c.threads = 1 + static_cast<int>(seed % 4);
            c.output_gap = static_cast<std::int64_t>(seed % 3);
            c.epilogue = seed % 5 == 0 ? 9 : 0;  // a residual of f32, in tiles, too
            CAPTURE(width);
            CAPTURE(variant);
            compare_all(c, ++seed);
        }
    }
}

TEST_CASE("depthwise convolution by 3 x 3 taps gives the scalar bits for every width, stride, padding and count of "
          "channels") {
    std::uint64_t seed = 500;
    for (const std::int64_t channels : {5, 32, 47, 64, 80, 96, 200}) {
        for (const std::int64_t size : {1, 2, 3, 4, 5, 6, 7, 10}) {
            for (const std::int64_t stride : {1, 2}) {
                convolution_case c;
                c.shape = shape_of(channels, channels, channels, size + 1, 3, stride, 1, 1);
                if (seed % 3 == 0) {  // padding at the end alone
                    c.shape.pad_begin[1] = c.shape.pad_begin[2] = 0;
                    for (int axis = 1; axis < 3; ++axis)
                        c.shape.out[axis] = (c.shape.in[axis] + 1 - 3) / stride + 1;
                }
                c.shape.batch = seed % 4 == 0 ? 2 : 1;
                c.input_type = seed % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8;
                c.zero_point = seed % 2 == 0 ? 131 : -7;
                c.epilogue = static_cast<int>(seed % 3);
                c.threads = 1 + static_cast<int>(seed % 5);
                c.input_gap = static_cast<std::int64_t>(seed % 2);
                c.output_gap = static_cast<std::int64_t>(seed % 3);
                CAPTURE(size);
                CAPTURE(stride);
                compare_all(c, ++seed);
            }
        }
    }
}

TEST_CASE("depthwise convolution by 5 x 5 taps gives the scalar bits for every width, stride, padding and count of "
          "channels") {
    std::uint64_t seed = 1500;
    for (const std::int64_t channels : {5, 32, 47, 64, 80, 96, 200}) {
        for (const std::int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19}) {
            for (const std::int64_t stride : {1, 2}) {
                const std::int64_t begin = static_cast<std::int64_t>(seed % 5),
                                   end = (static_cast<std::int64_t>(seed) + size) % 5;
                convolution_case c;
                c.shape = shape_of(channels, channels, channels, size + 4, 5, stride, 1, begin);
                for (int axis = 1; axis < 3; ++axis) {
                    c.shape.in[axis] -= begin < 4 ? begin : 4;
                    c.shape.out[axis] = (c.shape.in[axis] + begin + end - 5) / stride + 1;
                }
                c.shape.batch = seed % 4 == 0 ? 2 : 1;
                c.input_type = seed % 2 == 0 ? k::element_kind::u8 : k::element_kind::i8;
                c.zero_point = seed % 2 == 0 ? 131 : -7;
                c.epilogue = static_cast<int>(seed % 3);
                c.threads = 1 + static_cast<int>(seed % 5);
                c.input_gap = static_cast<std::int64_t>(seed % 2);
                c.output_gap = static_cast<std::int64_t>(seed % 3);
                CAPTURE(size);
                CAPTURE(stride);
                compare_all(c, ++seed);
            }
        }
    }
}

TEST_CASE("depthwise convolution at stride 2 gives the scalar bits for lines longer than its buffers") {
    for (const std::int64_t width : {125, 126, 127, 128, 130, 260}) {
        convolution_case c;
        c.shape = shape_of(36, 36, 36, 4, 3, 2, 1, 1);
        c.shape.in[2] = width;
        c.shape.out[2] = (width - 1) / 2 + 1;
        c.zero_point = 9;
        CAPTURE(width);
        compare_all(c, static_cast<std::uint64_t>(width));
    }
}

TEST_CASE("every instruction set gives the scalar bits for every epilogue, depthwise and dense") {
    for (int variant = 0; variant < epilogue_variants; ++variant) {
        for (const k::convolution_shape& shape :
             {shape_of(37, 37, 37, 5, 3, 1, 1, 1), shape_of(37, 37, 37, 6, 5, 1, 1, 2),
              shape_of(37, 37, 37, 7, 5, 2, 1, 2), shape_of(16, 35, 1, 5, 3, 1, 1, 1),
              shape_of(8, 80, 1, 17, 3, 1, 1, 1)}) {
            convolution_case c;
            c.shape = shape;
            c.epilogue = variant;
            c.zero_point = variant % 2 == 0 ? 100 : 0;  // without one, ends of lines have tiles of their own
            c.threads = 1 + variant % 2;
            compare_all(c, static_cast<std::uint64_t>(variant));
        }
    }
}

TEST_CASE("groups of few channels give the scalar bits for every width, kernel, sign, epilogue and type of weights") {
    std::uint64_t seed = 900;
    for (const std::int64_t group : {4, 8, 16}) {
        for (const std::int64_t groups : {2, 3, 8, 10, 20}) {
            for (const std::int64_t kernel : {1, 3, 5}) {
                for (const std::int64_t stride : {1, 2}) {
                    convolution_case c;
                    const std::int64_t channels = group * groups;
                    const std::int64_t size = 6 + static_cast<std::int64_t>(seed % 4) * 5;
                    const std::int64_t dilation = seed % 5 == 4 ? 2 : 1;
                    c.shape = shape_of(channels, channels, groups, size, kernel, stride, dilation, kernel / 2);
                    c.shape.batch = seed % 3 == 0 ? 2 : 1;
                    c.input_type = seed % 3 == 1 ? k::element_kind::i8 : k::element_kind::u8;
                    c.weights_type = seed % 7 == 0   ? k::element_kind::u8
                                     : seed % 7 == 1 ? k::element_kind::i4
                                                     : k::element_kind::i8;
                    c.weights_zero_points = seed % 7 == 2 ? 2 : 0;  // then weights may not be signed bytes
                    c.zero_point = seed % 2 == 0 ? 0 : 99;
                    c.epilogue = static_cast<int>(seed % static_cast<std::uint64_t>(epilogue_variants));
                    c.threads = 1 + static_cast<int>(seed % 3);
                    c.input_gap = static_cast<std::int64_t>(seed % 2);
                    c.output_gap = static_cast<std::int64_t>(seed % 3);
                    CAPTURE(group);
                    CAPTURE(groups);
                    CAPTURE(kernel);
                    compare_all(c, ++seed);
                }
            }
        }
    }
}

TEST_CASE("convolution gives the same bits on 1 to 8 threads") {
    for (int count = 1; count <= 8; ++count) {
        for (const k::convolution_shape& shape :
             {shape_of(20, 20, 20, 9, 3, 1, 1, 1), shape_of(20, 20, 20, 8, 5, 1, 1, 2),
              shape_of(16, 150, 1, 9, 3, 1, 1, 1), shape_of(64, 512, 1, 2, 3, 1, 1, 1),
              shape_of(6, 260, 2, 7, 3, 1, 1, 1), shape_of(96, 96, 12, 9, 3, 1, 1, 1)}) {
            convolution_case c;
            c.shape = shape;
            c.threads = count;
            c.zero_point = 3;
            compare_all(c, 17);
        }
    }
}

TEST_CASE("float convolution gives the scalar bits on every instruction set") {
    std::uint64_t seed = 0;
    for (const k::convolution_shape& shape : all_shapes()) {
        convolution_case c;
        c.shape = shape;
        c.input_type = k::element_kind::f32;
        c.weights_type = k::element_kind::f32;
        c.epilogue = seed % 2 == 0 ? 4 : 0;
        compare_all(c, ++seed);
    }
}
