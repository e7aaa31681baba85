"""Every --sync: trains, ends with equal ranks, sends less; stopped in mid-epoch and resumed it continues to the bit. RINGLAB_ALL=1:
five modes; else one that compresses every step and one of local steps."""
import os
import subprocess

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

ARCH = ("-a", "shufflenet_v2_x0_5")
GRADIENT = 4 * sum(parameter.numel() for parameter in torchvision.models.shufflenet_v2_x0_5(num_classes=10).parameters())
# The mode, and the most that a rank of two may send a step, as a share of all-reduce. Of each the batch norms' buffers once an
# epoch are 0.004; PowerSGD sends vectors whole, and half of this model's layers have small matrices; local modes meet at an epoch's end, too.
MODES = [("fp16", 0.51), ("powersgd:1,fp16,late", 0.027), ("topk:0.01", 0.015), ("local:1,stream=1,overlap=1", 0.07), ("diloco:4,fragments=2,overlap=1", 0.049)]

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=96, val=20)
    for mode, share in MODES if ringlab.ALL else (MODES[1], MODES[3]):
        name = mode.replace(":", "-").replace(",", "-")
        arguments = (*ARCH, "-b", "8", "--epochs", "2", "--sync", mode, "--check-sync")
        whole = ringlab.start(os.path.join(root, name, "whole"), 2, data, *arguments)
        assert [rank.wait() for rank in whole] == [0, 0], mode + whole[0].log() + whole[1].log()
        sent = sum(epoch["bytes_sent"] for epoch in whole[0].lines("epoch")) / 12
        assert 0 < sent < share * GRADIENT, f"{mode} sends {sent:.0f} bytes a step"

        for rank in whole:
            hidden = [(step["communication_hidden_seconds"], step["step_seconds"]) for step in rank.lines("step")]
            assert all(seconds >= 0 for seconds, _ in hidden), (mode, hidden)
            # What is a step late began in the step before: over all of them nothing hides behind more than there was.
            assert sum(seconds for seconds, _ in hidden) <= sum(whole_step for _, whole_step in hidden), (mode, hidden)
            # What overlaps with computing is seen to.
            assert sum(seconds for seconds, _ in hidden) > 0 or not ("late" in mode or "overlap" in mode), (mode, hidden)

        ranks = ringlab.stopped(lambda attempt: ringlab.start(os.path.join(root, name, f"parts-{attempt}"), 2, data, *arguments), 2, 12)
        there = os.path.dirname(ranks[0].dir)
        path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
        ranks = ringlab.start(there, 2, data, *arguments, "--resume", path)
        assert [rank.wait() for rank in ranks] == [0, 0], mode + ranks[0].log() + ranks[1].log()
        for rank, other in zip(ranks, whole):
            assert [s["loss"] for s in rank.lines("step")] == [s["loss"] for s in other.lines("step")], f"{mode}: resumed, it goes another way"
        # With local steps each rank continues from the weights in its own file.
        assert "local" not in mode and "diloco" not in mode or all(rank.lines("sharing") == [] for rank in ranks), (mode, [rank.lines("sharing") for rank in ranks])
        one = ringlab.torch_load(path)["state_dict"]
        two = ringlab.torch_load(os.path.join(whole[0].dir, "checkpoint.pth.tar"))["state_dict"]
        assert all(torch.equal(one[key], two[key]) for key in one), mode
        print(f"{mode}: {sent / GRADIENT:.5f} of all-reduce's bytes, resumed to the bit", flush=True)

    # Another mode's state is refused by name; a mode that cannot be is refused before anything starts.
    ranks = ringlab.start(there, 2, data, *ARCH, "-b", "8", "--epochs", "3", "--sync", "powersgd:2", "--resume", path)
    assert 3 in [rank.wait() for rank in ranks] and f"was saved with --sync {mode}" in ranks[0].log(), ranks[0].log()
    # Beyond a step in which it does not land an exchange goes on alone: the ranks send nothing else then, and wait for nothing.
    overlapping = ringlab.start(os.path.join(root, "overlapping"), 2, data, *ARCH, "-b", "8", "--epochs", "2", "--sync", "local:3,stream=0.5,overlap=3", "--check-sync")
    assert [rank.wait() for rank in overlapping] == [0, 0], overlapping[0].log() + overlapping[1].log()
    sent = [step["bytes_sent"] for step in overlapping[0].lines("step")]
    assert 0 in sent and sent[-1] > 0, sent

    for wrong, word in (("powersg", "powersgd"), ("powersgd:0", "from 1 to 64"), ("topk:2", "0.5"), ("local", "H is missing"), ("local:4,fragments=9", "more fragments"), ("local:4,stream=1,qsr=2", "only overlap=N")):
        said = subprocess.run([ringlab.BINARY, data, "--sync", wrong], capture_output=True, text=True)
        assert said.returncode == 2 and word in said.stderr and said.stderr.count("\n") == 1, (wrong, said.stderr)
    ranks = ringlab.start(os.path.join(root, "long"), 2, data, *ARCH, "-b", "8", "--epochs", "1", "--sync", "local:50")
    assert 2 in [rank.wait() for rank in ranks] and "more than an epoch has; valid: 1 to 6" in ranks[0].log(), ranks[0].log()
