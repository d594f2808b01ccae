#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole networks, ours against other engines, as a table and a picture. Called by bench/networks.sh, which sets the engines up.

Each engine takes the files that it reads, its fastest one counts. Rounds go from engine to engine, a process each, so that what else the machine does
meets all of them. Printed are medians over rounds; a ratio is the fastest peer's time divided by ours in the same round, above 1 where we are
faster. Memory is what a network adds to its process; for ours it is the whole process. Batches are those of the files.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

peers = {"openvino": (".xml", ".onnx"), "onnxruntime": (".onnx",), "litert": (".tflite",)}
ours = (".xml", ".onnx", ".tflite")


class failure(Exception):
    """An engine that does not run a file, with its last words."""


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise failure((done.stderr.strip().splitlines() or ["it says nothing"])[-1][:160])
    return done.stdout


def measure_peer(engine, path, threads, seconds):
    worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "engine.py")
    return json.loads(output_of([sys.executable, worker, engine, path, str(threads), str(seconds)]).splitlines()[-1])


def measure_ours(program, path, threads, seconds, expected_ms):
    """`expected_ms`: how long a run is thought to take, to choose how many."""
    runs = min(1000000, max(10, int(seconds * 1000 / max(expected_ms, 0.001))))
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        words = output_of([program, path, "--threads", str(threads), "--repeat", str(runs), "--report", report.name])
        facts = json.load(open(report.name, encoding="utf-8"))
    median = words.split("median ")[-1].split(" ms")[0]
    return {"latency_ms": float(median), "load_ms": facts["import_ms"] + facts["transform_ms"] + facts["plan_ms"],
            "memory_mib": facts["peak_memory_bytes"] / 2**20}


def title_of(path):
    name = os.path.basename(path).split(".")[0]
    return os.path.basename(os.path.dirname(os.path.abspath(path))) if name == "model" else name


def compare(options, files, threads):
    """A row of the table: medians by engine, and the median ratio; engines that do not run the network are left out, with a line."""
    rounds = []
    broken = set()
    expected = 1.0
    for _ in range(options.rounds):
        found = {}
        for engine, reads in [*peers.items(), ("lpt", ours)]:
            for path in (file for file in files if file.endswith(reads)):
                if (engine, path) in broken:
                    continue
                try:
                    if engine == "lpt":
                        one = measure_ours(options.lpt_run, path, threads, options.seconds, expected)
                    else:
                        one = measure_peer(engine, path, threads, options.seconds)
                except failure as words:
                    broken.add((engine, path))
                    print(f"{engine} does not run {path}: {words}", file=sys.stderr)
                    continue
                if engine not in found or one["latency_ms"] < found[engine]["latency_ms"]:
                    found[engine] = one
                expected = one["latency_ms"]
        rounds.append(found)
    row = {"title": title_of(files[0]), "threads": threads, "engines": {}, "ratio": math.nan}
    for engine in [*peers, "lpt"]:
        all_rounds = [found[engine] for found in rounds if engine in found]
        if all_rounds:
            row["engines"][engine] = {key: statistics.median(one[key] for one in all_rounds) for key in all_rounds[0]}
    ratios = [min(one["latency_ms"] for name, one in found.items() if name != "lpt") / found["lpt"]["latency_ms"]
              for found in rounds if "lpt" in found and len(found) > 1]
    row["ratio"] = statistics.median(ratios) if ratios else math.nan
    return row


def print_row(row):
    for engine, one in row["engines"].items():
        ratio = f"{row['ratio']:6.2f}" if engine == "lpt" else ""
        print(f"{row['title']:28s} {row['threads']:7d}  {engine:12s} {one['latency_ms']:11.4f} {one['load_ms']:9.1f} "
              f"{one['memory_mib']:11.1f} {ratio}", flush=True)


def mean_of(rows):
    ratios = [row["ratio"] for row in rows if not math.isnan(row["ratio"])]
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios)) if ratios else math.nan


def picture_of(rows, threads):
    """An SVG of bars, one for each network and number of threads: how many times our time the fastest peer takes."""
    colours = ["#2f6db5", "#e08a2c", "#5a9e4b", "#8a5fb0"]
    titles = list(dict.fromkeys(row["title"] for row in rows))
    ratio = {(row["title"], row["threads"]): row["ratio"] for row in rows if not math.isnan(row["ratio"])}
    bars = [*titles, "geometric mean"]
    for count in threads:
        ratio["geometric mean", count] = mean_of([row for row in rows if row["threads"] == count])
    left, bar, gap, width = 200, 14, 12, 420
    most = max([1.5, *(value for value in ratio.values() if not math.isnan(value))]) * 1.1
    height = 60 + len(bars) * (bar * len(threads) + gap) + 30
    words = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{height}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             '<text x="10" y="22" font-size="14">Time of the fastest peer / ours (longer is better)</text>']
    for place, count in enumerate(threads):
        words.append(f'<rect x="{left + place * 110}" y="32" width="12" height="12" fill="{colours[place % len(colours)]}"/>'
                     f'<text x="{left + place * 110 + 17}" y="42">{count} thread{"s" if count > 1 else ""}</text>')
    top = 60
    for title in bars:
        middle = top + bar * len(threads) / 2 + 4
        words.append(f'<text x="{left - 8}" y="{middle:.0f}" text-anchor="end">{title.replace("&", "&amp;").replace("<", "&lt;")}</text>')
        for place, count in enumerate(threads):
            value = ratio.get((title, count), math.nan)
            if not math.isnan(value):
                y = top + place * bar
                words.append(f'<rect x="{left}" y="{y}" width="{value / most * width:.1f}" height="{bar - 2}" fill="{colours[place % len(colours)]}"/>'
                             f'<text x="{left + value / most * width + 5:.1f}" y="{y + bar - 4}" font-size="11">{value:.2f}</text>')
        top += bar * len(threads) + gap
    one = left + width / most
    words += [f'<line x1="{one:.1f}" y1="52" x2="{one:.1f}" y2="{top}" stroke="#444" stroke-dasharray="4 3"/>',
              f'<text x="{one:.1f}" y="{top + 16}" text-anchor="middle" font-size="11">1: as fast</text>', "</svg>"]
    return "\n".join(words) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1,2", help="numbers of threads, joined by commas (1,2)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each engine (3)")
    parser.add_argument("--seconds", type=float, default=1, help="length of a measurement (1)")
    parser.add_argument("--svg", help="file for the picture")
    parser.add_argument("--lpt-run", required=True, help="our program (bench/networks.sh builds it)")
    parser.add_argument("--default", action="append", default=[], help="a network to take where none is given")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="a file, or files of one network joined by commas")
    options = parser.parse_args()
    networks = options.networks or options.default
    threads = [int(count) for count in options.threads.split(",")]
    print(f"{'network':28s} {'threads':>7s}  {'engine':12s} {'latency ms':>11s} {'load ms':>9s} {'memory MiB':>11s}  ratio")
    rows = []
    for network in networks:
        for count in threads:
            rows.append(compare(options, network.split(","), count))
            print_row(rows[-1])
    for count in threads:
        ratios = [row["ratio"] for row in rows if row["threads"] == count and not math.isnan(row["ratio"])]
        if ratios:
            print(f"{count} thread{'s' if count > 1 else ''}: the fastest peer takes {mean_of([row for row in rows if row['threads'] == count]):.2f} of our time "
                  f"(geometric mean of {len(ratios)} networks, least {min(ratios):.2f})")
    if options.svg:
        with open(options.svg, "w", encoding="utf-8") as file:
            file.write(picture_of(rows, threads))


if __name__ == "__main__":
    main()
