#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""write_cases.py FOLDER   Writes the node tests of the onnx package as files: FOLDER/<case>/model.onnx, in<k>.npy, out<k>.npy.

Left out are cases with strings, sequences, optionals, maps, training, and floats of 8 bits or less; prints how many there are of each.
Files of numpy have no bf16 and no integers of less than 8 bits: such inputs become constants of the model, such outputs are cast to f32 in it.
"""
import collections
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx.backend.test.case.node import collect_testcases

warnings.filterwarnings("ignore")
tiny = {onnx.TensorProto.DataType.Value(name) for name in onnx.TensorProto.DataType.keys() if name.startswith(("FLOAT8", "FLOAT4"))}


def types_of(graph):
    """The element types and kinds of values that a graph and the graphs in it name."""
    for value in list(graph.input) + list(graph.output) + list(graph.value_info):
        kind = value.type.WhichOneof("value")
        yield kind if kind != "tensor_type" else value.type.tensor_type.elem_type
    for each in graph.initializer:
        yield each.data_type
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.name in ("to", "dtype", "output_dtype"):
                yield attribute.i
            for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                yield from types_of(inner)


def reason_to_leave_out(model):
    for domain in model.opset_import:
        if "training" in domain.domain:
            return "training"
    kinds = set(types_of(model.graph))
    for function in model.functions:
        for node in function.node:
            kinds |= {attribute.i for attribute in node.attribute if attribute.name in ("to", "dtype", "output_dtype")}
    if any(isinstance(kind, str) or kind is None for kind in kinds):
        return "sequence, optional or map"
    if onnx.TensorProto.STRING in kinds:
        return "string"
    return "tiny float" if kinds & tiny else None


def has_type_of_numpy(array):
    return np.dtype(array.dtype).kind in "biufc" and array.dtype.isbuiltin == 1


def with_types_of_numpy(model, inputs, outputs):
    """The model, inputs and outputs of a case with nothing but element types that numpy has itself."""
    kept = []
    for value, array in zip(list(model.graph.input), inputs):
        if isinstance(array, onnx.TensorProto):
            array = onnx.numpy_helper.to_array(array)
        array = np.asarray(array)
        if has_type_of_numpy(array):
            kept.append(array)
            continue
        model.graph.initializer.append(onnx.numpy_helper.from_array(array, value.name))
        model.graph.input.remove(value)
    arrays = []
    for value, array in zip(model.graph.output, outputs):
        if isinstance(array, onnx.TensorProto):
            array = onnx.numpy_helper.to_array(array)
        array = np.asarray(array)
        if not has_type_of_numpy(array) and array.dtype != object:
            model.graph.node.append(onnx.helper.make_node("Cast", [value.name], [value.name + "_as_f32"], to=onnx.TensorProto.FLOAT))
            value.name += "_as_f32"
            value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
            array = array.astype(np.float32)
        arrays.append(array)
    return model, kept, arrays


def main(folder):
    left_out = collections.Counter()
    count = 0
    for case in collect_testcases(None):
        if case.model is None:
            continue
        why = reason_to_leave_out(case.model)
        if why:
            left_out[why] += 1
            continue
        model, inputs, outputs = with_types_of_numpy(case.model, *case.data_sets[0])
        to = folder / case.name.removeprefix("test_")
        to.mkdir(parents=True, exist_ok=True)
        onnx.save(model, to / "model.onnx")
        (to / "tolerance").write_text(f"{case.rtol} {case.atol}\n")
        for prefix, arrays in (("in", inputs), ("out", outputs)):
            for index, array in enumerate(arrays):
                np.save(to / f"{prefix}{index}.npy", array)
        count += 1
    print(f"{count} cases; left out: " + ", ".join(f"{n} {why}" for why, n in left_out.items()))


main(Path(sys.argv[1]))
