"""Training steps on a CPU: images a second of two ranks, one thread each, against Python's DistributedDataParallel.

usage: step_speed.py [BINARY] [--rounds N] [--batch N] [--size PIXELS] [--steps N] [--warmup N] [--extra "OPTIONS"] [ARCH ...]

Both sides take turns within a round. Reading pictures is no part of it: Python has its batches in memory, ours decodes in
the loop's own thread (-j 0) and what that took is subtracted.
"""
import argparse

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("arch", nargs="*", default=["resnet18", "mobilenet_v2"])
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--batch", type=int, default=32, help="pictures a rank and step")
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--warmup", type=int, default=6)
parser.add_argument("--extra", default="", help="more options for ringlab-train")
options = parser.parse_args()
images = pairs.WORLD * options.batch * (options.steps - options.warmup)


def ours(root, data, arch):
    def seconds(lines):
        # From the end of the last warm-up step to the end of the last one: everything but the decoding.
        return lines[-1]["t"] - lines[options.warmup - 1]["t"] - sum(line["data_seconds"] for line in lines[options.warmup :])

    ranks, _ = pairs.our_ranks(root, data, arch, options.batch, options.size, "-j", "0", "-p", "1000000", *options.extra.split())
    return images / max(seconds(lines) for lines in ranks)


def theirs(arch):
    ranks, _ = pairs.python_ranks(arch, options.batch, options.size, options.steps)
    return images / max(sum(rank["steps"][options.warmup :]) for rank in ranks)


rows = {arch: (f"{arch}, {options.size} px, batch {options.batch} a rank", [], [], "images/s") for arch in options.arch}
with pairs.folder() as root:
    data = pairs.ringlab.make_shapes(root + "/data", train=pairs.WORLD * options.batch * options.steps, val=10, size=options.size)
    for number in range(options.rounds):
        for arch in options.arch:
            sides = [lambda: rows[arch][1].append(theirs(arch)), lambda: rows[arch][2].append(ours(root, data, arch))]
            for side in sides if number % 2 == 0 else reversed(sides):
                side()
pairs.table("Step speed, two ranks with one thread each", rows.values(), 1.15, "higher")
