// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/numbers.hpp"

#include <lpt/graph/fold/values.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace kernel_test;

namespace {

/// Any bits, then numbers where rounding, saturation and wrapping begin.
lpt::tensor numbers_of(lpt::element type, generator& random) {
    std::vector<double> edges{0,
                              -0.0,
                              1,
                              -1,
                              0.5,
                              -0.5,
                              1.5,
                              2.5,
                              65504,
                              65519.99,
                              65520,
                              1e5,
                              6e-8,
                              2.98e-8,
                              2.9802322387695312e-8,
                              3e-8,
                              1e-40,
                              16777217,
                              3.3961775e38,
                              3.5e38,
                              1e300,
                              1.00390625,
                              1.001953125,
                              1.00048828125000001,
                              1.0000000000000002};
    for (const int bits : {7, 8, 15, 16, 31, 32, 53, 63, 64}) {
        for (const double by : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
            edges.push_back(std::ldexp(1.0, bits) + by);
            edges.push_back(-std::ldexp(1.0, bits) + by);
        }
    }
    if (lpt::is_real(type)) {
        for (const double special : {std::numeric_limits<double>::infinity(), std::nan("")}) {
            edges.push_back(special);
            edges.push_back(-special);
        }
    }
    const std::size_t any = 20000;
    lpt::tensor_builder result(type, lpt::shape{static_cast<lpt::dimension>(any + edges.size())});
    for (std::size_t i = 0; i < any; ++i) {
        const std::uint64_t bits = std::uint64_t{random.next()} << 32 | random.next();
        const std::uint64_t truth = bits & 1;
        std::memcpy(result.data() + i * lpt::byte_size(type, 1), type == lpt::boolean ? &truth : &bits,
                    lpt::byte_size(type, 1));
    }
    for (std::size_t i = 0; i < edges.size(); ++i)
        result.real(any + i, edges[i]);
    return result.finish();
}

lpt::tensor cast(k::isa set, const lpt::tensor& from, const type_pair& to, k::number_type from_type, int thread_count) {
    const std::size_t bytes = from.elements() * lpt::byte_size(to.element, 1);
    guarded<unsigned char> output(bytes);
    k::cast_problem problem;
    problem.count = static_cast<std::int64_t>(from.elements());
    problem.input_type = from_type;
    problem.output_type = to.number;
    problem.input = from.data();
    problem.output = output.data();
    k::table_for(set).run(problem, threads(thread_count));
    CHECK(output.front_is_intact());
    lpt::tensor_builder result(to.element, from.dimensions());
    std::memcpy(result.data(), output.data(), bytes);
    return result.finish();
}

}  // namespace

TEST_CASE("Casts between all types are those of Convert, on every instruction set and thread count") {
    generator random(7);
    for (const type_pair& from : types) {
        const lpt::tensor input = numbers_of(from.element, random);
        for (const type_pair& to : types) {
            const lpt::tensor expected = lpt::evaluation::convert_tensor(input, to.element);
            CAPTURE(static_cast<int>(from.number));
            CAPTURE(static_cast<int>(to.number));
            for (const k::isa set : instruction_sets()) {
                CAPTURE(std::string(k::name_of(set)));
                for (const int count : {1, 3})
                    CHECK(first_difference(expected, cast(set, input, to, from.number, count).data()) == -1);
            }
        }
    }
}
