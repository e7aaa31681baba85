"""Ranks on processors of two kinds train together, in every kind of synchronisation: rank 0 is this machine's trainer, rank 1 another
command, which runs in FOLDER. Their parameters must be equal to the bit after each epoch.

usage: mixed_processors.py TRAINER FOLDER COMMAND [ARGUMENT...]

PowerSGD is left out: each rank orthonormalises and multiplies with its own processor's kernels, whose last bits differ.
"""
import os
import subprocess
import sys
import time

from ringlab import BINARY, free_port, make_shapes

MODES = ["allreduce", "fp16", "bf16", "topk:0.01", "local:4", "local:4,sparse=0.45", "local:4,8bit", "local:4,stream=0.2,overlap=2",
         "local:2,stream=0.05,overlap=2,adapt=0.5", "diloco:4"]
# An emulated processor is slow, and the machine may be busy.
SECONDS = 900


def main():
    folder, other = os.path.abspath(sys.argv[2]), sys.argv[3:]
    data = make_shapes(os.path.join(folder, "data"), train=96, val=24)
    secret = os.path.join(folder, "secret")
    with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(os.urandom(32).hex().encode())
    failed = 0
    for mode in MODES:
        start = time.monotonic()
        options = ["-a", "shufflenet_v2_x0_5", "--epochs", "2", "-b", "6", "--lr", "0.05", "--image-size", "32", "--seed", "1", "-j", "1", "--threads", "1",
                   "--world-size", "2", "--dist-url", f"tcp://127.0.0.1:{free_port()}", "--secret-file", secret, "--check-sync", "--sync", mode]
        ranks = []
        for rank, command in enumerate([[BINARY], other]):
            log = open(os.path.join(folder, f"rank-{rank}.log"), "w+")
            ranks.append((subprocess.Popen([*command, *options, "--rank", str(rank), data], cwd=folder, stdout=log, stderr=log), log))
        codes = []
        for process, log in ranks:
            try:
                codes.append(process.wait(SECONDS))
            except subprocess.TimeoutExpired:
                process.kill()
                codes.append("late")
        print(f"{'✓' if codes == [0, 0] else '✗'} {mode} ({time.monotonic() - start:.0f} s)", flush=True)
        if codes != [0, 0]:
            failed += 1
            for _, log in ranks:
                log.seek(0)
                print(log.read()[-2000:], flush=True)
        for _, log in ranks:
            log.close()
    return 1 if failed else 0


sys.exit(main())
