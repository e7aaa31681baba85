"""Training steps on a CPU: images per second of two ranks, one thread each, compared with Python's DistributedDataParallel as main.py
uses it.

usage: step_speed.py [BINARY] [--clock wall|cpu] [--rounds N] [--batch N] [--size PIXELS] [--steps N] [--warmup N] [--extra "OPTIONS"]
[ARCH ...]

Both sides take turns within a round. Reading images is excluded: Python has its batches in memory, ours decodes in the loop's own thread
(-j 0) and that time is subtracted. `--clock cpu` counts user and system time of both ranks, in a whole run minus that of a run of the
warm-up only: for a machine with other load. Ours then reads packed images, which is included.
"""
import argparse
import resource
import subprocess

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("arch", nargs="*", default=["resnet18", "resnet50", "mobilenet_v2"])
parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--batch", type=int, default=32, help="images a rank and step")
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--warmup", type=int, default=6)
parser.add_argument("--extra", default="--channels-last auto", help="more options for ringlab-train (default: %(default)s); '' for Python's weights to the bit")
options = parser.parse_args()
images = pairs.WORLD * options.batch * (options.steps - options.warmup)


def cpu_seconds(run):
    """User and system time of the processes that `run` starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def our_run(root, data, arch):
    return pairs.our_ranks(root, data, arch, options.batch, options.size, "-j", "0", "-p", "1000000", *options.extra.split())


def make_data(root, name, steps):
    """Images for this number of steps; packed if reading them is included."""
    folder = pairs.ringlab.make_shapes(f"{root}/{name}", train=pairs.WORLD * options.batch * steps, val=10, size=options.size)
    if options.clock == "wall":
        return folder
    subprocess.run([pairs.ringlab.BINARY, "pack", folder, "--edge", str(options.size), "--out", f"{root}/packed-{name}", "--workers", "1"], check=True, stdout=subprocess.DEVNULL)
    return f"{root}/packed-{name}"


def ours(root, data, arch):
    if options.clock == "cpu":
        return images / (cpu_seconds(lambda: our_run(root, data, arch)) - cpu_seconds(lambda: our_run(root, data + "-warmup", arch)))

    def seconds(lines):
        # From the end of the last warm-up step to the end of the last one: everything but the decoding.
        return lines[-1]["t"] - lines[options.warmup - 1]["t"] - sum(line["data_seconds"] for line in lines[options.warmup :])

    ranks, _ = our_run(root, data, arch)
    return images / max(seconds(lines) for lines in ranks)


def theirs(arch):
    if options.clock == "cpu":
        took = [cpu_seconds(lambda: pairs.python_ranks(arch, options.batch, options.size, steps)) for steps in (options.steps, options.warmup)]
        return images / (took[0] - took[1])
    ranks, _ = pairs.python_ranks(arch, options.batch, options.size, options.steps)
    return images / max(sum(rank["steps"][options.warmup :]) for rank in ranks)


rows = {arch: (f"{arch}, {options.size} px, batch {options.batch} a rank", [], [], "images/s") for arch in options.arch}
with pairs.folder() as root:
    data = make_data(root, "data", options.steps)
    if options.clock == "cpu":
        make_data(root, "data-warmup", options.warmup)
    for number in range(options.rounds):
        for arch in options.arch:
            sides = [lambda: rows[arch][1].append(theirs(arch)), lambda: rows[arch][2].append(ours(root, data, arch))]
            for side in sides if number % 2 == 0 else reversed(sides):
                side()
pairs.table(f"Step speed, two ranks with one thread each, by the {options.clock} clock", rows.values(), 1.25, "higher")
