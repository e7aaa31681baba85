"""Shared by the end-to-end tests: starts ranks, reads their lines, compares."""
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

BINARY = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "ringlab-train"
# All cases, not only those that fit into `npm test`: scripts/suites/parts.mjs.
ALL = os.environ.get("RINGLAB_ALL") == "1"

# Python's store requests libuv since torch 2.4, which Debian's builds do not have.
os.environ.setdefault("USE_LIBUV", "0")


def free_port():
    """Below the kernel's ephemeral range: an outgoing connection of another test could take such a port before it is listened on."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
            end = int(file.read().split()[0])
    except OSError:
        end = 0
    for port in random.sample(range(10_000, end), 100) if end > 12_000 else []:
        with contextlib.suppress(OSError), socket.socket() as s:
            s.bind(("127.0.0.1", port))
            return port
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def folder():
    return tempfile.TemporaryDirectory(prefix="ringlab-e2e-")


def make_shapes(path, train=48, val=20, size=32):
    subprocess.run([BINARY, "make-shapes", path, "--train", str(train), "--val", str(val), "--size", str(size)], check=True, stdout=subprocess.DEVNULL)
    return path


class Rank:
    """One process in its own rank-<k> folder, as started by the app."""

    def __init__(self, root, rank, arguments, env=None, inside=()):
        self.rank = rank
        self.dir = os.path.join(root, f"rank-{rank}")
        os.makedirs(self.dir, exist_ok=True)
        self.metrics = os.path.join(self.dir, "metrics.jsonl")
        self.log_path = os.path.join(self.dir, "log.txt")
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([*inside, BINARY, *arguments, "--metrics", "metrics.jsonl"], cwd=self.dir, stdout=log, stderr=log, env=env)

    def wait(self, seconds=180):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"rank {self.rank} did not end within {seconds} s\n{self.log()}")

    def lines(self, kind=None):
        if not os.path.exists(self.metrics):
            return []
        out = []
        with open(self.metrics) as file:
            for line in file:
                if line.endswith("\n"):
                    value = json.loads(line)
                    if kind is None or value["kind"] == kind:
                        out.append(value)
        return out

    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()

    def wait_for_steps(self, count, seconds=180):
        deadline = time.time() + seconds
        while len(self.lines("step")) < count:
            assert time.time() < deadline and self.process.poll() is None, f"rank {self.rank} made no {count} steps\n{self.log()}"
            time.sleep(0.05)


def start(root, world, data, *extra, port=None, ranks=None, env=None):
    port = port or free_port()
    common = [data, "--image-size", "32", "--threads", "1", "-j", "1", "--lr", "0.01", "--seed", "1", *extra]
    if world > 1:
        return [Rank(root, k, [*common, "--world-size", str(world), "--rank", str(k), "--dist-url", f"tcp://127.0.0.1:{port}"], env) for k in (ranks or range(world))]
    return [Rank(root, 0, common, env)]


def with_signal_in(library, call, file, number=signal.SIGKILL):
    """The environment of a rank that gets a signal in `call`, once `file` is there: signal_in.cpp."""
    return preloaded(library, RINGLAB_TEST_SIGNAL=str(int(number)), RINGLAB_TEST_SIGNAL_IN=call, RINGLAB_TEST_SIGNAL_FILE=file)


def preloaded(library, **wanted):
    """The environment of a rank with `library` before all others."""
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return {**os.environ, "LD_PRELOAD": library, "ASAN_OPTIONS": sanitizer.lstrip(":"), **wanted}


class ModelProbe:
    """model_probe, which answers requests one after the other in one process."""

    def __init__(self, path):
        self.process = subprocess.Popen([path, "--requests"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *arguments):
        """None, or the error's message."""
        self.process.stdin.write("\t".join(map(str, arguments)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"model_probe ended with {self.process.wait()}: {arguments}"
        return None if answer == "done\n" else answer.rstrip("\n")

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0


def stopped(start, steps, last):
    """Ranks from start(attempt) with SIGTERM to one of them after `steps` steps: all end at one step before the `last`. If a busy machine
    delayed the signal until all were done, another attempt, for which the caller's folder must be a new one."""
    for attempt in range(20):
        ranks = start(attempt)
        while len(ranks[0].lines("step")) < steps and ranks[0].process.poll() is None:
            time.sleep(0.02)
        ranks[-1].process.send_signal(signal.SIGTERM)
        codes = [rank.wait() for rank in ranks]
        ends = [rank.lines("end")[0]["step"] for rank in ranks if rank.lines("end")]
        if codes == [7] * len(ranks) and ends[0] < last:
            assert ends == [ends[0]] * len(ranks), ends
            return ranks
        assert codes == [0] * len(ranks) or codes == [7] * len(ranks), "".join(rank.log() for rank in ranks)
    raise AssertionError("20 times the ranks were done before the signal came")


def need_torch():
    try:
        import torch  # noqa: F401
        import torchvision  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(77)


def torch_load(path):
    """torch.load of a file of ours: with weights_only, which accepts plain data and executes nothing. In 1.13 that refuses any file with
    a float, Python's own too."""
    import torch

    safe = {"weights_only": True} if int(torch.__version__.split(".")[0]) >= 2 else {}
    return torch.load(path, **safe)
