#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""engine.py ENGINE FILE THREADS SECONDS: loads a network into one engine, runs it for a while, and prints what that took as JSON.

`latency_ms`: the median run; `load_ms`: from the file to a network that can run; `memory_mib`: what loading and running add to the process that
has the engine's library already. Open sizes are 1. A process of its own for each measurement: engines leave threads and caches behind.
"""

import json
import sys
import time

import numpy


def peak_mib():
    for line in open("/proc/self/status", encoding="ascii"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


def array_for(sizes, kind):
    """Numbers that a network may get: real ones from a normal distribution, whole ones small."""
    random = numpy.random.default_rng(1)
    if numpy.issubdtype(kind, numpy.floating):
        return random.standard_normal(sizes).astype(kind)
    return random.integers(0, 2, sizes).astype(kind)


def openvino(path, threads):
    import openvino as engine
    memory, begin = peak_mib(), time.perf_counter()
    core = engine.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    compiled = core.compile_model(core.read_model(path), "CPU", settings)
    loaded = time.perf_counter()
    request = compiled.create_infer_request()
    for number, port in enumerate(compiled.inputs):
        sizes = [size.get_length() if size.is_static else 1 for size in port.partial_shape]
        request.set_input_tensor(number, engine.Tensor(array_for(sizes, port.element_type.to_dtype())))
    return request.infer, memory, loaded - begin


def onnxruntime(path, threads):
    import onnxruntime as engine
    memory, begin = peak_mib(), time.perf_counter()
    options = engine.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = engine.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    loaded = time.perf_counter()
    kinds = {"float": "float32", "double": "float64", "float16": "float16"}
    inputs = {}
    for port in session.get_inputs():
        name = port.type.removeprefix("tensor(").removesuffix(")")
        sizes = [size if isinstance(size, int) and size > 0 else 1 for size in port.shape]
        inputs[port.name] = array_for(sizes, numpy.dtype(kinds.get(name, name)))
    return lambda: session.run(None, inputs), memory, loaded - begin


def litert(path, threads):
    from ai_edge_litert.interpreter import Interpreter
    memory, begin = peak_mib(), time.perf_counter()
    network = Interpreter(model_path=path, num_threads=threads)
    network.allocate_tensors()
    loaded = time.perf_counter()
    for port in network.get_input_details():
        network.set_tensor(port["index"], array_for(tuple(port["shape"]), port["dtype"]))
    return network.invoke, memory, loaded - begin


def main():
    engine, path, threads, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    run, memory, load = {"openvino": openvino, "onnxruntime": onnxruntime, "litert": litert}[engine](path, threads)
    for _ in range(3):
        run()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 10 or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    print(json.dumps({"latency_ms": float(numpy.median(times)) * 1000, "load_ms": load * 1000, "memory_mib": peak_mib() - memory}))


if __name__ == "__main__":
    main()
