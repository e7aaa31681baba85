"""Duration of a step over emulated links, for each configuration: reference of the app's estimate (src/shared/cost/estimate.test.ts).

usage: step_cells.py BINARY [--only WORD] [--json FILE]

On shaped_network.py's networks, one rank per node, one thread each, images of 32 px. Needs root. A line has the median (of local steps the
mean) of the slowest rank's steps without the first two; `compute_seconds` is that of the same ranks over unlimited links, so that the estimate does not use
the values it is compared with.
"""
import argparse
import json
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import ringlab  # noqa: E402
import shaped_network  # noqa: E402

PORT = 29400
CELLS = [
    # shape, nodes, Mbps, milliseconds of delay a link and direction, mode, architecture, steps
    ("chain", 3, 10, 0, "allreduce", "squeezenet1_1", 8),
    ("chain", 3, 100, 0, "allreduce", "resnet18", 8),
    ("star", 4, 100, 0, "allreduce", "resnet18", 8),
    ("ring", 8, 100, 0, "allreduce", "resnet18", 6),
    ("ring", 4, 1000, 0, "allreduce", "resnet18", 12),
    ("chain", 3, 10, 0, "powersgd:2", "resnet18", 12),
    ("star", 4, 10, 0, "powersgd:2", "resnet18", 12),
    ("ring", 8, 10, 0, "powersgd:2", "squeezenet1_1", 12),
    ("chain", 8, 100, 0, "powersgd:2", "resnet18", 10),
    ("star", 3, 1000, 0, "powersgd:2", "resnet18", 20),
    ("ring", 3, 1000, 100, "allreduce", "squeezenet1_1", 8),
    ("ring", 3, 1000, 100, "fp16", "squeezenet1_1", 8),
    ("ring", 3, 1000, 100, "powersgd:2", "squeezenet1_1", 8),
    ("ring", 3, 1000, 100, "topk:0.01", "squeezenet1_1", 8),
    ("ring", 3, 1000, 100, "local:1,stream=0.156,overlap=1", "squeezenet1_1", 12),
    ("ring", 3, 1000, 100, "local:4,stream=0.156,overlap=4", "squeezenet1_1", 32),
    ("ring", 3, 1000, 100, "local:4,8bit", "squeezenet1_1", 32),
    ("star", 5, 1000, 50, "allreduce", "squeezenet1_1", 8),
    ("star", 5, 1000, 50, "local:1,stream=0.156,overlap=1", "squeezenet1_1", 12),
]
BATCH = 16  # images per rank and step


def measure(binary, data, shape, count, mbps, delay, mode, arch, steps):
    ranks = []
    with shaped_network.Network(shape, count, mbps, delay, binary) as network, ringlab.folder() as root:
        try:
            for k, node in enumerate(network.nodes):
                arguments = [data, "-a", arch, "--image-size", "32", "--threads", "1", "-j", "1", "-b", str(BATCH), "--seed", "1", "--lr", "0.01", "--epochs", "1", "--sync", mode]
                arguments += ["--world-size", str(count), "--rank", str(k), "--dist-url", f"tcp://{shaped_network.address(0)}:{PORT}", "--address", shaped_network.address(k)]
                ranks.append(ringlab.Rank(root, k, arguments, env={**os.environ, "OMP_NUM_THREADS": "1"}, inside=node.inside))
            for rank in ranks:
                rank.wait_for_steps(steps + 2, 900)
            lines = [rank.lines("step")[2 : steps + 2] for rank in ranks]
        finally:
            for rank in ranks:
                rank.process.kill()
                rank.process.wait()

    # Of local steps only some exchange.
    middle = statistics.mean if mode.startswith("local:") else statistics.median

    def slowest(field):
        return max(middle(field(line) for line in of) for of in lines)

    return {
        "seconds_per_step": slowest(lambda line: line["step_seconds"]),
        "other_seconds": slowest(lambda line: line["step_seconds"] - line["communication_seconds"]),
        "bytes_per_step": middle(line["bytes_sent"] for line in lines[0]),
    }


parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--only", default="", help="cells whose name has this word")
parser.add_argument("--json", help="write the lines as one array")
options = parser.parse_args()
results = []
with ringlab.folder() as top:
    data = ringlab.make_shapes(os.path.join(top, "data"), train=8 * BATCH * 40, val=10, size=32)
    for shape, count, mbps, delay, mode, arch, steps in CELLS:
        name = f"{shape} {count} {mbps} {delay} {mode} {arch}"
        if options.only not in name:
            continue
        compute = measure(options.binary, data, "star", count, None, 0, "allreduce", arch, 10)["other_seconds"]
        cell = {"shape": shape, "nodes": count, "mbps": mbps, "delay_ms": delay, "sync": mode, "architecture": arch, "batch": BATCH * count}
        cell |= {"compute_seconds": compute} | measure(options.binary, data, shape, count, mbps, delay, mode, arch, steps)
        results.append(cell)
        print(json.dumps({key: round(value, 4) if isinstance(value, float) else value for key, value in cell.items()}), flush=True)
if options.json:
    with open(options.json, "w") as file:
        json.dump(results, file, indent=1)
