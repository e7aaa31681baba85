"""How long a save stalls training: ours, written in the background, compared with a blocking torch.save.

usage: checkpoint_stall.py [BINARY] [--rounds N] [--saves N] [--copies] [ARCH ...]

Two ranks on the same disk: ours saves at each epoch's end, checkpoint and rank-state.pth, flushed to the disk; its `stall_seconds` is all
time that the training thread spends on it, including waits for the copies and for the previous save. Python saves what main.py does
(state_dict, SGD's momenta, StepLR) with torch.save, which does not flush. A round's value is the median of its saves without the first.

`--copies`: instead of Python, our saves with a copy of each (`--keep-every 1`, which copies as a new best model does) compared with saves
without: the stall, the time until everything is on the disk, the steps in the meantime, the CPU time and the bytes written.
"""
import argparse
import os
import resource
import statistics
import tempfile
import time

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("arch", nargs="*", default=["resnet18", "mobilenet_v2"])
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--saves", type=int, default=6)
parser.add_argument("--copies", action="store_true")
options = parser.parse_args()
BATCH, SIZE, STEPS = 8, 32, 4

import torch  # noqa: E402
import torchvision  # noqa: E402

CLASSES = 10


def theirs(root, arch):
    torch.set_num_threads(1)
    model = getattr(torchvision.models, arch)(num_classes=CLASSES)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    sum(parameter.sum() for parameter in model.parameters()).backward()
    optimizer.step()
    seconds = []
    with tempfile.TemporaryDirectory(dir=root) as there:
        for epoch in range(options.saves):
            started = time.perf_counter()
            state = {"epoch": epoch + 1, "arch": arch, "state_dict": model.state_dict(), "best_acc1": torch.tensor(10.0), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}
            torch.save(state, os.path.join(there, "checkpoint.pth.tar"))
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds[1:])


def ours(root, data, arch):
    with tempfile.TemporaryDirectory(dir=root) as run:
        # Several steps per epoch: a save can end before the next one, as with epochs of minutes.
        ranks = pairs.ringlab.start(run, pairs.WORLD, data, "-a", arch, "-b", str(BATCH), "--image-size", str(SIZE), "--epochs", str(options.saves))
        assert [rank.wait(1200) for rank in ranks] == [0] * pairs.WORLD, ranks[0].log()
        lines = [line for line in ranks[0].lines("checkpoint") if line["file"] == "checkpoint"]
        assert len(lines) == options.saves
        return statistics.median(line["stall_seconds"] for line in lines[1:])


def with_copies(root, data, arch, *extra):
    """Of one run: medians over its saves without a new best model, and sums per save."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(dir=root) as run:
        # No step changes a weight, so that hardly any save is a new best one.
        ranks = pairs.ringlab.start(run, pairs.WORLD, data, "-a", arch, "-b", str(BATCH), "--image-size", str(SIZE), "--epochs", str(options.saves), "--lr", "0", *extra)
        assert [rank.wait(1200) for rank in ranks] == [0] * pairs.WORLD, ranks[0].log()
        saves = [line for line in ranks[0].lines("checkpoint") if line["file"] == "checkpoint" and not line["best"]]
        steps = [line["step_seconds"] for line in ranks[0].lines("step")[STEPS:]]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cores = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    disk = (after.ru_oublock - before.ru_oublock) * 512
    return {
        "a checkpoint, MB": saves[0]["bytes"] / 1e6,
        "stall, s": statistics.median(line["stall_seconds"] for line in saves),
        "until on the disk, s": statistics.median(line["seconds"] for line in saves),
        "a step, s": statistics.median(steps),
        "longest step, s": max(steps),
        "cores, s a save": cores / options.saves,
        "disk, MB a save": disk / options.saves / 1e6,
    }


def compare_copies(root, data):
    for arch in options.arch:
        rounds = []
        for number in range(options.rounds):
            sides = [(), ("--keep-every", "1")]
            rounds.append({side: with_copies(root, data, arch, *side) for side in (sides if number % 2 == 0 else reversed(sides))})
        print(f"\n{arch}, medians of {options.rounds} runs each\n\n| | without a copy | with a copy |\n| --- | --- | --- |")
        for what in rounds[0][()]:
            without, copied = (statistics.median(one[side][what] for one in rounds) for side in ((), ("--keep-every", "1")))
            print(f"| {what} | {without:.4g} | {copied:.4g} |", flush=True)


rows = {arch: (f"{arch}, a save", [], [], "s") for arch in options.arch}
with pairs.folder() as root:
    data = pairs.ringlab.make_shapes(root + "/data", train=pairs.WORLD * BATCH * STEPS, val=10, size=SIZE)
    if options.copies:
        compare_copies(root, data)
        raise SystemExit
    for number in range(options.rounds):
        for arch in options.arch:
            sides = [lambda: rows[arch][1].append(theirs(root, arch)), lambda: rows[arch][2].append(ours(root, data, arch))]
            for side in sides if number % 2 == 0 else reversed(sides):
                side()
pairs.table("Checkpoint stall: training stands still for one save", rows.values(), 20, "lower")
