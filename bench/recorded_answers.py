#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""recorded_answers.py [--most RATIO] LPT_RUN FOLDER [OPTION ...]

Runs networks on inputs whose answers other engines gave, and prints a Markdown table: how far the outputs are from those of the reference
variant (root mean square over its standard deviation), how far a peer's are, the quotient, and which share of the numbers is equal. OPTIONs
are lpt_run's.

FOLDER holds a folder for each network: its file (`model.xml`, `model.onnx` or `model.tflite`) and a `manifest.json` with `inputs` (`name`,
`file`: samples along axis 0), `samples`, `variants` (by name, `outputs` with a `file` each) and `agreement`, whose keys say
"PEER vs REFERENCE": the first one counts whose reference is the network in floating point (`….f32`, `….original`), else the first. The samples of a `sequence` are one stream: only its first, from the first state, is run.

Exit status 1 if a network fails, or is more than RATIO (1.5) times as far from the reference as the peer.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

MODELS = ("model.xml", "model.onnx", "model.tflite")
NOISE = 1e-6  # a distance below it is rounding


def distance(given, wanted):
    given = given.astype(numpy.float64).reshape(wanted.shape)
    wanted = wanted.astype(numpy.float64)
    return float(numpy.sqrt(((given - wanted) ** 2).mean()) / (wanted.std() + 1e-12))


def run(lpt_run, model, manifest, options):
    """The outputs of all samples, a list for each; raises subprocess.CalledProcessError."""
    folder = model.parent
    inputs = [(each["name"], numpy.load(folder / each["file"])) for each in manifest["inputs"]]
    samples = 1 if manifest.get("sequence") else manifest["samples"]
    results = [[] for _ in manifest["outputs"]]
    with tempfile.TemporaryDirectory() as place:
        for sample in range(samples):
            command = [lpt_run, str(model), *options, "--output", f"{place}/out"]
            for number, (name, values) in enumerate(inputs):
                numpy.save(f"{place}/{number}.npy", values[sample])
                command += ["--input", f"{name}={place}/{number}.npy"]
            subprocess.run(command, check=True, capture_output=True, text=True)
            for number, result in enumerate(results):
                result.append(numpy.load(f"{place}/out/{number}.npy"))
    return results


def pair_of(manifest):
    pairs = [tuple(key.split(" vs ")) for key in manifest["agreement"]]
    real = [pair for pair in pairs if pair[0].endswith(".int8") and pair[1].endswith((".f32", ".original"))]
    return (real or pairs)[0]


def rows(lpt_run, model, manifest, options):
    """A row for each output: its name, our distance, the peer's, the share of equal numbers."""
    peer, reference = pair_of(manifest)
    recorded = {
        name: [numpy.load(model.parent / each["file"]) for each in variant["outputs"]]
        for name, variant in manifest["variants"].items()
    }
    for number, ours in enumerate(run(lpt_run, model, manifest, options)):
        wanted = recorded[reference][number][: len(ours)]
        mine = numpy.stack([each.reshape(wanted.shape[1:]) for each in ours])
        theirs = recorded[peer][number][: len(ours)]
        yield (manifest["outputs"][number]["name"], peer, reference, distance(mine, wanted), distance(theirs, wanted),
               float((mine == wanted).mean()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("--most", type=float, default=1.5)
    parser.add_argument("lpt_run")
    parser.add_argument("folder", type=pathlib.Path)
    arguments, options = parser.parse_known_args()
    failed = []
    count = 0
    print("| network, output | peer | reference | distance | peer's | quotient | equal |\n|---|---|---|---:|---:|---:|---:|")
    for manifest_file in sorted(arguments.folder.glob("*/manifest.json")):
        manifest = json.loads(manifest_file.read_text())
        model = next((manifest_file.parent / name for name in MODELS if (manifest_file.parent / name).exists()), None)
        if model is None or "agreement" not in manifest:
            continue
        count += 1
        network = manifest_file.parent.name
        try:
            for name, peer, reference, mine, theirs, equal in rows(arguments.lpt_run, model, manifest, options):
                is_noise = mine < NOISE
                quotient = "" if is_noise or theirs < NOISE else f"{mine / theirs:.3f}"
                print(f"| {network}, {name} | {peer} | {reference} | {mine:.3g} | {theirs:.3g} | {quotient} | {equal:.3f} |",
                      flush=True)
                if not is_noise and mine > arguments.most * max(theirs, NOISE):
                    failed.append(f"{network}, {name}")
        except subprocess.CalledProcessError as error:
            print(f"| {network} | | | {error.stderr.strip()} | | | |", flush=True)
            failed.append(network)
    if count == 0:
        sys.exit(f"recorded_answers.py: no network found in {arguments.folder}")
    print(f"\n{count} networks, {len(failed)} outputs farther off than {arguments.most} times the peer's: "
          f"{', '.join(failed) or 'none'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
