"""One image and a checkpoint: the classes and probabilities equal those of torchvision with PIL's transforms."""
import json
import os
import shutil
import subprocess

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402
from PIL import Image  # noqa: E402
from torchvision import transforms  # noqa: E402

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "samples")


def classify(*arguments):
    ended = subprocess.run([ringlab.BINARY, "classify", *arguments], capture_output=True, text=True, timeout=120)
    return ended.returncode, json.loads(ended.stdout) if ended.stdout else None, ended.stderr


def preparation(size, channels):
    """main.py's validation; up to 64 pixels the whole image."""
    if size > 64:
        steps = [transforms.Resize(size * 256 // 224), transforms.CenterCrop(size)]
    else:
        steps = [transforms.Resize((size, size))]
    grey = [transforms.Grayscale()] if channels == 1 else []
    numbers = ([0.449], [0.226]) if channels == 1 else ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    return transforms.Compose([*grey, *steps, transforms.ToTensor(), transforms.Normalize(*numbers)])


def judge(checkpoint, image, model, size, channels, names, *extra):
    code, said, stderr = classify(checkpoint, image, *extra)
    assert code == 0 and stderr == "", (said, stderr)
    model.eval()
    with torch.no_grad():
        found = model(preparation(size, channels)(Image.open(image).convert("RGB"))[None]).softmax(1)[0]
    best, indices = found.topk(5)
    assert (said["image_size"], said["input_channels"], said["outputs"]) == (size, channels, len(found)), said
    assert [one["index"] for one in said["classes"]] == indices.tolist(), (image, said, best, indices)
    for one, probability in zip(said["classes"], best.tolist()):
        assert abs(one["probability"] - probability) < 2e-3, (image, said, best)
        assert one.get("name") == (names[one["index"]] if names else None), one
    return said


with ringlab.folder() as root:
    for size, channels in ((32, 3), (96, 3), (32, 1)):
        data = ringlab.make_shapes(os.path.join(root, f"data-{size}-{channels}"), train=60, val=20, size=size + 20)
        (rank,) = ringlab.start(os.path.join(root, f"run-{size}-{channels}"), 1, data, "-a", "shufflenet_v2_x0_5", "-b", "20", "--epochs", "2", "--image-size", str(size), "--input-channels", str(channels))
        assert rank.wait() == 0, rank.log()
        checkpoint = os.path.join(rank.dir, "model_best.pth.tar")
        if not os.path.exists(checkpoint):  # nothing was learned in two epochs
            checkpoint = os.path.join(rank.dir, "checkpoint.pth.tar")
        saved = ringlab.torch_load(checkpoint)
        assert saved["input"] == {"size": size, "channels": channels, "classes": sorted(os.listdir(os.path.join(data, "val")))}, saved["input"]
        model = torchvision.models.shufflenet_v2_x0_5(num_classes=10)
        if channels == 1:
            model.conv1[0] = torch.nn.Conv2d(1, 24, 3, 2, 1, bias=False)
        model.load_state_dict(saved["state_dict"])
        for name in sorted(os.listdir(os.path.join(data, "val")))[: 3 if ringlab.ALL else 1]:
            folder = os.path.join(data, "val", name)
            said = judge(checkpoint, os.path.join(folder, sorted(os.listdir(folder))[0]), model, size, channels, saved["input"]["classes"])
            assert said["epoch"] == saved["epoch"] and said["arch"] == "shufflenet_v2_x0_5"
        for sample in ("alpha.png", "grey.jpg", "palette.png") if ringlab.ALL or channels == 1 else ("alpha.png",):
            judge(checkpoint, os.path.join(SAMPLES, sample), model, size, channels, saved["input"]["classes"])

    # Python's own: no class names, and the caller must give the size.
    torch.manual_seed(3)
    model = torchvision.models.squeezenet1_1(num_classes=7)
    theirs = os.path.join(root, "theirs.pth.tar")
    torch.save({"epoch": 4, "arch": "squeezenet1_1", "state_dict": {f"module.{name}": value for name, value in model.state_dict().items()}, "best_acc1": 1.0}, theirs)
    judge(theirs, os.path.join(SAMPLES, "rgb.png"), model, 64, 3, None, "--image-size", "64")
    code, said, _ = classify(theirs, os.path.join(SAMPLES, "rgb.png"), "--image-size", "64", "--top", "2")
    assert code == 0 and len(said["classes"]) == 2

    # An error is reported in the same line, with its path.
    text = os.path.join(root, "text.jpg")
    with open(text, "w") as file:
        file.write("no image")
    cut = os.path.join(root, "cut.jpg")
    shutil.copy(os.path.join(SAMPLES, "baseline.jpg"), cut)
    os.truncate(cut, os.path.getsize(cut) // 2)
    short = os.path.join(root, "short.pth.tar")
    shutil.copy(checkpoint, short)
    os.truncate(short, os.path.getsize(short) // 2)
    gone = os.path.join(root, "gone")
    image = os.path.join(SAMPLES, "rgb.png")
    for files, code, path in (((checkpoint, text), "bad_data", text), ((checkpoint, cut), "bad_data", cut), ((checkpoint, gone), "bad_data", gone), ((gone, image), "bad_data", gone), ((short, image), "checkpoint_mismatch", short)):
        exit_code, said, stderr = classify(*files)
        assert exit_code == 3 and said["error"]["code"] == code and said["error"]["path"] == path and stderr.count("\n") == 1, (files, said, stderr)
    for arguments, word in (([checkpoint], "CHECKPOINT IMAGE"), ([checkpoint, image, "--topp", "3"], "--top"), ([checkpoint, image, "--top", "0"], "1 to")):
        exit_code, said, stderr = classify(*arguments)
        assert exit_code == 2 and said is None and word in stderr, (arguments, stderr)
