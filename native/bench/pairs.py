"""Shared by the benches: the two programs to compare, two ranks of each on this computer, and the table."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests"))
if not os.path.isfile("".join(sys.argv[1:2])):
    sys.argv.insert(1, os.path.join(HERE, "..", "build", "ringlab-train"))
import ringlab  # noqa: E402  (takes the binary from argv[1])

WORLD = 2


def folder():
    return tempfile.TemporaryDirectory(prefix="ringlab-bench-")


def python_ranks(arch, batch, size, steps, images=None):
    """Runs both ranks to their end; returns their JSON lines, and the start time of the first (unix seconds)."""
    url = f"tcp://127.0.0.1:{ringlab.free_port()}"
    command = [sys.executable, "-B", os.path.join(HERE, "python_ddp.py"), "--arch", arch, "--batch-size", str(batch), "--image-size", str(size), "--steps", str(steps), "--dist-url", url]
    command += ["--world-size", str(WORLD)] + (["--images", images] if images else [])
    started = time.time()
    ranks = [subprocess.Popen([*command, "--rank", str(k)], stdout=subprocess.PIPE, text=True) for k in range(WORLD)]
    outs = [rank.communicate()[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0] * WORLD, "the Python side failed"
    return [json.loads(out.splitlines()[-1]) for out in outs], started


def our_ranks(root, data, arch, batch, size, *extra):
    """Runs both ranks for one epoch; returns their step lines, and the start time of the first (unix seconds)."""
    with tempfile.TemporaryDirectory(dir=root) as run:
        started = time.time()
        ranks = ringlab.start(run, WORLD, data, "-a", arch, "-b", str(batch), "--image-size", str(size), "--epochs", "1", *extra)
        assert [rank.wait(1200) for rank in ranks] == [0] * WORLD, ranks[0].log()
        return [rank.lines("step") for rank in ranks], started


def table(title, rows, goal, better):
    """`rows`: name, theirs and ours per round, unit. Prints the medians, and the median of the rounds' ratios."""
    print(f"\n{title}\n\n| | Python | ringlab-train | ratio | rounds' ratios | goal |\n| --- | --- | --- | --- | --- | --- |")
    missed = []
    for name, theirs, ours, unit in rows:
        ratios = [b / a if better == "higher" else a / b for a, b in zip(theirs, ours)]
        ratio = statistics.median(ratios)
        print(f"| {name} | {statistics.median(theirs):.4g} {unit} | {statistics.median(ours):.4g} {unit} | {ratio:.2f} | {' '.join(f'{r:.2f}' for r in ratios)} | {goal} |")
        if ratio < goal:
            missed.append(name)
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nreached")
