// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lpt/import/onnx/words.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace lpt::inline LPT_ABI::onnx {

namespace detail {

/// Operators that have the same number of inputs.
struct operators_by_inputs {
    std::string_view domain;
    std::size_t count;
    std::string_view types;  // with spaces between
};

/// At most, in the version that has most of them.
inline constexpr operators_by_inputs most_inputs_of_operators[] = {
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

/// At least, in the version that needs least of them: up to the last that is not optional.
inline constexpr operators_by_inputs least_inputs_of_operators[] = {
    {"", 1,
     "Abs Acos Acosh ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BitCast BitwiseNot BlackmanWindow Cast "
     "Ceil Celu Clip Concat ConcatFromSequence ConstantOfShape Cos Cosh DFT DepthToSpace Det Dropout "
     "DynamicQuantizeLinear Einsum Elu Erf Exp EyeLike Flatten Floor Gelu GlobalAveragePool GlobalLpPool "
     "GlobalMaxPool HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If IsInf IsNaN LRN "
     "LeakyRelu Log LogSoftmax LpNormalization LpPool Max MaxPool Mean MeanVarianceNormalization Min Mish Neg "
     "NonZero Not OptionalGetElement Pad Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax "
     "ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Resize Round Scan Selu SequenceConstruct "
     "SequenceErase SequenceLength Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign "
     "SpaceToDepth Split SplitToSequence Sqrt Squeeze Sum Swish Tan Tanh TfIdfVectorizer ThresholdedRelu TopK "
     "Transpose Trilu Unique Unsqueeze Upsample"},
    {"", 2,
     "Add AffineGrid And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike CausalConvWithState CenterCropPad "
     "Compress Conv ConvInteger ConvTranspose CumProd CumSum DequantizeLinear Div Equal Expand Gather "
     "GatherElements GatherND Gemm Greater GreaterOrEqual GridSample LayerNormalization Less LessOrEqual Loop "
     "MatMul MatMulInteger MaxUnpool Mod Mul NegativeLogLikelihoodLoss NonMaxSuppression Or PRelu Pow "
     "QuantizeLinear RMSNormalization Reshape ReverseSequence STFT SequenceAt SequenceInsert "
     "SimplifiedLayerNormalization SoftmaxCrossEntropyLoss Sub SwiGLU TensorScatter Tile Xor"},
    {"", 3,
     "Attention Col2Im DeformConv GRU GroupNormalization InstanceNormalization LSTM LinearAttention OneHot RNN "
     "Range RoiAlign RotaryEmbedding Scatter ScatterElements ScatterND Where"},
    {"", 5, "BatchNormalization MelWeightMatrix"},
    {"", 8, "QLinearConv QLinearMatMul"},
    {"ai.onnx.ml", 1, "Binarizer"},
    {"ai.onnx.ml", 2, "ArrayFeatureExtractor"},
    {"ai.onnx.preview", 3, "FlexAttention"},
    {"com.microsoft", 1, "DynamicQuantizeLinear FastGelu Gelu Inverse MultiHeadAttention NhwcMaxPool QuickGelu Trilu"},
    {"com.microsoft", 2,
     "Attention BiasGelu CDist DequantizeLinear ExpandDims FusedConv FusedGemm FusedMatMul GatherND "
     "LayerNormalization Pad QuantizeLinear Range TransposeMatMul"},
    {"com.microsoft", 3,
     "DynamicQuantizeMatMul GatherBlockQuantized MatMulNBits QLinearConcat SkipLayerNormalization "
     "SkipSimplifiedLayerNormalization"},
    {"com.microsoft", 4,
     "CropAndResize MatMulIntegerToFloat QLinearAveragePool QLinearLeakyRelu QLinearSigmoid RotaryEmbedding"},
    {"com.microsoft", 5, "QAttention QLinearGlobalAveragePool QLinearSoftmax"},
    {"com.microsoft", 6, "QGemm"},
    {"com.microsoft", 7, "EmbedLayerNormalization GroupQueryAttention QLinearAdd QLinearMul"},
    {"com.microsoft", 8, "QLinearConv"},
    {"com.microsoft", 9, "QLinearWhere"},
    {"com.microsoft", 12, "DynamicQuantizeLSTM"},
};

using input_counts = std::map<std::pair<std::string_view, std::string_view>, std::size_t>;

/// The numbers of a list by domain and type.
template <std::size_t Rows>
input_counts counts_of(const operators_by_inputs (&list)[Rows]) {
    input_counts result;
    for (const operators_by_inputs& each : list) {
        visit_words(each.types, [&](std::string_view type) { result[{each.domain, type}] = each.count; });
    }
    return result;
}

}  // namespace detail

/// How many inputs an operator has at most; nothing for those with any number, or that are not known.
///
/// Source: the operator schemas of ONNX and ONNX Runtime.
inline std::optional<std::size_t> most_inputs(std::string_view domain, std::string_view type) {
    static const detail::input_counts all = detail::counts_of(detail::most_inputs_of_operators);
    const auto found = all.find({domain, type});
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// How many inputs an operator has at least; 0 for those that are not known. Same source.
inline std::size_t least_inputs(std::string_view domain, std::string_view type) {
    static const detail::input_counts all = detail::counts_of(detail::least_inputs_of_operators);
    const auto found = all.find({domain, type});
    return found == all.end() ? 0 : found->second;
}

}  // namespace lpt::inline LPT_ABI::onnx
