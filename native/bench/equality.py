"""The same mathematics: resnet18 on two ranks, one thread each, after 100 steps against Python's DistributedDataParallel.

usage: equality.py [BINARY] [--steps N]

From equal weights, on equal pictures in equal order. The comparison is that of tests/e2e_equality.py, for longer.
"""
import argparse
import os
import subprocess
import sys

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--steps", type=int, default=100)
options = parser.parse_args()

test = os.path.join(pairs.HERE, "..", "tests", "e2e_equality.py")
done = subprocess.run([sys.executable, "-B", test, options.binary, "--steps", str(options.steps)], stdout=subprocess.PIPE, text=True)
lines = [line for line in done.stdout.splitlines() if line.startswith("largest difference")]
if not lines:
    sys.exit(f"the comparison did not end: {done.stdout or 'see above'}")
print(f"\nEquality with Python's DistributedDataParallel\n\n| | largest difference | goal |\n| --- | --- | --- |\n| resnet18, two ranks, {options.steps} steps | {lines[0].rpartition(' ')[2]} | 0 |")
print("\nreached" if done.returncode == 0 else "\nmissed")
