"""Training over slow links: our trainer compared with Python's DistributedDataParallel, on emulated networks limited by `tc`.

usage: links.py BINARY --mode MODE [--quick] [--task easy] [--seeds 3] [--shape chain] [--nodes 3] [--mbps 10] [--delay MS] [--json FILE]

`npm run bench:links` starts it with the mode that the app's `auto` chooses for such links. One rank per node, one thread each, resnet18
on `shapes` of 32 px (accuracy.py's recipe; tasks.json has the size of each task). Bytes are the links' own counters, including forwarded ones; the broadcast of the initial
weights is excluded on both sides. The two accuracies are from runs with equal epochs: plain all-reduce over unlimited links, MODE over
the limited ones. The last line is one JSON object (links_result.py); with --quick its accuracies are numbers, else lists with one entry a seed. Needs root.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

import accuracy
import links_result
import pairs
import shaped_network
from accuracy import BATCH, SIZE, TASKS

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 29400


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


def network_of(options, mbps):
    """The delay is drawn with the bandwidth: unlimited links have none."""
    return shaped_network.Network(options.shape, options.nodes, mbps, options.delay if mbps is not None else 0, options.binary)


def ours(root, name, data, mode, mbps, seed, options):
    """One run of ours, from the broadcast of the weights to its end: figures, and its accuracy."""
    there = os.path.join(root, name)
    os.makedirs(there)
    with network_of(options, mbps) as network:
        lines, counters = ranks_in(network, there, data, accuracy.recipe(options.epochs, seed, mode, options.arch))
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
        "hidden_share": links_result.hidden_share(lines),
        "wall_seconds": end - begin,
        "top1": epochs[-1]["val_top1"],
        "top1_by_epoch": [epoch["val_top1"] for epoch in epochs],
        "seconds_by_epoch": [epoch["t"] - begin for epoch in epochs],
    }


def theirs(mbps, steps, options):
    """Python's DDP: the steps after the first, whose start is unknown."""
    world = options.nodes
    with network_of(options, mbps) as network, shaped_network.Counters(network) as counters:
        command = [sys.executable, "-B", os.path.join(HERE, "python_ddp.py"), "--arch", options.arch, "--classes", str(TASKS[options.task]["classes"]), "--batch-size", str(BATCH), "--image-size", str(SIZE), "--steps", str(steps + 1)]
        command += ["--world-size", str(world), "--dist-url", f"tcp://{shaped_network.address(0)}:{PORT}"]
        environment = {**os.environ, "GLOO_SOCKET_IFNAME": "node", "OMP_NUM_THREADS": "1"}
        ranks = [subprocess.Popen([*node.inside, *command, "--rank", str(k)], stdout=subprocess.PIPE, text=True, env=environment) for k, node in enumerate(network.nodes)]
        outs = [rank.communicate()[0] for rank in ranks]
        assert [rank.returncode for rank in ranks] == [0] * world, "the Python side failed"
    lines = [json.loads(out.splitlines()[-1]) for out in outs]
    images = world * BATCH * steps
    start, end = max(line["ended_at"][0] for line in lines), max(line["ended_at"][-1] for line in lines)
    return {"steps": steps, "seconds_per_step": (end - start) / steps, "samples_per_second": images / (end - start), "bytes_per_sample": counters.between(start, end) / images}


def words(mbps):
    return "unshaped links" if mbps is None else f"{mbps} Mbps"


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--mode", required=True)
    parser.add_argument("--quick", action="store_true", help="one seed unless --seeds says more, one step of Python's")
    parser.add_argument("--shape", choices=("chain", "star", "ring"), default="chain")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--mbps", type=int, default=10, help="0: nothing shapes the links")
    parser.add_argument("--delay", type=float, default=0, help="milliseconds in each direction of each link")
    parser.add_argument("--seeds", type=int, help="1 to this; by default 3, with --quick 1")
    accuracy.add_task(parser)
    parser.add_argument("--json", help="append the figures of every run to this file")
    return accuracy.with_task(parser.parse_args())


def main():
    options = parse()
    seeds = range(1, 1 + (options.seeds or (1 if options.quick else 3)))
    shaped = options.mbps or None
    kept = []
    with pairs.folder() as root:
        data = accuracy.make_data(os.path.join(root, "data"), options.train, options.task)
        slow = bool(options.mbps) and options.mbps < 100
        measure_python = lambda: theirs(shaped, (1 if options.quick else 3) if slow else 20, options)  # noqa: E731
        # Python's side waits for its links and leaves the cores idle: with --quick and slow links the other runs are parallel to it.
        with concurrent.futures.ThreadPoolExecutor() as beside:
            measured = beside.submit(measure_python)
            if not (options.quick and slow):
                measured.result()
            for seed in seeds:
                for name, mode, mbps in (("plain", "allreduce", None), ("ours", options.mode, shaped)):
                    run = ours(root, f"{name}-{seed}", data, mode, mbps, seed, options) | {"seed": seed, "mbps": mbps, "task": options.task}
                    kept.append(run)
                    print(f"{mode}, {words(mbps)}, seed {seed}: top-1 {run['top1']:.2f} %, {run['seconds_per_step']:.3f} s a step, {run['wall_seconds']:.0f} s in all, {run['bytes_per_sample']:.0f} bytes an image", flush=True)
                    python = measured.result()
        print(f"Python DDP, {words(shaped)}: {python['seconds_per_step']:.2f} s a step, {python['bytes_per_sample'] / 1e6:.3f} MB an image", flush=True)
    if options.json:
        with open(options.json, "a") as file:
            file.write(json.dumps({"python": python, "runs": kept}) + "\n")
    print(json.dumps(links_result.summary(kept[0::2], kept[1::2], python, by_seed=not options.quick)))


main()
