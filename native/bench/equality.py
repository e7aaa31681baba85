"""Equal mathematics: resnet18, one thread per rank, after 100 steps compared with Python's DistributedDataParallel.

usage: equality.py [BINARY] [--steps N] [--worlds 2,3,5]

From equal weights, with equal images in equal order. The comparison of tests/e2e_equality.py, with more steps.
"""
import argparse
import os
import subprocess
import sys

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--worlds", default="2,3,5")
options = parser.parse_args()

test = os.path.join(pairs.HERE, "..", "tests", "e2e_equality.py")
command = [sys.executable, "-B", test, options.binary, "--steps", str(options.steps), "--worlds", options.worlds]
done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
lines = [line for line in done.stdout.splitlines() if line.startswith("largest difference")]
if not lines:
    sys.exit(f"the comparison did not end: {done.stdout or 'see above'}")
print("\nEquality with Python's DistributedDataParallel\n\n| | largest difference | goal |\n| --- | --- | --- |")
for world, line in zip(options.worlds.split(","), lines):
    print(f"| resnet18, {world} ranks, {options.steps} steps | {line.split(': ')[1].split(';')[0]} | 0 |")
print("\nreached" if done.returncode == 0 else "\nmissed")
