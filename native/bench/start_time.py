"""From exec to the end of the first step: two ranks, resnet18, images from an ImageFolder, compared with Python's DDP.

usage: start_time.py [BINARY] [--rounds N]
"""
import argparse

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--rounds", type=int, default=5)
options = parser.parse_args()
ARCH, BATCH, SIZE = "resnet18", 8, 32

theirs, ours = [], []
with pairs.folder() as root:
    data = pairs.ringlab.make_shapes(root + "/data", train=pairs.WORLD * BATCH * 2, val=10, size=SIZE)
    for _ in range(options.rounds):
        ranks, started = pairs.python_ranks(ARCH, BATCH, SIZE, 2, data)
        theirs.append(max(rank["ended_at"][0] for rank in ranks) - started)
        steps, started = pairs.our_ranks(root, data, ARCH, BATCH, SIZE)
        ours.append(max(lines[0]["t"] for lines in steps) - started)
pairs.table("Start: exec to the end of the first step", [(f"{ARCH}, {SIZE} px", theirs, ours, "s")], 2.0, "lower")
