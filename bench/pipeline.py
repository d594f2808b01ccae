#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two tables about the default pipeline: how its time grows with the size of a network, and how many times as fast it is
as another implementation on the same networks.

  bench/pipeline.py                                      growth, on generated networks of 10^2 to 10^6 nodes
  bench/pipeline.py --peer 'COMMAND' [MODEL.xml ...]     and the ratios, on MODELs and on generated networks

COMMAND N MODEL.xml is run for each network. It loads MODEL.xml, runs the other implementation's low precision pass on
N+1 copies of it one after the other and prints a line of JSON with the median "clone_ms" of a copy; `{n}` and
`{model}` in COMMAND stand for N and MODEL.xml, if they are not to be the last arguments. The time of a run is the
processor time of the whole command with many runs less that with one run, divided by the number of runs between, less
`clone_ms`. Our own time is processor time, too, of a pipeline that follows upstream's errors: both then make the same
network. Both are taken in turn, and the ratio is the median over the rounds.
"""
import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "bin", "lpt_pipeline_bench")


def run(command):
    """The last line that a command prints, as JSON, and its processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stderr}")
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], used * 1000


def peer_command(template, runs, model):
    if "{model}" in template:
        return shlex.split(template.format(n=runs, model=shlex.quote(model)))
    return shlex.split(template) + [str(runs), model]


def peer_ms(template, runs, model):
    _, one = run(peer_command(template, 1, model))
    lines, many = run(peer_command(template, 1 + runs, model))
    return (many - one) / runs - lines[-1]["clone_ms"]


def our_ms(binary, model):
    return run([binary, model, "--follow-upstream", "--seconds", "0.2"])[0][-1]


def growth_table(binary, sizes, options):
    # The least time of the runs: what else the machine does only adds to it.
    print("| nodes | build ms | sort ms | verify ms | pipeline ms | µs a node | per doubling | bytes a node |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    last = None
    for size in sizes:
        row = run([binary, "--nodes", str(size)] + options)[0][-1]
        # Sizes are not exactly doubled: the growth from the last size is brought to a factor of two.
        growth = ""
        if last is not None:
            growth = f"{row['min_ms'] / last['min_ms'] * 2 * last['nodes'] / row['nodes']:.2f}"
        print(f"| {row['nodes']} | {row['build_ms']:.2f} | {row['sort_ms']:.3f} | {row['verify_ms']:.2f} | "
              f"{row['min_ms']:.3f} | {row['min_ms'] * 1000 / row['nodes']:.2f} | {growth} | {row['bytes_per_node']:.0f} |",
              flush=True)
        last = row


def ratio_table(binary, template, models, rounds, runs):
    print("| network | nodes | peer ms | pipeline ms | ratio, median (least to greatest) |")
    print("|---|---:|---:|---:|---:|")
    for name, model in models:
        ours, peers = [], []
        for _ in range(rounds):
            peers.append(peer_ms(template, runs, model))
            ours.append(our_ms(binary, model))
        ratios = sorted(peer / own["pipeline_ms"] for peer, own in zip(peers, ours))
        own = statistics.median(each["pipeline_ms"] for each in ours)
        print(f"| {name} | {ours[0]['nodes']} | {statistics.median(peers):.1f} | {own:.3f} | "
              f"{statistics.median(ratios):.0f} ({ratios[0]:.0f} to {ratios[-1]:.0f}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL.xml")
    parser.add_argument("--peer", metavar="COMMAND", help="times the other implementation")
    parser.add_argument("--binary", default=BIN, help="lpt_pipeline_bench (default: that of the release build)")
    parser.add_argument("--largest", type=int, default=1_000_000, help="nodes of the largest network (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the ratio table (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="runs of the peer a round (default: %(default)s)")
    parser.add_argument("--no-growth", action="store_true", help="leaves the growth table out")
    given = parser.parse_args()

    if not given.no_growth:
        sizes = [given.largest]
        while sizes[-1] >= 200:
            sizes.append(sizes[-1] // 2)
        growth_table(given.binary, sorted(sizes), ["--seconds", "0.5"])
        print()
    if given.peer is None:
        return
    models = [(os.path.basename(os.path.dirname(os.path.abspath(each))), each) for each in given.models]
    with tempfile.TemporaryDirectory() as folder:
        sizes = [size for size in (125, 1000, 8000) if size <= given.largest]
        for size in sizes:
            run([given.binary, "--nodes", str(size), "--save", folder, "--runs", "1", "--seconds", "0"])
        models += [(f"generated, {size}", os.path.join(folder, f"generated_{size}.xml")) for size in sizes]
        ratio_table(given.binary, given.peer, models, given.rounds, given.runs)


if __name__ == "__main__":
    main()
