"""Start-up cost of the commands that need no libtorch: user and system time, compared with one that loads it.

usage: light_commands.py [BINARY] [--rounds N]
"""
import argparse
import resource
import statistics
import subprocess

import pairs

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--rounds", type=int, default=15)
options = parser.parse_args()
GOAL = 20


def milliseconds(arguments, cwd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([pairs.ringlab.BINARY, *arguments], cwd=cwd, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


print("| command | median ms of processor time | goal |\n| --- | --- | --- |")
missed = []
with pairs.folder() as root:
    gone = subprocess.Popen(["true"])
    gone.wait()
    commands = (
        ["--version"],
        ["--help"],
        ["facts"],
        ["--no-such-option"],
        ["probe", "--connect", f"127.0.0.1:{pairs.ringlab.free_port()}", "--seconds", "nan"],
        ["monitor", "--metrics", root + "/samples", "--interval", "0.1", "--watch-pid", str(gone.pid)],
        ["facts", "--load"],
    )
    for command in commands:
        median = statistics.median(milliseconds(command, root) for _ in range(options.rounds))
        loads = command[-1] == "--load"
        print(f"| {' '.join(command[:1] if not loads else command)} | {median:.1f} | {'it loads libtorch' if loads else GOAL} |")
        if not loads and median > GOAL:
            missed.append(command[0])
print(f"\nmissed: {', '.join(missed)}" if missed else "\nreached")
