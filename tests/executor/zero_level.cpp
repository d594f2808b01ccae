// SPDX-License-Identifier: Apache-2.0
#include "tests/support/instruction_sets.hpp"

#include <lpt/optimization/optimize.hpp>
#include <lpt/pipeline/prepare.hpp>
#include <lpt/pipeline/transform.hpp>
#include <lpt/runtime/executable.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

using namespace lpt;

/// Halves behind quantized data: they go to the even step from the zero point, not to the even level.
namespace {

constexpr double step = 0.5;
constexpr std::int64_t zero_of_data = 113;
constexpr std::int64_t zero_of_result = 77;
constexpr dimension channels = 4;
constexpr dimension width = 64;

output_ref real(graph& model, double value) { return model.constant(make_scalar(f32, value)); }

/// What a network makes of dequantized data.
using body = std::function<output_ref(graph&, output_ref)>;

/// All bytes, dequantized; `behind` them, quantized with steps of 1.
graph network(const body& behind) {
    graph model;
    const output_ref x = model.parameter(u8, shape{1, channels, 1, width}, "x");
    const output_ref centred = model.add(op::subtract{}, {model.add(op::convert{f32}, {x}), real(model, zero_of_data)});
    const output_ref made = behind(model, model.add(op::multiply{}, {centred, real(model, step)}));
    const output_ref low = real(model, -zero_of_result);
    const output_ref high = real(model, 255 - zero_of_result);
    const op::fake_quantize what{.levels = 256, .zero_level = zero_of_result};
    model.result(model.add(what, {made, low, high, real(model, 0), real(model, 255)}));
    return model;
}
tensor all_bytes() {
    tensor_builder x(u8, shape{1, channels, 1, width});
    for (std::size_t i = 0; i < x.elements(); ++i) {
        x.integer(i, static_cast<std::int64_t>(i));
    }
    return x.finish();
}
std::vector<double> dequantized() {
    std::vector<double> result;
    for (int i = 0; i < 256; ++i) {
        result.push_back((i - static_cast<double>(zero_of_data)) * step);
    }
    return result;
}
double code(double real) { return std::clamp(std::nearbyint(real) + static_cast<double>(zero_of_result), 0.0, 255.0); }

/// How many results are not the codes of these numbers, on all instruction sets together.
std::size_t wrong_codes(const body& behind, const std::vector<double>& wanted) {
    graph model = network(behind);
    prepare(model);
    transform(model);
    optimize(model);
    std::size_t wrong = 0;
    for (const kernel::isa set : support::available_instruction_sets()) {
        compile_options options;
        options.instruction_set = set;
        const tensor results = compile(model, options).run({all_bytes()})[0];
        REQUIRE(results.elements() == wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wrong += results.real(i) == code(wanted[i]) ? 0 : 1;
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("Data that is quantized anew has halves at the even step") {
    CHECK(wrong_codes([](graph&, output_ref x) { return x; }, dequantized()) == 0);
}

TEST_CASE("So has what Relu leaves of it") {
    std::vector<double> wanted = dequantized();
    std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](double x) { return std::max(x, 0.0); });
    CHECK(wrong_codes([](graph& model, output_ref x) { return model.add(op::relu{}, {x}); }, wanted) == 0);
}

TEST_CASE("So has the mean of a window") {
    std::vector<double> wanted;
    const std::vector<double> data = dequantized();
    for (std::size_t i = 0; i < data.size(); i += 2) {
        wanted.push_back((data[i] + data[i + 1]) / 2);
    }
    const auto mean = [](graph& model, output_ref x) {
        op::avg_pool what;
        what.kernel = {1, 2};
        what.strides = {1, 2};
        what.pads_begin = {0, 0};
        what.pads_end = {0, 0};
        what.exclude_pad = true;
        return output_ref(model.add(what, {x}, {}, 1));
    };
    CHECK(wrong_codes(mean, wanted) == 0);
}

TEST_CASE("So has the sum of two tensors") {
    std::vector<double> wanted = dequantized();
    const std::vector<double> data = wanted;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        wanted[i] += data[i / width * width + (width - 1 - i % width)];
    }
    const auto sum = [](graph& model, output_ref x) {
        const output_ref lengths = model.constant(make_indices({width}));
        return output_ref(model.add(op::add{}, {x, model.add(op::reverse_sequence{0, 3}, {x, lengths})}));
    };
    CHECK(wrong_codes(sum, wanted) == 0);
}

TEST_CASE("So has what a Convolution makes of it") {
    const std::vector<double> data = dequantized();
    std::vector<double> wanted;
    for (std::size_t out = 0; out < 2; ++out) {
        for (std::size_t i = 0; i < width; ++i) {
            double sum = 0;
            for (std::size_t in = 0; in < channels; ++in) {
                sum += (static_cast<double>(in) - 1) * (out == 0 ? 1 : -1) * 0.25 * data[in * width + i];
            }
            wanted.push_back(sum);
        }
    }
    const auto convolution = [](graph& model, output_ref x) {
        const output_ref bytes =
            model.constant(make_tensor(i8, shape{2, channels, 1, 1}, view<double>({-1, 0, 1, 2, 1, 0, -1, -2})));
        const output_ref weights = model.add(op::multiply{}, {model.add(op::convert{f32}, {bytes}), real(model, 0.25)});
        return output_ref(model.add(op::convolution{{1, 1}, {1, 1}, {0, 0}, {0, 0}}, {x, weights}));
    };
    CHECK(wrong_codes(convolution, wanted) == 0);
}
