// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/base/version.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace lpt::inline LPT_ABI::onnx {

namespace detail {

/// Operators that have at most so many inputs, in the version that has most of them.
struct operators_by_inputs {
    std::string_view domain;
    std::size_t most;
    std::string_view types;  // with spaces between
};

inline constexpr operators_by_inputs inputs_of_operators[] = {
    {"", 0, "Constant SequenceEmpty"},
    {"", 1,
     "Abs Acos Acosh ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BitCast BitwiseNot BlackmanWindow Cast Ceil Celu "
     "ConcatFromSequence ConstantOfShape Cos Cosh DepthToSpace Det DynamicQuantizeLinear Elu Erf Exp EyeLike Flatten "
     "Floor Gelu GlobalAveragePool GlobalLpPool GlobalMaxPool HammingWindow HannWindow HardSigmoid HardSwish Hardmax "
     "Identity If IsInf IsNaN LRN LeakyRelu Log LogSoftmax LpNormalization LpPool MaxPool MeanVarianceNormalization "
     "Mish Neg NonZero Not OptionalGetElement OptionalHasElement Reciprocal Relu Round Selu SequenceLength Shape "
     "Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus Softsign SpaceToDepth Sqrt Swish Tan Tanh TfIdfVectorizer "
     "ThresholdedRelu Transpose Unique"},
    {"", 2,
     "Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike CenterCropPad Compress CumProd CumSum Div "
     "Equal Expand Gather GatherElements GatherND Greater GreaterOrEqual GridSample Less LessOrEqual MatMul Mod Mul Or "
     "PRelu Pow RMSNormalization ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
     "ReduceProd ReduceSum ReduceSumSquare Reshape ReverseSequence SequenceAt SequenceErase "
     "SimplifiedLayerNormalization Split SplitToSequence Squeeze Sub SwiGLU TopK Trilu Unsqueeze Upsample Xor"},
    {"", 3,
     "Clip Col2Im Conv ConvTranspose DFT DequantizeLinear Dropout Gemm GroupNormalization InstanceNormalization "
     "LayerNormalization MaxUnpool NegativeLogLikelihoodLoss OneHot QuantizeLinear Range RoiAlign Scatter "
     "ScatterElements ScatterND SequenceInsert SoftmaxCrossEntropyLoss TensorScatter Tile Where"},
    {"", 4, "CausalConvWithState ConvInteger MatMulInteger Pad Resize RotaryEmbedding STFT"},
    {"", 5, "BatchNormalization DeformConv MelWeightMatrix NonMaxSuppression Slice"},
    {"", 6, "GRU LinearAttention RNN"},
    {"", 7, "Attention"},
    {"", 8, "LSTM QLinearMatMul"},
    {"", 9, "QLinearConv"},
    {"ai.onnx.ml", 1, "Binarizer"},
    {"ai.onnx.ml", 2, "ArrayFeatureExtractor"},
    {"ai.onnx.preview", 3, "FlexAttention"},
    {"com.microsoft", 1, "DynamicQuantizeLinear Gelu Inverse NhwcMaxPool QuickGelu"},
    {"com.microsoft", 2, "BiasGelu CDist ExpandDims FastGelu FusedMatMul GatherND GridSample TransposeMatMul Trilu"},
    {"com.microsoft", 3, "DequantizeLinear FusedGemm LayerNormalization Pad QuantizeLinear Range"},
    {"com.microsoft", 4,
     "CropAndResize FusedConv GatherBlockQuantized MatMulBnb4 NhwcFusedConv RotaryEmbedding "
     "SkipSimplifiedLayerNormalization"},
    {"com.microsoft", 5,
     "DynamicQuantizeMatMul QLinearAveragePool QLinearGlobalAveragePool QLinearLeakyRelu QLinearSigmoid "
     "QLinearReduceMean QLinearSoftmax SkipLayerNormalization"},
    {"com.microsoft", 6, "MatMulNBits"},
    {"com.microsoft", 7, "Attention MatMulIntegerToFloat"},
    {"com.microsoft", 8, "QLinearAdd QLinearMul"},
    {"com.microsoft", 9, "EmbedLayerNormalization QAttention QGemm QLinearConv QLinearWhere"},
    {"com.microsoft", 10, "MultiHeadAttention"},
    {"com.microsoft", 12, "DynamicQuantizeLSTM"},
    {"com.microsoft", 14, "GroupQueryAttention"},
    {"com.microsoft", 18, "QEmbedLayerNormalization"},
};

}  // namespace detail

/// How many inputs an operator has at most; nothing for those with any number, or that are not known.
///
/// Source: the operator schemas of ONNX and ONNX Runtime.
inline std::optional<std::size_t> most_inputs(std::string_view domain, std::string_view type) {
    using key = std::pair<std::string_view, std::string_view>;
    static const std::map<key, std::size_t> all = [] {
        std::map<key, std::size_t> result;
        for (const detail::operators_by_inputs& each : detail::inputs_of_operators) {
            for (std::size_t begin = 0, end = each.types.find(' '); begin < each.types.size();
                 begin = end + 1, end = each.types.find(' ', begin)) {
                end = end == std::string_view::npos ? each.types.size() : end;
                result[{each.domain, each.types.substr(begin, end - begin)}] = each.most;
            }
        }
        return result;
    }();
    const auto found = all.find({domain, type});
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace lpt::inline LPT_ABI::onnx
