#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py [--batch N] [--networks NAME,…] FOLDER: writes quantized networks with random weights as ONNX files, to measure engines with.

They are quantized as exporters do it: QuantizeLinear and DequantizeLinear around what engines run on 8-bit integers, u8 for activations, i8 by output
channel for weights, i32 for biases; the decoder and the language model have weights of 4 bits and real activations. Their answers mean nothing; sizes, operations and element types are those of the networks they are named for.
FOLDER/NAME.onnx, the same each time.
"""

import argparse
import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper


class builder:
    """A graph that grows; values are names of tensors, whose sizes and steps of quantization it knows."""

    def __init__(self, name):
        self.name = name
        self.random = numpy.random.default_rng(sum(map(ord, name)))
        self.nodes = []
        self.constants = []
        self.sizes = {}
        self.quantized = {}
        self.inputs = ["input"]

    def input(self, name, sizes):
        self.inputs.append(name)
        self.sizes[name] = list(sizes)
        return name

    def constant(self, array):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), name))
        return name

    def node(self, kind, inputs, sizes, **attributes):
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        self.sizes[name] = list(sizes)
        return name

    def quantize(self, value, reach=4.0, low=None):
        """value, which goes to about +-reach (from `low`, where that is given), in 8 bits and back."""
        low = -reach if low is None else low
        step = (reach - low) / 255
        scale = self.constant(numpy.float32(step))
        zero = self.constant(numpy.uint8(round(-low / step)))
        sizes = self.sizes[value]
        bytes_of = self.node("QuantizeLinear", [value, scale, zero], sizes)
        result = self.node("DequantizeLinear", [bytes_of, scale, zero], sizes)
        self.quantized[result] = step
        return result

    def weights(self, sizes, axis, spread):
        """i8 numbers and their steps along an axis."""
        numbers = numpy.clip(numpy.rint(self.random.normal(0, 40, sizes)), -127, 127).astype(numpy.int8)
        steps = (spread / 40 * numpy.exp(0.3 * self.random.standard_normal(sizes[axis]))).astype(numpy.float32)
        zeros = numpy.zeros(sizes[axis], numpy.int8)
        name = self.node("DequantizeLinear", [self.constant(numbers), self.constant(steps), self.constant(zeros)], sizes, axis=axis)
        return name, steps

    def bias(self, steps, value):
        """i32 numbers with the steps of sums of products."""
        scales = (steps * numpy.float32(self.quantized[value])).astype(numpy.float32)
        numbers = numpy.rint(self.random.normal(0, 0.1, len(steps)) / scales).astype(numpy.int32)
        zeros = numpy.zeros(len(steps), numpy.int32)
        return self.node("DequantizeLinear", [self.constant(numbers), self.constant(scales), self.constant(zeros)], [len(steps)], axis=0)

    def convolution(self, value, channels, kernel=1, stride=1, groups=1, gain=1.0):
        batch, inputs, *image = self.sizes[value]
        kernel = [kernel, kernel] if isinstance(kernel, int) else kernel
        stride = [stride, stride] if isinstance(stride, int) else stride
        taken = inputs // groups * kernel[0] * kernel[1]
        weights, steps = self.weights([channels, inputs // groups, *kernel], 0, gain * numpy.sqrt(2.0 / taken))
        sizes = [batch, channels, *((size - 1) // step + 1 for size, step in zip(image, stride))]
        pads = [size // 2 for size in kernel] * 2
        return self.node("Conv", [value, weights, self.bias(steps, value)], sizes, kernel_shape=kernel, strides=stride, pads=pads, group=groups)

    def transposed(self, value, channels, size=2):
        """Each pixel becomes size x size pixels."""
        batch, inputs, height, width = self.sizes[value]
        weights, steps = self.weights([inputs, channels, size, size], 1, numpy.sqrt(2.0 / inputs))
        sizes = [batch, channels, height * size, width * size]
        return self.node("ConvTranspose", [value, weights, self.bias(steps, value)], sizes, kernel_shape=[size, size], strides=[size, size])

    def multiply_by_weights(self, value, columns, gain=1.0):
        *rows, inner = self.sizes[value]
        weights, _ = self.weights([inner, columns], 1, gain * numpy.sqrt(1.0 / inner))
        product = self.node("MatMul", [value, weights], [*rows, columns])
        added = self.constant(self.random.normal(0, 0.1, columns).astype(numpy.float32))
        return self.node("Add", [product, added], [*rows, columns])

    def multiply_by_compressed_weights(self, value, columns, block=32):
        """Weights of 4 bits, a scale for each block of a column; engines may round what they are multiplied by to 8 bits."""
        *rows, inner = self.sizes[value]
        codes = self.constant(self.random.integers(0, 256, (columns, inner // block, block // 2), dtype=numpy.uint8))
        scales = numpy.exp(0.3 * self.random.standard_normal(columns * (inner // block))) * 0.2 / numpy.sqrt(inner)
        return self.node("MatMulNBits", [value, codes, self.constant(scales.astype(numpy.float32))], [*rows, columns],
                         domain="com.microsoft", K=inner, N=columns, bits=4, block_size=block, accuracy_level=4)

    def normalize(self, value):
        """value by the root of the mean of its squares, as language models have it written out."""
        sizes = self.sizes[value]
        two, small = self.constant(numpy.float32(2)), self.constant(numpy.float32(1e-6))
        mean = self.node("ReduceMean", [self.node("Pow", [value, two], sizes)], [*sizes[:-1], 1], axes=[-1])
        root = self.node("Sqrt", [self.node("Add", [mean, small], self.sizes[mean])], self.sizes[mean])
        return self.node("Mul", [self.node("Div", [value, root], sizes), self.constant(numpy.ones(sizes[-1], numpy.float32))], sizes)

    def recurrent(self, value, kind, hidden, directions=1):
        """An LSTM or GRU over [time, batch, channels], with a scale for each row of its weights."""
        time, batch, inner = self.sizes[value]
        rows = (4 if kind == "LSTM" else 3) * hidden
        weights = [self.weights([directions, rows, columns], 1, numpy.sqrt(1.0 / columns))[0] for columns in (inner, hidden)]
        bias = self.constant(self.random.normal(0, 0.1, [directions, 2 * rows]).astype(numpy.float32))
        direction = "bidirectional" if directions == 2 else "forward"
        both = self.node(kind, [value, *weights, bias], [time, directions, batch, hidden], direction=direction, hidden_size=hidden)
        return self.quantize(self.reshape(self.transpose(both, [0, 2, 1, 3]), [time, batch, directions * hidden]), 1.0)

    def relu(self, value):
        return self.quantize(self.node("Relu", [value], self.sizes[value]), 4.0, 0.0)

    def relu6(self, value):
        limits = [self.constant(numpy.float32(limit)) for limit in (0, 6)]
        return self.quantize(self.node("Clip", [value, *limits], self.sizes[value]), 6.0, 0.0)

    def silu(self, value):
        value = self.quantize(value)
        gate = self.quantize(self.node("Sigmoid", [value], self.sizes[value]), 1.0, 0.0)
        return self.quantize(self.node("Mul", [value, gate], self.sizes[value]), 4.0, -0.3)

    def hard_swish(self, value):
        value = self.quantize(value)
        gate = self.quantize(self.node("HardSigmoid", [value], self.sizes[value], alpha=1 / 6, beta=0.5), 1.0, 0.0)
        return self.quantize(self.node("Mul", [value, gate], self.sizes[value]), 4.0, -0.4)

    def add(self, a, b, reach=4.0):
        return self.quantize(self.node("Add", [a, b], self.sizes[a]), reach)

    def pool(self, value, size=3, stride=2):
        batch, channels, height, width = self.sizes[value]
        sizes = [batch, channels, (height - 1) // stride + 1, (width - 1) // stride + 1]
        pads = [size // 2] * 4
        return self.keep(value, self.node("MaxPool", [value], sizes, kernel_shape=[size, size], strides=[stride, stride], pads=pads))

    def keep(self, value, moved):
        """`moved` holds numbers of `value`, so it is quantized as that is."""
        quantizing = next(node for node in self.nodes if node.output[0] == value)
        sizes = self.sizes[moved]
        bytes_of = self.node("QuantizeLinear", [moved, *quantizing.input[1:]], sizes)
        result = self.node("DequantizeLinear", [bytes_of, *quantizing.input[1:]], sizes)
        self.quantized[result] = self.quantized[value]
        return result

    def concat(self, values, reach=4.0):
        batch, _, *image = self.sizes[values[0]]
        sizes = [batch, sum(self.sizes[value][1] for value in values), *image]
        return self.quantize(self.node("Concat", values, sizes, axis=1), reach)

    def enlarge(self, value):
        batch, channels, height, width = self.sizes[value]
        scales = self.constant(numpy.array([1, 1, 2, 2], numpy.float32))
        sizes = [batch, channels, height * 2, width * 2]
        attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.keep(value, self.node("Resize", [value, "", scales], sizes, **attributes))

    def average(self, value):
        batch, channels, *_ = self.sizes[value]
        return self.quantize(self.node("GlobalAveragePool", [value], [batch, channels, 1, 1]), 4.0)

    def squeeze_excitation(self, value):
        channels = self.sizes[value][1]
        gate = self.relu(self.convolution(self.average(value), channels // 4))
        gate = self.quantize(self.node("HardSigmoid", [self.convolution(gate, channels)], [*self.sizes[value][:2], 1, 1], alpha=1 / 6, beta=0.5), 1.0, 0.0)
        return self.quantize(self.node("Mul", [value, gate], self.sizes[value]), 4.0)

    def reshape(self, value, sizes):
        return self.node("Reshape", [value, self.constant(numpy.array(sizes, numpy.int64))], sizes)

    def transpose(self, value, order):
        return self.node("Transpose", [value], [self.sizes[value][axis] for axis in order], perm=order)

    def classify(self, value, classes):
        batch, channels = self.sizes[value][:2]
        flat = self.quantize(self.reshape(self.average(value), [batch, channels]))
        return self.multiply_by_weights(flat, classes)

    def save(self, outputs, path):
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.sizes[name]) for name in self.inputs]
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, self.sizes[name]) for name in outputs]
        graph = helper.make_graph(self.nodes, self.name, ports, results, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def residual_network(net, value, width, groups):
    """Blocks of 1 x 1, 3 x 3 (in groups) and 1 x 1, which begin so wide and end with 256, 512, 1024 and 2048 channels."""
    value = net.pool(net.relu(net.convolution(value, 64, 7, 2)))
    for stage, blocks in enumerate([3, 4, 6, 3]):
        for block in range(blocks):
            stride = 2 if block == 0 and stage > 0 else 1
            inner = net.relu(net.convolution(value, width << stage))
            inner = net.relu(net.convolution(inner, width << stage, 3, stride, groups=groups))
            inner = net.quantize(net.convolution(inner, 256 << stage, gain=0.3))
            if block == 0:
                value = net.quantize(net.convolution(value, 256 << stage, 1, stride))
            value = net.relu(net.node("Add", [inner, value], net.sizes[inner]))
    return [net.classify(value, 1000)]


def resnet50(net, value):
    return residual_network(net, value, 64, 1)


def resnext50(net, value):
    """Grouped convolutions: 32 groups."""
    return residual_network(net, value, 128, 32)


def mobilenet_v2(net, value):
    value = net.relu6(net.convolution(value, 32, 3, 2))
    for growth, channels, count, first_stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(count):
            stride, inputs = (first_stride if block == 0 else 1), net.sizes[value][1]
            inner = net.relu6(net.convolution(value, inputs * growth)) if growth > 1 else value
            inner = net.relu6(net.convolution(inner, inputs * growth, 3, stride, groups=inputs * growth))
            inner = net.quantize(net.convolution(inner, channels))
            value = net.add(value, inner) if stride == 1 and inputs == channels else inner
    return [net.classify(net.relu6(net.convolution(value, 1280)), 1000)]


def shuffle(net, value, groups=2):
    batch, channels, height, width = net.sizes[value]
    apart = net.transpose(net.reshape(value, [batch, groups, channels // groups, height, width]), [0, 2, 1, 3, 4])
    return net.keep(value, net.reshape(apart, [batch, channels, height, width]))


def half(net, value, second):
    batch, channels, *image = net.sizes[value]
    begin, end = (channels // 2, channels) if second else (0, channels // 2)
    bounds = [net.constant(numpy.array([number], numpy.int64)) for number in (begin, end, 1)]
    return net.keep(value, net.node("Slice", [value, *bounds], [batch, channels // 2, *image]))


def shufflenet_v2(net, value):
    """Channel shuffles, splits and depthwise convolutions."""
    value = net.pool(net.relu(net.convolution(value, 24, 3, 2)))
    for channels, blocks in [(116, 4), (232, 8), (464, 4)]:
        for block in range(blocks):
            kept, inner, stride = (value, value, 2) if block == 0 else (half(net, value, False), half(net, value, True), 1)
            if block == 0:
                kept = net.quantize(net.convolution(kept, net.sizes[kept][1], 3, 2, groups=net.sizes[kept][1]))
                kept = net.relu(net.convolution(kept, channels // 2))
            inner = net.relu(net.convolution(inner, channels // 2))
            inner = net.quantize(net.convolution(inner, channels // 2, 3, stride, groups=channels // 2))
            inner = net.relu(net.convolution(inner, channels // 2))
            value = shuffle(net, net.concat([kept, inner]))
    return [net.classify(net.relu(net.convolution(value, 1024)), 1000)]


def detector(net, value):
    """A one-stage detector: cross-stage partial blocks with SiLU, a pyramid up and down, three heads."""

    def unit(value, channels, kernel=1, stride=1):
        return net.silu(net.convolution(value, channels, kernel, stride))

    def stage(value, channels, count, shortcut=True):
        left, right = unit(value, channels // 2), unit(value, channels // 2)
        for _ in range(count):
            inner = unit(unit(left, channels // 2), channels // 2, 3)
            left = net.add(left, inner) if shortcut else inner
        return unit(net.concat([left, right]), channels)

    value = unit(unit(value, 16, 3, 2), 32, 3, 2)
    levels = []
    value = stage(value, 32, 1)
    for channels, count in [(64, 2), (128, 2), (256, 1)]:
        value = stage(unit(value, channels, 3, 2), channels, count)
        levels.append(value)
    value = unit(value, 128)
    pooled = [value]
    for _ in range(3):
        pooled.append(net.pool(pooled[-1], 5, 1))
    deep = unit(unit(net.concat(pooled), 256), 128)
    middle = stage(net.concat([net.enlarge(deep), levels[1]]), 128, 1, False)
    narrow = unit(middle, 64)
    heads = [stage(net.concat([net.enlarge(narrow), levels[0]]), 64, 1, False)]
    heads.append(stage(net.concat([unit(heads[-1], 64, 3, 2), narrow]), 128, 1, False))
    heads.append(stage(net.concat([unit(heads[-1], 128, 3, 2), deep]), 256, 1, False))
    return [net.node("Sigmoid", [net.convolution(head, 255)], [*net.sizes[head][:1], 255, *net.sizes[head][2:]]) for head in heads]


def recogniser(net, value):
    """A text recogniser: depthwise convolutions with squeeze-and-excitation, then two LSTMs in both directions over the columns."""
    value = net.hard_swish(net.convolution(value, 16, 3, 2))
    for channels, kernel, stride, excited in [(32, 3, 1, False), (64, 3, [2, 1], False), (64, 3, 1, False), (128, 3, [2, 1], False),
                                              (128, 5, 1, False), (128, 5, 1, False), (256, 5, [2, 1], True), (256, 5, 1, True)]:
        inputs = net.sizes[value][1]
        value = net.hard_swish(net.convolution(value, inputs, kernel, stride, groups=inputs))
        if excited:
            value = net.squeeze_excitation(value)
        value = net.hard_swish(net.convolution(value, channels))
    batch, channels, height, width = net.sizes[value]
    value = net.node("AveragePool", [value], [batch, channels, 1, width], kernel_shape=[height, 1], strides=[height, 1])
    value = net.transpose(net.reshape(value, [batch, channels, width]), [2, 0, 1])
    for _ in range(2):
        hidden, inner = 48, net.sizes[value][2]
        numbers = [net.constant(net.random.normal(0, 0.1, sizes).astype(numpy.float32))
                   for sizes in ([2, 4 * hidden, inner], [2, 4 * hidden, hidden], [2, 8 * hidden])]
        both = net.node("LSTM", [value, *numbers], [width, 2, batch, hidden], direction="bidirectional", hidden_size=hidden)
        value = net.reshape(net.transpose(both, [0, 2, 1, 3]), [width, batch, 2 * hidden])
    value = net.transpose(value, [1, 0, 2])
    product = net.multiply_by_weights(net.quantize(value, 1.0), 6625)
    return [net.node("Softmax", [product], net.sizes[product], axis=2)]


def text_encoder(net, value, layers=2):
    """A transformer's encoder, base size: 768 channels, 12 heads."""
    batch, length, width = net.sizes[value]
    heads = 12

    def normalize(value):
        scale, shift = (net.constant(numbers.astype(numpy.float32)) for numbers in (numpy.ones(width), numpy.zeros(width)))
        return net.node("LayerNormalization", [value, scale, shift], net.sizes[value], axis=-1)

    def split(value):
        return net.transpose(net.reshape(value, [batch, length, heads, width // heads]), [0, 2, 1, 3])

    def gelu(value):
        sizes = net.sizes[value]
        halved = net.node("Div", [value, net.constant(numpy.float32(2**0.5))], sizes)
        one_more = net.node("Add", [net.node("Erf", [halved], sizes), net.constant(numpy.float32(1))], sizes)
        return net.node("Mul", [net.node("Mul", [value, one_more], sizes), net.constant(numpy.float32(0.5))], sizes)

    for _ in range(layers):
        bytes_of = net.quantize(value)
        query, key, of_value = (net.quantize(split(net.multiply_by_weights(bytes_of, width))) for _ in range(3))
        scores = net.node("MatMul", [query, net.transpose(key, [0, 1, 3, 2])], [batch, heads, length, length])
        scores = net.node("Div", [scores, net.constant(numpy.float32((width / heads) ** 0.5))], net.sizes[scores])
        shares = net.quantize(net.node("Softmax", [scores], net.sizes[scores], axis=-1), 1.0, 0.0)
        mixed = net.node("MatMul", [shares, of_value], [batch, heads, length, width // heads])
        mixed = net.reshape(net.transpose(mixed, [0, 2, 1, 3]), [batch, length, width])
        value = normalize(net.node("Add", [net.multiply_by_weights(net.quantize(mixed), width), value], net.sizes[value]))
        inner = gelu(net.multiply_by_weights(net.quantize(value), width * 4))
        value = normalize(net.node("Add", [net.multiply_by_weights(net.quantize(inner), width), value], net.sizes[value]))
    return [value]


def gated_layer(net, value, width):
    """The feed-forward half of a language model's layer, gated by SiLU, with weights of 4 bits."""
    gate, up = (net.multiply_by_compressed_weights(value, width) for _ in range(2))
    gate = net.node("Mul", [gate, net.node("Sigmoid", [gate], net.sizes[gate])], net.sizes[gate])
    inner = net.node("Mul", [gate, up], net.sizes[up])
    return net.multiply_by_compressed_weights(inner, net.sizes[value][-1])


def decoder(net, value, layers=2):
    """The feed-forward halves of a language model's layers for one token."""
    for _ in range(layers):
        value = net.node("Add", [gated_layer(net, value, 5632), value], net.sizes[value])
    return [value]


def turned(net, value, place):
    """Heads of one token turned by its place, as rotary embeddings do: halves of a head are real and imaginary parts."""
    *outer, size = net.sizes[value]
    angles = place * 10000.0 ** -(numpy.arange(size) % (size // 2) / (size // 2))
    cosine, sine = (net.constant(function(angles).astype(numpy.float32)) for function in (numpy.cos, numpy.sin))
    real, imaginary = (net.node("Slice", [value, *(net.constant(numpy.int64([n])) for n in (begin, begin + size // 2, -1))], [*outer, size // 2])
                       for begin in (0, size // 2))
    negative = net.node("Neg", [imaginary], net.sizes[imaginary])
    across = net.node("Concat", [negative, real], [*outer, size], axis=-1)
    return net.node("Add", [net.node("Mul", [value, cosine], net.sizes[value]), net.node("Mul", [across, sine], net.sizes[value])], net.sizes[value])


def shared_heads(net, value, times):
    """Each head of keys or values, for as many heads of queries."""
    batch, heads, places, size = net.sizes[value]
    apart = net.reshape(value, [batch, heads, 1, places, size])
    wide = net.node("Expand", [apart, net.constant(numpy.int64([batch, heads, times, places, size]))], [batch, heads, times, places, size])
    return net.reshape(wide, [batch, heads * times, places, size])


def language_model(net, value, layers=2, heads=14, kept_heads=2, size=64, kept=256):
    """A language model's layers for one token behind others, whose keys and values it takes as inputs: 14 heads of queries share 2 of these."""
    sizes = net.sizes[value]
    batch = sizes[0]
    outputs = []
    for layer in range(layers):
        near = net.normalize(value)
        query, key, fresh = (net.transpose(net.reshape(net.multiply_by_compressed_weights(near, count * size), [batch, 1, count, size]), [0, 2, 1, 3])
                             for count in (heads, kept_heads, kept_heads))
        query, key = turned(net, query, kept), turned(net, key, kept)
        keys, values = (net.node("Concat", [net.input(f"{name}_{layer}", [batch, kept_heads, kept, size]), new], [batch, kept_heads, kept + 1, size], axis=2)
                        for name, new in (("keys", key), ("values", fresh)))
        outputs += [keys, values]
        columns = net.transpose(shared_heads(net, keys, heads // kept_heads), [0, 1, 3, 2])
        scores = net.node("MatMul", [query, columns], [batch, heads, 1, kept + 1])
        scores = net.node("Mul", [scores, net.constant(numpy.float32(1 / numpy.sqrt(size)))], net.sizes[scores])
        weights = net.node("Softmax", [scores], net.sizes[scores], axis=-1)
        seen = net.node("MatMul", [weights, shared_heads(net, values, heads // kept_heads)], [batch, heads, 1, size])
        seen = net.reshape(net.transpose(seen, [0, 2, 1, 3]), [batch, 1, heads * size])
        value = net.node("Add", [net.multiply_by_compressed_weights(seen, sizes[-1]), value], sizes)
        value = net.node("Add", [gated_layer(net, net.normalize(value), 4864), value], sizes)
    return [net.multiply_by_compressed_weights(value, 32000), *outputs]


def acoustic(net, value):
    """A speech model's encoder: two LSTMs in both directions over the time, and a GRU."""
    value = net.transpose(value, [1, 0, 2])
    value = net.recurrent(net.recurrent(value, "LSTM", 256, 2), "LSTM", 256, 2)
    return [net.multiply_by_weights(net.recurrent(value, "GRU", 256), 32)]


networks = {
    "resnet50": (resnet50, [3, 224, 224]),
    "mobilenet_v2": (mobilenet_v2, [3, 224, 224]),
    "resnext50": (resnext50, [3, 224, 224]),
    "shufflenet_v2": (shufflenet_v2, [3, 224, 224]),
    "detector": (detector, [3, 416, 416]),
    "recogniser": (recogniser, [3, 48, 320]),
    "text_encoder": (text_encoder, [128, 768]),
    "decoder": (decoder, [1, 2048]),
    "acoustic": (acoustic, [100, 80]),
    "language_model": (language_model, [1, 896]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--networks", default=",".join(networks), help=f"of {', '.join(networks)}")
    parser.add_argument("folder")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    for name in options.networks.split(","):
        if name not in networks:
            parser.error(f"there is no network {name!r}, only {', '.join(networks)}")
        make, sizes = networks[name]
        net = builder(name)
        net.sizes["input"] = [options.batch, *sizes]
        outputs = make(net, "input" if name in ("text_encoder", "decoder", "language_model") else net.quantize("input"))
        net.save(outputs, os.path.join(options.folder, f"{name}.onnx"))


if __name__ == "__main__":
    main()
