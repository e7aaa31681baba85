"""Killed during a save, at any time: the disks hold one complete set, from which the run resumes."""
import os
import re
import signal
import time

import ringlab

ringlab.need_torch()

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=16, val=10)
    there = os.path.join(root, "run")
    path = os.path.join(there, "rank-0", "checkpoint.pth.tar")
    saved = 0
    # One step per epoch: a save is always active. Which rank is killed, and how long after the report of a save (milliseconds).
    for victims, after in [([0], 0), ([1], 7), ([0, 1], 13), ([1], 21), ([0, 1], 34)]:
        resume = ["--resume", path] if saved else []
        ranks = ringlab.start(there, 2, data, "-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", "100000", "-p", "100000", "--keep-every", "3", *resume)
        before = len(ranks[0].lines("checkpoint"))
        deadline = time.time() + 60
        while len(ranks[0].lines("checkpoint")) < before + 4:
            assert time.time() < deadline and ranks[0].process.poll() is None, ranks[0].log() + ranks[1].log()
            time.sleep(0.003)
        time.sleep(after / 1000)
        for k in victims:
            ranks[k].process.send_signal(signal.SIGKILL)
        codes = [rank.wait(60) for rank in ranks]
        assert codes == [-9 if k in victims else 4 for k in range(2)], ranks[0].log() + ranks[1].log()
        # Copies, too, are complete or missing, and never the same file.
        for name in os.listdir(ranks[0].dir):
            kept = re.fullmatch(r"(?:model_best|checkpoint(?:-epoch-(\d+))?)\.pth\.tar", name)
            if kept is None:
                continue
            file = os.path.join(ranks[0].dir, name)
            assert os.stat(file).st_nlink == 1, name
            epoch = ringlab.torch_load(file)["epoch"]
            assert kept[1] is None or epoch == int(kept[1]), (name, epoch)
        position = ringlab.torch_load(path)["position"]
        assert position["epoch"] >= saved + 2, (position, saved)
        saved = position["epoch"]
        print(f"killed {victims} {after} ms after the report of a save: epoch {saved} is on disk")
    ranks = ringlab.start(there, 2, data, "-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", str(saved + 1), "--resume", path)
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log() + ranks[1].log()
    assert ringlab.torch_load(path)["epoch"] == saved + 1
    for rank in ranks:
        last = max(line["seq"] for line in rank.lines("start"))
        assert [line for line in rank.lines("warning") if line["seq"] > last] == [], rank.lines("warning")
        assert not [name for name in os.listdir(rank.dir) if ".tmp-" in name], "what was half written is gone"
