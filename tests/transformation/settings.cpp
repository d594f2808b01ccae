// SPDX-License-Identifier: Apache-2.0
// What the options do to whole networks; see options.cpp for follow_upstream_errors.
#include <lpt/lpt.hpp>

#include <doctest/doctest.h>

#include <ostream>
#include <utility>

using namespace lpt;

namespace {

const shape data_shape{1, 4, 4, 4};

/// A network under construction, and what the default pipeline makes of it.
struct subject {
    graph model;
    transformation_options options;

    output_ref input(element type = f32) { return model.parameter(type, data_shape); }
    output_ref constant(element type, double value) { return model.constant(make_scalar(type, value)); }
    output_ref fake_quantize(std::int64_t levels, double low, double high, element type = f32) {
        const output_ref data = input(type);
        const node_id least = model.constant(make_scalar(type, low));
        const node_id most = model.constant(make_scalar(type, high));
        return model.add(op::fake_quantize{levels}, {data, least, most, least, most});
    }
    output_ref multiply(output_ref left, output_ref right) { return model.add(op::multiply{}, {left, right}); }
    /// Weights of `stored` type times 0.5.
    output_ref weights(element stored, shape sizes, element type = f32) {
        tensor_builder values(stored, std::move(sizes));
        for (std::size_t i = 0; i < values.elements(); ++i) {
            values.real(i, static_cast<double>(i % 4) + 1);
        }
        const output_ref converted = model.add(op::convert{type}, {model.constant(values.finish())});
        return multiply(converted, constant(type, 0.5));
    }
    output_ref convolve(output_ref data, element stored, element type = f32) {
        return model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {data, weights(stored, {2, 4, 1, 1}, type)});
    }
    output_ref pool(output_ref data) {
        return model.add(op::max_pool{{2, 2}, {}, {0, 0}, {0, 0}, {2, 2}}, {data}, {}, 1);
    }
    output_ref fake_convert(element type) { return model.add(op::fake_convert{type}, {input(), constant(f32, 2)}); }
    void run(output_ref last) {
        model.result(last);
        run_pipeline<default_pipeline::without<multiply_to_group_convolution_transformation>>(model, {}, options);
        verify(model);
    }
    node_id output() const { return model.producer(model.results()[0], 0); }
    /// The first operation of a type; `none` if there is none.
    node_id find(op::kind wanted) const {
        for (const node_id id : topological_order(model)) {
            if (model[id].kind() == wanted) {
                return id;
            }
        }
        return node_id::none;
    }
    element type_of(op::kind wanted, std::size_t port) const { return model.type(model[find(wanted)].input(port)); }
};

/// What becomes of a FakeQuantize before an operation that preserves precision.
struct quantization {
    element type = dynamic;
    double low = 0;
    double high = 0;
    double zero_point = 0;
    friend bool operator==(const quantization&, const quantization&) = default;
};
std::ostream& operator<<(std::ostream& out, const quantization& each) {
    const text_view type = name(each.type);
    return out.write(type.data(), static_cast<std::streamsize>(type.size()))
           << " [" << each.low << ", " << each.high << "] - " << each.zero_point;
}
quantization quantization_of(std::int64_t levels, double low, double high, view<element> default_precisions) {
    subject net;
    net.options.default_precisions = seq<element, 8>(default_precisions);
    net.run(net.pool(net.fake_quantize(levels, low, high)));
    const node& made = net.model[net.find(op::kind::fake_quantize)];
    const node_id subtract = net.find(op::kind::subtract);
    return {made.type(), net.model.constant_value(made.input(3))->real(0),
            net.model.constant_value(made.input(4))->real(0),
            subtract == node_id::none ? 0.0 : net.model.constant_value(net.model[subtract].input(1))->real(0)};
}
using types = seq<element, 8>;
const types all_types{view<element>(int8_int16_int32_precisions)};
constexpr double from_0[] = {0, 2.55};
constexpr double around_0[] = {-1, 1};

}  // namespace

TEST_CASE("8-bit types take FakeQuantize of 15 to 256 levels") {
    CHECK(quantization_of(15, 0, 1.4, types{u8, i8}) == quantization{u8, 0, 14, 0});
    CHECK(quantization_of(16, 0, 2.55, types{u8, i8}) == quantization{u8, 0, 15, 0});
    CHECK(quantization_of(255, -1, 1, types{u8, i8}) == quantization{i8, -127, 127, 0});
    CHECK(quantization_of(256, 0, 2.55, types{u8, i8}) == quantization{u8, 0, 255, 0});
    CHECK(quantization_of(256, -1.28, 1.27, types{u8, i8}) == quantization{i8, -128, 127, 0});
    CHECK(quantization_of(256, -1, 1, types{u8, i8}) == quantization{u8, 0, 255, 127.5});
    CHECK(quantization_of(256, 0, 2.55, types{i8}) == quantization{i8, -128, 127, -128});
}

TEST_CASE("16-bit types take FakeQuantize of 65535 and 65536 levels") {
    for (const std::int64_t levels : {65535, 65536}) {
        CHECK(quantization_of(levels, 0, 2.55, all_types) == quantization{u16, 0, static_cast<double>(levels - 1), 0});
        CHECK(quantization_of(levels, -1, 1, all_types) ==
              quantization{i16, levels == 65536 ? -32768.0 : -32767.0, 32767, 0});
    }
}

TEST_CASE("32-bit types take FakeQuantize of 2^32 levels, or one less") {
    for (const std::int64_t levels : {4294967295, 4294967296}) {
        CHECK(quantization_of(levels, 0, 2.55, all_types) == quantization{u32, 0, 4294967296, 0});
        CHECK(quantization_of(levels, -1, 1, all_types) == quantization{i32, -2147483648.0, 2147483648.0, 0});
    }
}

TEST_CASE("FakeQuantize stays in floating point where no default type has its levels") {
    for (const std::int64_t levels : {65535, 65536}) {
        CHECK(quantization_of(levels, 0, from_0[1], types{u8, i8}).type == f32);
    }
    CHECK(quantization_of(4294967296, 0, from_0[1], types{u8, i8}).type == f32);
    for (const std::int64_t levels : {15, 16, 255, 256}) {
        CHECK(quantization_of(levels, 0, from_0[1], types{i4, u4}).type == f32);
        CHECK(quantization_of(levels, 0, from_0[1], {}).type == f32);
    }
}

TEST_CASE("a single default type is taken whatever the levels, if it has a range for them") {
    CHECK(quantization_of(256, 0, 2.55, types{u16}) == quantization{u16, 0, 255, 0});
    CHECK(quantization_of(65536, -1, 1, types{u16}) == quantization{u16, 0, 65535, 32767.5});
    CHECK(quantization_of(256, 0, 2.55, types{i16}).type == f32);
    CHECK(quantization_of(65536, 0, 2.55, types{i8}).type == f32);
}

TEST_CASE("a single default type of four bits takes 15 and 16 levels, each one a whole number") {
    CHECK(quantization_of(16, 0, 1.5, types{u4}) == quantization{u4, 0, 15, 0});
    CHECK(quantization_of(15, 0, 1.4, types{u4}) == quantization{u4, 0, 14, 0});
    CHECK(quantization_of(16, -8, 7, types{i4}).type == i4);
    CHECK(quantization_of(16, -8, 7, types{i4}).low == -8);
    CHECK(quantization_of(256, 0, 2.55, types{u4}).type == f32);
}

TEST_CASE("8-bit floating point types are default precisions for FakeConvert") {
    subject net;
    net.options.default_precisions = types{view<element>(fp8_precisions)};
    net.run(net.pool(net.fake_convert(f8e4m3)));
    CHECK(net.type_of(op::kind::max_pool, 0) == f8e4m3);
    CHECK(net.model[net.output()].is<op::multiply>());
    CHECK(net.model.constant_value(net.model[net.output()].input(1))->real(0) == 0.5);
}

TEST_CASE("Convolution takes 8-bit floating point data and weights") {
    subject net;
    net.options.default_precisions = types{view<element>(fp8_precisions)};
    net.run(net.convolve(net.fake_convert(f8e4m3), f8e4m3));
    CHECK(net.type_of(op::kind::convolution, 0) == f8e4m3);
    CHECK(net.type_of(op::kind::convolution, 1) == f8e4m3);
    CHECK(net.model[net.output()].is<op::multiply>());
    CHECK(net.model.constant_value(net.model[net.output()].input(1))->real(0) == 0.25);
}

TEST_CASE("FakeConvert is not decomposed for integer default precisions") {
    subject net;
    net.run(net.pool(net.fake_convert(f8e4m3)));
    CHECK(net.find(op::kind::fake_convert) != node_id::none);
}

TEST_CASE("FakeQuantize is not quantized to 8-bit floating point types") {
    CHECK(quantization_of(256, 0, 2.55, types{view<element>(fp8_precisions)}).type == f32);
}

TEST_CASE("networks in f16 are dequantized in f32 and give f16") {
    subject net;
    net.run(net.convolve(net.fake_quantize(256, 0, 2.55, f16), i8, f16));
    const node_id convolution = net.find(op::kind::convolution);
    CHECK(net.type_of(op::kind::convolution, 0) == u8);
    CHECK(net.type_of(op::kind::convolution, 1) == i8);
    CHECK(net.model[convolution].type() == f32);
    CHECK(net.model[net.output()].is<op::multiply>());
    CHECK(net.model[net.output()].type() == f16);
    CHECK(net.model.type(net.model[net.output()].input(1)) == f32);
}

TEST_CASE("with dequantization precision f16 sums are f32, and f16 where upstream's errors are followed") {
    for (const bool follow : {true, false}) {
        subject net;
        net.options.dequantization_precision = f16;
        net.options.follow_upstream_errors = follow;
        net.run(net.convolve(net.fake_quantize(256, 0, 2.55, f16), i8, f16));
        CHECK(net.model[net.find(op::kind::convolution)].type() == (follow ? f16 : f32));
        CHECK(net.model[net.output()].type() == f16);
    }
}

TEST_CASE("scaling mode leaves the scale of a product behind it") {
    for (const bool scaling : {true, false}) {
        subject net;
        net.options.default_precisions = types{f16};
        net.options.update_precisions = false;
        net.options.dequantization_precision = f16;
        net.options.scaling_mode = scaling;
        const output_ref left = net.multiply(net.input(f16), net.constant(f16, 0.5));
        net.run(net.multiply(left, net.multiply(net.input(f16), net.constant(f16, 0.25))));
        const bool has_scale_last = net.model.constant_value(net.model[net.output()].input(1)) != nullptr;
        CHECK(has_scale_last == scaling);
    }
}

TEST_CASE("reshape_ignore_per_tensor_check keeps a Reshape before its only MatMul in floating point") {
    const auto type_of_reshape = [](bool ignore, std::size_t readers) {
        subject net;
        net.options.reshape_ignore_per_tensor_check = ignore;
        const output_ref data = net.multiply(net.model.add(op::convert{f32}, {net.input(u8)}), net.constant(f32, 0.5));
        const output_ref reshaped =
            net.model.add(op::reshape{false}, {data, net.model.constant(make_indices(view<std::int64_t>({16, 4})))});
        for (std::size_t i = 1; i < readers; ++i) {
            net.model.result(net.model.add(op::mat_mul{false, true}, {reshaped, net.weights(i8, {4, 4})}));
        }
        net.run(net.model.add(op::mat_mul{false, true}, {reshaped, net.weights(i8, {4, 4})}));
        return net.model[net.find(op::kind::reshape)].type();
    };
    CHECK(type_of_reshape(false, 1) == u8);
    CHECK(type_of_reshape(true, 1) == f32);
    CHECK(type_of_reshape(true, 2) == u8);
}

TEST_CASE("without update_precisions ranges and scales are those of the type, and tensors stay real") {
    subject net;
    net.options.update_precisions = false;
    net.run(net.convolve(net.fake_quantize(256, 0, 2.55), i8));
    const node& made = net.model[net.find(op::kind::fake_quantize)];
    CHECK(made.type() == f32);
    CHECK(net.model.constant_value(made.input(4))->real(0) == 255);
    CHECK(net.model[net.output()].is<op::multiply>());
}

TEST_CASE("dequantization that nothing takes is fused back into FakeQuantize") {
    for (const std::int64_t levels : {16, 255, 256}) {
        for (const double* range : {from_0, around_0}) {
            subject net;
            net.run(net.model.add(op::sigmoid{}, {net.fake_quantize(levels, range[0], range[1])}));
            const node_id sigmoid = net.output();
            REQUIRE(net.model[net.model.producer(sigmoid, 0)].is<op::fake_quantize>());
            const node& made = net.model[net.model.producer(sigmoid, 0)];
            CHECK(made.type() == f32);
            CHECK(net.model.constant_value(made.input(3))->real(0) == doctest::Approx(range[0]));
            CHECK(net.model.constant_value(made.input(4))->real(0) == doctest::Approx(range[1]));
        }
    }
}
