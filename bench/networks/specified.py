#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TFLite networks in the arithmetic that they specify, to the bit, beside LiteRT's default kernels, which are not: a line a network and number of
threads, with the time of LiteRT divided by ours, and by that of the transformed network. The three take turns, least of the rounds' medians.

bench/networks/specified.py LPT_RUN MODEL.tflite…   Python with ai-edge-litert and numpy (bench/networks.sh makes one: build/networks/venv).
"""

import os
import re
import subprocess
import sys
import time

import numpy
from ai_edge_litert.interpreter import Interpreter

rounds = 3
seconds = 0.4


def interpreter_of(path, threads):
    result = Interpreter(model_path=path, num_threads=threads)
    result.allocate_tensors()
    for each in result.get_input_details():
        result.set_tensor(each["index"], numpy.zeros(each["shape"], each["dtype"]))
    return result


def milliseconds_of(interpreter):
    for _ in range(3):
        interpreter.invoke()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        interpreter.invoke()
        times.append(time.perf_counter() - begin)
    return float(numpy.median(times)) * 1000


def milliseconds_of_ours(program, path, threads, arithmetic, expected):
    runs = min(1000000, max(5, int(seconds * 1000 / max(expected, 0.001))))
    done = subprocess.run([program, path, "--arithmetic", arithmetic, "--threads", str(threads), "--repeat", str(runs)],
                          capture_output=True, text=True, check=False)
    found = re.search(r"median ([\d.]+) ms", done.stdout)
    if found is None:
        sys.exit(done.stderr.strip() or f"{program} printed no median")
    return float(found[1])


def main():
    program, *paths = sys.argv[1:]
    for path in paths:
        name = os.path.basename(path)
        name = os.path.basename(os.path.dirname(os.path.abspath(path))) if name == "model.tflite" else name
        for threads in (1, 2):
            interpreter = interpreter_of(path, threads)
            least = {"litert": milliseconds_of(interpreter)}
            for _ in range(rounds):
                least["litert"] = min(least["litert"], milliseconds_of(interpreter))
                for arithmetic in ("specified", "transformed"):
                    took = milliseconds_of_ours(program, path, threads, arithmetic, least["litert"])
                    least[arithmetic] = min(least.get(arithmetic, took), took)
            print(f"{name:32} {threads} threads: LiteRT {least['litert']:.4f} ms, specified {least['specified']:.4f} ms "
                  f"({least['litert'] / least['specified']:.2f}), transformed {least['transformed']:.4f} ms "
                  f"({least['litert'] / least['transformed']:.2f})", flush=True)


if __name__ == "__main__":
    main()
