"""The effect of the synchronisation mode on accuracy: final top-1 of otherwise equal runs, by mode and seed.

usage: accuracy.py BINARY [--modes MODE …] [--seeds 1 2 3] [--task easy|hard|classes100] [--epochs N] [--train N] [--json FILE]

Three ranks, one thread each, resnet18 on `shapes` of 32 px; links are not limited, as they do not affect the result. Every finished run
is appended to FILE as a line, and runs in FILE are not repeated.
"""
import argparse
import json
import os
import statistics
import subprocess

import pairs

BATCH = 32  # images per rank and step
SIZE = 32
RANKS = 3
VALIDATION = 1000
LEARNING_RATE = 0.05
with open(os.path.join(pairs.HERE, "tasks.json")) as file:
    TASKS = json.load(file)


def make_data(folder, train, task):
    command = [pairs.ringlab.BINARY, "make-shapes", folder, "--train", str(train), "--val", str(VALIDATION), "--task", task]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def add_task(parser):
    parser.add_argument("--task", choices=list(TASKS), default="easy", help="make-shapes' tasks, each harder than the one before")
    parser.add_argument("--epochs", type=int, help="by default the task's")
    parser.add_argument("--train", type=int, help="training images, by default the task's")
    parser.add_argument("--arch", default="resnet18")


def with_task(options):
    """What was not given is the task's."""
    options.epochs = options.epochs or TASKS[options.task]["epochs"]
    options.train = options.train or TASKS[options.task]["train"]
    return options


def recipe(epochs, seed, mode, arch):
    """Options of all ranks of a run, without data and addresses."""
    fixed = ["-a", arch, "--image-size", str(SIZE), "--threads", "1", "-j", "1", "-b", str(BATCH), "--scheduler", "cosine", "--warmup-epochs", "1"]
    return [*fixed, "--lr", str(LEARNING_RATE), "--epochs", str(epochs), "--seed", str(seed), "--sync", mode, "--check-sync", "--peer-timeout", "60"]


def train(root, data, epochs, seed, mode, arch):
    ranks = pairs.ringlab.start(root, RANKS, data, *recipe(epochs, seed, mode, arch))
    codes = [rank.wait(7200) for rank in ranks]
    assert codes == [0] * RANKS, ranks[0].log()[-2000:]
    return [line["val_top1"] for line in ranks[0].lines("epoch")]


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--modes", nargs="+", default=["allreduce"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    add_task(parser)
    parser.add_argument("--json", help="finished runs, one a line")
    return with_task(parser.parse_args())


def main():
    options = parse()
    setting = {"task": options.task, "epochs": options.epochs, "train": options.train, "arch": options.arch}
    made = []
    if options.json and os.path.exists(options.json):
        with open(options.json) as file:
            made = [json.loads(line) for line in file]
    with pairs.folder() as root:
        data = make_data(os.path.join(root, "data"), options.train, options.task)
        for seed in options.seeds:
            for mode in options.modes:
                run = setting | {"mode": mode, "seed": seed}
                if any(run.items() <= other.items() for other in made):
                    continue
                with pairs.folder() as folder:
                    run["top1_by_epoch"] = train(folder, data, options.epochs, seed, mode, options.arch)
                made.append(run)
                print(json.dumps(run), flush=True)
                if options.json:
                    with open(options.json, "a") as file:
                        file.write(json.dumps(run) + "\n")
    print("\n| mode | final top-1, median | of each seed |\n| --- | --- | --- |")
    for mode in options.modes:
        finals = [run["top1_by_epoch"][-1] for run in made if run["mode"] == mode and setting.items() <= run.items()]
        print(f"| `{mode}` | {statistics.median(finals):.2f} % | {' '.join(f'{final:.1f}' for final in finals)} |")


if __name__ == "__main__":
    main()
