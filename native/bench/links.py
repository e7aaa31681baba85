"""Training over slow links: our trainer against Python's DistributedDataParallel, on drawn networks that `tc` shapes.

usage: links.py BINARY --mode MODE [--quick] [--shape chain] [--nodes 3] [--mbps 10] [--json FILE]

One rank a node, one thread each, resnet18 on `shapes` of 32 px. Bytes are the links' own counters, what a node passes on
for others counted; the broadcast of the first weights is left out on both sides. The two accuracies come from runs of equal
epochs: plain all-reduce on links that nothing shapes, MODE on the shaped ones. The last line is one JSON object. Needs root.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

import pairs
import shaped_network

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 29400
BATCH = 32  # pictures a rank and step
SIZE = 32


def ranks_in(network, root, data, mode, *extra):
    """Our ranks, one a node, to their end: their lines by rank, and the links' counters."""
    ranks = []
    world = len(network.nodes)
    common = [data, "-a", "resnet18", "--image-size", str(SIZE), "--threads", "1", "-j", "1", "-b", str(BATCH), "--sync", mode, "--world-size", str(world)]
    common += ["--dist-url", f"tcp://{shaped_network.address(0)}:{PORT}", "--rendezvous-timeout", "120", *extra]
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


def ours(root, name, data, mode, mbps, epochs, seed, options):
    """One run of ours: figures of the steps after the first, which begins when the weights are shared, and its accuracy."""
    there = os.path.join(root, name)
    os.makedirs(there)
    recipe = ["--epochs", str(epochs), "--seed", str(seed), "--lr", str(options.lr), "--scheduler", "cosine", "--warmup-epochs", "1"]
    with shaped_network.Network(options.shape, options.nodes, mbps) as network:
        lines, counters = ranks_in(network, there, data, mode, *recipe)
    of = lambda kind, rank=0: [line for line in lines[rank] if line["kind"] == kind]  # noqa: E731
    steps, epoch_lines = of("step"), of("epoch")
    trained = sum(line["images"] / line["images_per_second"] for line in steps)
    # Waiting at an epoch's end counts as training: `epoch` lines time it, `step` lines do not.
    trained = max(trained, sum(sum(s["images"] for s in steps if s["epoch"] == line["epoch"]) / line["images_per_second"] for line in epoch_lines))
    begin = next(line["t"] for line in lines[0] if line["kind"] == "start")
    images = options.nodes * sum(line["images"] for line in steps)
    return {
        "mode": mode,
        "steps": len(steps),
        "seconds_per_step": trained / len(steps),
        "samples_per_second": images / trained,
        "bytes_per_sample": counters.between(begin, lines[0][-1]["t"]) / images,
        "images_seen": images,
        "wall_seconds": lines[0][-1]["t"] - begin,
        "top1": epoch_lines[-1]["val_top1"],
        "top1_by_epoch": [line["val_top1"] for line in epoch_lines],
        "seconds_by_epoch": [line["t"] - begin for line in epoch_lines],
    }


def theirs(mbps, steps, options):
    """Python's DDP: the steps after the first, whose start we cannot see."""
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
    """How often all ranks exchanged: every step, or once a period of H and at each epoch's end."""
    name, _, rest = mode.partition(":")
    if name not in ("local", "diloco"):
        return steps
    each = steps // epochs
    return epochs * -(-each // int(rest.split(",")[0]))


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--mode", required=True)
    parser.add_argument("--quick", action="store_true", help="one seed, one step of Python's")
    parser.add_argument("--shape", choices=("chain", "star", "ring"), default="chain")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--mbps", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--train", type=int, default=4032)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--hard", action="store_true", help="the harder shapes")
    parser.add_argument("--json", help="append the figures of every run to this file")
    return parser.parse_args()


def main():
    options = parse()
    seeds = [1] if options.quick else [1, 2, 3]
    kept = []
    with pairs.folder() as root:
        data = os.path.join(root, "data")
        subprocess.run([pairs.ringlab.BINARY, "make-shapes", data, "--train", str(options.train), "--val", "1000", *(["--hard"] if options.hard else [])], check=True, stdout=subprocess.DEVNULL)
        python = theirs(options.mbps, 1 if options.quick else 3, options)
        print(f"Python DDP at {options.mbps} Mbps: {python['seconds_per_step']:.2f} s a step, {python['bytes_per_sample'] / 1e6:.3f} MB a picture", flush=True)
        for seed in seeds:
            for mode, mbps in (("allreduce", None), (options.mode, options.mbps)):
                run = ours(root, f"{mode.partition(':')[0]}-{seed}", data, mode, mbps, options.epochs, seed, options) | {"seed": seed, "mbps": mbps, "hard": options.hard}
                kept.append(run)
                where = "unshaped links" if mbps is None else f"{mbps} Mbps"
                print(f"{mode}, {where}, seed {seed}: top-1 {run['top1']:.2f} %, {run['seconds_per_step']:.3f} s a step, {run['wall_seconds']:.0f} s in all, {run['bytes_per_sample']:.0f} bytes a picture", flush=True)
    plain, chosen = kept[0::2], kept[1::2]
    middle = lambda runs, key: statistics.median(run[key] for run in runs)  # noqa: E731
    if options.json:
        with open(options.json, "a") as file:
            file.write(json.dumps({"python": python, "runs": kept}) + "\n")
    steps = chosen[0]["steps"]
    result = {
        "mode": options.mode,
        "steps": steps,
        "sync_steps": synchronisations(options.mode, steps, options.epochs),
        "samples_ratio": round(middle(chosen, "samples_per_second") / python["samples_per_second"], 1),
        "bytes_ratio": round(python["bytes_per_sample"] / middle(chosen, "bytes_per_sample"), 1),
        "seconds_per_step_plain": round(python["seconds_per_step"], 3),
        "seconds_per_step_ours": round(middle(chosen, "seconds_per_step"), 4),
        "images_seen": chosen[0]["images_seen"],
        "top1_plain": middle(plain, "top1"),
        "top1_ours": middle(chosen, "top1"),
        "wall_ratio": round(middle(chosen, "wall_seconds") / middle(plain, "wall_seconds"), 3),
    }
    print(json.dumps(result))


main()
