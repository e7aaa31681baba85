"""Supervisors without an app: frozen ranks, a damaged checkpoint, the limit an hour, a stop between two attempts, a supervisor that is gone."""
import contextlib
import glob
import os
import shutil
import signal
import socket

import ringlab
from supervised import TRAIN, checkpoints, expect_one_curve, kill_trainer, logs, nothing_left, supervised, trainer, until


def can_connect(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def damage(path):
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=TRAIN, val=10)

    # A rank that is frozen does not end by itself: its supervisor ends it. Three ranks, to the same end.
    there = os.path.join(root, "frozen")
    ranks = supervised(there, data, "--checkpoint-every", "0.001", world=3, epochs=10)
    until(lambda: len(checkpoints(ranks[0])) >= 2, ranks)
    # Strangers at the supervisors' port, which is open now: without the secret they are of no effect.
    until(lambda: can_connect(ranks[0].port), ranks)
    strangers = [socket.create_connection(("127.0.0.1", ranks[0].port)) for _ in range(100)]
    for stranger in strangers:
        with contextlib.suppress(OSError):
            stranger.sendall(b"ringlab\x01s" + bytes(64) + b"attempt/1/stop")
    frozen = kill_trainer(ranks[2], signal.SIGSTOP)
    codes = [rank.wait() for rank in ranks]
    assert codes == [0] * 3, logs(ranks)
    for stranger in strangers:
        stranger.close()
    (line,) = ranks[0].lines("restart")
    assert line["rank"] == 2 and line["silent"], line
    assert not os.path.exists(f"/proc/{frozen}")
    expect_one_curve(ranks, 10)
    nothing_left(ranks, there)

    # One process, without a network. The newest checkpoint has a damaged byte: the best one is used, and the log says so.
    there = os.path.join(root, "damaged")
    ranks = supervised(there, data, world=1, epochs=40)
    until(lambda: len(checkpoints(ranks[0])) >= 2 and os.path.exists(os.path.join(ranks[0].dir, "model_best.pth.tar")), ranks)
    pid = kill_trainer(ranks[0], signal.SIGSTOP)
    newest = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    damage(newest)
    os.kill(pid, signal.SIGKILL)
    until(lambda: ranks[0].lines("restart"), ranks)
    assert ranks[0].lines("restart")[0]["file"] == "model_best.pth.tar", ranks[0].lines("restart")
    assert "'checkpoint.pth.tar' is not used" in ranks[0].log()
    until(lambda: len(ranks[0].lines("start")) == 2, ranks)
    ranks[0].process.send_signal(signal.SIGTERM)
    assert ranks[0].wait() == 7, ranks[0].log()
    assert ranks[0].lines("end")[-1]["reason"] == "stopped"

    # The limit an hour: the run then ends as the trainers did, and says why.
    there = os.path.join(root, "limit")
    ranks = supervised(there, data, "--checkpoint-every", "0.001", "--keep-every", "1", epochs=1000, options=["--restarts-per-hour", "1"])
    for number in range(1, 3):
        saved = len(checkpoints(ranks[0]))
        until(lambda: len(ranks[0].lines("start")) == number and len(checkpoints(ranks[0])) > saved + 1 and len(ranks[0].lines("epoch")) > 2, ranks)
        kill_trainer(ranks[1])
    codes = [rank.wait() for rank in ranks]
    assert codes == [4, -9], logs(ranks)
    line = ranks[0].lines("restart")[-1]
    assert not line["goes_on"] and line["why"] == "tooOften" and line["attempt"] == 2, line
    nothing_left(ranks, there, files=False)
    # Started again from there, as a user resumes it, by all ranks: from a checkpoint with a damaged byte, and from none.
    path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    for gone in (False, True):
        damage(path)
        for older in glob.glob(os.path.join(ranks[0].dir, "*-epoch-*.pth.tar")) + glob.glob(os.path.join(ranks[0].dir, "model_best.pth.tar")) if gone else []:
            os.remove(older)
        before = len(ranks[1].lines("start"))
        ranks = supervised(there, data, "--resume", "checkpoint.pth.tar", epochs=1000)
        until(lambda: len(ranks[1].lines("start")) > before, ranks)
        start = ranks[1].lines("start")[-1]
        assert (start.get("resumed_from") is None) == gone and (start["start_step"] == 0) == gone and start.get("resumed_from") != "checkpoint.pth.tar", start
        assert ranks[0].lines("warning")[-1]["code"] == "checkpoint_skipped", ranks[0].lines("warning")
        until(lambda: len(ranks[0].lines("start")) == len(ranks[1].lines("start")), ranks)
        for rank in ranks:
            rank.process.send_signal(signal.SIGTERM)
        assert [rank.wait() for rank in ranks] == [7, 7], logs(ranks)
        path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")

    # The disk of a rank other than 0 is a new one: rank 0's checkpoint is undamaged, and all continue from it.
    there = os.path.join(root, "disk")
    ranks = supervised(there, data, world=3, epochs=1000)
    until(lambda: len(checkpoints(ranks[0])) >= 2, ranks)
    for rank in ranks:
        rank.process.send_signal(signal.SIGTERM)
    assert [rank.wait() for rank in ranks] == [7] * 3, logs(ranks)
    saved = checkpoints(ranks[0])[-1]
    shutil.rmtree(ranks[2].dir)
    before = len(ranks[0].lines("start"))
    ranks = supervised(there, data, "--resume", "checkpoint.pth.tar", world=3, epochs=1000)
    until(lambda: len(ranks[0].lines("start")) > before, ranks)
    assert ranks[0].lines("start")[-1]["start_step"] == saved, (saved, logs(ranks))
    assert [line["code"] for line in ranks[0].lines("warning")] == ["rank_state_fresh"], ranks[0].lines("warning")
    until(lambda: all(rank.lines("step") for rank in ranks), ranks)
    for rank in ranks:
        rank.process.send_signal(signal.SIGTERM)
    assert [rank.wait() for rank in ranks] == [7] * 3, logs(ranks)

    # A failure that would last is not tried again: no loss is a number at this rate.
    there = os.path.join(root, "diverged")
    ranks = supervised(there, data, "--lr", "1e30", epochs=50)
    codes = [rank.wait() for rank in ranks]
    assert 5 in codes and 0 not in codes, logs(ranks)
    (line,) = ranks[0].lines("restart")
    assert not line["goes_on"] and line["why"] == "cause" and line["code"] == "diverged", line

    # Two failures before the first checkpoint: the run begins anew, the second time after a pause. A stop in that time ends all of them.
    there = os.path.join(root, "stopped")
    long = ringlab.make_shapes(os.path.join(root, "long"), train=4000)
    ranks = supervised(there, long, epochs=1000, options=["--pause", "600", "--longest-pause", "600"])
    for number in range(1, 3):
        until(lambda: all(len(rank.lines("start")) == number for rank in ranks), ranks)
        kill_trainer(ranks[0])
        until(lambda: len(ranks[0].lines("restart")) == number, ranks)
    assert [line["file"] for line in ranks[0].lines("restart")] == ["", ""], ranks[0].lines("restart")
    assert ranks[0].lines("restart")[0]["pause_seconds"] == 0 and ranks[0].lines("restart")[1]["pause_seconds"] >= 300
    ranks[1].process.send_signal(signal.SIGTERM)
    codes = [rank.wait(60) for rank in ranks]
    assert codes == [7, 7], logs(ranks)
    assert all("between two attempts" in rank.log() for rank in ranks), logs(ranks)
    nothing_left(ranks, there)

    # A supervisor that is killed takes its trainer with it, as a reboot does. The others wait for it, and say so.
    there = os.path.join(root, "gone")
    ranks = supervised(there, data, epochs=1000)
    until(lambda: len(checkpoints(ranks[0])) >= 1, ranks)
    pid = trainer(ranks[1])
    ranks[1].process.kill()
    assert ranks[1].wait() == -9
    until(lambda: not os.path.exists(f"/proc/{pid}"), ranks)
    until(lambda: ranks[0].lines("restart_wait"), ranks)
    assert ranks[0].lines("restart_wait")[-1]["ranks"] == [1], ranks[0].lines("restart_wait")
    assert ranks[0].process.poll() is None
    ranks[0].process.send_signal(signal.SIGTERM)
    assert ranks[0].wait(60) == 7, ranks[0].log()
    nothing_left(ranks, there, files=False)
