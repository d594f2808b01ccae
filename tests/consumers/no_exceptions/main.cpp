// SPDX-License-Identifier: Apache-2.0
// The pipeline in a program without exceptions and type information. With the argument `wrong` it makes a graph that cannot be: the user's
// handler gets the error, or, where there is none (WITHOUT_HANDLER), the library ends the program. `memory` asks for more than there can be.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if !defined(WITHOUT_HANDLER)
[[noreturn]] void on_error(const char* message) {
    std::printf("handler: %s\n", message);
    std::exit(3);
}
#define LPT_FAIL(message) on_error(message)
#endif

#include <lpt/lpt.hpp>

namespace {

lpt::node_id quantized(lpt::graph& model, lpt::node_id data) {
    const auto number = [&](double value) { return model.constant(lpt::make_scalar(lpt::f32, value)); };
    return model.add(lpt::op::fake_quantize{.levels = 256}, {data, number(0), number(25.5), number(0), number(25.5)});
}

}  // namespace

int main(int count, char** words) {
    const char* const what = count > 1 ? words[1] : "";
    lpt::graph model;
    const lpt::node_id input = model.parameter(lpt::f32, {1, 3, 8, 8});
    if (std::strcmp(what, "wrong") == 0) {
        model.add(lpt::op::add{}, {input, model.parameter(lpt::f32, {1, 5, 8, 8})});
    }
    if (std::strcmp(what, "memory") == 0) {
        lpt::seq<double>().reserve(SIZE_MAX);
    }
    model.result(model.add(lpt::op::relu{}, {quantized(model, input)}));
    lpt::prepare(model);
    const lpt::report report = lpt::transform(model, lpt::cpu_x86);
    std::printf("%s", lpt::to_text(report).c_str());
    return report.int8_operations() == 0 ? 1 : 0;
}
