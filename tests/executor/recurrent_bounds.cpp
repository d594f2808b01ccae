// SPDX-License-Identifier: Apache-2.0
#include "tests/executor/bounds.hpp"

#include <lpt/plan/recurrent_weights.hpp>
#include <lpt/reference/recurrent.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace lpt::testing {

namespace {

constexpr double unit = 0x1p-24;

/// A number of f32 that lies within an error of another.
struct near {
    double is = 0;
    double error = 0;
};

/// What may have passed the largest number of f32, or is not known, is NaN.
near rounded(double is, double error) {
    const bool is_known = std::abs(is) + error < 3e38;
    return is_known ? near{is, error + 2 * unit * (std::abs(is) + error) + 0x1p-140} : near{std::nan(""), 0};
}
near operator+(const near& a, const near& b) { return rounded(a.is + b.is, a.error + b.error); }
near operator*(const near& a, const near& b) {
    return rounded(a.is * b.is, std::abs(a.is) * b.error + std::abs(b.is) * a.error + a.error * b.error);
}
near rest_of(const near& a) { return rounded(1 - a.is, a.error); }

using numbers = std::vector<near>;

numbers numbers_of(const bounds& known) {
    numbers result;
    for (std::size_t i = 0; i < known.low.elements(); ++i) {
        const double low = known.low.real(i);
        const double high = known.high.real(i);
        result.push_back({low + (high - low) / 2, (high - low) / 2 * (1 + unit)});
    }
    return result;
}

near apply(const reference::detail::gate_function& f, const near& v) {
    using form = op::gate_form;
    const double slope = f.is == form::sigmoid ? 0.25 : f.is == form::hard_sigmoid ? std::abs(f.alpha) : 1;
    if (std::isnan(v.is)) {
        return v;
    }
    const double y = f(v.is);
    double error = slope * (v.error + 2 * unit * f.clip) + 10 * unit * std::abs(y) + 0x1p-120;
    if (f.is == form::hard_sigmoid) {
        error += 4 * unit * (std::abs(f.alpha * v.is) + std::abs(f.beta));
    }
    return {y, error};
}

/// A recurrent operation whose inputs are known, by the formulas of `kernel/rows/recurrent.hpp`.
struct recurrent_model {
    std::size_t inputs = 0;
    std::size_t hidden = 0;
    std::size_t gates = 0;
    bool is_lstm = false;
    bool linear_before_reset = false;
    bool couples_forget = false;
    bool splits_states = false;
    op::lstm_weights_format order = op::lstm_weights_format::fico;
    reference::detail::gate_function gate, candidate, output;
    numbers x, w, r, b;  // b: none, or of all gates of each direction
    std::size_t bias_row = 0;

    static near product(const numbers& matrix, std::size_t row, const near* vector, std::size_t count) {
        near sum;
        double size = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const near& a = matrix[row * count + k];
            sum.is += a.is * vector[k].is;
            const double most = std::abs(vector[k].is) + vector[k].error;
            sum.error += std::abs(a.is) * vector[k].error + a.error * most;
            size += (std::abs(a.is) + a.error) * most;
        }
        const bool is_known = size < 3e38;  // partial sums, too
        sum.error += static_cast<double>(count + 6) * (unit * size + 0x1p-140);
        return rounded(is_known ? sum.is : std::nan(""), sum.error);
    }
    near bias(std::size_t direction, std::size_t gate_row) const {
        return b.empty() ? near{} : b[direction * bias_row + gate_row];
    }
    /// Numbers as `kernel::digits`, whose step is 1 / 32639 of the greatest one.
    static numbers split(numbers of) {
        double most = 0;
        for (const near& each : of) {
            most = std::max(most, std::abs(each.is) + each.error);
        }
        for (near& each : of) {
            each.error += 0.506 / 32639 * most + 1e-30;
        }
        return of;
    }
    near from_input(std::size_t direction, std::size_t row, const near* at) const {
        return product(w, direction * gates * hidden + row, at, inputs) + bias(direction, row);
    }
    near from_state(std::size_t direction, std::size_t row, const numbers& h) const {
        return product(r, direction * gates * hidden + row, (splits_states ? split(h) : h).data(), hidden);
    }
    void step(std::size_t d, const near* at, numbers& h, numbers& c) const {
        const numbers before = h;
        const auto sum = [&](std::size_t which, std::size_t i) {
            return from_input(d, which * hidden + i, at) + from_state(d, which * hidden + i, before);
        };
        if (is_lstm) {
            const auto of = [&](char letter, std::size_t i) {
                return sum(reference::detail::gate_place(order, letter), i);
            };
            for (std::size_t i = 0; i < hidden; ++i) {
                const near open = apply(gate, of('i', i));
                const near keep = couples_forget ? rest_of(open) : apply(gate, of('f', i));
                c[i] = keep * c[i] + open * apply(candidate, of('c', i));
                reference::detail::gate_function unclipped = output;
                unclipped.clip = 0;
                h[i] = apply(gate, of('o', i)) * apply(unclipped, c[i]);
            }
            return;
        }
        numbers reset;
        for (std::size_t i = 0; i < hidden; ++i) {
            reset.push_back(apply(gate, sum(1, i)) * before[i]);
        }
        for (std::size_t i = 0; i < hidden; ++i) {
            const std::size_t row = 2 * hidden + i;
            const near inner = linear_before_reset
                                   ? apply(gate, sum(1, i)) * (from_state(d, row, before) + bias(d, 3 * hidden + i))
                                   : from_state(d, row, reset);
            const near keep = apply(gate, sum(0, i));
            h[i] = keep * before[i] + rest_of(keep) * apply(candidate, from_input(d, row, at) + inner);
        }
    }
};

}  // namespace

bounds step_bounds::recurrent(output_ref output, const std::vector<bounds>& inputs) const {
    const node& each = model_[output.node];
    recurrent_model model;
    const op::detail::recurrent_attributes* self = nullptr;
    bool is_sequence = true;
    op::recurrent_direction direction = op::recurrent_direction::forward;
    if (each.is<op::lstm_sequence>()) {
        self = &each.as<op::lstm_sequence>();
        direction = each.as<op::lstm_sequence>().direction;
        model.is_lstm = true;
    } else if (each.is<op::gru_sequence>()) {
        self = &each.as<op::gru_sequence>();
        direction = each.as<op::gru_sequence>().direction;
        model.linear_before_reset = each.as<op::gru_sequence>().linear_before_reset;
    } else if (each.is<op::lstm_cell>()) {
        self = &each.as<op::lstm_cell>();
        is_sequence = false;
        model.is_lstm = true;
        model.order = each.as<op::lstm_cell>().gate_order(each.version());
        model.couples_forget = each.version() < 4 && each.as<op::lstm_cell>().input_forget;
    } else {
        self = &each.as<op::gru_cell>();
        is_sequence = false;
        model.linear_before_reset = each.as<op::gru_cell>().linear_before_reset;
    }
    const std::size_t states = model.is_lstm ? 2 : 1;
    const std::size_t weights = states + (is_sequence ? 2 : 1);
    model.gate = reference::detail::gate_function_at(*self, 0, self->clip);
    model.candidate = reference::detail::gate_function_at(*self, 1, self->clip);
    if (model.is_lstm) {
        model.output = reference::detail::gate_function_at(*self, 2, self->clip);
    }
    model.hidden = static_cast<std::size_t>(self->hidden_size);
    model.gates = model.is_lstm ? 4 : 3;
    // Of a whole network it is not known yet what the plan folds: any dequantization may become bytes.
    model.splits_states = is_whole_ ? model_.constant_value(each.input(weights + 1)) == nullptr
                                    : plan::multiplies_bytes(model_, each, weights + 1);
    model.x = numbers_of(inputs[0]);
    model.w = numbers_of(inputs[weights]);
    model.r = numbers_of(inputs[weights + 1]);
    const std::size_t directions = direction == op::recurrent_direction::bidirectional ? 2 : 1;
    if (inputs.size() > weights + 2) {
        model.b = numbers_of(inputs[weights + 2]);
        model.bias_row = model.b.size() / directions;
    }
    const shape& data = inputs[0].low.dimensions();
    const auto batch = static_cast<std::size_t>(data[0]);
    const std::size_t times = is_sequence ? static_cast<std::size_t>(data[1]) : 1;
    model.inputs = static_cast<std::size_t>(data[is_sequence ? 2 : 1]);
    const numbers first_h = numbers_of(inputs[1]);
    const numbers first_c = numbers_of(inputs[states]);
    numbers every(batch * directions * times * model.hidden);
    numbers last_h = first_h;
    numbers last_c = first_c;
    const auto hidden = static_cast<std::ptrdiff_t>(model.hidden);
    for (std::size_t lane = 0; lane < batch * directions; ++lane) {
        const std::size_t d = lane % directions;
        const bool backwards = d == 1 || direction == op::recurrent_direction::reverse;
        const auto at = static_cast<std::ptrdiff_t>(lane) * hidden;
        numbers h(first_h.begin() + at, first_h.begin() + at + hidden);
        numbers c(first_c.begin() + at, first_c.begin() + at + hidden);
        double length = is_sequence ? inputs[states + 1].low.real(lane / directions) : 1;
        length = std::fmin(std::fmax(length, 0), static_cast<double>(times));
        for (std::size_t s = 0; s < static_cast<std::size_t>(length); ++s) {
            const std::size_t time = backwards ? static_cast<std::size_t>(length) - 1 - s : s;
            model.step(d, model.x.data() + (lane / directions * times + time) * model.inputs, h, c);
            std::copy(h.begin(), h.end(), every.begin() + static_cast<std::ptrdiff_t>(lane * times + time) * hidden);
        }
        std::copy(h.begin(), h.end(), last_h.begin() + at);
        std::copy(c.begin(), c.end(), last_c.begin() + at);
    }
    const int which = output.port + (is_sequence ? 0 : 1);
    const numbers& result = which == 0 ? every : which == 1 ? last_h : last_c;
    const shape& dimensions = each.shape(static_cast<std::size_t>(output.port));
    tensor_builder low(f64, dimensions);
    tensor_builder high(f64, dimensions);
    for (std::size_t i = 0; i < result.size(); ++i) {
        low.real(i, result[i].is - result[i].error);
        high.real(i, result[i].is + result[i].error);
    }
    return {low.finish(), high.finish()};
}

}  // namespace lpt::testing
