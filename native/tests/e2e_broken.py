"""Broken images: one of few that are left of an epoch, or of a rank's part of an evaluation, does not end a run whose data are whole."""
import os

import ringlab

ringlab.need_torch()
import torch  # noqa: E402

OPTIONS = ("-a", "shufflenet_v2_x0_5", "--epochs", "1")


def images_of(split):
    return [os.path.join(split, name, file) for name in sorted(os.listdir(split)) for file in sorted(os.listdir(os.path.join(split, name)))]


def damage(path):
    with open(path, "wb") as file:
        file.write(b"\xff\xd8\xff and no image")
    return path


def warned_of(ranks):
    return sorted(line["path"] for rank in ranks for line in rank.lines("warning") if line["code"] == "broken_image")


with ringlab.folder() as root:
    # What is left of an epoch, dealt anew: the last image of its order is among less than 100, and one of 200 that each rank has in an epoch.
    data = ringlab.make_shapes(os.path.join(root, "data"), train=400, val=12)
    images = images_of(os.path.join(data, "train"))
    last = torch.randperm(len(images), generator=torch.Generator().manual_seed(1))[-1]
    victim = damage(images[last])
    run = ringlab.stopped(lambda attempt: ringlab.start(os.path.join(root, f"stopped-{attempt}"), 2, data, *OPTIONS, "-b", "4"), 30, 50)
    checkpoint = os.path.join(run[0].dir, "checkpoint.pth.tar")
    ranks = ringlab.start(os.path.join(root, "dealt"), 2, data, *OPTIONS, "-b", "8", "--resume", checkpoint, "--on-lost-rank", "continue")
    assert [rank.wait() for rank in ranks] == [0, 0], "".join(rank.log() for rank in ranks)
    assert len(ranks[0].lines("step")) <= 11, "less than 100 images were left of each rank"
    assert warned_of(ranks) == [victim], warned_of(ranks)

    # Of an evaluation all ranks count together: 1 of 120 images is one of 40 that each rank has, and 2 are too many.
    data = ringlab.make_shapes(os.path.join(root, "split"), train=24, val=120)
    images = images_of(os.path.join(data, "val"))
    victims = [damage(images[0])]
    ranks = ringlab.start(os.path.join(root, "one"), 3, data, *OPTIONS, "-b", "8")
    assert [rank.wait() for rank in ranks] == [0, 0, 0], "".join(rank.log() for rank in ranks)
    assert warned_of(ranks) == victims and ranks[0].lines("eval")[0]["images"] == 119, ranks[0].lines("eval")
    victims.append(damage(images[1]))
    ranks = ringlab.start(os.path.join(root, "two"), 3, data, *OPTIONS, "-b", "8")
    # A rank may notice first that another one has left.
    codes = [rank.wait() for rank in ranks]
    assert 3 in codes and set(codes) <= {3, 4}, "".join(rank.log() for rank in ranks)
    (message,) = {line["message"] for rank in ranks for line in rank.lines("error") if line["code"] == "bad_data"}
    assert message == "2 of 120 validation images are broken", message
