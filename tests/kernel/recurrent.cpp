// SPDX-License-Identifier: Apache-2.0
#include "tests/kernel/support.hpp"

#include <doctest/doctest.h>

using namespace kernel_test;

namespace {

/// Outputs of a cell, one after the other: all states, last states, last cells.
struct outputs {
    guarded<float> every{1};
    guarded<float> state{1};
    guarded<float> cell{1};
};

/// A problem with all that it reads. Its weights are those of `pack_gemm`, W[input][gate], R[direction][hidden][gate].
struct cell_data {
    k::recurrent_problem problem;
    guarded<std::uint8_t> input{1};
    guarded<std::uint8_t> weights{1};
    guarded<float> recurrent{1};  // of states that are split, products of bytes and scales
    guarded<std::uint8_t> recurrent_bytes{1};
    guarded<float> scale{1}, hidden_scale{1}, bias{1}, hidden_bias{1}, first_hidden{1}, first_cell{1};
    std::vector<std::int64_t> lengths;
    std::vector<std::int32_t> narrow_lengths;

    cell_data(const k::recurrent_problem& shape, std::uint64_t seed, float size = 1) : problem(shape) {
        generator random(seed);
        k::recurrent_problem& p = problem;
        const std::int64_t gates = k::gates_of(p.kind) * p.hidden;
        const bool is_float = p.input_type == k::element_kind::f32;
        input = random_elements(random, p.input_type, p.batch * p.time * p.inputs);
        weights = random_elements(random, weights_type(), p.inputs * p.directions * gates);
        recurrent = random_floats(random, p.directions * gates * p.hidden, -size, size);
        hidden_scale = random_floats(random, p.directions * gates, size / 256, size / 128);
        recurrent_bytes = random_elements(random, k::element_kind::i8, p.directions * gates * p.hidden);
        for (std::int64_t i = 0; p.splits_states && i < p.directions * gates * p.hidden; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto column = static_cast<std::size_t>(i / (gates * p.hidden) * gates + i % gates);
            recurrent[at] = static_cast<float>(static_cast<std::int8_t>(recurrent_bytes[at])) * hidden_scale[column];
        }
        const float about = is_float ? size : size / (9000 * std::sqrt(static_cast<float>(p.inputs)));
        scale = random_floats(random, p.directions * gates, about / 2, about);
        bias = random_floats(random, p.directions * gates, -1, 1);
        hidden_bias = random_floats(random, p.directions * p.hidden, -1, 1);
        first_hidden = random_floats(random, p.batch * p.directions * p.hidden, -1, 1);
        first_cell = random_floats(random, p.batch * p.directions * p.hidden, -2, 2);
        for (std::int64_t b = 0; b < p.batch; ++b) {
            lengths.push_back(b == 0 ? p.time : random.below(p.time + 3) - 1);  // also below zero and past the end
            narrow_lengths.push_back(static_cast<std::int32_t>(lengths.back()));
        }
        p.input = input.data();
        p.input_scale = scale.data();
        p.input_bias = bias.data();
        if (p.kind == k::recurrent_kind::gru_linear) p.hidden_bias = hidden_bias.data();
        p.hidden_scale = p.splits_states ? hidden_scale.data() : nullptr;
        p.first_hidden = first_hidden.data();
        p.first_cell = first_cell.data();
        p.lengths = lengths.data();
    }

    k::element_kind weights_type() const {
        return problem.input_type == k::element_kind::f32 ? k::element_kind::f32 : k::element_kind::i8;
    }

    outputs run(const k::kernel_table& table, int thread_count = 1) const {
        k::recurrent_problem p = problem;
        const std::int64_t gates = k::gates_of(p.kind) * p.hidden;
        k::gemm_weights from;
        from.data = weights.data();
        from.type = weights_type();
        from.k = p.inputs;
        from.n = p.directions * gates;
        from.k_stride = from.n;
        from.n_stride = 1;
        guarded<unsigned char> input_weights(table.packed_gemm_bytes(from.type, from.k, from.n));
        table.pack_gemm(from, input_weights.data(), {});
        const bool apart = p.kind == k::recurrent_kind::gru;
        const std::int64_t together = apart ? 2 * p.hidden : gates;
        const k::element_kind state_type = p.splits_states ? k::element_kind::i8 : k::element_kind::f32;
        const auto packed_bytes = [&](std::int64_t n) {
            return (table.packed_gemm_bytes(state_type, p.hidden, n) + 63) / 64 * 64;
        };
        const std::size_t hidden_bytes = packed_bytes(together);
        const std::size_t candidate_bytes = apart ? packed_bytes(p.hidden) : 0;
        const auto directions = static_cast<std::size_t>(p.directions);
        guarded<unsigned char> hidden_weights(hidden_bytes * directions);
        guarded<unsigned char> candidate_weights(candidate_bytes * directions);
        from.type = state_type;
        from.k = p.hidden;
        from.k_stride = gates;
        const auto weights_at = [&](std::int64_t i) -> const void* {
            if (p.splits_states) return recurrent_bytes.data() + i;
            return recurrent.data() + i;
        };
        for (std::size_t d = 0; d < directions; ++d) {
            const std::int64_t at = static_cast<std::int64_t>(d) * gates * p.hidden;
            from.data = weights_at(at);
            from.n = together;
            table.pack_gemm(from, hidden_weights.data() + d * hidden_bytes, {});
            from.data = weights_at(at + together);
            from.n = p.hidden;
            if (apart) table.pack_gemm(from, candidate_weights.data() + d * candidate_bytes, {});
        }
        guarded<unsigned char> scratch((k::recurrent_scratch_bytes(p) + 63) / 64 * 64);  // begins where 64 bytes do
        const auto sequences = static_cast<std::size_t>(p.batch * p.directions * p.hidden);
        outputs result;
        result.every = guarded<float>(sequences * static_cast<std::size_t>(p.time));
        result.state = guarded<float>(sequences);
        result.cell = guarded<float>(p.kind == k::recurrent_kind::lstm ? sequences : 0);
        p.packed_input = input_weights.data();
        p.packed_hidden = hidden_weights.data();
        p.packed_hidden_bytes = static_cast<std::int64_t>(hidden_bytes);
        p.packed_candidate = candidate_weights.data();
        p.packed_candidate_bytes = static_cast<std::int64_t>(candidate_bytes);
        p.every = result.every.data();
        p.last_hidden = result.state.data();
        p.last_cell = p.kind == k::recurrent_kind::lstm ? result.cell.data() : nullptr;
        p.scratch.data = scratch.data();
        table.run(p, threads(thread_count));
        CHECK(scratch.front_is_intact());
        return result;
    }
};

bool same_bits(const guarded<float>& a, const guarded<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}
bool same_bits(const outputs& a, const outputs& b) {
    return same_bits(a.every, b.every) && same_bits(a.state, b.state) && same_bits(a.cell, b.cell);
}

/// A number that is known to an error.
struct value {
    double is = 0;
    double error = 0;
};

constexpr double unit = 1.0 / (1 << 24);

/// A result that is rounded once more.
value rounded(double is, double error) { return {is, error + unit * (std::abs(is) + error)}; }
value sum(value a, value b) { return rounded(a.is + b.is, a.error + b.error); }
value product(value a, value b) {
    return rounded(a.is * b.is, std::abs(a.is) * b.error + std::abs(b.is) * a.error + a.error * b.error);
}

/// The functions of gates have slopes of at most 1 (those that the tests use), and are within 4 ulp.
value apply(k::gate_function f, double alpha, double beta, double limit, value v) {
    const double x = std::fmin(std::fmax(v.is, -limit), limit);
    double y = 0;
    switch (f) {
        case k::gate_function::sigmoid: y = 1 / (1 + std::exp(-x)); break;
        case k::gate_function::tanh: y = std::tanh(x); break;
        case k::gate_function::relu: y = std::fmax(x, 0); break;
        case k::gate_function::hard_sigmoid: y = std::fmin(std::fmax(alpha * x + beta, 0), 1); break;
    }
    return {y, v.error + 8 * unit * (std::abs(y) + v.error) + 1e-37};
}

/// What the problem says, in double, with the error that f32 may have made.
struct model {
    const cell_data& data;
    const k::recurrent_problem& p;
    std::int64_t gates;
    std::vector<value> every, state, cell;

    explicit model(const cell_data& of)
        : data(of),
          p(of.problem),
          gates(k::gates_of(p.kind) * p.hidden),
          every(of.lengths.size() * static_cast<std::size_t>(p.directions * p.time * p.hidden)),
          state(of.lengths.size() * static_cast<std::size_t>(p.directions * p.hidden)),
          cell(state) {
        for (std::int64_t b = 0; b < p.batch; ++b) {
            for (std::int64_t d = 0; d < p.directions; ++d)
                walk(b, d);
        }
    }

    value gate(value v) const {
        return apply(p.gate, static_cast<double>(p.gate_alpha), static_cast<double>(p.gate_beta),
                     static_cast<double>(p.limit), v);
    }
    value candidate(value v) const {
        return apply(p.candidate, static_cast<double>(p.candidate_alpha), static_cast<double>(p.candidate_beta),
                     static_cast<double>(p.limit), v);
    }
    value output(value v) const {
        return apply(p.output, static_cast<double>(p.output_alpha), static_cast<double>(p.output_beta), HUGE_VAL, v);
    }

    double element(std::int64_t i) const {
        if (p.input_type == k::element_kind::u8) return data.input[static_cast<std::size_t>(i)];
        if (p.input_type == k::element_kind::i8)
            return static_cast<std::int8_t>(data.input[static_cast<std::size_t>(i)]);
        return static_cast<double>(reinterpret_cast<const float*>(data.input.data())[i]);
    }
    double weight(std::int64_t i) const {
        if (data.weights_type() == k::element_kind::f32)
            return static_cast<double>(reinterpret_cast<const float*>(data.weights.data())[i]);
        return static_cast<std::int8_t>(data.weights[static_cast<std::size_t>(i)]);
    }
    value from_input(std::int64_t b, std::int64_t time, std::int64_t d, std::int64_t gate) const {
        double total = 0;
        double size = 0;
        for (std::int64_t i = 0; i < p.inputs; ++i) {
            const double x = element((b * p.time + time) * p.inputs + i) - p.input_zero_point;
            const double term = x * weight((i * p.directions + d) * gates + gate);
            total += term;
            size += std::abs(term);
        }
        const auto at = static_cast<std::size_t>(d * gates + gate);
        const value scale{static_cast<double>(data.scale[at]), 0};
        const value bias{static_cast<double>(data.bias[at]), 0};
        return sum(product({total, unit * static_cast<double>(p.inputs + 2) * size}, scale), bias);
    }
    /// What a state moves by to have 16 bits.
    double half_a_step(const std::vector<value>& h) const {
        double most = 0;
        for (const value& each : h)
            most = std::fmax(most, std::abs(each.is) + each.error);
        return p.splits_states ? most / 32639 * 0.506 : 0;
    }
    value from_hidden(const std::vector<value>& h, std::int64_t d, std::int64_t gate) const {
        const double moved = half_a_step(h);
        double total = 0;
        double error = 0;
        for (std::int64_t i = 0; i < p.hidden; ++i) {
            const auto at = static_cast<std::size_t>((d * p.hidden + i) * gates + gate);
            const double weight_here = static_cast<double>(data.recurrent[at]);
            const value& each = h[static_cast<std::size_t>(i)];
            total += weight_here * each.is;
            const double size = std::abs(each.is) + each.error + moved;
            error += std::abs(weight_here) * (each.error + moved + unit * static_cast<double>(p.hidden + 6) * size);
        }
        return {total, error};
    }
    void walk(std::int64_t b, std::int64_t d) {
        const std::int64_t sequence = b * p.directions + d;
        std::vector<value> h, c;
        for (std::int64_t i = 0; i < p.hidden; ++i) {
            const auto at = static_cast<std::size_t>(sequence * p.hidden + i);
            h.push_back({static_cast<double>(data.first_hidden[at]), 0});
            c.push_back({static_cast<double>(data.first_cell[at]), 0});
        }
        std::int64_t length = data.lengths[static_cast<std::size_t>(b)];
        length = length < 0 ? 0 : length > p.time ? p.time : length;
        for (std::int64_t s = 0; s < length; ++s) {
            const std::int64_t time = d == 1 || p.reverse ? length - 1 - s : s;
            step(b, time, d, h, c);
            for (std::int64_t i = 0; i < p.hidden; ++i)
                every[static_cast<std::size_t>((sequence * p.time + time) * p.hidden + i)] =
                    h[static_cast<std::size_t>(i)];
        }
        for (std::int64_t i = 0; i < p.hidden; ++i) {
            const auto at = static_cast<std::size_t>(sequence * p.hidden + i);
            state[at] = h[static_cast<std::size_t>(i)];
            cell[at] = c[static_cast<std::size_t>(i)];
        }
    }
    void step(std::int64_t b, std::int64_t time, std::int64_t d, std::vector<value>& h, std::vector<value>& c) const {
        const std::vector<value> before = h;
        const auto all = [&](std::int64_t gate) {
            return sum(from_input(b, time, d, gate), from_hidden(before, d, gate));
        };
        const auto rest = [](value v) { return rounded(1 - v.is, v.error); };
        std::vector<value> reset;
        for (std::int64_t i = 0; p.kind == k::recurrent_kind::gru && i < p.hidden; ++i)
            reset.push_back(product(gate(all(p.hidden + i)), before[static_cast<std::size_t>(i)]));
        for (std::int64_t i = 0; i < p.hidden; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (p.kind == k::recurrent_kind::lstm) {
                const value open = gate(all(p.gates[1] * p.hidden + i));
                const value keep = p.couples_forget ? rest(open) : gate(all(p.gates[0] * p.hidden + i));
                const value added = product(open, candidate(all(p.gates[2] * p.hidden + i)));
                c[at] = sum(product(keep, c[at]), added);
                h[at] = product(gate(all(p.gates[3] * p.hidden + i)), output(c[at]));
                continue;
            }
            value inner_candidate;
            if (p.kind == k::recurrent_kind::gru) {
                inner_candidate =
                    sum(from_input(b, time, d, 2 * p.hidden + i), from_hidden(reset, d, 2 * p.hidden + i));
            } else {
                const auto bias_at = static_cast<std::size_t>(d * p.hidden + i);
                const value inner =
                    sum(from_hidden(before, d, 2 * p.hidden + i), {static_cast<double>(data.hidden_bias[bias_at]), 0});
                inner_candidate =
                    sum(product(gate(all(p.hidden + i)), inner), from_input(b, time, d, 2 * p.hidden + i));
            }
            const value keep = gate(all(i));
            h[at] = sum(product(keep, before[at]), product(rest(keep), candidate(inner_candidate)));
        }
    }
};

void check_near(const std::vector<value>& expected, const guarded<float>& given) {
    REQUIRE(given.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(static_cast<double>(given[i]) - expected[i].is) <= expected[i].error);
    }
}

k::recurrent_problem shape_of(k::recurrent_kind kind, std::int64_t batch, std::int64_t time, std::int64_t inputs,
                              std::int64_t hidden) {
    k::recurrent_problem p;
    p.kind = kind;
    p.batch = batch;
    p.time = time;
    p.inputs = inputs;
    p.hidden = hidden;
    return p;
}

const k::recurrent_kind cell_kinds[] = {k::recurrent_kind::lstm, k::recurrent_kind::gru, k::recurrent_kind::gru_linear};

/// Both directions, each one alone, and all the ways in which gates can be made.
std::vector<k::recurrent_problem> small_problems() {
    std::vector<k::recurrent_problem> result;
    for (const k::recurrent_kind kind : cell_kinds) {
        for (const std::int64_t directions : {1, 2}) {
            for (const bool reverse : {false, true}) {
                k::recurrent_problem p = shape_of(kind, 3, 4, 5, 7);
                p.directions = directions;
                p.reverse = reverse;
                p.input_type = reverse          ? k::element_kind::u8
                               : directions > 1 ? k::element_kind::i8
                                                : k::element_kind::f32;
                p.input_zero_point = p.input_type == k::element_kind::f32 ? 0 : 3;
                result.push_back(p);
                p.splits_states = true;
                result.push_back(p);
            }
        }
        k::recurrent_problem limited = shape_of(kind, 2, 3, 4, 17);
        limited.limit = 0.4f;
        result.push_back(limited);
        k::recurrent_problem other = shape_of(kind, 1, 3, 6, 20);
        other.gate = k::gate_function::hard_sigmoid;
        other.gate_alpha = 0.2f;
        other.gate_beta = 0.5f;
        other.candidate = k::gate_function::relu;
        other.output = k::gate_function::relu;
        result.push_back(other);
    }
    k::recurrent_problem coupled = shape_of(k::recurrent_kind::lstm, 1, 3, 3, 33);
    coupled.couples_forget = true;
    const std::int64_t order[] = {2, 0, 3, 1};
    std::memcpy(coupled.gates, order, sizeof order);
    result.push_back(coupled);
    return result;
}

}  // namespace

TEST_CASE("recurrent cells compute their definition, within the roundings of f32") {
    std::uint64_t seed = 0;
    for (const k::recurrent_problem& p : small_problems()) {
        CAPTURE(seed);
        const cell_data data(p, ++seed, 0.3f);
        const model expected(data);
        const outputs given = data.run(k::table_for(k::isa::scalar));
        check_near(expected.every, given.every);
        check_near(expected.state, given.state);
        if (p.kind == k::recurrent_kind::lstm) check_near(expected.cell, given.cell);
    }
}

TEST_CASE("recurrent cells give the scalar bits on every instruction set and with every number of threads") {
    std::vector<k::recurrent_problem> problems = small_problems();
    for (const k::recurrent_kind kind : cell_kinds) {
        for (const std::int64_t hidden : {1, 8, 15, 16, 17, 31, 64, 100}) {
            k::recurrent_problem p = shape_of(kind, 3, 5, 12, hidden);
            p.directions = 2;
            problems.push_back(p);
            p.splits_states = true;
            problems.push_back(p);
        }
        k::recurrent_problem long_sequence = shape_of(kind, 1, 20, 40, 160);  // threads share the products
        problems.push_back(long_sequence);
        long_sequence.splits_states = true;
        problems.push_back(long_sequence);
    }
    std::uint64_t seed = 100;
    for (const k::recurrent_problem& p : problems) {
        const cell_data data(p, ++seed, 0.3f);
        const outputs expected = data.run(k::table_for(k::isa::scalar));
        for (const k::isa set : lpt::support::available_instruction_sets()) {
            CAPTURE(std::string(k::name_of(set)));
            CAPTURE(p.hidden);
            for (const int count : {1, 2, 3, 4})
                CHECK(same_bits(data.run(k::table_for(set), count), expected));
        }
    }
}

TEST_CASE("gates that saturate give the same bits, and states stay in their range") {
    for (const k::recurrent_kind kind : cell_kinds) {
        const cell_data data(shape_of(kind, 2, 6, 20, 24), 7, 100.0f);
        const outputs expected = data.run(k::table_for(k::isa::scalar));
        for (const float each :
             std::vector<float>(expected.every.data(), expected.every.data() + expected.every.size()))
            CHECK(std::abs(each) <= 1.0f);
        for (const k::isa set : instruction_sets())
            CHECK(same_bits(data.run(k::table_for(set)), expected));
    }
}

TEST_CASE("states that are split may be zeros, tiny or huge, and are NaN in all sums where one of them is not finite") {
    for (const float size : {0.0f, 1e-38f, 1e-20f, 1e20f, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
        k::recurrent_problem p = shape_of(k::recurrent_kind::gru, 2, 3, 4, 19);
        p.splits_states = true;
        p.candidate = k::gate_function::relu;
        cell_data data(p, 11, 0.01f);
        for (std::size_t i = 0; i < data.first_hidden.size(); ++i)
            data.first_hidden[i] *= i < 19 ? 1 : size;  // of the second sequence
        const outputs expected = data.run(k::table_for(k::isa::scalar));
        const bool is_finite = std::abs(size) <= 1e20f;
        for (std::size_t i = 0; i < expected.state.size(); ++i)
            CHECK(std::isnan(expected.state[i]) == (!is_finite && i >= 19 && data.lengths[1] > 0));
        for (const k::isa set : instruction_sets())
            CHECK(same_bits(data.run(k::table_for(set)), expected));
    }
}

TEST_CASE("lengths of sequences may be of 4 bytes, or missing") {
    cell_data data(shape_of(k::recurrent_kind::lstm, 4, 5, 3, 9), 3);
    const outputs expected = data.run(k::table_for(k::isa::scalar));
    data.problem.lengths = data.narrow_lengths.data();
    data.problem.length_bytes = 4;
    CHECK(same_bits(data.run(k::table_for(k::isa::scalar)), expected));
    data.problem.lengths = nullptr;
    const outputs whole = data.run(k::table_for(k::isa::scalar));
    data.problem.length_bytes = 8;
    data.lengths.assign(4, 5);
    data.problem.lengths = data.lengths.data();
    CHECK(same_bits(data.run(k::table_for(k::isa::scalar)), whole));
}
