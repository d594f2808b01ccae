// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate/onnx_words.hpp"

#include <sstream>

namespace lpt::fuzz {

namespace {

std::vector<std::string> words_of(const char* all) {
    std::istringstream stream(all);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) {
        result.push_back(word);
    }
    return result;
}

}  // namespace

const std::vector<std::string>& onnx_operators() {
    static const std::vector<std::string> words = words_of(
        "Abs Acos Acosh Add AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh Attention AveragePool "
        "BatchNormalization BitCast "
        "BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike CausalConvWithState Ceil "
        "Celu "
        "CenterCropPad Clip Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger "
        "ConvTranspose "
        "Cos Cosh CumProd CumSum DFT DeformConv DepthToSpace DequantizeLinear Det Div Dropout DynamicQuantizeLinear "
        "Einsum Elu "
        "Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool "
        "GlobalLpPool "
        "GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HammingWindow HannWindow HardSigmoid "
        "HardSwish "
        "Hardmax Identity If InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less LessOrEqual "
        "LinearAttention Log LogSoftmax Loop LpNormalization LpPool MatMul MatMulInteger Max MaxPool MaxUnpool Mean "
        "MeanVarianceNormalization MelWeightMatrix Min Mish Mod Mul Neg NegativeLogLikelihoodLoss NonMaxSuppression "
        "NonZero Not "
        "OneHot OptionalGetElement OptionalHasElement Or PRelu Pad Pow QLinearConv QLinearMatMul QuantizeLinear "
        "RMSNormalization RNN Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean "
        "ReduceMin "
        "ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding Round STFT "
        "Scan "
        "Scatter ScatterElements ScatterND Selu SequenceAt SequenceConstruct SequenceEmpty SequenceErase "
        "SequenceInsert "
        "SequenceLength Shape Shrink Sigmoid Sign SimplifiedLayerNormalization Sin Sinh Size Slice Softmax "
        "SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split SplitToSequence Sqrt Squeeze Sub Sum SwiGLU "
        "Swish Tan "
        "Tanh TensorScatter TfIdfVectorizer ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Upsample Where "
        "Xor "
        "com.microsoft.Attention com.microsoft.BiasGelu com.microsoft.CDist com.microsoft.CropAndResize "
        "com.microsoft.DequantizeLinear com.microsoft.DynamicQuantizeLSTM com.microsoft.DynamicQuantizeLinear "
        "com.microsoft.DynamicQuantizeMatMul com.microsoft.EmbedLayerNormalization com.microsoft.ExpandDims "
        "com.microsoft.FastGelu com.microsoft.FusedConv com.microsoft.FusedGemm com.microsoft.FusedMatMul "
        "com.microsoft.GatherBlockQuantized com.microsoft.GatherND com.microsoft.Gelu "
        "com.microsoft.GroupQueryAttention "
        "com.microsoft.Inverse com.microsoft.LayerNormalization com.microsoft.MatMulIntegerToFloat "
        "com.microsoft.MatMulNBits "
        "com.microsoft.MultiHeadAttention com.microsoft.NhwcMaxPool com.microsoft.Pad com.microsoft.QAttention "
        "com.microsoft.QGemm com.microsoft.QLinearAdd com.microsoft.QLinearAveragePool com.microsoft.QLinearConcat "
        "com.microsoft.QLinearConv com.microsoft.QLinearGlobalAveragePool com.microsoft.QLinearLeakyRelu "
        "com.microsoft.QLinearMul com.microsoft.QLinearSigmoid com.microsoft.QLinearSoftmax com.microsoft.QLinearWhere "
        "com.microsoft.QuantizeLinear com.microsoft.QuickGelu com.microsoft.Range com.microsoft.RotaryEmbedding "
        "com.microsoft.SkipLayerNormalization com.microsoft.SkipSimplifiedLayerNormalization "
        "com.microsoft.TransposeMatMul "
        "com.microsoft.Trilu");
    return words;
}

const std::vector<std::string>& onnx_attributes() {
    static const std::vector<std::string> words = words_of(
        "axis axes mode alpha beta gamma epsilon scale scales keepdims group block_size blocksize perm shape to dtype "
        "pads "
        "strides dilations kernel_shape output_shape output_padding auto_pad ceil_mode count_include_pad storage_order "
        "transA "
        "transB transBatchA transBatchB broadcast coordinate_transformation_mode nearest_mode cubic_coeff_a "
        "exclude_outside "
        "extrapolation_value keep_aspect_ratio_policy antialias align_corners padding_mode num_heads kv_num_heads "
        "q_num_heads "
        "qk_matmul_output_mode softcap unidirectional is_causal left_window_size right_window_size local_window_size "
        "do_rotary "
        "rotary_interleaved rotary_embedding_dim smooth_softmax mask_filter_value direction hidden_size clip "
        "activations "
        "activation_alpha activation_beta linear_before_reset input_forget layout exclusive reverse reduction "
        "ignore_index "
        "noop_with_empty_axes select_last_index largest sorted new_axis num_outputs split allowzero batch_dims "
        "batch_axis "
        "time_axis onesided inverse periodic output_datatype seed value value_int value_ints value_float value_floats "
        "min max "
        "lambd bias size threshold fmod num_scan_inputs scan_input_axes scan_output_axes scan_input_directions "
        "scan_output_directions start end upper k bits quantize_axis gather_axis saturate precision output_dtype "
        "num_groups "
        "activation momentum training_mode spatial_scale sampling_ratio output_height output_width p q stash_type "
        "interleaved "
        "interpolation_mode equation detect_positive detect_negative center_point_box metric approximate offset_group "
        "update_rule");
    return words;
}

const std::vector<std::string>& onnx_words() {
    static const std::vector<std::string> words =
        words_of("NOTSET SAME_UPPER SAME_LOWER VALID linear nearest cubic bilinear bicubic constant reflect edge wrap "
                 "none add mul max "
                 "min sum mean forward reverse bidirectional Relu Tanh Sigmoid LeakyRelu HardSigmoid Softsign Elu "
                 "asymmetric half_pixel "
                 "align_corners pytorch_half_pixel tf_crop_and_resize half_pixel_symmetric round_prefer_floor "
                 "round_prefer_ceil floor "
                 "ceil stretch not_larger not_smaller zeros border DCR CRD LEFT RIGHT tanh sqeuclidean euclidean "
                 "output_half_pixel avg "
                 "gated delta ij,jk->ik ii->i silu relu");
    return words;
}

}  // namespace lpt::fuzz
