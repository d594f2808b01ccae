// SPDX-License-Identifier: Apache-2.0
// The kernels and oneDNN behind one C interface, for bench/peers/compare.py: a problem is made once, and then run as often as asked.
// Types are "u8i8_u8" and the like, shapes "gemm:MxNxK" and "conv:…" as lpt_bench has them.

#include "bench/kernel/peak.hpp"
#include "bench/kernel/problem.hpp"

#include <lpt/runtime/thread_pool.hpp>

#include <oneapi/dnnl/dnnl.h>

#include <omp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace bench;

/// Something that can be run, and what it leaves behind.
struct runner {
    std::function<void()> run;
    const unsigned char* output = nullptr;
    std::size_t output_bytes = 0;
    std::string description;
};

std::string& last_error() {
    static std::string text;
    return text;
}

type_triple types_named(const std::string& name) {
    using enum k::element_kind;
    for (const k::element_kind a : {u8, i8}) {
        for (const k::element_kind b : {i8, u8, i4}) {
            for (const k::element_kind c : {u8, i8, i32, f32}) {
                if (type_triple{a, b, c}.name() == name) return {a, b, c};
            }
        }
    }
    const type_triple floats{f32, f32, f32};
    if (floats.name() == name) return floats;
    lpt::fail({"types ", name.c_str(), ": expected u8i8_u8, i8i8_i32 and the like, or f32f32_f32"});
}

// ---------------------------------------------------------------------------------------------------------------------
// Ours

runner make_ours(const std::string& shape, const std::string& types, const std::string& isa, int threads) {
    shape_list list;
    list.add(shape);
    const type_triple kinds = types_named(types);
    const k::isa set = k::isa_named(isa.c_str());
    const auto pool = std::make_shared<lpt::thread_pool>(threads);
    const k::parallel_for parallel = threads > 1 ? pool->parallel() : k::parallel_for();
    runner made;
    if (!list.gemms.empty()) {
        const gemm_shape& s = list.gemms.front();
        const auto given = std::make_shared<gemm_case>(set, s, kinds, parallel);
        made.run = [given, pool] { given->run(); };
        made.output = given->c.data;
        made.output_bytes = byte_count(s.m * s.n, kinds.c);
        made.description = isa;
    } else {
        const conv_shape& s = list.convolutions.front();
        const auto given = std::make_shared<conv_case>(set, s, kinds, parallel);
        made.run = [given, pool] { given->run(); };
        made.output = given->output.data;
        made.output_bytes = byte_count(s.batch * s.out_height() * s.out_width() * s.out_channels, kinds.c);
        made.description = isa + " " + given->algorithm();
    }
    return made;
}

// ---------------------------------------------------------------------------------------------------------------------
// oneDNN

void check(dnnl_status_t status, const char* what) {
    if (status != dnnl_success) lpt::fail({"oneDNN: ", what, " gives status ", static_cast<std::int64_t>(status)});
}

dnnl_data_type_t data_type(k::element_kind kind) {
    switch (kind) {
        case k::element_kind::u8: return dnnl_u8;
        case k::element_kind::i4:
        case k::element_kind::i8: return dnnl_s8;
        case k::element_kind::i32: return dnnl_s32;
        case k::element_kind::f32: break;
    }
    return dnnl_f32;
}

/// A primitive with its memory: weights are reordered into what it asks for before the first run.
class onednn_case {
    dnnl_engine_t engine_{};
    dnnl_stream_t stream_{};
    dnnl_primitive_t primitive_{};
    std::vector<dnnl_exec_arg_t> arguments_;
    std::unique_ptr<aligned_bytes> weights_;
    finish_data finish_;

    static dnnl_memory_desc_t describe(const std::vector<std::int64_t>& sizes, dnnl_data_type_t type,
                                       dnnl_format_tag_t tag) {
        dnnl_memory_desc_t made{};
        check(dnnl_memory_desc_create_with_tag(&made, static_cast<int>(sizes.size()), sizes.data(), type, tag),
              "a memory descriptor");
        return made;
    }
    dnnl_memory_t memory(const_dnnl_memory_desc_t description, void* data) const {
        dnnl_memory_t made{};
        check(dnnl_memory_create(&made, description, engine_, data), "a memory object");
        return made;
    }

public:
    aligned_bytes a, b, c;
    std::string implementation;

    /// Sizes are those of the descriptors: A, B, C and the bias; `mask` says along which axis of B the scales run.
    struct layout {
        std::vector<std::int64_t> a, b, c, bias;
        dnnl_format_tag_t a_tag, b_tag, c_tag, bias_tag;
        std::int64_t channels, depth;
        int mask;
    };

    static std::size_t bytes_of(const std::vector<std::int64_t>& sizes, k::element_kind kind) {
        std::int64_t count = 1;
        for (const std::int64_t size : sizes)
            count *= size;
        return byte_count(count, kind);
    }

    template <class MakeDescriptor>
    onednn_case(const layout& sizes, const type_triple& types, const MakeDescriptor& make)
        : finish_(sizes.channels, sizes.depth, types.c),
          a(bytes_of(sizes.a, types.a)),
          b(bytes_of(sizes.b, types.b)),
          c(bytes_of(sizes.c, types.c)) {
        if (!types.is_float()) {
            a.randomize(bytes_of(sizes.a, types.a));
            b.randomize(bytes_of(sizes.b, types.b));
            if (types.b == k::element_kind::i4) b.limit_to_four_bits(bytes_of(sizes.b, types.b));
        }
        check(dnnl_engine_create(&engine_, dnnl_cpu, 0), "an engine");
        check(dnnl_stream_create(&stream_, engine_, dnnl_stream_default_flags), "a stream");
        const bool scales = types.c != k::element_kind::i32 && !types.is_float();
        const bool has_bias = types.c != k::element_kind::i32;
        dnnl_primitive_attr_t attributes{};
        check(dnnl_primitive_attr_create(&attributes), "attributes");
        if (scales) check(dnnl_primitive_attr_set_scales_mask(attributes, DNNL_ARG_WEIGHTS, sizes.mask), "scales");
        const dnnl_memory_desc_t a_form = describe(sizes.a, data_type(types.a), sizes.a_tag);
        const dnnl_memory_desc_t b_plain = describe(sizes.b, data_type(types.b), sizes.b_tag);
        const dnnl_memory_desc_t b_any = describe(sizes.b, data_type(types.b), dnnl_format_tag_any);
        const dnnl_memory_desc_t c_form = describe(sizes.c, data_type(types.c), sizes.c_tag);
        const dnnl_memory_desc_t bias_form = describe(sizes.bias, dnnl_f32, sizes.bias_tag);
        dnnl_primitive_desc_t description{};
        check(make(&description, engine_, a_form, b_any, has_bias ? bias_form : nullptr, c_form, attributes),
              "this problem");
        const char* name = nullptr;
        check(dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, static_cast<void*>(&name)), "a name");
        implementation = name;
        check(dnnl_primitive_create(&primitive_, description), "a primitive");
        const_dnnl_memory_desc_t wanted = dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
        weights_ = std::make_unique<aligned_bytes>(dnnl_memory_desc_get_size(wanted));
        const dnnl_memory_t from = memory(b_plain, b.data);
        const dnnl_memory_t to = memory(wanted, weights_->data);
        reorder(b_plain, wanted, from, to);
        arguments_ = {
            {DNNL_ARG_SRC, memory(a_form, a.data)}, {DNNL_ARG_WEIGHTS, to}, {DNNL_ARG_DST, memory(c_form, c.data)}};
        if (has_bias) arguments_.push_back({DNNL_ARG_BIAS, memory(bias_form, finish_.bias.data())});
        if (scales) {
            const dnnl_memory_desc_t scale_form = describe({sizes.channels}, dnnl_f32, dnnl_a);
            arguments_.push_back({DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, memory(scale_form, finish_.scale.data())});
        }
    }
    void reorder(const_dnnl_memory_desc_t from_form, const_dnnl_memory_desc_t to_form, dnnl_memory_t from,
                 dnnl_memory_t to) const {
        dnnl_primitive_desc_t description{};
        dnnl_primitive_t primitive{};
        check(dnnl_reorder_primitive_desc_create(&description, from_form, engine_, to_form, engine_, nullptr),
              "a reorder's description");
        check(dnnl_primitive_create(&primitive, description), "a reorder");
        const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
        check(dnnl_primitive_execute(primitive, stream_, 2, arguments), "reordering");
        check(dnnl_stream_wait(stream_), "waiting");
    }
    void run() const {
        dnnl_primitive_execute(primitive_, stream_, static_cast<int>(arguments_.size()), arguments_.data());
        dnnl_stream_wait(stream_);
    }
};

std::shared_ptr<onednn_case> make_onednn_gemm(const gemm_shape& s, const type_triple& types) {
    const onednn_case::layout sizes{{s.m, s.k}, {s.k, s.n}, {s.m, s.n}, {1, s.n}, dnnl_ab, dnnl_ab,
                                    dnnl_ab,    dnnl_ab,    s.n,        s.k,      2};
    return std::make_shared<onednn_case>(
        sizes, types, [](auto* made, auto engine, auto a, auto b, auto bias, auto c, auto attributes) {
            return dnnl_matmul_primitive_desc_create(made, engine, a, b, bias, c, attributes);
        });
}

std::shared_ptr<onednn_case> make_onednn_convolution(const conv_shape& s, const type_triple& types) {
    const bool grouped = s.groups > 1;
    const std::int64_t in = s.in_channels / s.groups;
    const std::int64_t out = s.out_channels / s.groups;
    onednn_case::layout sizes{{s.batch, s.in_channels, s.height, s.width},
                              {s.out_channels, in, s.kernel_height, s.kernel_width},
                              {s.batch, s.out_channels, s.out_height(), s.out_width()},
                              {s.out_channels},
                              dnnl_nhwc,
                              grouped ? dnnl_goihw : dnnl_oihw,
                              dnnl_nhwc,
                              dnnl_a,
                              s.out_channels,
                              in * s.taps(),
                              grouped ? 3 : 1};
    if (grouped) sizes.b = {s.groups, out, in, s.kernel_height, s.kernel_width};
    const std::int64_t strides[] = {s.stride, s.stride};
    const std::int64_t dilations[] = {0, 0};
    const std::int64_t padding[] = {s.padding, s.padding};
    // The end of an image that strides do not reach needs no padding.
    const std::int64_t padding_end[] = {(s.out_height() - 1) * s.stride + s.kernel_height - s.height - s.padding,
                                        (s.out_width() - 1) * s.stride + s.kernel_width - s.width - s.padding};
    return std::make_shared<onednn_case>(
        sizes, types, [&](auto* made, auto engine, auto a, auto b, auto bias, auto c, auto attributes) {
            return dnnl_convolution_forward_primitive_desc_create(made, engine, dnnl_forward_inference,
                                                                  dnnl_convolution_direct, a, b, bias, c, strides,
                                                                  dilations, padding, padding_end, attributes);
        });
}

runner make_onednn(const std::string& shape, const std::string& types, int threads) {
    shape_list list;
    list.add(shape);
    const type_triple kinds = types_named(types);
    omp_set_num_threads(threads);
    const bool is_gemm = !list.gemms.empty();
    const auto given = is_gemm ? make_onednn_gemm(list.gemms.front(), kinds)
                               : make_onednn_convolution(list.convolutions.front(), kinds);
    runner made;
    made.run = [given, threads] {
        omp_set_num_threads(threads);
        given->run();
    };
    made.output = given->c.data;
    if (is_gemm) {
        made.output_bytes = byte_count(list.gemms.front().m * list.gemms.front().n, kinds.c);
    } else {
        const conv_shape& s = list.convolutions.front();
        made.output_bytes = byte_count(s.batch * s.out_height() * s.out_width() * s.out_channels, kinds.c);
    }
    made.description = given->implementation;
    return made;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// The C interface

extern "C" {

/// A problem for "lpt" (on an instruction set) or "onednn", or null; then `lpt_peers_error` says why.
void* lpt_peers_make(const char* who, const char* shape, const char* types, const char* isa, int threads) {
    try {
        const bool ours = std::string(who) == "lpt";
        return new runner(ours ? make_ours(shape, types, isa, threads) : make_onednn(shape, types, threads));
    } catch (const std::exception& e) {
        last_error() = e.what();
        return nullptr;
    }
}
void lpt_peers_free(void* problem) { delete static_cast<runner*>(problem); }
const char* lpt_peers_error() { return last_error().c_str(); }
const char* lpt_peers_describe(void* problem) { return static_cast<runner*>(problem)->description.c_str(); }

/// Seconds of one call, of `calls` calls in a row.
double lpt_peers_run(void* problem, int calls) {
    const runner& given = *static_cast<runner*>(problem);
    const double begin = seconds_now();
    for (int i = 0; i < calls; ++i)
        given.run();
    return (seconds_now() - begin) / calls;
}

/// Part of the outputs' bytes that differ, after a run of each; -1 if they have different sizes.
double lpt_peers_difference(void* one, void* other) {
    const runner& a = *static_cast<runner*>(one);
    const runner& b = *static_cast<runner*>(other);
    if (a.output_bytes != b.output_bytes) return -1;
    std::size_t different = 0;
    for (std::size_t i = 0; i < a.output_bytes; ++i)
        different += a.output[i] != b.output[i] ? 1u : 0u;
    return static_cast<double>(different) / static_cast<double>(a.output_bytes);
}

double lpt_peers_peak(const char* isa, int is_float) { return peak_macs_per_second(k::isa_named(isa), is_float != 0); }
double lpt_peers_macs(const char* shape) {
    shape_list list;
    list.add(shape);
    return list.gemms.empty() ? list.convolutions.front().macs() : list.gemms.front().macs();
}
int lpt_peers_has(const char* isa) { return k::is_available(k::isa_named(isa)) ? 1 : 0; }

/// The shapes of a set, one a line: "gemm" (35), "bert_base", "resnet50", "mobilenet_v2".
const char* lpt_peers_shapes(const char* set) {
    static std::string text;
    text.clear();
    const std::string name = set;
    shape_list list;
    if (name == "gemm") add_gemms(list);
    if (name == "bert_base") {
        for (const gemm_shape& shape : bert_base())
            list.add(shape);
    }
    for (const gemm_shape& shape : list.gemms)
        text += "gemm:" + shape.name() + "\n";
    std::vector<conv_shape> layers;
    if (name == "resnet50") layers = resnet50();
    if (name == "mobilenet_v2") layers = mobilenet_v2();
    for (const conv_shape& shape : layers)
        text += "conv:" + shape.name() + "\n";
    return text.c_str();
}

}  // extern "C"
