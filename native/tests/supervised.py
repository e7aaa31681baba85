"""Ranks with supervisors, for e2e_supervise*.py: starts them as the app does, and ends their trainers."""
import glob
import os
import signal
import socket
import time

import ringlab

TRAIN = 48


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:
        return []


def supervised(root, data, *extra, world=2, epochs=6, options=(), env=lambda rank: None):
    """One supervisor for each rank, as the app starts them; `env`: a rank's environment."""
    port = ringlab.free_port()
    ranks = []
    for k in range(world):
        os.makedirs(os.path.join(root, f"rank-{k}"), exist_ok=True)
        secret = os.path.join(root, f"rank-{k}", "secret-1")
        with open(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("0123456789abcdef" * 4 + "\n")
        common = [data, "-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", str(epochs), "--image-size", "32", "--threads", "1", "-j", "1", "--lr", "0.01", "--seed", "1", "-p", "1000", *extra]
        several = ["--world-size", str(world), "--rank", str(k), "--dist-url", f"tcp://127.0.0.1:{port}", "--secret-file", "secret-1"] if world > 1 else []
        ranks.append(ringlab.Rank(root, k, ["supervise", *options, "--", *common, *several], env(k)))
        ranks[-1].port = port
    return ranks


def logs(ranks):
    return "".join(rank.log() for rank in ranks)


def until(what, ranks, seconds=120):
    deadline = time.time() + seconds
    while not what():
        assert time.time() < deadline, logs(ranks)
        time.sleep(0.02)


def trainer(rank):
    """Of a rank that trains: rank 0's `restart` lines tell how often it was started."""
    found = children_of(rank.process.pid)
    return found[0] if found else None


def kill_trainer(rank, number=signal.SIGKILL):
    pid = trainer(rank)
    assert pid is not None, rank.log()
    os.kill(pid, number)
    return pid


def checkpoints(rank):
    return [line["step"] for line in rank.lines("checkpoint") if line["file"] == "checkpoint"]


def expect_one_curve(ranks, epochs, train=TRAIN):
    """Each step once: of work that was done again, the last counts, and is equal to the bit."""
    for rank in ranks:
        last = {}
        for line in rank.lines("step"):
            if line["step"] in last:
                assert last[line["step"]]["loss"] == line["loss"], (rank.rank, line["step"])
            last[line["step"]] = line
        steps = sorted(last)
        assert steps == list(range(len(steps))), (rank.rank, steps)
        assert sum(line["images"] for line in last.values()) == epochs * train // len(ranks), (rank.rank, len(steps))
        assert rank.lines("end")[-1]["epochs_completed"] == epochs
        seqs = [line["seq"] for line in rank.lines()]
        assert seqs == list(range(len(seqs))), "every line has its number, whoever wrote it"


def nothing_left(ranks, root, files=True):
    """`files`: also none of the trainers', which one that is killed leaves until it is started again."""
    port = ranks[0].port
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", port))
    for process in glob.glob("/proc/[0-9]*/cwd"):
        try:
            assert not os.readlink(process).startswith(root + "/"), process
        except OSError:
            pass
    for rank in ranks if files else []:
        left = set(os.listdir(rank.dir)) - {"metrics.jsonl", "log.txt", "secret-1", "checkpoint.pth.tar", "model_best.pth.tar"}
        assert not [name for name in left if not name.startswith("rank-state")], left
