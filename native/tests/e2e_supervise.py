"""Supervisors without an app: a rank is killed, then rank 0; the run ends as if nothing had been."""
import os
import signal
import subprocess

import ringlab
from supervised import TRAIN, checkpoints, expect_one_curve, kill_trainer, logs, nothing_left, supervised, until

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=TRAIN, val=10)

    # A rank that is killed, then rank 0; the second by a crash, with a checkpoint in between.
    there = os.path.join(root, "killed")
    ranks = supervised(there, data, "--checkpoint-every", "0.001", epochs=20)
    until(lambda: len(checkpoints(ranks[0])) >= 2, ranks)
    kill_trainer(ranks[1])
    until(lambda: len(ranks[0].lines("restart")) == 1 and len(ranks[0].lines("start")) == 2, ranks)
    (first,) = ranks[0].lines("restart")
    assert first["attempt"] == 1 and first["goes_on"] and first["rank"] == 1 and first["signal"] == 9, first
    assert first["file"] == "checkpoint.pth.tar" and first["pause_seconds"] == 0, first
    saved = len(checkpoints(ranks[0]))
    until(lambda: len(checkpoints(ranks[0])) > saved + 1, ranks)
    kill_trainer(ranks[0], signal.SIGKILL)
    codes = [rank.wait() for rank in ranks]
    assert codes == [0, 0], logs(ranks)
    restarts = ranks[0].lines("restart")
    assert [(line["attempt"], line["rank"], line["signal"]) for line in restarts] == [(1, 1, 9), (2, 0, 9)], restarts
    starts = ranks[0].lines("start")[1:]
    assert all(start["start_step"] >= line["from_step"] for start, line in zip(starts, restarts)), "no older checkpoint than the newest"
    assert not ranks[1].lines("restart"), "rank 0's supervisor decides"
    expect_one_curve(ranks, 20)
    nothing_left(ranks, there)
    print("killed: work lost", [line["step"] - start["start_step"] for line, start in zip(restarts, starts)], "steps")

    # Wrong command lines.
    for arguments, words in (
        (["supervise", "--epochs", "1", data], "unknown option"),
        (["supervise", data], "unknown option"),
        (["supervise"], "`--`"),
        (["supervise", "--", data], "--metrics"),
        (["supervise", "--", "--metrics", "m", "--evaluate", data], "--evaluate"),
        (["supervise", "--", "--metrics", "m", "--world-size", "2", "--rank", "0", "--dist-url", "tcp://127.0.0.1:1", data], "--secret-file"),
        (["supervise", "--", "--metrics", "m", "--world-size", "2", "--rank", "2", "--dist-url", "tcp://127.0.0.1:1", "--secret-file", "s", data], "--rank"),
        (["supervise", "--restarts-per-hour", "x", "--", "--metrics", "m", data], "--restarts-per-hour"),
        (["supervise", "--", "--metrics", "m", "--no-such", data], "--no-such"),
    ):
        done = subprocess.run([ringlab.BINARY, *arguments], capture_output=True, text=True, cwd=root)
        assert done.returncode == 2 and words in done.stderr, (arguments, done.returncode, done.stderr)
