"""What it costs, while no rank is lost, that ranks can go on (`--on-lost-rank continue`) or save (`save`) when one is: a step's time
relative to ranks that would end. Two ranks on this computer, one thread each; the three policies take turns. Beside a step's time, the
processor time of both ranks' whole run: less disturbed by other load.

usage: lost_rank_cost.py [BINARY] [ARCH ...] [--rounds N] [--batch N] [--size PIXELS] [--steps N] [--warmup N]
"""
import argparse
import resource
import statistics

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("arch", nargs="*", default=["shufflenet_v2_x0_5", "resnet18"])
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--batch", type=int, default=32, help="images a rank and step")
parser.add_argument("--size", type=int, default=64)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--warmup", type=int, default=10)
options = parser.parse_args()

POLICIES = {"end": (), "continue": ("--on-lost-rank", "continue"), "save": ("--on-lost-rank", "save")}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def costs(root, data, arch, extra):
    """Median of a step's seconds after the warm-up, decoding excluded, of the slower rank; processor seconds of both."""
    before = cpu_seconds()
    ranks, _ = pairs.our_ranks(root, data, arch, options.batch, options.size, "-j", "0", "-p", "1000000", *extra)
    used = cpu_seconds() - before

    def median(lines):
        ends = [line["t"] for line in lines]
        return statistics.median(ends[k] - ends[k - 1] - lines[k]["data_seconds"] for k in range(options.warmup, len(lines)))

    return max(median(lines) for lines in ranks), used


print("| | policy | a step, relative to ranks that end | rounds' ratios | processor time | rounds' ratios |\n| --- | --- | --- | --- | --- | --- |")
with pairs.folder() as root:
    data = pairs.ringlab.make_shapes(f"{root}/data", train=pairs.WORLD * options.batch * options.steps, val=10, size=options.size)
    for arch in options.arch:
        took = {policy: [] for policy in POLICIES}
        for number in range(options.rounds):
            order = list(POLICIES)
            for policy in order[number % 3 :] + order[: number % 3]:
                took[policy].append(costs(root, data, arch, POLICIES[policy]))
        for policy in ("continue", "save"):
            cells = []
            for kind in range(2):
                ratios = [b[kind] / a[kind] for a, b in zip(took["end"], took[policy])]
                cells += [f"{statistics.median(ratios):.4f} ×", " ".join(f"{ratio:.3f}" for ratio in ratios)]
            print(f"| {arch} | {policy} | {' | '.join(cells)} |", flush=True)
