// SPDX-License-Identifier: Apache-2.0
// Rows with gaps between them: kernels give the bits of dense rows, and leave the gaps alone.
#include "tests/kernel/support.hpp"

#include <lpt/kernel/rows.hpp>

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

constexpr std::uint8_t gap_pattern = 0xa5;

/// An operand that may have gaps: all its bytes, and those of an element.
struct spaced_operand {
    std::size_t slot = 0;
    std::int64_t bytes = 0;
    std::int64_t element = 4;
};

/// Rows of so many bytes, `together` of them side by side, as far apart as `layout` says.
guarded<std::uint8_t> with_gaps(const std::uint8_t* dense, std::int64_t bytes, std::int64_t row,
                                const k::row_layout& layout, std::int64_t element) {
    const std::int64_t group = layout.together * row;
    const std::int64_t distance = layout.distance * element;
    const std::int64_t groups = bytes / group;
    guarded<std::uint8_t> result(static_cast<std::size_t>((groups - 1) * distance + group));
    std::memset(result.data(), gap_pattern, result.size());
    for (std::int64_t i = 0; i < groups && dense != nullptr; ++i)
        std::memcpy(result.data() + i * distance, dense + i * group, static_cast<std::size_t>(group));
    return result;
}

/// How many rows are together, and the only operand that has gaps, or -1: dense ones come first.
std::vector<std::pair<std::int64_t, int>> layouts_of(const std::vector<spaced_operand>& operands, std::int64_t few) {
    std::vector<std::pair<std::int64_t, int>> result{{0, -1}};
    for (const std::int64_t together : {std::int64_t{1}, few}) {
        for (int alone = -1; alone < static_cast<int>(operands.size()); ++alone)
            result.push_back({together, alone});
    }
    return result;
}

/// Runs a problem with dense operands, and with gaps between the rows of those that may have them, or of one alone, each with a gap of its own.
template <class Problem>
void check_gaps(const Problem& dense, const std::vector<spaced_operand>& operands, std::vector<const void*> reads,
                std::int64_t few) {
    for (const k::isa set : lpt::support::available_instruction_sets()) {
        CAPTURE(std::string(k::name_of(set)));
        std::vector<std::vector<std::uint8_t>> results(operands.size());
        const auto bytes_of = [&](std::size_t slot) -> const spaced_operand* {
            const auto found = std::find_if(operands.begin(), operands.end(),
                                            [&](const spaced_operand& each) { return each.slot == slot; });
            return found == operands.end() ? nullptr : &*found;
        };
        for (const auto& [together, alone] : layouts_of(operands, few)) {
            CAPTURE(together);
            CAPTURE(alone);
            for (const int count : {1, 3}) {
                Problem problem = dense;
                std::vector<guarded<std::uint8_t>> memory;
                std::vector<const void*> at(reads);
                std::vector<std::int64_t> rows(at.size(), 0);
                std::vector<k::row_layout> layouts(at.size());
                k::for_each_spaced(
                    problem, [&](std::size_t slot, k::row_layout& layout, std::int64_t length, std::int64_t alike) {
                        const spaced_operand* const of = bytes_of(slot);
                        if (of == nullptr) return;
                        rows[slot] = length * of->element;
                        const std::int64_t all = of->bytes / rows[slot];
                        const std::int64_t group = together == few ? few * alike : together;
                        if (group == 0 || all % group != 0) return;
                        layout = {group, group * length + 5};
                        layouts[slot] = layout;
                    });
                for (const spaced_operand& each : operands) {
                    const auto* const from = static_cast<const std::uint8_t*>(reads[each.slot]);
                    const k::row_layout whole{each.bytes / rows[each.slot], each.bytes / each.element};
                    const k::row_layout& own = layouts[each.slot].together == 0 ? whole : layouts[each.slot];
                    memory.push_back(with_gaps(from, each.bytes, rows[each.slot], own, each.element));
                    at[each.slot] = memory.back().data();
                }
                k::point_operands(
                    problem, [&](int slot) { return at[static_cast<std::size_t>(slot)]; },
                    [&](int slot) { return const_cast<void*>(at[static_cast<std::size_t>(slot)]); });
                k::table_for(set).run(problem, threads(count));
                for (std::size_t i = 0; i < operands.size(); ++i) {
                    const spaced_operand& each = operands[i];
                    if (reads[each.slot] != nullptr) continue;
                    CHECK(memory[i].front_is_intact());
                    const k::row_layout whole{each.bytes / rows[each.slot], each.bytes / each.element};
                    const k::row_layout& own = layouts[each.slot].together == 0 ? whole : layouts[each.slot];
                    if (together == 0 && count == 1)
                        results[i].assign(memory[i].data(), memory[i].data() + memory[i].size());
                    const guarded<std::uint8_t> expected =
                        with_gaps(results[i].data(), each.bytes, rows[each.slot], own, each.element);
                    CHECK(memory[i].size() == expected.size());
                    CHECK(std::memcmp(memory[i].data(), expected.data(), expected.size()) == 0);
                }
            }
        }
    }
}

}  // namespace

TEST_CASE("Softmax and TopK of rows with gaps give the bits of dense ones, and leave the gaps alone") {
    generator random(71);
    for (const std::int64_t length : {1, 7, 40}) {
        for (const std::int64_t inner : {1, 3, 20}) {
            CAPTURE(length);
            CAPTURE(inner);
            const std::int64_t outer = 12;
            const guarded<float> input = random_floats(random, outer * length * inner, -3, 3);
            k::softmax_problem softmax;
            softmax.outer = outer;
            softmax.length = length;
            softmax.inner = inner;
            for (const bool logarithm : {false, true}) {
                softmax.logarithm = logarithm;
                const std::int64_t bytes = outer * length * inner * 4;
                check_gaps(softmax, {{0, bytes}, {1, bytes}}, {input.data(), nullptr}, 4);
            }
            k::top_k_problem best;
            best.outer = outer;
            best.length = length;
            best.inner = inner;
            for (const bool wide : {false, true}) {
                for (const std::int64_t count : {std::int64_t{1}, (length + 1) / 2}) {
                    best.wide_indices = wide;
                    best.count = count;
                    const std::int64_t results = outer * count * inner;
                    check_gaps(best,
                               {{0, outer * length * inner * 4},
                                {1, results * 4},
                                {2, results * (wide ? 8 : 4), wide ? 8 : 4}},
                               {input.data(), nullptr, nullptr}, 3);
                }
            }
        }
    }
}

TEST_CASE("Places that are resampled with gaps are those without, and leave the gaps alone") {
    generator random(72);
    for (const std::int64_t middle : {1, 3}) {
        for (const std::int64_t inner : {1, 3, 7, 16, 37}) {
            for (const std::int64_t outer : {2, 70}) {
                CAPTURE(middle);
                CAPTURE(inner);
                CAPTURE(outer);
                k::resampling_problem problem;
                problem.outer = outer;
                problem.input_length = 6;
                problem.length = 11;
                problem.middle = middle;
                problem.inner = inner;
                std::vector<std::int32_t> first{0};
                std::vector<std::int32_t> places;
                std::vector<float> weights;
                for (std::int64_t place = 0; place < problem.length; ++place) {
                    for (std::int64_t i = random.below(5); i > 0; --i) {
                        places.push_back(static_cast<std::int32_t>(random.below(problem.input_length)));
                        weights.push_back(random.real(-1, 2));
                    }
                    first.push_back(static_cast<std::int32_t>(places.size()));
                }
                const std::int64_t inputs = outer * problem.input_length * middle * inner;
                const guarded<float> input = random_floats(random, inputs, -3, 3);
                check_gaps(problem, {{3, inputs * 4}, {4, outer * problem.length * middle * inner * 4}},
                           {first.data(), places.data(), weights.data(), input.data(), nullptr}, outer == 2 ? 1 : 2);
            }
        }
    }
}

TEST_CASE("Numbers are converted and chosen in rows with gaps as in dense ones, which leaves the gaps alone") {
    generator random(73);
    for (const std::int64_t columns : {1, 9, 130, 300}) {
        CAPTURE(columns);
        const std::int64_t rows = 6;
        const guarded<float> input = random_floats(random, rows * columns, -300, 300);
        for (const k::number_type to : {k::number_type::i64, k::number_type::f16, k::number_type::u8}) {
            const std::int64_t element = to == k::number_type::i64 ? 8 : to == k::number_type::f16 ? 2 : 1;
            k::cast_problem cast;
            cast.rows = rows;
            cast.count = columns;
            cast.output_type = to;
            check_gaps(cast, {{0, rows * columns * 4}, {1, rows * columns * element, element}}, {input.data(), nullptr},
                       2);
        }
        guarded<std::uint8_t> conditions(static_cast<std::size_t>(rows));
        for (std::size_t i = 0; i < conditions.size(); ++i)
            conditions[i] = i % 3 == 0;
        k::pointwise_problem choice;
        choice.count = 2;
        choice.sizes[0] = rows;
        choice.sizes[1] = columns;
        choice.condition_strides[0] = 1;
        choice.a_strides[0] = columns;
        choice.a_strides[1] = 1;
        choice.b_strides[1] = 1;
        for (const auto function : {k::pointwise_function::select, k::pointwise_function::maximum}) {
            choice.function = function;
            const bool chooses = function == k::pointwise_function::select;
            check_gaps(choice, {{3, rows * columns * 4}},
                       {chooses ? conditions.data() : nullptr, input.data(), input.data(), nullptr}, 3);
        }
    }
}

TEST_CASE("Reductions and normalizations of rows with gaps give the bits of dense ones, and leave the gaps alone") {
    generator random(74);
    for (const std::int64_t columns : {2, 5, 16, 100}) {
        CAPTURE(columns);
        const std::int64_t rows = 6;
        const guarded<float> input = random_floats(random, rows * 4 * columns, -3, 3);
        k::reduction_problem sums;
        sums.kept = {2, {rows, columns}, {4 * columns, 1}};
        sums.reduced = {1, {4}, {columns}};
        check_gaps(sums, {{1, rows * columns * 4}}, {input.data(), nullptr}, 2);
        sums.kept = {1, {rows}, {4 * columns}};
        sums.reduced = {1, {4 * columns}, {1}};
        check_gaps(sums, {{1, rows * 4}}, {input.data(), nullptr}, 3);
        k::normalization_problem unit;
        unit.epsilon = 0.01f;
        unit.kept = {1, {rows * 4}, {columns}};
        unit.reduced = {1, {columns}, {1}};
        const guarded<float> scale = random_floats(random, columns, 0.5f, 2);
        for (const auto kind : {k::normalization_kind::mean_and_deviation, k::normalization_kind::length}) {
            unit.kind = kind;
            for (const bool scales : {false, true}) {
                const std::int64_t bytes = rows * 4 * columns * 4;
                const void* const by = scales ? scale.data() : nullptr;
                check_gaps(unit, {{0, bytes}, {1, bytes}}, {input.data(), nullptr, by, by}, 4);
            }
        }
    }
}

TEST_CASE("Products with compressed weights of rows with gaps give the bits of dense ones, and leave the gaps alone") {
    generator random(75);
    for (const std::int64_t rows : {1, 4, 70}) {
        for (const bool rounds : {false, true}) {
            for (const bool has_zero_points : {false, true}) {
                CAPTURE(rows);
                k::compressed_product_problem problem;
                problem.rows = rows;
                problem.inner = 45;
                problem.columns = 70;
                problem.block = 16;
                problem.has_zero_points = has_zero_points;
                problem.rounds_rows = rounds;
                const std::size_t size = k::compressed_bytes(problem);
                // As numbers of 32 bits these are between 0.1 and 2, whatever they are for.
                guarded<std::uint8_t> packed(size);
                for (std::size_t i = 0; i + 4 <= size; i += 4) {
                    const float value = random.real(0.1f, 2);
                    std::memcpy(packed.data() + i, &value, 4);
                }
                const guarded<float> input = random_floats(random, rows * problem.inner, -3, 3);
                guarded<std::uint8_t> scratch(k::compressed_scratch_bytes(problem));
                check_gaps(problem, {{0, rows * problem.inner * 4}, {2, rows * problem.columns * 4}},
                           {input.data(), packed.data(), nullptr, scratch.data()}, 1);
            }
        }
    }
}

TEST_CASE("Matrices whose rows have gaps are transposed as dense ones are, which leaves the gaps alone") {
    generator random(76);
    const std::int64_t batch = 2;
    for (const std::int64_t rows : {2, 3, 17, 40}) {
        for (const std::int64_t columns : {2, 4, 33, 64}) {
            for (const int element : {1, 4}) {
                CAPTURE(rows);
                CAPTURE(columns);
                CAPTURE(element);
                const std::int64_t bytes = batch * rows * columns * element;
                const guarded<std::uint8_t> dense = random_bytes(random, bytes);
                guarded<std::uint8_t> result(static_cast<std::size_t>(bytes));
                k::table_for(k::isa::scalar)
                    .transpose({batch, rows, columns, element, dense.data(), result.data()}, threads(1));
                const k::row_layout inputs[] = {{0, 0}, {1, columns + 3}, {rows, rows * columns + 3}};
                const k::row_layout outputs[] = {{0, 0}, {1, rows + 3}, {columns, rows * columns + 3}};
                for (const k::isa set : lpt::support::available_instruction_sets()) {
                    for (const k::row_layout& in : inputs) {
                        for (const k::row_layout& out : outputs) {
                            const auto spaced = [&](const std::uint8_t* from, std::int64_t row,
                                                    const k::row_layout& own) {
                                const k::row_layout whole{bytes / element / row, bytes / element};
                                return with_gaps(from, bytes, row * element, own.together == 0 ? whole : own, element);
                            };
                            const guarded<std::uint8_t> input = spaced(dense.data(), columns, in);
                            guarded<std::uint8_t> output = spaced(nullptr, rows, out);
                            const guarded<std::uint8_t> expected = spaced(result.data(), rows, out);
                            k::table_for(set).transpose(
                                {batch, rows, columns, element, input.data(), output.data(), in, out}, threads(3));
                            CHECK(std::memcmp(output.data(), expected.data(), expected.size()) == 0);
                        }
                    }
                }
            }
        }
    }
}
