#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our kernels against other libraries: the same shapes in the same run, measured in turn, as a table of ratios.

A ratio is the peer's time divided by ours, above 1 where we are faster. "of peak" is the part of the dot products that the threads could
do, measured in each round. Sums count a layer as often as its network has it. Called by
bench/peers.sh, which builds the library and the environment.
"""

import argparse
import collections
import ctypes
import math
import os
import statistics
import sys
import time


# Before libgomp is loaded, which ties the first thread to one processor if OMP_PROC_BIND says so.
all_processors = os.sched_getaffinity(0)
first_processor = {min(all_processors)}


class kernels:
    """The C interface of bench/peers/peers.cpp."""

    def __init__(self, path):
        lib = ctypes.CDLL(path)
        lib.lpt_peers_make.restype = ctypes.c_void_p
        lib.lpt_peers_make.argtypes = [ctypes.c_char_p] * 4 + [ctypes.c_int]
        lib.lpt_peers_free.argtypes = [ctypes.c_void_p]
        lib.lpt_peers_run.restype = ctypes.c_double
        lib.lpt_peers_run.argtypes = [ctypes.c_void_p, ctypes.c_int]
        lib.lpt_peers_difference.restype = ctypes.c_double
        lib.lpt_peers_difference.argtypes = [ctypes.c_void_p] * 2
        lib.lpt_peers_describe.restype = ctypes.c_char_p
        lib.lpt_peers_describe.argtypes = [ctypes.c_void_p]
        lib.lpt_peers_error.restype = ctypes.c_char_p
        lib.lpt_peers_peak.restype = ctypes.c_double
        lib.lpt_peers_peak.argtypes = [ctypes.c_char_p, ctypes.c_int]
        lib.lpt_peers_macs.restype = ctypes.c_double
        lib.lpt_peers_macs.argtypes = [ctypes.c_char_p]
        lib.lpt_peers_shapes.restype = ctypes.c_char_p
        lib.lpt_peers_shapes.argtypes = [ctypes.c_char_p]
        lib.lpt_peers_has.argtypes = [ctypes.c_char_p]
        self.lib = lib

    def make(self, who, shape, types, isa, threads):
        made = self.lib.lpt_peers_make(who.encode(), shape.encode(), types.encode(), isa.encode(), threads)
        if not made:
            raise RuntimeError(self.lib.lpt_peers_error().decode())
        return made


class compiled_problem:
    """A problem of ours or of oneDNN."""

    def __init__(self, library, who, shape, types, isa, threads):
        self.library = library
        # Threads inherit the processors of the one that makes them: only libgomp's may be tied.
        self.processors = first_processor if who == "onednn" and threads > 1 else all_processors
        os.sched_setaffinity(0, self.processors)
        self.handle = library.make(who, shape, types, isa, threads)

    def run(self, calls):
        os.sched_setaffinity(0, self.processors)
        return self.library.lib.lpt_peers_run(self.handle, calls)

    def description(self):
        return self.library.lib.lpt_peers_describe(self.handle).decode()

    def close(self):
        self.library.lib.lpt_peers_free(self.handle)


def sizes_of(shape):
    """(m, n, k) of a matrix product, or a dictionary of a convolution's sizes."""
    kind, text = shape.split(":")
    if kind == "gemm":
        return kind, tuple(int(part) for part in text.split("x"))
    sizes = {}
    for part in text.split("_"):
        name = part.rstrip("0123456789x")
        sizes[name] = [int(number) for number in part[len(name):].split("x")]
    return kind, {name: numbers[0] if len(numbers) == 1 else numbers for name, numbers in sizes.items()}


class onnxruntime_problem:
    """QLinearMatMul, MatMulInteger or QLinearConv through the Python interface, whose call costs a few microseconds."""

    def __init__(self, shape, types, threads):
        import numpy
        import onnxruntime
        from onnx import TensorProto, helper, numpy_helper

        if types not in ("u8i8_u8", "u8i8_i32"):
            raise RuntimeError("onnxruntime: " + types + " is not compared")
        kind, sizes = sizes_of(shape)
        random = numpy.random.default_rng(1)

        def constant(name, value):
            return numpy_helper.from_array(value, name)

        if kind == "gemm":
            m, n, k = sizes
            x_shape, w_shape, y_shape = [m, k], [k, n], [m, n]
        else:
            height, width = sizes["h"], sizes["w"]
            kernel = sizes["k"]
            out = [(size + 2 * sizes["p"] - extent) // sizes["s"] + 1 for size, extent in zip((height, width), kernel)]
            n = sizes["o"]
            x_shape = [sizes["n"], sizes["c"], height, width]
            w_shape = [n, sizes["c"] // sizes["g"]] + kernel
            y_shape = [sizes["n"], n] + out
        weights = random.integers(-127, 128, w_shape).astype(numpy.int8)
        inputs = [constant("w", weights)]
        if types == "u8i8_i32":
            if kind != "gemm":
                raise RuntimeError("onnxruntime: ConvInteger is not compared")
            node = helper.make_node("MatMulInteger", ["x", "w"], ["y"])
            y_type = TensorProto.INT32
        else:
            inputs += [
                constant("xs", numpy.float32(0.02)), constant("xz", numpy.uint8(0)),
                constant("ws", numpy.full([n], 0.01, numpy.float32)), constant("wz", numpy.zeros([n], numpy.int8)),
                constant("ys", numpy.float32(0.5)), constant("yz", numpy.uint8(10)),
            ]
            names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
            if kind == "gemm":
                node = helper.make_node("QLinearMatMul", names, ["y"])
            else:
                node = helper.make_node("QLinearConv", names, ["y"], kernel_shape=sizes["k"], group=sizes["g"],
                                        strides=[sizes["s"]] * 2, pads=[sizes["p"]] * 4)
            y_type = TensorProto.UINT8
        graph = helper.make_graph([node], "one", [helper.make_tensor_value_info("x", TensorProto.UINT8, x_shape)],
                                  [helper.make_tensor_value_info("y", y_type, y_shape)], inputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        x = onnxruntime.OrtValue.ortvalue_from_numpy(random.integers(0, 256, x_shape).astype(numpy.uint8))
        self.binding.bind_ortvalue_input("x", x)
        y = numpy.zeros(y_shape, numpy.uint8 if types == "u8i8_u8" else numpy.int32)
        self.binding.bind_ortvalue_output("y", onnxruntime.OrtValue.ortvalue_from_numpy(y))

    def run(self, calls):
        run, session, binding = self.session.run_with_iobinding, self.session, self.binding
        begin = time.perf_counter()
        for _ in range(calls):
            run(binding)
        return (time.perf_counter() - begin) / calls

    def description(self):
        return "onnxruntime"

    def close(self):
        pass


class openvino_problem:
    """A quantized matrix product or convolution, u8 in and out, through the Python interface, whose call costs some microseconds."""

    def __init__(self, shape, types, threads):
        import numpy
        import openvino
        try:
            from openvino import opset13 as ops
        except ImportError:
            from openvino.runtime import opset13 as ops

        if types != "u8i8_u8":
            raise RuntimeError("openvino: " + types + " is not compared")
        kind, sizes = sizes_of(shape)
        random = numpy.random.default_rng(1)
        if kind == "gemm":
            m, n, k = sizes
            x_shape, w_shape, scale_shape = [m, k], [k, n], [1, n]
        else:
            n = sizes["o"]
            x_shape = [sizes["n"], sizes["c"], sizes["h"], sizes["w"]]
            w_shape = [n, sizes["c"] // sizes["g"]] + sizes["k"]
            scale_shape = [n, 1, 1, 1]
            if sizes["g"] > 1:
                w_shape = [sizes["g"], n // sizes["g"]] + w_shape[1:]
                scale_shape = [sizes["g"], n // sizes["g"], 1, 1, 1]
        x = ops.parameter(x_shape, numpy.uint8)
        f32 = ops.multiply(ops.convert(x, numpy.float32), numpy.float32(0.02))
        weights = ops.constant(random.integers(-127, 128, w_shape).astype(numpy.int8))
        w = ops.multiply(ops.convert(weights, numpy.float32), ops.constant(numpy.full(scale_shape, 0.01, numpy.float32)))
        if kind == "gemm":
            y = ops.matmul(f32, w, False, False)
        else:
            make = ops.group_convolution if sizes["g"] > 1 else ops.convolution
            y = make(f32, w, [sizes["s"]] * 2, [sizes["p"]] * 2, [sizes["p"]] * 2, [1, 1])
        limits = [numpy.float32(0), numpy.float32(127.5)]
        y = ops.fake_quantize(y, limits[0], limits[1], numpy.float32(0), numpy.float32(255), 256)
        model = openvino.Model([ops.convert(y, numpy.uint8)], [x], "one")
        settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
        self.request = openvino.Core().compile_model(model, "CPU", settings).create_infer_request()
        self.request.set_input_tensor(openvino.Tensor(random.integers(0, 256, x_shape).astype(numpy.uint8)))

    def run(self, calls):
        infer = self.request.infer
        begin = time.perf_counter()
        for _ in range(calls):
            infer(share_inputs=True, share_outputs=True)
        return (time.perf_counter() - begin) / calls

    def description(self):
        return "openvino"

    def close(self):
        pass


class litert_problem:
    """FULLY_CONNECTED, CONV_2D or DEPTHWISE_CONV_2D through the Python interface, whose call costs some microseconds.

    LiteRT's activations are i8, weights have a scale for each channel; XNNPACK, which it uses by default, runs the operation.
    """

    def __init__(self, shape, types, threads):
        import flatbuffers
        import numpy
        from ai_edge_litert import schema_py_generated as schema
        from ai_edge_litert.interpreter import Interpreter

        if types not in ("u8i8_u8", "i8i8_i8"):
            raise RuntimeError("litert: " + types + " is not compared")
        kind, sizes = sizes_of(shape)
        random = numpy.random.default_rng(1)
        if kind == "gemm":
            m, n, k = sizes
            x_shape, w_shape, y_shape = [m, k], [n, k], [m, n]
            code, options_type = schema.BuiltinOperator.FULLY_CONNECTED, schema.BuiltinOptions.FullyConnectedOptions
            options = schema.FullyConnectedOptionsT()
        else:
            x_shape = [sizes["n"], sizes["h"], sizes["w"], sizes["c"]]
            n = sizes["o"]
            stride = sizes["s"]
            y_shape = [sizes["n"]] + [(size + 2 * sizes["p"] - extent) // stride + 1
                                      for size, extent in zip(x_shape[1:3], sizes["k"])] + [n]
            same = sizes["p"] > 0
            if y_shape[1:3] != [-(-(size - (0 if same else extent - 1)) // stride) for size, extent in zip(x_shape[1:3], sizes["k"])]:
                raise RuntimeError("litert: paddings other than SAME and VALID are not compared")
            if sizes["g"] == 1:
                w_shape = [n] + sizes["k"] + [sizes["c"]]
                code, options_type = schema.BuiltinOperator.CONV_2D, schema.BuiltinOptions.Conv2DOptions
                options = schema.Conv2DOptionsT()
            elif sizes["g"] == sizes["c"] == n:
                w_shape = [1] + sizes["k"] + [n]
                code, options_type = schema.BuiltinOperator.DEPTHWISE_CONV_2D, schema.BuiltinOptions.DepthwiseConv2DOptions
                options = schema.DepthwiseConv2DOptionsT()
                options.depthMultiplier = 1
            else:
                raise RuntimeError("litert: groups of several channels are not compared")
            options.padding = schema.Padding.SAME if same else schema.Padding.VALID
            options.strideH = options.strideW = stride
            options.dilationHFactor = options.dilationWFactor = 1
        model = schema.ModelT()
        model.version = 3
        model.buffers = [schema.BufferT()]

        def tensor(name, type_, sizes, scales, zero_point=0, axis=0, values=None):
            result = schema.TensorT()
            result.name, result.type, result.shape = name, type_, sizes
            result.quantization = schema.QuantizationParametersT()
            result.quantization.scale, result.quantization.zeroPoint = scales, [zero_point] * len(scales)
            result.quantization.quantizedDimension = axis
            result.buffer = 0
            if values is not None:
                buffer = schema.BufferT()
                buffer.data = numpy.frombuffer(values.tobytes(), numpy.uint8)
                model.buffers.append(buffer)
                result.buffer = len(model.buffers) - 1
            return result

        i8, i32 = schema.TensorType.INT8, schema.TensorType.INT32
        axis = len(w_shape) - 1 if w_shape[0] == 1 and kind != "gemm" else 0
        graph = schema.SubGraphT()
        graph.tensors = [
            tensor("x", i8, x_shape, [0.02], -128),
            tensor("w", i8, w_shape, [0.01] * n, 0, axis, random.integers(-127, 128, w_shape).astype(numpy.int8)),
            tensor("b", i32, [n], [0.0002] * n, 0, 0, numpy.zeros([n], numpy.int32)),
            tensor("y", i8, y_shape, [0.5], -118),
        ]
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0, 1, 2], [3]
        operator.builtinOptionsType, operator.builtinOptions = options_type, options
        graph.operators, graph.inputs, graph.outputs = [operator], [0], [3]
        operator_code = schema.OperatorCodeT()
        operator_code.builtinCode, operator_code.deprecatedBuiltinCode = code, code
        operator_code.version = {"FULLY_CONNECTED": 12, "CONV_2D": 3, "DEPTHWISE_CONV_2D": 3}[
            next(name for name, value in vars(schema.BuiltinOperator).items() if value == code)]
        model.operatorCodes, model.subgraphs = [operator_code], [graph]
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        self.interpreter = Interpreter(model_content=bytes(builder.Output()), num_threads=threads)
        self.interpreter.allocate_tensors()
        self.interpreter.set_tensor(self.interpreter.get_input_details()[0]["index"],
                                    random.integers(-128, 128, x_shape).astype(numpy.int8))

    def run(self, calls):
        invoke = self.interpreter.invoke
        begin = time.perf_counter()
        for _ in range(calls):
            invoke()
        return (time.perf_counter() - begin) / calls

    def description(self):
        return "litert"

    def close(self):
        pass


def make_peer(name, library, shape, types, isa, threads):
    if name == "onednn":
        return compiled_problem(library, "onednn", shape, types, isa, threads)
    if name == "onnxruntime":
        return onnxruntime_problem(shape, types, threads)
    if name == "litert":
        return litert_problem(shape, types, threads)
    return openvino_problem(shape, types, threads)


def let_threads_rest(name, threads):
    """Waits until the threads of a problem that was run have given up looking for more work: libgomp's do after 12 ms."""
    if threads > 1:
        time.sleep(0.2 if name == "onnxruntime" else 0.02)


def measure(library, problems, isa, is_float, options, threads):
    """Rounds of one burst of each problem; lists of seconds, and of peak multiply-accumulates a second."""
    calls = {}
    for name, problem in problems.items():
        problem.run(1)
        once = min(problem.run(1) for _ in range(3))
        calls[name] = max(1, round(options.burst * 1e-6 / max(once, 1e-7)))
        let_threads_rest(name, threads)
    seconds = {name: [] for name in problems}
    peaks = []
    for _ in range(options.rounds):
        peaks.append(library.lib.lpt_peers_peak(isa.encode(), int(is_float)))
        for name, problem in problems.items():
            if threads > 1:
                problem.run(1)
            seconds[name].append(problem.run(calls[name]))
            let_threads_rest(name, threads)
    return seconds, peaks


def typical(values, options):
    return min(values) if options.least else statistics.median(values)


def compare(library, shape, repeats, types, threads, options, summary):
    problems = {"lpt": compiled_problem(library, "lpt", shape, types, options.isa, threads)}
    reasons = []
    for name in options.peers:
        try:
            problems[name] = make_peer(name, library, shape, types, options.isa, threads)
        except Exception as error:  # a peer that cannot do it, or is not installed
            reasons.append(f"{name}: {str(error).splitlines()[0]}")
    seconds, peaks = measure(library, problems, options.isa, types.startswith("f32"), options, threads)
    ours = typical(seconds["lpt"], options)
    peak = (max(peaks) if options.least else statistics.median(peaks)) * threads
    rate = library.lib.lpt_peers_macs(shape.encode()) / ours
    of_peak = f"{rate / peak:8.3f}" if peak > 0 else "       -"
    columns = []
    for name in options.peers:
        if name not in problems:
            columns.append("       -")
            continue
        ratio = typical(seconds[name], options) / ours
        times = (repeats * typical(seconds[name], options), repeats * ours)
        summary.setdefault((threads, name), []).append((ratio, shape + " " + types) + times)
        columns.append(f"{ratio:8.3f}")
    differs = ""
    if "onednn" in problems:
        difference = library.lib.lpt_peers_difference(problems["lpt"].handle, problems["onednn"].handle)
        differs = f"  {problems['onednn'].description()}"
        if difference > 0.001:
            differs += f" ({100 * difference:.1f} % of the bytes differ)"
    print(f"{shape:48s} {types:9s} {threads:2d} {rate / 1e9:9.1f} {of_peak} " + " ".join(columns) + differs, flush=True)
    for reason in reasons:
        if reason not in summary.setdefault("reasons", []):
            summary["reasons"].append(reason)
    for problem in problems.values():
        problem.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", help="liblpt_peers.so")
    parser.add_argument("--sets", default="gemm,bert_base,resnet50,mobilenet_v2")
    parser.add_argument("--shape", action="append", default=[], help="gemm:MxNxK or conv:…; then no sets")
    parser.add_argument("--types", default="u8i8_u8,u8i8_i8,u8i8_i32", help="of matrix products; convolutions take the first")
    parser.add_argument("--isa", default="avx512_vnni")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--peers", default="onednn,onnxruntime,openvino,litert")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--burst", type=float, default=300, help="microseconds of a measurement")
    parser.add_argument("--least", action="store_true", help="least instead of median times, on a machine that is busy")
    options = parser.parse_args()
    options.peers = [name for name in options.peers.split(",") if name]
    library = kernels(options.library)
    if not library.lib.lpt_peers_has(options.isa.encode()):
        print(f"{options.isa}: this processor lacks it, nothing compared")
        return 0
    shapes = options.shape
    if not shapes:
        for name in options.sets.split(","):
            found = library.lib.lpt_peers_shapes(name.encode()).decode().split()
            if not found:
                sys.exit(f"--sets {name}: expected gemm, bert_base, resnet50 or mobilenet_v2")
            shapes = shapes + found
    print(f"{options.isa}; ratios: time of the peer / ours")
    print(f"{'shape':48s} {'types':9s}  t   GMAC/s  of peak " + " ".join(f"{name[:8]:>8s}" for name in options.peers))
    summary = {}
    for threads in [int(number) for number in options.threads.split(",")]:
        for shape, repeats in collections.Counter(shapes).items():
            types = options.types.split(",")
            for each in types if shape.startswith("gemm") else types[:1]:
                compare(library, shape, repeats, each, threads, options, summary)
    print()
    for key, rows in summary.items():
        if key == "reasons":
            continue
        mean = math.exp(sum(math.log(row[0]) for row in rows) / len(rows))
        total = sum(row[2] for row in rows) / sum(row[3] for row in rows)
        ratio, where = min((row[0], row[1]) for row in rows)
        print(f"{key[1]}, {key[0]} thread(s): geometric mean {mean:.3f}, sum {total:.3f}, least {ratio:.3f} ({where}), "
              f"{len(rows)} problems")
    for reason in summary.get("reasons", []):
        print("not compared:", reason)
    return 0


if __name__ == "__main__":
    sys.exit(main())
