#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_execution.py [--name NAME] [--products] REPORT.json EXECUTION.json

Compares what lpt_run says that it executed (`--report`) with the executed graph of OpenVINO for the same file, and prints two tables in
Markdown: how much runs in 8 bits in both, and the operations whose precision differs, those of nodes that look the same in one row.

EXECUTION.json is a list of the nodes of OpenVINO's runtime model, in topological order, each with `name`, `layer_type`, `runtime_precision`,
`output_precisions`, `primitive` and `original_layers` (names of the file's layers, with commas between them).

An operation is compared with the node that has its name among its original layers. A node has one precision, that of its first
operation; what follows in it is not compared where it follows the same operation here.

`--products` compares no names, which the two give differently to what they read from ONNX and TFLite: one row of a table, with how many
convolutions, matrix products and recurrent cells there are, and how many in 8 bits, here and there.
"""

import argparse
import json
import sys

BYTES = ("u8", "i8")
CLASSES = {
    "convolutions": ("Convolution", "GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData"),
    "matrix products": ("MatMul",),
    "recurrent cells": ("LSTMCell", "GRUCell", "LSTMSequence", "GRUSequence"),
}
PRODUCT_NODES = ("Convolution", "Deconvolution", "FullyConnected", "MatMul", "RNNCell", "RNNSeq")  # of the runtime model
PRODUCTS = tuple(one for some in CLASSES.values() for one in some)
NO_OPERATION = ("Input", "Const", "Output", "Reorder")  # of the runtime model


def class_of(row):
    return next((name for name, types in CLASSES.items() if row["type"] in types), "others")


def ran(row):
    """True for what a step computed, and for views, which need none."""
    return not row.get("added") and row["precision"] != "undef"


def nodes_by_layer(execution):
    result = {}
    for node in execution:
        if node["layer_type"] not in NO_OPERATION:
            for layer in node["original_layers"].split(","):
                result.setdefault(layer, node)
    return result


def head_of(node, rows):
    """The operation of the file that a node computes first: its convolution or matrix product, else the first of its layers.

    A node may name only what follows the product: that stands in the product's step here.
    """
    own = [rows[layer] for layer in node["original_layers"].split(",") if layer in rows]
    if node["layer_type"] in PRODUCT_NODES:
        own = [rows[row["step"]] for row in own if row.get("step") in rows] + own
    return next((row for row in own if row["type"] in PRODUCTS), own[0] if own else None)


def differing_nodes(rows, nodes):
    """Pairs of a node and its operations whose precision differs here, without those that stand behind the same operation in both."""
    found = {}
    for row in rows.values():
        node = nodes.get(row["name"])
        if node is None:
            continue
        head = head_of(node, rows)
        if head is row or head.get("step", "") != row.get("step"):
            if row["precision"] != node["runtime_precision"]:
                found.setdefault(node["name"], (node, []))[1].append(row)
    return found.values()


def counts(rows, nodes):
    """By class: how many operations, how many in 8 bits here, how many there.

    Others are those that do arithmetic at the head of a step here or of a node there.
    """
    there = {}
    for node in {node["name"]: node for node in nodes.values()}.values():
        if (head := head_of(node, rows)) is not None:
            there[head["name"]] = node["runtime_precision"]
    result = {}
    for row in rows.values():
        if row.get("role") != "arithmetic" or not (row["status"] == "EXECUTED" or row["name"] in there):
            continue
        one = result.setdefault(class_of(row), [0, 0, 0])
        one[0] += 1
        one[1] += row["precision"] in BYTES
        one[2] += there.get(row["name"]) in BYTES
    return result


PRODUCT_LAYERS = dict(zip(CLASSES, (PRODUCT_NODES[:2], PRODUCT_NODES[2:4], PRODUCT_NODES[4:])))


def products(rows, execution):
    """By class: "5 of 6, there 5 of 5", or a dash where neither has any."""
    result = []
    for name, types in CLASSES.items():
        here = [row["precision"] in BYTES for row in rows.values() if row["type"] in types]
        there = [node["runtime_precision"] in BYTES for node in execution if node["layer_type"] in PRODUCT_LAYERS[name]]
        result.append(f"{sum(here)} of {len(here)}, there {sum(there)} of {len(there)}" if here or there else "–")
    return result


def patterns(found):
    """Differing nodes that look the same, with the names of the first operation of each."""
    result = {}
    for node, own in found:
        operations = ", ".join(f"{row['type']} {row['precision']}" for row in own)
        there = f"{node['layer_type']} {node['runtime_precision']}"
        result.setdefault((operations, there), []).append(own[0]["name"])
    return result


def shortened(name, room=60):
    return name if len(name) <= room else name[: room // 2] + "…" + name[-(room // 2 - 1) :]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--name", default="", help="heading of the tables")
    parser.add_argument("--products", action="store_true", help="count convolutions, matrix products and recurrent cells only")
    parser.add_argument("report", help="of lpt_run --report")
    parser.add_argument("execution", help="OpenVINO's executed graph as JSON")
    given = parser.parse_args()
    with open(given.report, encoding="utf-8") as file:
        report = json.load(file)
    with open(given.execution, encoding="utf-8") as file:
        execution = json.load(file)
    rows = {row["name"]: row for row in report["operations"] if ran(row)}
    if given.products:
        print(f"| {given.name} | " + " | ".join(products(rows, execution)) + " |")
        return
    nodes = nodes_by_layer(execution)
    if not any(name in nodes for name in rows):
        sys.exit("the two have no operation in common: are they of the same network?")
    if given.name:
        print(f"### {given.name}\n")
    print("| | operations | in 8 bits here | in 8 bits there |\n|---|---|---|---|")
    for name in (*CLASSES, "others"):
        if name in (all_counts := counts(rows, nodes)):
            print(f"| {name} | {all_counts[name][0]} | {all_counts[name][1]} | {all_counts[name][2]} |")
    found = patterns(differing_nodes(rows, nodes))
    print("\n| nodes | operations here | node there | first operation of each |\n|---|---|---|---|" if found else "\nNo precision differs.")
    for (operations, there), names in found.items():
        print(f"| {len(names)} | {operations} | {there} | " + " ".join(f"`{shortened(name)}`" for name in names) + " |")
    print()


if __name__ == "__main__":
    main()
