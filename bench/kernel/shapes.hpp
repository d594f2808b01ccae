// SPDX-License-Identifier: Apache-2.0
// Shapes that are measured: those of networks, and any other that is written down.
#pragma once

#include <lpt/base/error.hpp>
#include <lpt/kernel/rows.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

namespace k = lpt::kernel;

/// C[m, n] = A[m, k] B[k, n].
struct gemm_shape {
    std::int64_t m = 1, n = 1, k = 1;

    std::string name() const { return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k); }
    double macs() const { return static_cast<double>(m * n * k); }
    bool operator==(const gemm_shape&) const = default;
};

/// A 2-D convolution with the same padding on both sides.
struct conv_shape {
    std::int64_t batch = 1, height = 1, width = 1, in_channels = 1, out_channels = 1;
    std::int64_t kernel_height = 1, kernel_width = 1, stride = 1, padding = 0, groups = 1;

    std::int64_t out_height() const { return (height + 2 * padding - kernel_height) / stride + 1; }
    std::int64_t out_width() const { return (width + 2 * padding - kernel_width) / stride + 1; }
    std::int64_t taps() const { return kernel_height * kernel_width; }
    std::string name() const {
        char text[200];
        std::snprintf(text, sizeof text, "n%ld_h%ld_w%ld_c%ld_o%ld_k%ldx%ld_s%ld_p%ld_g%ld", static_cast<long>(batch),
                      static_cast<long>(height), static_cast<long>(width), static_cast<long>(in_channels),
                      static_cast<long>(out_channels), static_cast<long>(kernel_height),
                      static_cast<long>(kernel_width), static_cast<long>(stride), static_cast<long>(padding),
                      static_cast<long>(groups));
        return text;
    }
    double macs() const {
        return static_cast<double>(batch * out_height() * out_width() * out_channels * (in_channels / groups) * taps());
    }
    k::convolution_shape geometry() const {
        k::convolution_shape s;
        s.batch = batch;
        s.in_channels = in_channels;
        s.out_channels = out_channels;
        s.groups = groups;
        const std::int64_t in[2] = {height, width};
        const std::int64_t out[2] = {out_height(), out_width()};
        const std::int64_t kernel[2] = {kernel_height, kernel_width};
        for (int axis = 0; axis < 2; ++axis) {
            s.in[axis + 1] = in[axis];
            s.out[axis + 1] = out[axis];
            s.kernel[axis + 1] = kernel[axis];
            s.stride[axis + 1] = stride;
            s.pad_begin[axis + 1] = padding;
        }
        return s;
    }
    bool operator==(const conv_shape&) const = default;
};

/// The shapes of a run.
struct shape_list {
    std::vector<gemm_shape> gemms;
    std::vector<conv_shape> convolutions;

    void add(const gemm_shape& shape) {
        if (std::find(gemms.begin(), gemms.end(), shape) == gemms.end()) gemms.push_back(shape);
    }
    void add(const conv_shape& shape) {
        if (std::find(convolutions.begin(), convolutions.end(), shape) == convolutions.end())
            convolutions.push_back(shape);
    }
    /// Adds `gemm:MxNxK` or `conv:n1_h56_w56_c64_o64_k3x3_s1_p1_g1`.
    /// Errors: lpt::error for anything else, and for sizes below 1 or groups that do not divide the channels.
    void add(const std::string& text) {
        long a[10];
        int used = 0;
        const int length = static_cast<int>(text.size());
        if (std::sscanf(text.c_str(), "gemm:%ldx%ldx%ld%n", a, a + 1, a + 2, &used) == 3 && used == length &&
            a[0] > 0 && a[1] > 0 && a[2] > 0) {
            add(gemm_shape{a[0], a[1], a[2]});
            return;
        }
        used = 0;
        if (std::sscanf(text.c_str(), "conv:n%ld_h%ld_w%ld_c%ld_o%ld_k%ldx%ld_s%ld_p%ld_g%ld%n", a, a + 1, a + 2, a + 3,
                        a + 4, a + 5, a + 6, a + 7, a + 8, a + 9, &used) == 10 &&
            used == length) {
            const conv_shape shape{a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]};
            const bool positive = std::all_of(a, a + 8, [](long size) { return size > 0; }) && a[8] >= 0 && a[9] > 0;
            if (positive && a[3] % a[9] == 0 && a[4] % a[9] == 0 && shape.out_height() > 0 && shape.out_width() > 0) {
                add(shape);
                return;
            }
        }
        lpt::fail(
            {"shape ", text.c_str(),
             ": expected gemm:MxNxK or conv:nN_hH_wW_cIN_oOUT_kHxW_sSTRIDE_pPADDING_gGROUPS with sizes that fit"});
    }
};

/// Squares from 64 to 2048, the matrices of ResNet-50 and BERT-base, and few rows: 35 shapes.
inline void add_gemms(shape_list& list) {
    for (const std::int64_t size : {64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024, 1536, 2048})
        list.add(gemm_shape{size, size, size});
    const gemm_shape others[] = {
        {3136, 64, 64},   {3136, 64, 256},  {3136, 256, 64},  {784, 128, 512}, {784, 512, 128},  {196, 256, 1024},
        {196, 1024, 256}, {49, 512, 2048},  {49, 2048, 512},  {128, 768, 768}, {128, 3072, 768}, {128, 768, 3072},
        {384, 768, 768},  {384, 3072, 768}, {384, 768, 3072}, {1, 768, 768},   {1, 3072, 768},   {1, 1000, 2048},
        {4, 768, 768},    {4, 3072, 768},   {8, 768, 3072}};
    for (const gemm_shape& shape : others)
        list.add(shape);
}

/// The 53 convolutions of ResNet-50 (stride in the 3x3 layers) at 224 x 224, in order, equal ones repeated.
inline std::vector<conv_shape> resnet50() {
    std::vector<conv_shape> layers{{1, 224, 224, 3, 64, 7, 7, 2, 3, 1}};
    std::int64_t in = 64;
    std::int64_t size = 56;
    const struct {
        std::int64_t width, blocks, stride;
    } stages[] = {{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}};
    for (const auto& stage : stages) {
        for (std::int64_t block = 0; block < stage.blocks; ++block) {
            const std::int64_t stride = block == 0 ? stage.stride : 1;
            const std::int64_t w = stage.width;
            layers.push_back({1, size, size, in, w, 1, 1, 1, 0, 1});
            layers.push_back({1, size, size, w, w, 3, 3, stride, 1, 1});
            layers.push_back({1, size / stride, size / stride, w, 4 * w, 1, 1, 1, 0, 1});
            if (block == 0) layers.push_back({1, size, size, in, 4 * w, 1, 1, stride, 0, 1});
            size /= stride;
            in = 4 * w;
        }
    }
    return layers;
}

/// The 52 convolutions of MobileNetV2 at 224 x 224, in order, equal ones repeated.
inline std::vector<conv_shape> mobilenet_v2() {
    std::vector<conv_shape> layers{{1, 224, 224, 3, 32, 3, 3, 2, 1, 1}};
    std::int64_t in = 32;
    std::int64_t size = 112;
    const struct {
        std::int64_t expansion, out, blocks, stride;
    } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                  {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    for (const auto& stage : stages) {
        for (std::int64_t block = 0; block < stage.blocks; ++block) {
            const std::int64_t stride = block == 0 ? stage.stride : 1;
            const std::int64_t wide = in * stage.expansion;
            if (stage.expansion != 1) layers.push_back({1, size, size, in, wide, 1, 1, 1, 0, 1});
            layers.push_back({1, size, size, wide, wide, 3, 3, stride, 1, wide});
            size /= stride;
            layers.push_back({1, size, size, wide, stage.out, 1, 1, 1, 0, 1});
            in = stage.out;
        }
    }
    layers.push_back({1, size, size, in, 1280, 1, 1, 1, 0, 1});
    return layers;
}

/// The matrix products of one layer of BERT-base's encoder with 128 tokens: projections, scores and context of a head, feed forward.
inline std::vector<gemm_shape> bert_base() {
    return {{128, 768, 768}, {128, 128, 64}, {128, 64, 128}, {128, 3072, 768}, {128, 768, 3072}};
}

/// Everything that is measured without options.
inline shape_list default_shapes() {
    shape_list list;
    add_gemms(list);
    for (const gemm_shape& shape : bert_base())
        list.add(shape);
    for (const conv_shape& shape : resnet50())
        list.add(shape);
    for (const conv_shape& shape : mobilenet_v2())
        list.add(shape);
    return list;
}

}  // namespace bench
