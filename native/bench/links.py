"""Training over slow links: our trainer compared with Python's DistributedDataParallel, on emulated networks limited by `tc`.

usage: links.py BINARY --mode MODE [--quick] [--shape chain] [--nodes 3] [--mbps 10] [--json FILE]

`npm run bench:links` starts it with the mode that the app's `auto` chooses for such links. One rank per node, one thread each, resnet18
on `shapes` of 32 px (accuracy.py's recipe). Bytes are the links' own counters, including forwarded ones; the broadcast of the initial
weights is excluded on both sides. The two accuracies are from runs with equal epochs: plain all-reduce over unlimited links, MODE over
the limited ones. The last line is one JSON object. Needs root.
"""
import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys

import accuracy
import pairs
import shaped_network
from accuracy import BATCH, SIZE

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 29400
LOST = 0.5  # points of top-1 that a faster mode may lose and still count as having reached the target


def ranks_in(network, root, data, arguments):
    """Runs our ranks, one per node, to their end: their lines by rank, and the links' counters."""
    ranks = []
    world = len(network.nodes)
    common = [data, *arguments, "--world-size", str(world), "--dist-url", f"tcp://{shaped_network.address(0)}:{PORT}", "--rendezvous-timeout", "120"]
    try:
        with shaped_network.Counters(network) as counters:
            for k, node in enumerate(network.nodes):
                ranks.append(pairs.ringlab.Rank(root, k, [*common, "--rank", str(k), "--address", shaped_network.address(k)], inside=node.inside))
            codes = [rank.wait(7200) for rank in ranks]
        assert codes == [0] * world, "\n".join(rank.log()[-2000:] for rank in ranks)
        return [rank.lines() for rank in ranks], counters
    finally:
        for rank in ranks:
            rank.process.kill()
            rank.process.wait()


def ours(root, name, data, mode, mbps, seed, options):
    """One run of ours, from the broadcast of the weights to its end: figures, and its accuracy."""
    there = os.path.join(root, name)
    os.makedirs(there)
    with shaped_network.Network(options.shape, options.nodes, mbps) as network:
        lines, counters = ranks_in(network, there, data, accuracy.recipe(options.epochs, seed, mode))
    steps, epochs = ([line for line in lines[0] if line["kind"] == kind] for kind in ("step", "epoch"))
    # An epoch's rate includes all waits of its steps, and the exchange at its end. Both are of this rank only.
    own = [sum(step["images"] for step in steps if step["epoch"] == epoch["epoch"]) for epoch in epochs]
    trained = sum(count / epoch["images_per_second"] for count, epoch in zip(own, epochs))
    images = options.nodes * sum(own)
    begin, end = next(line["t"] for line in lines[0] if line["kind"] == "start"), lines[0][-1]["t"]
    return {
        "mode": mode,
        "steps": len(steps),
        "seconds_per_step": trained / len(steps),
        "samples_per_second": images / trained,
        "bytes_per_sample": counters.between(begin, end) / images,
        "images_seen": images,
        "wall_seconds": end - begin,
        "top1": epochs[-1]["val_top1"],
        "top1_by_epoch": [epoch["val_top1"] for epoch in epochs],
        "seconds_by_epoch": [epoch["t"] - begin for epoch in epochs],
    }


def theirs(mbps, steps, options):
    """Python's DDP: the steps after the first, whose start is unknown."""
    world = options.nodes
    with shaped_network.Network(options.shape, world, mbps) as network, shaped_network.Counters(network) as counters:
        command = [sys.executable, "-B", os.path.join(HERE, "python_ddp.py"), "--arch", "resnet18", "--batch-size", str(BATCH), "--image-size", str(SIZE), "--steps", str(steps + 1)]
        command += ["--world-size", str(world), "--dist-url", f"tcp://{shaped_network.address(0)}:{PORT}"]
        environment = {**os.environ, "GLOO_SOCKET_IFNAME": "node", "OMP_NUM_THREADS": "1"}
        ranks = [subprocess.Popen([*node.inside, *command, "--rank", str(k)], stdout=subprocess.PIPE, text=True, env=environment) for k, node in enumerate(network.nodes)]
        outs = [rank.communicate()[0] for rank in ranks]
        assert [rank.returncode for rank in ranks] == [0] * world, "the Python side failed"
    lines = [json.loads(out.splitlines()[-1]) for out in outs]
    images = world * BATCH * steps
    start, end = max(line["ended_at"][0] for line in lines), max(line["ended_at"][-1] for line in lines)
    return {"steps": steps, "seconds_per_step": (end - start) / steps, "samples_per_second": images / (end - start), "bytes_per_sample": counters.between(start, end) / images}


def synchronisations(mode, steps, epochs):
    """Number of exchanges: every step, or as many periods of at least H steps as fit into an epoch."""
    name, _, rest = mode.partition(":")
    if name not in ("local", "diloco"):
        return steps
    return epochs * max(1, steps // epochs // int(rest.split(",")[0]))


def time_to_top1(run, target, seconds_per_step=None):
    """Seconds from the first step to the end of the first epoch at `target` or above; by step time if its own clock does not count."""
    for number, top1 in enumerate(run["top1_by_epoch"]):
        if top1 >= target:
            return run["seconds_by_epoch"][number] if seconds_per_step is None else seconds_per_step * run["steps"] * (number + 1) / len(run["top1_by_epoch"])
    return None


def words(mbps):
    return "unshaped links" if mbps is None else f"{mbps} Mbps"


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--mode", required=True)
    parser.add_argument("--quick", action="store_true", help="one seed, one step of Python's")
    parser.add_argument("--shape", choices=("chain", "star", "ring"), default="chain")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--mbps", type=int, default=10, help="0: nothing shapes the links")
    parser.add_argument("--epochs", type=int, default=accuracy.EPOCHS)
    parser.add_argument("--train", type=int, default=accuracy.TRAIN)
    parser.add_argument("--hard", action="store_true", help="the harder shapes")
    parser.add_argument("--json", help="append the figures of every run to this file")
    return parser.parse_args()


def main():
    options = parse()
    seeds = [1] if options.quick else [1, 2, 3]
    shaped = options.mbps or None
    kept = []
    with pairs.folder() as root:
        data = accuracy.make_data(os.path.join(root, "data"), options.train, options.hard)
        slow = bool(options.mbps) and options.mbps < 100
        measure_python = lambda: theirs(shaped, (1 if options.quick else 3) if slow else 20, options)  # noqa: E731
        # Python's side waits for its links and leaves the cores idle: with --quick and slow links the other runs are parallel to it.
        with concurrent.futures.ThreadPoolExecutor() as beside:
            measured = beside.submit(measure_python)
            if not (options.quick and slow):
                measured.result()
            for seed in seeds:
                for name, mode, mbps in (("plain", "allreduce", None), ("ours", options.mode, shaped)):
                    run = ours(root, f"{name}-{seed}", data, mode, mbps, seed, options) | {"seed": seed, "mbps": mbps, "hard": options.hard}
                    kept.append(run)
                    print(f"{mode}, {words(mbps)}, seed {seed}: top-1 {run['top1']:.2f} %, {run['seconds_per_step']:.3f} s a step, {run['wall_seconds']:.0f} s in all, {run['bytes_per_sample']:.0f} bytes a picture", flush=True)
                    python = measured.result()
        print(f"Python DDP, {words(shaped)}: {python['seconds_per_step']:.2f} s a step, {python['bytes_per_sample'] / 1e6:.3f} MB a picture", flush=True)
    plain, chosen = kept[0::2], kept[1::2]
    middle = lambda runs, key: statistics.median(run[key] for run in runs)  # noqa: E731
    if options.json:
        with open(options.json, "a") as file:
            file.write(json.dumps({"python": python, "runs": kept}) + "\n")
    steps = chosen[0]["steps"]
    target = middle(plain, "top1") - LOST
    arrived = [time_to_top1(run, target) for run in chosen]
    # Plain all-reduce is not run to the target over these links: computed from its number of steps and the time of one.
    awaited = [time_to_top1(run, target, python["seconds_per_step"]) for run in plain]
    sooner = [there / here for there, here in zip(awaited, arrived) if there is not None and here is not None]
    result = {
        "mode": options.mode,
        "steps": steps,
        "sync_steps": synchronisations(options.mode, steps, options.epochs),
        "samples_ratio": round(middle(chosen, "samples_per_second") / python["samples_per_second"], 2),
        "bytes_ratio": round(python["bytes_per_sample"] / middle(chosen, "bytes_per_sample"), 1),
        "seconds_per_step_plain": round(python["seconds_per_step"], 3),
        "seconds_per_step_ours": round(middle(chosen, "seconds_per_step"), 4),
        "images_seen": chosen[0]["images_seen"],
        "top1_plain": middle(plain, "top1"),
        "top1_ours": middle(chosen, "top1"),
        "time_to_top1_ratio": round(statistics.median(sooner), 1) if len(sooner) == len(seeds) else None,
        "wall_ratio": round(middle(chosen, "wall_seconds") / middle(plain, "wall_seconds"), 3),
    }
    print(json.dumps(result))


main()
