#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The arithmetics of lpt/specified/arithmetic.hpp beside those that they describe, operation by operation: the tables of docs/arithmetics.md.

bench/networks/arithmetics.py COMPARE_ARITHMETICS CASES [MODELS…]   Python with ai-edge-litert and numpy (bench/networks.sh makes one).

CASES is a folder of conformance cases. Their models of one operator that XNNPACK takes are run by LiteRT's default on seeded random data, and the program
compares both; it compares the cases' own answers and the networks of MODELS by itself.
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
from ai_edge_litert.interpreter import Interpreter

samples = 20
types = {"int8": "i1", "uint8": "u1", "int16": "<i2", "int32": "<i4", "int64": "<i8", "float32": "<f4", "bool": "?"}


def is_taken(interpreter):
    """Whether XNNPACK computes the model; LiteRT lists what it replaced, and then the delegate."""
    return any(each["op_name"] == "DELEGATE" for each in interpreter._get_ops_details())


def stack_of(port, random):
    """The case's own input first, then random ones: any codes, or reals with the same deviation. Sizes and indices stay."""
    own = numpy.frombuffer(base64.b64decode(port["data"]), types[port["type"]]).reshape(port["shape"])
    result = numpy.repeat(own[None], samples, axis=0)
    if port["type"] == "int8":
        result[1:] = random.integers(-128, 128, result[1:].shape)
    if port["type"] == "float32":
        result[1:] = random.normal(0, max(float(own.std()), 1e-3), result[1:].shape)
    return result


def write_model(case, folder, random):
    """Writes model, inputs and LiteRT's outputs, if XNNPACK takes the model."""
    content = base64.b64decode(case["model"])
    try:
        interpreter = Interpreter(model_content=content)
        interpreter.allocate_tensors()
    except (RuntimeError, ValueError):
        return  # LiteRT's default refuses some cases of the reference
    if not is_taken(interpreter):
        return
    inputs = [stack_of(port, random) for port in case["inputs"]]
    places = [each["index"] for each in interpreter.get_input_details()]
    outputs = [[] for _ in interpreter.get_output_details()]
    for sample in range(samples):
        for place, stack in zip(places, inputs):
            interpreter.set_tensor(place, stack[sample])
        interpreter.invoke()
        for kept, detail in zip(outputs, interpreter.get_output_details()):
            kept.append(interpreter.get_tensor(detail["index"]).copy())
    folder.mkdir(parents=True)
    (folder / "model.tflite").write_bytes(content)
    for k, stack in enumerate(inputs):
        numpy.save(folder / f"in{k}.npy", stack)
    for k, stack in enumerate(outputs):
        numpy.save(folder / f"out{k}.litert.default.npy", numpy.stack(stack))


def main():
    program, cases, *models = sys.argv[1:]
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as written:
        for file in sorted(pathlib.Path(cases).glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                case = json.loads(line)
                if case["suite"] in ("spec", "beyond"):
                    write_model(case, pathlib.Path(written, case["case"].replace("/", "-")), random)
        sys.exit(subprocess.run([program, cases, written, *models], check=False).returncode)


if __name__ == "__main__":
    main()
