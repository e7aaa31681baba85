"""googlenet and inception_v3 from torchvision's published weights: transform_input and auxiliary heads as in torchvision's own code, in
training, evaluation, resumes and classify, and in Python when it loads our checkpoints. By default googlenet's evaluation alone;
RINGLAB_ALL=1: fine-tuned by one and by two ranks, and inception_v3, too."""
import json
import os
import subprocess
from unittest import mock

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402
from torchvision import transforms  # noqa: E402

PUBLISHED = {"googlenet": "googlenet-1378be20.pth", "inception_v3": "inception_v3_google-0cc3c7bd.pth"}
SIZES = {"googlenet": 64, "inception_v3": 299}


def published(arch, path):
    """A state_dict as published by torchvision: 1000 classes, with auxiliary heads; weights that neither damp nor amplify the images."""
    torch.manual_seed(11)
    model = getattr(torchvision.models, arch)(num_classes=1000, aux_logits=True, init_weights=False)
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if tensor.dim() == 4:
                torch.nn.init.kaiming_normal_(tensor, nonlinearity="relu")
            elif name.endswith("running_var"):
                tensor.uniform_(0.8, 1.2)
            elif name.endswith("running_mean"):
                tensor.uniform_(-0.1, 0.1)
    torch.save(model.state_dict(), path)


def as_torchvision(arch, path, **more):
    """torchvision's own `weights=`, its download replaced by the file."""
    with mock.patch("torchvision.models._api.load_state_dict_from_url", lambda *_, **__: torch.load(path)):
        return getattr(torchvision.models, arch)(weights="IMAGENET1K_V1", **more)


def evaluated(model, data, size):
    steps = [transforms.Resize((size, size))] if size <= 64 else [transforms.Resize(size * 256 // 224), transforms.CenterCrop(size)]
    numbers = transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    folder = torchvision.datasets.ImageFolder(os.path.join(data, "val"), transforms.Compose([*steps, transforms.ToTensor(), numbers]))
    model.eval()
    with torch.no_grad():
        images, labels = next(iter(torch.utils.data.DataLoader(folder, batch_size=len(folder))))
        return float(torch.nn.functional.cross_entropy(model(images), labels))


def run(root, name, data, *arguments, world=1, code=0):
    ranks = ringlab.start(os.path.join(root, name), world, data, *arguments)
    assert [rank.wait(900) for rank in ranks] == [code] * world, ranks[0].log()
    return ranks[0]


def loss_of(rank):
    return rank.lines("eval")[-1]["loss"]


def close(a, b):
    return abs(a - b) <= 1e-5 * max(1, abs(b))


def judge(root, arch, worlds):
    size, there = SIZES[arch], os.path.join(root, arch)
    data = ringlab.make_shapes(os.path.join(root, f"data-{size}"), train=12, val=10, size=min(size, 64))
    os.mkdir(there)
    weights, mine = os.path.join(there, PUBLISHED[arch]), os.path.join(there, "mine.pth")
    published(arch, weights)
    os.link(weights, mine)
    common = ("-a", arch, "--image-size", str(size), "-b", "4")
    measure = (*common, "--evaluate", "--num-classes", "1000")

    theirs = as_torchvision(arch, weights)
    assert theirs.transform_input and theirs.aux_logits == (arch == "inception_v3")
    expected = evaluated(theirs, data, size)
    theirs.transform_input = False
    plain = evaluated(theirs, data, size)
    assert abs(plain - expected) > 1e-3, "the test sees the difference"
    taken = run(there, "published", data, *measure, "--pretrained", weights)
    assert close(loss_of(taken), expected), (loss_of(taken), expected, plain)
    assert taken.lines("start")[0]["transform_input"] is True
    assert close(loss_of(run(there, "off", data, *measure, "--pretrained", weights, "--transform-input", "off")), plain)
    if not ringlab.ALL:
        return data, common, weights
    # A folder means the file in it; another state_dict does not determine the transform, and the option does.
    assert close(loss_of(run(there, "folder", data, *measure, "--pretrained", there)), expected)
    assert close(loss_of(run(there, "mine", data, *measure, "--pretrained", mine)), plain)
    assert close(loss_of(run(there, "mine-on", data, *measure, "--pretrained", mine, "--transform-input", "on")), expected)

    # Fine-tuned for ten classes: torchvision evaluates the checkpoint as we do, and it resumes unchanged.
    auxiliary = arch == "inception_v3"
    for world in worlds:
        rank = run(there, f"tuned-{world}", data, *common, "--epochs", "1", "--lr", "0.001", "--pretrained", weights, world=world)
        saved = os.path.join(rank.dir, "model_best.pth.tar")
        if not os.path.exists(saved):  # no better than chance
            saved = os.path.join(rank.dir, "checkpoint.pth.tar")
        words = f"{arch}(num_classes=10, aux_logits={auxiliary}, transform_input=True)"
        assert words in rank.log(), rank.log()
        state = ringlab.torch_load(saved)
        assert state["input"]["transform_input"] is True
        python = eval("torchvision.models." + words[:-1] + ", init_weights=False)")
        python.load_state_dict(state["state_dict"])
        assert close(loss_of(rank), evaluated(python, data, size)), (world, loss_of(rank))
        again = run(there, f"evaluated-{world}", data, *common, "--evaluate", "--resume", saved, world=world)
        assert close(loss_of(again), loss_of(rank)), (world, loss_of(again), loss_of(rank))
        # As weights for another run, without the name and the option.
        weighed = run(there, f"weighed-{world}", data, *common, "--evaluate", "--pretrained", saved)
        assert close(loss_of(weighed), loss_of(rank))
        path = next(os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(data, "val")) for name in names)
        said = json.loads(subprocess.run([ringlab.BINARY, "classify", saved, path], check=True, capture_output=True, text=True).stdout)
        resized = transforms.Resize((size, size)) if size <= 64 else transforms.Compose([transforms.Resize(size * 256 // 224), transforms.CenterCrop(size)])
        image = transforms.Compose([resized, transforms.ToTensor(), transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])(torchvision.datasets.folder.pil_loader(path))
        with torch.no_grad():
            found = python(image[None]).softmax(1)[0]
        assert all(abs(one["probability"] - float(found[one["index"]])) < 1e-5 for one in said["classes"]), (said, found)
    resumed = run(there, "resumed", data, *common, "--epochs", "2", "--lr", "0.001", "--resume", os.path.join(there, f"tuned-{worlds[-1]}", "rank-0", "checkpoint.pth.tar"), world=worlds[-1])
    state = ringlab.torch_load(os.path.join(resumed.dir, "checkpoint.pth.tar"))
    assert state["epoch"] == 2 and state["input"]["transform_input"] is True and any(name.startswith("AuxLogits") for name in state["state_dict"]) == auxiliary
    return data, common, weights


with ringlab.folder() as root:
    torch.set_num_threads(1)
    data, common, weights = judge(root, "googlenet", (1, 2))
    refused = run(root, "refused", data, "-a", "resnet18", "-b", "4", "--transform-input", "on", code=2)
    assert "googlenet and inception_v3" in refused.log(), refused.log()
    if ringlab.ALL:
        # torchvision's aux_logits=True keeps the file's heads, and trains with them.
        kept = run(root, "kept", data, *common, "--epochs", "1", "--pretrained", weights, "--aux-logits", "on")
        names = ringlab.torch_load(os.path.join(kept.dir, "checkpoint.pth.tar"))["state_dict"]
        theirs = as_torchvision("googlenet", weights, aux_logits=True)
        assert set(names) == set(theirs.state_dict()) and names["aux1.fc2.weight"].shape == (10, 1024)
        assert "aux1.fc2.weight" in kept.log()
        judge(root, "inception_v3", (1,))
