// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/model_builder.hpp>

namespace lpt::inline LPT_ABI {

/// A long short-term memory with what LSTMSequence does not have, as a body that runs once a step: peepholes, projection, normalized gates,
/// coupled gates and a clipped cell.
///
/// i, f, o = s0(gate), g = s1(gate): gate = W * x + R * h + p * c, normalized over its numbers and multiplied where it has a `normalization`, + b;
/// c' = f * c + i * g within +-cell_clip; h' = o * s2(c'), or within +-projection_clip P * (o * s2(c')) + b. The gate of o sees c',
/// the others c. Without weights for i: i = 1 - f; without weights for f: f = 1 - i. What goes into s0 and s1 is clipped to +-clip. Limits of 0 are none.
class lstm_loop {
    model_builder& make_;
    model_builder body_;
    op::tensor_iterator what_;
    seq<output_ref> inputs_;

public:
    /// Weights [hidden, inputs] and [hidden, outputs]; the others, which may be absent, [hidden].
    struct gate {
        output_ref input;
        output_ref hidden;
        output_ref bias;
        output_ref peephole;
        output_ref normalization;
    };

    /// f(alpha * x + beta), for an operation f of one input.
    struct function {
        op::attributes what;
        double alpha = 1;
        double beta = 0;
    };

    gate gates[4];  // of i, f, g, o
    function functions[3] = {{op::sigmoid{}}, {op::tanh{}}, {op::tanh{}}};  // s0, s1, s2
    output_ref projection;  // [outputs, hidden]
    output_ref projection_bias;
    double clip = 0;
    double cell_clip = 0;
    double projection_clip = 0;
    double normalization_epsilon = 1e-8;
    std::int64_t time_axis = 1;  // of the data: 0 or 1, the other one is the batch
    bool is_reverse = false;
    output_ref lengths;  // [batch], which may be absent: steps beyond them give zeros and leave the states alone

    /// What comes out: h' of all steps, with the axes of the data, and the last states.
    struct outcome {
        output_ref all;
        output_ref hidden;
        output_ref cell;
    };

    explicit lstm_loop(model_builder& make) : make_(make), body_(make.file()) { body_.begin(make.current()); }

    /// `data`: three axes; `hidden`: [batch, outputs]; `cell`: [batch, hidden].
    outcome run(output_ref data, output_ref hidden, output_ref cell) {
        if (make_.shape_of(data).rank_is_dynamic() || make_.shape_of(data).rank() != 3) {
            make_.wrong({"data must have three axes, not the shape ", make_.shape_of(data)});
        }
        const output_ref step = sliced(data, time_axis);
        const output_ref h = state(hidden, 0);
        const output_ref c = state(cell, 1);
        const output_ref x = body_.add(op::squeeze{}, from({step, body_.indices(one(time_axis))}), 0);
        const output_ref opened = gates[0].input ? gated(gates[0], x, h, c, functions[0]) : output_ref();
        const output_ref kept = gates[1].input ? gated(gates[1], x, h, c, functions[0])
                                               : body_.add(op::subtract{}, from({number(1), opened}));
        const output_ref open = opened ? opened : body_.add(op::subtract{}, from({number(1), kept}));
        const output_ref candidate = gated(gates[2], x, h, {}, functions[1]);
        const output_ref now = clamped(body_.add(op::add{}, from({body_.add(op::multiply{}, from({kept, c})),
                                                                  body_.add(op::multiply{}, from({open, candidate}))})),
                                       cell_clip);
        const output_ref out = gated(gates[3], x, h, now, functions[0]);
        const output_ref given = projected(body_.add(op::multiply{}, from({out, applied(functions[2], now)})));
        return finished(data, h, c, given, now);
    }

private:
    static seq<output_ref, 5> from(std::initializer_list<output_ref> all) {
        seq<output_ref, 5> result;
        for (const output_ref each : all) {
            result.push_back(each);
        }
        return result;
    }
    static integers one(std::int64_t value) {
        integers result;
        result.push_back(value);
        return result;
    }
    output_ref number(double value) { return body_.real(value, make_.type_of(inputs_[0])); }

    output_ref parameter(output_ref outside, const shape& dimensions, op::body_input input) {
        input.port = static_cast<std::int64_t>(inputs_.size());
        input.parameter = static_cast<std::int64_t>(body_.model().parameters().size());
        inputs_.push_back(outside);
        what_.input_map.push_back(input);
        return body_.model().parameter(make_.type_of(outside), dimensions);
    }
    /// A value from outside: a constant of the body, or a parameter that stays the same.
    output_ref taken(output_ref outside) {
        const tensor* value = make_.value_of(outside);
        return value != nullptr ? body_.constant(*value) : parameter(outside, make_.shape_of(outside), {});
    }
    output_ref sliced(output_ref outside, std::int64_t axis) {
        op::body_input input;
        input.holds = op::body_input::form::sliced;
        input.slice = is_reverse ? op::body_slice{axis, -1, -1, 1, 0} : op::body_slice{axis};
        shape part = make_.shape_of(outside);
        part[static_cast<std::size_t>(axis)] = 1;
        return parameter(outside, part, input);
    }
    output_ref state(output_ref outside, std::int64_t result) {
        op::body_input input;
        input.holds = op::body_input::form::merged;
        input.result = result;
        return parameter(outside, make_.shape_of(outside), input);
    }

    output_ref clamped(output_ref x, double limit) {
        return limit > 0 ? body_.add(op::clamp{{}, -limit, limit}, from({x})) : x;
    }
    output_ref applied(const function& how, output_ref x) {
        if (how.alpha != 1 || how.beta != 0) {
            x = sum(body_.add(op::multiply{}, from({x, number(how.alpha)})), number(how.beta));
        }
        return body_.add(how.what, from({x}));
    }
    output_ref product(output_ref x, output_ref weights) {
        return body_.add(op::mat_mul{false, true}, from({x, taken(weights)}));
    }
    output_ref sum(output_ref x, output_ref addend) { return body_.add(op::add{}, from({x, addend})); }
    output_ref gated(const gate& how, output_ref x, output_ref h, output_ref c, const function& opens) {
        output_ref result = sum(product(x, how.input), product(h, how.hidden));
        if (how.peephole && c) {
            result = sum(result, body_.add(op::multiply{}, from({taken(how.peephole), c})));
        }
        if (how.normalization) {
            op::mvn what;
            what.eps = normalization_epsilon;
            result = body_.add(what, from({result, body_.indices(one(-1))}));
            result = body_.add(op::multiply{}, from({result, taken(how.normalization)}));
        }
        result = how.bias ? sum(result, taken(how.bias)) : result;
        return applied(opens, clamped(result, clip));
    }
    output_ref projected(output_ref x) {
        if (!projection) {
            return x;
        }
        const output_ref result = product(x, projection);
        return clamped(projection_bias ? sum(result, taken(projection_bias)) : result, projection_clip);
    }

    /// True in [batch, 1] where a step belongs to the sequence.
    output_ref belongs() {
        const dimension time = make_.shape_of(inputs_[0])[static_cast<std::size_t>(time_axis)];
        op::range count;
        count.output_type = i64;
        const output_ref stop = time != dynamic_dimension
                                    ? make_.integer(time)
                                    : make_.add(op::gather{}, from({make_.add(op::shape_of{}, from({inputs_[0]})),
                                                                    make_.integer(time_axis), make_.integer(0)}));
        const output_ref steps = make_.add(count, from({make_.integer(0), stop, make_.integer(1)}));
        const output_ref wide = make_.add(op::convert{i64}, from({lengths}));
        const output_ref column = taken(make_.add(op::unsqueeze{}, from({wide, make_.indices(one(1))})));
        return body_.add(op::less{}, from({sliced(steps, 0), column}));
    }
    outcome finished(output_ref data, output_ref h, output_ref c, output_ref given, output_ref now) {
        output_ref shown = given;
        if (lengths) {
            const output_ref inside = belongs();
            shown = body_.add(op::select{}, from({inside, given, number(0)}));
            given = body_.add(op::select{}, from({inside, given, h}));
            now = body_.add(op::select{}, from({inside, now, c}));
        }
        const output_ref row = body_.add(op::unsqueeze{}, from({shown, body_.indices(one(time_axis))}));
        std::int64_t port = 0;
        for (const output_ref each : {given, now, row}) {
            op::body_output output;
            output.port = port;
            output.result = port;
            op::declared_output declared{body_.type_of(each), body_.shape_of(each)};
            if (port == 2) {
                output.holds = op::body_output::form::concatenated;
                output.slice = is_reverse ? op::body_slice{time_axis, -1, -1, 1, 0} : op::body_slice{time_axis};
                const auto axis = static_cast<std::size_t>(time_axis);
                if (declared.dimensions.rank_is_static() && axis < declared.dimensions.rank()) {
                    declared.dimensions[axis] = make_.shape_of(data)[axis];
                }
            }
            body_.model().result(each);
            what_.output_map.push_back(output);
            what_.declared_outputs.push_back(declared);
            ++port;
        }
        const node_id made = make_.add_node(what_, inputs_);
        make_.model().add_body(made, body_.take());
        return {output_ref(made, 2), made, output_ref(made, 1)};
    }
};

}  // namespace lpt::inline LPT_ABI
