// SPDX-License-Identifier: Apache-2.0
// Asks the TensorFlow Lite 8-bit specification while the program is compiled, and while it runs.
#include <lpt/spec/table.hpp>

#include <cstdio>

namespace spec = lpt::spec;
using spec::operand;

// Weights of a convolution are symmetric, with a scale for each output channel.
static_assert(spec::rule<spec::op::conv_2d>(operand::weight).axis == 0);
static_assert(spec::rule<spec::op::depthwise_conv_2d>(operand::weight).axis == 3);
static_assert(spec::rule<spec::op::conv_2d>(operand::weight).is_symmetric());
static_assert(spec::rule<spec::op::conv_2d>(operand::weight).lowest == -127);
static_assert(spec::rule<spec::op::conv_2d>(operand::bias).type == lpt::i32);
static_assert(spec::rule<spec::op::conv_2d>(operand::bias).scale == spec::scale_rule::product);

// Functions with a known range have a fixed output.
static_assert(spec::rule<spec::op::softmax>(operand::output_0).fixed_scale() == 1.0 / 256.0);
static_assert(spec::rule<spec::op::log_softmax>(operand::output_0).fixed_zero_point == 127);

// Movements keep scale and zero point, sums do not.
static_assert(spec::row_of<spec::op::reshape>().same_quantization && !spec::row_of<spec::op::add>().same_quantization);
static_assert(spec::find("CONV_2D") == &spec::row_of<spec::op::conv_2d>());
static_assert(spec::find("HARD_SWISH") == nullptr);

int main(int count, char** words) {
    for (int i = 1; i < count; ++i) {
        const spec::row* row = spec::find(words[i]);
        if (row == nullptr) {
            std::printf("%s has no row in the specification\n", words[i]);
            continue;
        }
        std::printf("%s is row %d, about %d tensors\n", words[i], row->number, row->count);
    }
    return 0;
}
