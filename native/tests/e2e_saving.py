"""Saves run in the background: a disk that does not answer stops no step, a failed save is reported and retried, SIGTERM waits for the
write."""
import os
import select
import signal
import time

import ringlab

ringlab.need_torch()


def until(what, ranks, seconds=60):
    deadline = time.time() + seconds
    while not what():
        assert time.time() < deadline, [rank.log()[-800:] for rank in ranks]
        assert all(rank.process.poll() is None for rank in ranks), [rank.log()[-800:] for rank in ranks]
        time.sleep(0.02)


def written(rank, file):
    return [line["epoch"] for line in rank.lines("checkpoint") if line["file"] == file]


def temporary(rank, name):
    return os.path.join(rank.dir, f"{name}.tmp-{rank.process.pid}")


def between_saves(make, path):
    """Occupies a temporary file's name before the next save can."""
    while True:
        try:
            return make(path)
        except FileExistsError:
            time.sleep(0.001)


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=64, val=10)
    ranks = ringlab.start(os.path.join(root, "run"), 2, data, "-a", "shufflenet_v2_x0_5", "-b", "4", "--epochs", "1000")
    path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
    try:
        until(lambda: written(ranks[0], "checkpoint"), ranks)

        # Rank 1 cannot write: both report the reason, continue training and keep the checkpoint; once it can, they save again.
        in_the_way = temporary(ranks[1], "rank-state.pth")
        between_saves(os.mkdir, in_the_way)
        until(lambda: all(len(rank.lines("warning")) >= 2 for rank in ranks), ranks)
        stuck = ringlab.torch_load(path)["epoch"]
        assert stuck == written(ranks[0], "checkpoint")[-1] and written(ranks[1], "rank-state")[-1] == stuck
        for rank in ranks:
            warning = rank.lines("warning")[0]
            assert f"the checkpoint of epoch {stuck + 1} " in warning["message"] and "rank 1: " in warning["message"] and "rank-state.pth" in warning["message"], warning
        os.rmdir(in_the_way)
        until(lambda: all(written(rank, "rank-state")[-1] > stuck + 1 for rank in ranks), ranks)
        assert ringlab.torch_load(path)["epoch"] > stuck + 1
        reported = [len(rank.lines("warning")) for rank in ranks]

        # A FIFO without a reader blocks rank 0's writer, as an unreachable network file system does. Steps continue until the next save.
        pipe = temporary(ranks[0], "checkpoint.pth.tar")
        between_saves(os.mkfifo, pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        arrived = select.poll()
        arrived.register(reader, select.POLLIN)
        until(lambda: arrived.poll(0), ranks)  # the next save has started, and writes more than a FIFO's buffer
        mark = written(ranks[0], "checkpoint")[-1]
        until(lambda: ranks[0].lines("step")[-1]["epoch"] >= mark + 1 and ranks[0].lines("step")[-1]["batch"] >= 3, ranks)
        ranks[0].process.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert [rank.process.poll() for rank in ranks] == [None, None], "they wait for the write"
        os.set_blocking(reader, True)
        with open(reader, "rb") as rest:
            while rest.read(1 << 20):
                pass
        assert [rank.wait() for rank in ranks] == [7, 7], ranks[0].log()
        steps = [rank.lines("step")[-1]["step"] for rank in ranks]
        assert steps[0] == steps[1], steps
        # A FIFO cannot be flushed, so that save failed; the one for SIGTERM came after it and is complete.
        saved = ringlab.torch_load(path)["position"]
        for rank, before in zip(ranks, reported):
            assert len(rank.lines("warning")) == before + 1, rank.lines("warning")[before:]
            assert rank.lines("end")[0]["reason"] == "stopped" and rank.lines("end")[0]["step"] == saved["step"] == steps[0] + 1, (saved, steps)
            assert ringlab.torch_load(os.path.join(rank.dir, "rank-state.pth"))["position"]["epoch_id"] == saved["epoch_id"]
            assert not [name for name in os.listdir(rank.dir) if ".tmp-" in name]
    finally:
        for rank in ranks:
            if rank.process.poll() is None:
                rank.process.kill()
                rank.process.wait()

    # What is in the way of the best model's copy is removed: the next save becomes the best, although its top-1, of weights that hardly change, is not better.
    there = os.path.join(root, "best")
    in_the_way = os.path.join(there, "rank-0", "model_best.pth.tar")
    os.makedirs(in_the_way)
    ranks = ringlab.start(there, 2, data, "-a", "squeezenet1_1", "-b", "8", "--epochs", "1000", "--lr", "1e-12")
    try:
        until(lambda: any(line["code"] == "not_kept" for line in ranks[0].lines("warning")), ranks)
        first = ranks[0].lines("checkpoint")[0]
        assert first["best_top1"] > 0 and not first["best"], first
        os.rmdir(in_the_way)
        until(lambda: any(line["best"] for line in ranks[0].lines("checkpoint")), ranks)
        for rank in ranks:
            rank.process.send_signal(signal.SIGTERM)
        assert [rank.wait() for rank in ranks] == [7, 7], ranks[0].log()
        assert {line["best_top1"] for line in ranks[0].lines("checkpoint")} == {first["best_top1"]}, "no epoch is better"
        (best,) = [line for line in ranks[0].lines("checkpoint") if line["best"]]
        kept = ringlab.torch_load(in_the_way)
        assert kept["epoch"] == best["epoch"]
        assert ringlab.torch_load(os.path.join(ranks[1].dir, "rank-state.best.pth"))["position"]["epoch_id"] == kept["position"]["epoch_id"]
    finally:
        for rank in ranks:
            if rank.process.poll() is None:
                rank.process.kill()
                rank.process.wait()
