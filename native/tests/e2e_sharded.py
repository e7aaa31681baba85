"""--sharded-data: three ranks over two shards of a set, one of them shared; mismatches between ranks are reported."""
import os
import shutil

import ringlab


def part(whole, path, keep):
    """The class folders of `whole`; of the training images those with an index in `keep`."""
    shutil.copytree(whole, path)
    for name in sorted(os.listdir(os.path.join(path, "train"))):
        folder = os.path.join(path, "train", name)
        for number, file in enumerate(sorted(os.listdir(folder))):
            if not keep(number):
                os.remove(os.path.join(folder, file))
    return path


def start(root, folders, *extra):
    port = ringlab.free_port()
    common = ["-a", "shufflenet_v2_x0_5", "--image-size", "32", "--threads", "1", "-j", "1", "--lr", "0.01", "--seed", "1", "-b", "8", "--epochs", "2", "--check-sync", *extra]
    address = ["--world-size", str(len(folders)), "--dist-url", f"tcp://127.0.0.1:{port}"]
    return [ringlab.Rank(root, k, [folder, *common, *address, "--rank", str(k)]) for k, folder in enumerate(folders)]


with ringlab.folder() as root:
    whole = ringlab.make_shapes(os.path.join(root, "whole"), train=120, val=20)
    # Of twelve images per class seven are on the node with two ranks, five on the other: 70 and 50 in all.
    double = part(whole, os.path.join(root, "double"), lambda number: number % 12 < 7)
    single = part(whole, os.path.join(root, "single"), lambda number: number % 12 >= 7)
    ranks = start(os.path.join(root, "run"), [double, single, double], "--sharded-data")
    assert [rank.wait(120) for rank in ranks] == [0, 0, 0], [rank.log() for rank in ranks]
    begin = [rank.lines("start")[0] for rank in ranks]
    assert [line["own_train_images"] for line in begin] == [70, 50, 70], begin
    assert {line["train_images"] for line in begin} == {120}
    # 50 images per rank: seven steps of at most eight, the same for all; each rank trains on as many.
    assert {line["steps_per_epoch"] for line in begin} == {7}
    for rank in ranks:
        steps = rank.lines("step")
        assert len(steps) == 14 and sum(step["images"] for step in steps) == 100, (len(steps), steps)
    assert ranks[0].lines("eval")[0]["images"] == 20

    # One folder that all read is divided as without the option: the same losses.
    divided = start(os.path.join(root, "plain"), [whole, whole])
    assert [rank.wait(120) for rank in divided] == [0, 0], divided[0].log()
    same = start(os.path.join(root, "same"), [whole, whole], "--sharded-data")
    assert [rank.wait(120) for rank in same] == [0, 0], same[0].log()
    for a, b in zip(divided, same):
        assert [step["loss"] for step in a.lines("step")] == [step["loss"] for step in b.lines("step")]

    # A rank without the option, and one with other class names, are refused by name.
    ranks = start(os.path.join(root, "refused"), [whole, single])
    assert all(rank.wait(120) != 0 for rank in ranks)
    assert any("train_images" in rank.log() for rank in ranks), ranks[1].log()
    for split in ("train", "val"):
        names = sorted(os.listdir(os.path.join(single, split)))
        os.rename(os.path.join(single, split, names[0]), os.path.join(single, split, "zzz"))
    ranks = start(os.path.join(root, "renamed"), [double, single], "--sharded-data")
    assert all(rank.wait(120) != 0 for rank in ranks)
    assert any("class_names" in rank.log() for rank in ranks), ranks[1].log()

    (rank,) = [ringlab.Rank(os.path.join(root, "dummy"), 0, ["--dummy", "--sharded-data"])]
    assert rank.wait() == 2 and "--sharded-data" in rank.log(), rank.log()
