"""From exec to the end of the first step over slow links: ranks on a drawn network that `tc` shapes.

usage: first_step.py [BINARY] [--arch resnet18] [--nodes 3] [--mbps 10] [--rounds N] [--extra "--pretrained FILE"]

One rank a node, one thread each. Ranks make local steps (the `local:16` of `--sync`), so that the first step exchanges nothing: what
crosses the links until then is the rendezvous and the initial weights. Needs root.
"""
import argparse
import os
import shlex
import statistics
import time

import pairs
import shaped_network

PORT = 29401
BATCH, SIZE = 32, 32

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--arch", default="resnet18")
parser.add_argument("--nodes", type=int, default=3)
parser.add_argument("--mbps", type=int, default=10, help="0: nothing shapes the links")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--extra", default="", help="more options of the trainer")
options = parser.parse_args()


def first_step(root, name, data):
    """Seconds from exec to the start line and to the end of the first step, both of the last rank; bytes on all links until then."""
    arguments = [data, "-a", options.arch, "--image-size", str(SIZE), "-b", str(BATCH), "--threads", "1", "-j", "1", "--epochs", "1", "--sync", "local:16", *shlex.split(options.extra)]
    arguments += ["--world-size", str(options.nodes), "--dist-url", f"tcp://{shaped_network.address(0)}:{PORT}", "--rendezvous-timeout", "120"]
    with shaped_network.Network("chain", options.nodes, options.mbps or None) as network, shaped_network.Counters(network) as counters:
        started = time.time()
        there = os.path.join(root, name)
        ranks = [pairs.ringlab.Rank(there, k, [*arguments, "--rank", str(k), "--address", shaped_network.address(k)], inside=node.inside) for k, node in enumerate(network.nodes)]
        try:
            for rank in ranks:
                rank.wait_for_steps(1, 600)
            ready, done = (max(rank.lines(kind)[0]["t"] for rank in ranks) for kind in ("start", "step"))
            return ready - started, done - started, counters.between(started, done)
        finally:
            for rank in ranks:
                rank.process.kill()
                rank.process.wait()


with pairs.folder() as root:
    data = pairs.ringlab.make_shapes(os.path.join(root, "data"), train=BATCH * options.nodes * 40, val=10, size=SIZE)
    rounds = [first_step(root, f"round-{number}", data) for number in range(options.rounds)]
for ready, done, sent in rounds:
    print(f"ready to train after {ready:.2f} s, first step after {done:.2f} s, {sent / 1e6:.3f} MB on the links")
ready, done, sent = (statistics.median(column) for column in zip(*rounds))
print(f"{options.arch}, {options.nodes} ranks, {options.mbps} Mbps: medians {ready:.2f} s, {done:.2f} s, {sent / 1e6:.3f} MB")
