"""SIGTERM to one rank stops all at one step; the resumed run equals an uninterrupted one. A damaged checkpoint is refused, or said to be left out. RINGLAB_ALL=1: resnet18, too."""
import os
import shutil

import ringlab

ringlab.need_torch()
import torch  # noqa: E402

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=96, val=20)
    # The second draws random numbers in its forward pass (dropout): those continue, too. Its steps have four batches, the last
    # of an epoch two.
    cases = (("resnet18", (), 12), ("mobilenet_v3_small", ("--accumulate", "4", "-b", "4"), 6))
    for arch, more, steps in cases if ringlab.ALL else cases[1:]:
        whole = ringlab.start(os.path.join(root, arch, "whole"), 2, data, "-a", arch, "-b", "8", "--epochs", "2", *more)
        assert [rank.wait() for rank in whole] == [0, 0], whole[0].log()
        hidden = [(step["communication_hidden_seconds"], step["compute_seconds"]) for step in whole[0].lines("step")]
        assert all(0 <= seconds <= computing for seconds, computing in hidden), hidden
        # resnet18's gradients need two buckets: the first is reduced while backward computes the second.
        assert arch != "resnet18" or sum(seconds for seconds, _ in hidden) > 0, hidden

        ranks = ringlab.stopped(lambda attempt: ringlab.start(os.path.join(root, arch, f"parts-{attempt}"), 2, data, "-a", arch, "-b", "8", "--epochs", "2", *more), 2, steps)
        there = os.path.dirname(ranks[0].dir)
        ends = [rank.lines("end")[0] for rank in ranks]
        assert ends[0]["reason"] == "stopped" and ends[0]["step"] == ends[1]["step"] < steps, ends
        path = os.path.join(ranks[0].dir, "checkpoint.pth.tar")
        position = ringlab.torch_load(path)["position"]
        assert position["step"] == ends[0]["step"], position

        ranks = ringlab.start(there, 2, data, "-a", arch, "-b", "8", "--epochs", "2", *more, "--resume", path)
        assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
        for rank, other in zip(ranks, whole):
            assert [line["seq"] for line in rank.lines()] == list(range(len(rank.lines()))), "seq continues"
            assert [s["step"] for s in rank.lines("step")] == list(range(steps)), "no step twice, none missing"
            assert [s["loss"] for s in rank.lines("step")] == [s["loss"] for s in other.lines("step")], "bit for bit"
            assert [e["loss"] for e in rank.lines("epoch")] == [e["loss"] for e in other.lines("epoch")], "the epoch's means are whole"
        one = ringlab.torch_load(path)["state_dict"]
        two = ringlab.torch_load(os.path.join(whole[0].dir, "checkpoint.pth.tar"))["state_dict"]
        assert all(torch.equal(one[name], two[name]) for name in one)

    # An epoch's speed is that of the steps since the resume, which take all of its time or less.
    one = ("-a", "shufflenet_v2_x0_5", "-b", "4", "--epochs", "1")
    (rank,) = ringlab.stopped(lambda attempt: ringlab.start(os.path.join(root, f"rate-{attempt}"), 1, data, *one), 18, 24)
    done = len(rank.lines("step"))
    middle = os.path.join(rank.dir, "middle.pth.tar")
    shutil.copy(os.path.join(rank.dir, "checkpoint.pth.tar"), middle)
    (rank,) = ringlab.start(os.path.dirname(rank.dir), 1, data, *one, "--resume", "checkpoint.pth.tar")
    assert rank.wait() == 0, rank.log()
    steps = rank.lines("step")[done:]
    speed = sum(step["images"] for step in steps) / sum(step["step_seconds"] for step in steps)
    assert 0 < rank.lines("epoch")[0]["images_per_second"] <= speed, (rank.lines("epoch"), speed)

    # Another seed, or other data, is another order of the epoch: it is said.
    fewer = ringlab.make_shapes(os.path.join(root, "fewer"), train=92, val=20)
    for name, images, more, words in (("seed", data, ("--seed", "2"), "of a run with --seed 1; this one has 2"), ("images", fewer, (), "of a run with 96 training images; here are 92"), ("neither", data, (), None)):
        (rank,) = ringlab.start(os.path.join(root, f"other-{name}"), 1, images, *one, *more, "--resume", middle)
        assert rank.wait() == 0, rank.log()
        said = [line["message"] for line in rank.lines("warning") if line["code"] == "position_changed"]
        assert (words in said[0] and len(said) == 1) if words else not said, said

    # Local steps, in a period of 19 steps: with larger batches the epoch has 10, and another period begins.
    shapes = ringlab.make_shapes(os.path.join(root, "shapes"), train=152, val=10)
    local = ("-a", "shufflenet_v2_x0_5", "--epochs", "1", "--sync", "local:10", "--check-sync")
    ranks = ringlab.stopped(lambda attempt: ringlab.start(os.path.join(root, f"period-{attempt}"), 2, shapes, *local, "-b", "4"), 6, 19)
    done = len(ranks[0].lines("step"))
    ranks = ringlab.start(os.path.dirname(ranks[0].dir), 2, shapes, *local, "-b", "8", "--resume", os.path.join(ranks[0].dir, "checkpoint.pth.tar"))
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
    assert len(ranks[0].lines("step")) - done == 10 - done * 8 // 16, done

    # A checkpoint of another architecture, and a damaged one, are refused on every rank by name.
    ranks = ringlab.start(os.path.join(root, "other"), 2, data, "-a", "shufflenet_v2_x0_5", "-b", "8", "--resume", path)
    assert [rank.wait() for rank in ranks] == [3, 4], ranks[0].log() + ranks[1].log()
    assert "is of mobilenet_v3_small, this run trains shufflenet_v2_x0_5" in ranks[0].log() and "checkpoint_mismatch" in ranks[1].log(), ranks[1].log()
    damaged = os.path.join(root, "damaged.pth.tar")
    with open(path, "rb") as source, open(damaged, "wb") as target:
        target.write(source.read()[:1000000])
    (rank,) = ringlab.start(os.path.join(root, "damaged"), 1, data, "--resume", damaged)
    assert rank.wait() == 3 and "damaged.pth.tar: is cut off" in rank.log(), rank.log()

    # Where ranks may have gone on without others, each one's own checkpoint counts. Rank 0's is damaged: all continue from rank 1's, and it is said.
    there = os.path.join(root, "skipped")
    options = ("-a", "shufflenet_v2_x0_5", "-b", "8", "--on-lost-rank", "continue")
    ranks = ringlab.start(there, 2, data, *options, "--epochs", "1")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
    own, other = (os.path.join(rank.dir, "checkpoint.pth.tar") for rank in ranks)
    shutil.copy(own, other)
    with open(own, "r+b") as file:
        file.truncate(1000000)
    ranks = ringlab.start(there, 2, data, *options, "--epochs", "2", "--resume", "checkpoint.pth.tar")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log() + ranks[1].log()
    assert [rank.lines("start")[-1]["start_step"] for rank in ranks] == [6, 6]
    (warning,) = [line for rank in ranks for line in rank.lines("warning") if line["code"] == "checkpoint_skipped"]
    assert warning["path"] == "checkpoint.pth.tar" and "is cut off" in warning["message"], warning
