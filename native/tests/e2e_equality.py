"""The same mathematics as Python's DistributedDataParallel: same weights, same images, same order, equal weights after.

usage: e2e_equality.py BINARY [--steps N [--worlds 2,3] | --part settings|architectures|worlds]

Without --steps: resnet18 at 2 and 5 ranks, and at 3 with accumulation and with a short last batch. With RINGLAB_ALL=1 every
setting, architecture and world size once, or one of the three. With --steps N, an even number: N steps at each of the world sizes
(bench/equality.py). For resumed runs: e2e_equal_resume.py. One thread per rank.
"""
import argparse
import os

import ringlab

ringlab.need_torch()
import distributed_reference  # noqa: E402
import torch  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--steps", type=int)
parser.add_argument("--worlds", default="2")
parser.add_argument("--part", choices=["settings", "architectures", "worlds"])
chosen = parser.parse_args()
SEED = 5


def available_memory():
    """Memory that Linux can provide without swapping, in GB."""
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("MemAvailable:")) * 1024 / 1e9


def steps_of(images, world, batch, accumulate):
    """Steps of an epoch: each rank has the same number of images, a last batch of one is omitted, a smaller last group of batches is a
    step."""
    own = -(-images // world)
    batches = own // batch + (own % batch > 1)
    return -(-batches // accumulate)


def compare(world, arch="resnet18", steps=4, batch=2, less=0, epochs=2, lr=0.02, ours=(), **python):
    """`less`: number of images missing to fill every batch of every rank. `ours`: the trainer's options beside the common ones."""
    accumulate = python.get("accumulate", 1)
    with ringlab.folder() as root:
        # make-shapes needs at least ten images: small runs use larger batches.
        batch = max(batch, -(-(10 + less) * epochs // (world * steps)))
        images = steps * batch * world // epochs - less
        data = ringlab.make_shapes(os.path.join(root, "data"), train=images, val=10)
        initial = os.path.join(root, "initial.pth")
        torch.save(distributed_reference.fresh_model(arch, 11).state_dict(), initial)
        theirs = distributed_reference.train(root, world, data, arch, batch=batch, epochs=epochs, seed=SEED, lr=lr, initial=initial, **python)
        check_sync = ("--check-sync",) if world > 1 else ()
        ranks = ringlab.start(
            root, world, data, "-a", arch, "-b", str(batch), "--epochs", str(epochs), "--lr", str(lr), "--seed", str(SEED), "--pretrained", initial, *check_sync, *ours
        )
        codes = [rank.wait(120 + 60 * steps) for rank in ranks]
        assert codes == [0] * world, ranks[0].log()
        saved = torch.load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))
        weights, optimizer = distributed_reference.differences(saved, torch.load(theirs[0]))
        per_epoch = steps_of(images, world, batch, accumulate)
        words = " ".join((f"{images} images, batch {batch}", *ours))
        print(f"largest difference of any weight or buffer, {arch}, {world} ranks, {per_epoch * epochs} steps ({words}): {weights:g}; optimizer {optimizer:g}", flush=True)
        for rank, path in zip(ranks, theirs):
            losses = torch.load(path)["losses"]
            lines = rank.lines("step")
            differing = [(i, a["loss"], b) for i, (a, b) in enumerate(zip(lines, losses)) if abs(a["loss"] - b) > (0 if accumulate == 1 else 1e-12)]
            assert len(lines) == len(losses) == per_epoch * epochs and not differing, (rank.rank, len(lines), len(losses), differing[:3])
        if less == 0:
            start = ranks[0].lines("start")[0]
            assert start["batch_size"] == world * batch * accumulate and start["steps_per_epoch"] == per_epoch, start
            assert sum(line["images"] for line in ranks[0].lines("step")) == images // world * epochs
        assert weights == 0 and optimizer == 0, (weights, optimizer)
        return ranks[0].lines("step")[0]


ACCUMULATE = {"accumulate": 4, "ours": ("--accumulate", "4")}
# Settings other than plain SGD. With some of them batches of two images diverge within 24 steps.
SETTINGS = [
    {"momentum": 0.0, "weight_decay": 0.0, "ours": ("--momentum", "0", "--wd", "0")},
    {"weight_decay": 0.01, "ours": ("--wd", "0.01")},
    {"optimizer": "adam", "lr": 0.001, "ours": ("--optimizer", "adam")},
    {"optimizer": "adamw", "lr": 0.001, "weight_decay": 0.01, "ours": ("--optimizer", "adamw", "--wd", "0.01")},
    {"label_smoothing": 0.1, "ours": ("--label-smoothing", "0.1")},
    {"channels_last": True, "ours": ("--channels-last",)},
    {"amp": "bf16", "ours": ("--amp", "bf16")},
    {**ACCUMULATE, "less": 5},
    # Several epochs with a short last batch, padded shares, a decreasing rate.
    {"epochs": 4, "batch": 4, "less": 5, "step_size": 2, "ours": ("--step-size", "2")},
    {"epochs": 4, "batch": 8, "less": 7, "arch": "mobilenet_v2", "lr": 0.005},
]

if chosen.steps is not None:
    for count in map(int, chosen.worlds.split(",")):
        compare(count, steps=chosen.steps, batch=8)
elif ringlab.ALL:
    if chosen.part in (None, "settings"):
        for setting in SETTINGS:
            compare(3, **{"steps": 24, "batch": 8, **setting})
    if chosen.part in (None, "architectures"):
        for arch in ("densenet121", "googlenet", "shufflenet_v2_x1_0", "efficientnet_b0", "regnet_y_400mf", "convnext_tiny"):
            compare(3, arch, steps=6, batch=8, lr=0.005)
    if chosen.part in (None, "worlds"):
        for count in (1, 2, 4, 5, 8):
            compare(count, "resnet18", steps=24)
        # Batches of two images diverge within a few steps: the last maps have one pixel, so norms are computed from two numbers.
        compare(3, "mobilenet_v2", steps=24, batch=8, lr=0.002)
        # Half a gigabyte of parameters, 2.6 GB per rank.
        if available_memory() > 2.7 * 3:
            compare(3, "vgg11", steps=6, lr=0.002)
        else:
            print("vgg11 at 3 ranks needs 8 GB of memory: not compared", flush=True)
else:
    for count in (2, 5):
        compare(count)
    four = compare(3, steps=8, **ACCUMULATE)
    short = compare(3, epochs=3, steps=9, batch=4, less=5)
    assert four["bytes_sent"] == short["bytes_sent"], "four batches send what one does"
