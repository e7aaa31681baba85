"""--checkpoint-every: saves within an epoch do not change the training, and a run that is killed continues from one bit for bit.

usage: e2e_interval.py BINARY

Two ranks, one mode that averages gradients and one of local steps whose exchanges are under way between steps; RINGLAB_ALL=1: more of them.
"""
import os
import signal
import time

import ringlab

ringlab.need_torch()
import torch  # noqa: E402

STEPS = 12
# With dropout, whose generator continues, too.
COMMON = ("-a", "mobilenet_v3_small", "-b", "8", "--epochs", "2")
MODES = ["allreduce", "local:2,stream=0.3,overlap=1"]
if ringlab.ALL:
    MODES += ["powersgd:2,late", "topk:0.01", "local:2", "local:3,stream=0.3,overlap=2", "diloco:4,fragments=2,overlap=1"]


def weights(ranks):
    return ringlab.torch_load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"]


def last_losses(rank):
    return [loss for _, loss in sorted({line["step"]: line["loss"] for line in rank.lines("step")}.items())]


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=96, val=20)
    for mode in MODES:
        def start(name, *more):
            return ringlab.start(os.path.join(root, mode.replace(":", "-"), name), 2, data, *COMMON, "--sync", mode, *more)

        whole = start("whole")
        assert [rank.wait() for rank in whole] == [0, 0], whole[0].log()
        assert {line["epoch"] for line in whole[0].lines("checkpoint")} == {1, 2}, "without the option at ends of epochs alone"

        for attempt in range(20):  # a busy machine may finish before the kill
            ranks = start(f"parts-{attempt}", "--checkpoint-every", "0.001")
            position = None
            while ranks[0].process.poll() is None and not any(line["step"] % 6 != 0 and line["file"] == "rank-state" for line in ranks[0].lines("checkpoint")):
                time.sleep(0.002)
            for rank in ranks:
                rank.process.send_signal(signal.SIGKILL)
            codes = [rank.wait() for rank in ranks]
            path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
            position = ringlab.torch_load(path)["position"]
            if codes == [-9, -9] and position["batch"] > 0:
                break
        assert 0 < position["batch"] < 6, position
        # Every rank saved after the same steps.
        mine, other = ([line["step"] for line in rank.lines("checkpoint") if line["file"] == "rank-state"] for rank in ranks)
        assert mine[: len(other)] == other[: len(mine)] and mine, (mine, other)
        reached = len(ranks[0].lines("step"))

        name = os.path.basename(os.path.dirname(ranks[0].dir))
        ranks = start(name, "--checkpoint-every", "0.001", "--resume", path)
        assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
        assert ranks[0].lines("start")[-1]["start_step"] == position["step"], position
        for rank, other in zip(ranks, whole):
            steps = [line["step"] for line in rank.lines("step")]
            assert steps[-(STEPS - position["step"]):] == list(range(position["step"], STEPS)), steps
            assert last_losses(rank) == last_losses(other), (mode, "bit for bit", last_losses(rank), last_losses(other))
            assert not [line for line in rank.lines("warning") if line["code"] != "no_nvml"], rank.lines("warning")
        assert all(torch.equal(value, weights(whole)[key]) for key, value in weights(ranks).items()), mode
        best = ringlab.torch_load(os.path.join(ranks[0].dir, "model_best.pth.tar"))
        assert best["position"]["batch"] == 0, "the best model is of an end of an epoch"
        print(f"{mode}: killed after step {reached}, resumed from step {position['step']}: equal to the uninterrupted run", flush=True)
