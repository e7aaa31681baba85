"""The loader alone, images per second on one core, compared with torchvision's ImageFolder + DataLoader on the same JPEGs.

usage: loader.py [BINARY] [--rounds N] [--pictures N] [--keep FOLDER] [--clock wall|cpu] [--draft] [--width PX]

500 x 375 JPEGs of ImageNet's size (drawn_photographs.py), batches of 64, one worker each, each side pinned to core 0, counted from the
first batch on. Python's side has main.py's transforms for 224 px (RandomResizedCrop, flip, ToTensor, Normalize; Resize 256, CenterCrop
for validation), ours is the target loader_probe (`ninja -C native/build loader_probe`). `packed` reads the output of `ringlab-train
pack`, with the same transforms. The sides take turns; files are in the page cache. `--keep` keeps the images for several runs. `--clock
cpu` counts each side's CPU seconds, over all its processes: for a machine with other load. `--draft` also measures the trainer's --draft.
`--width` generates larger images of the same shape: 2000 is a camera's size, where --draft saves decoding.
"""
import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys

import pairs
import drawn_photographs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--pictures", type=int, default=512)
parser.add_argument("--keep")
parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
parser.add_argument("--draft", action="store_true")
parser.add_argument("--width", type=int, default=drawn_photographs.WIDTH)
parser.add_argument("--their-side", choices=["train", "val"], help=argparse.SUPPRESS)
parser.add_argument("--data", help=argparse.SUPPRESS)
options = parser.parse_args()
SIZE, BATCH = 224, 64
probe = os.path.join(os.path.dirname(options.binary), "bench", "loader_probe")


def drain_torchvision(split, root):
    """main.py's loaders for one epoch; runs in a separate process."""
    import resource
    import time

    import torch
    import torchvision.datasets as datasets
    import torchvision.transforms as transforms

    torch.set_num_threads(1)
    torch.manual_seed(1)
    normalize = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    if split == "train":
        steps = [transforms.RandomResizedCrop(SIZE), transforms.RandomHorizontalFlip()]
    else:
        steps = [transforms.Resize(256), transforms.CenterCrop(SIZE)]
    folder = datasets.ImageFolder(os.path.join(root, split), transforms.Compose([*steps, transforms.ToTensor(), normalize]))
    loader = torch.utils.data.DataLoader(folder, batch_size=BATCH, shuffle=split == "train", num_workers=1)
    def cpu_of(pid):
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_of_ended():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    batches = iter(loader)
    next(batches)
    started, cpu_started, images = time.perf_counter(), time.process_time() + cpu_of(batches._workers[0].pid), 0
    for batch, _ in batches:
        images += len(batch)
    # The worker has ended with its last batch.
    print(json.dumps({"images": images, "seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() + cpu_of_ended() - cpu_started}))


if options.their_side:
    drain_torchvision(options.their_side, options.data)
    sys.exit(0)


def rate(*command):
    done = subprocess.run(["taskset", "-c", "0", *command], check=True, stdout=subprocess.PIPE, text=True)
    line = json.loads(done.stdout.splitlines()[-1])
    return line["images"] / line["seconds" if options.clock == "wall" else "cpu_seconds"]


def theirs(split):
    return rate(sys.executable, "-B", __file__, options.binary, "--their-side", split, "--data", root)


def ours(what, data, times, *more):
    return rate(probe, what, data, str(SIZE), str(BATCH), str(times * options.pictures), *more)


with pairs.folder() if options.keep is None else contextlib.nullcontext(options.keep) as root:
    size = drawn_photographs.write(root, options.pictures, options.width)
    print(f"{options.pictures} JPEGs of {options.width} x {drawn_photographs.height_of(options.width)} pixels, {size / 1000:.0f} kB each in the mean", flush=True)
    packed = os.path.join(root, "packed")
    subprocess.run([options.binary, "pack", root, "--out", packed], check=True, stdout=subprocess.DEVNULL)
    # Name, Python's split to compare with, the goal, and our side: number of epochs, and mode.
    cases = [("training, JPEGs", "train", 3.0, (root, 2)), ("validation, JPEGs", "val", 3.0, (root, 2))]
    if options.draft:
        cases += [("training, JPEGs, --draft", "train", 3.0, (root, 2, "draft")), ("validation, JPEGs, --draft", "val", 3.0, (root, 2, "draft"))]
    cases += [("training, packed", "train", 10.0, (packed, 8)), ("validation, packed", "val", 10.0, (packed, 8))]
    python = {"train": [], "val": []}
    rounds = {name: [] for name, *_ in cases}
    decode = []
    for number in range(options.rounds):
        for split in python:
            sides = [lambda: python[split].append(theirs(split))]
            sides += [lambda case=case: rounds[case[0]].append(ours(split, *case[3])) for case in cases if case[1] == split]
            for side in sides if number % 2 == 0 else reversed(sides):
                side()
        decode.append(ours("decode", root, 1))
for goal in sorted({case[2] for case in cases}):
    pairs.table(f"Loader, one core, {SIZE} px, goal {goal:g}x", [(name, python[split], rounds[name], "images/s") for name, split, its, _ in cases if its == goal], goal, "higher")
print(f"\nlibjpeg alone, whole images: {statistics.median(decode):.4g} images/s")
