"""Every architecture compared with torchvision's: names, order, shapes, initial weights, training step, weights in both directions.

usage: e2e_models.py RINGLAB-TRAIN MODEL-PROBE [ARCH ...]: five families that need little time, or those named, or with RINGLAB_FAMILIES=1
one of each family but the two slowest, or with RINGLAB_ALL=1 all. Those of more than 200 million parameters are compared by hash and by
samples, one side after the other, so that 8 GB of memory are enough.

From one seed both must draw bit-identical initial weights, hence from the same distributions, and the same dropout and stochastic depth:
outputs and gradients in training are compared, too. Then our file is loaded with torchvision's load_state_dict(strict), and a file of
Python's, with every weight and statistic different from the initial one, by ours.
"""
import gc
import hashlib
import multiprocessing
import os
import shutil
import subprocess
import sys

import ringlab

ringlab.need_torch()
import torch  # noqa: E402
import torchvision  # noqa: E402

PROBE, SEED, CLASSES = sys.argv[2], 7, 10
# Image sizes smaller than a family's strides, or part of the model.
SIZES = {"inception_v3": 299, "maxvit_t": 224, "vit_h_14": 56}
# Beside the first of each of torchvision's files: variants with other building blocks.
ALSO = ["efficientnet_v2_s", "swin_v2_t"]
LARGE = ["vit_l_16", "vit_l_32", "vit_h_14", "regnet_y_128gf"]
# Its windows need images of 224 pixels: four would take as long as all other families together.
FEWER_IMAGES = {} if ringlab.ALL else {"maxvit_t": 1}
QUICK = ["resnet18", "squeezenet1_1", "shufflenet_v2_x0_5", "mobilenet_v3_small", "swin_t"]
# The weight of each auxiliary head, in the order of torchvision's outputs.
AUXILIARY = {"googlenet": 0.3, "inception_v3": 0.4}


def build(arch, size):
    more = {}
    if arch.startswith("vit_"):
        more["image_size"] = size
    if arch in ("googlenet", "inception_v3"):
        more["init_weights"] = True
    return getattr(torchvision.models, arch)(num_classes=CLASSES, **more)


def difference(ours, theirs):
    """The largest difference, relative to the largest number if that is above 1."""
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    scale = max(1.0, theirs.abs().max().item())
    return (ours.double() - theirs.double()).abs().max().item() / scale


def disturb(model):
    """Weights and statistics unlike any initialisation, which keep the activations bounded."""
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if name.endswith("running_var"):
                tensor.uniform_(0.5, 1.5)
            elif name.endswith("num_batches_tracked"):
                tensor.fill_(3)
            elif not tensor.is_floating_point():
                continue
            elif tensor.dim() > 1 and not name.endswith("layer_scale"):
                tensor.add_(torch.randn_like(tensor) * (tensor.std() * 0.2 if tensor.any() else 0.05))
            else:
                tensor.add_(torch.randn_like(tensor) * 0.1)


def check(arch, folder):
    os.mkdir(folder)
    size, count = SIZES.get(arch, 64), FEWER_IMAGES.get(arch, 4)
    torch.manual_seed(SEED)
    model = build(arch, size)
    fresh = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    images = torch.randn(count, 3, size, size)
    model.train()
    outputs = model(images)
    logits, *heads = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    entropy = torch.nn.functional.cross_entropy
    (entropy(logits, torch.arange(count)) + sum(AUXILIARY[arch] * entropy(head, torch.arange(count)) for head in heads)).backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}

    disturb(model)
    model.eval()
    theirs, ours = os.path.join(folder, "theirs.pth"), os.path.join(folder, "ours.pth")
    torch.save({"state_dict": model.state_dict(), "images": images}, theirs)
    refused = prober.ask(arch, size, count, SEED, ours, theirs)
    assert refused is None, refused
    found = torch.load(ours)

    assert list(found["state_dict"]) == list(fresh), [pair for pair in zip(found["state_dict"], fresh) if pair[0] != pair[1]][:3]
    assert found["parameters"] == list(gradients)
    for name, tensor in fresh.items():
        other = found["state_dict"][name]
        assert other.shape == tensor.shape and other.dtype == tensor.dtype, (name, other.shape, tensor.shape)
        assert torch.equal(other, tensor), f"the initial {name} differs"
    trained = difference(found["train"], logits.detach())
    steepest = max((difference(found["gradients"][name], gradient), name) for name, gradient in gradients.items())
    with torch.no_grad():
        evaluated = difference(found["eval"], model(images))
        # In reverse: our file's weights in Python's model give Python's earlier outputs.
        model.load_state_dict(found["state_dict"])
        assert all(torch.equal(tensor, fresh[name]) for name, tensor in model.state_dict().items())
    print(f"{arch:20} largest difference: training {trained:.1e}, gradients {steepest[0]:.1e}, evaluation {evaluated:.1e}", flush=True)
    assert trained <= 1e-5 and evaluated <= 1e-5 and steepest[0] <= 1e-4, steepest
    # Those of all architectures would be 40 GB.
    shutil.rmtree(folder)


def samples(tensor):
    flat = tensor.detach().flatten()
    return flat[:: max(1, flat.numel() // 64)].double()


def check_large(arch, folder):
    """Each side's results after every number was changed by the same draws: initial heads of zeros would test little."""
    os.mkdir(folder)
    size = SIZES.get(arch, 64)
    torch.manual_seed(SEED)
    model = build(arch, size)
    hashes = {}
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            hashes[name] = hashlib.sha256(tensor.contiguous().numpy()).hexdigest()
            if tensor.is_floating_point():
                tensor.add_(torch.randn(tensor.shape) * 0.02)
    images = torch.randn(2, 3, size, size)
    model.train()
    logits = model(images)
    torch.nn.functional.cross_entropy(logits, torch.arange(2)).backward()
    gradients = {name: samples(parameter.grad) for name, parameter in model.named_parameters()}
    with torch.no_grad():
        theirs = {"train": logits.detach(), "eval": model.eval()(images)}
    del model
    gc.collect()
    ours = os.path.join(folder, "ours.pth")
    subprocess.run([PROBE, "--large", arch, str(size), str(SEED), ours], check=True)
    found = torch.load(ours)
    assert list(found["hashes"]) == list(hashes), [pair for pair in zip(found["hashes"], hashes) if pair[0] != pair[1]][:3]
    for name, text in hashes.items():
        assert found["hashes"][name] == text, f"the initial {name} differs"
    trained, evaluated = (difference(found[name], theirs[name]) for name in ("train", "eval"))
    assert list(found["gradients"]) == list(gradients)
    steepest = max((difference(found["gradients"][name], gradient), name) for name, gradient in gradients.items())
    print(f"{arch:20} largest difference: training {trained:.1e}, gradients {steepest[0]:.1e} (samples), evaluation {evaluated:.1e}", flush=True)
    assert trained <= 1e-5 and evaluated <= 1e-5 and steepest[0] <= 1e-4, steepest
    shutil.rmtree(folder)


torch.set_num_threads(1)
known = subprocess.run([PROBE, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
families = {}
for arch in known:
    if arch.startswith(("vgg", "inception")):
        continue
    families.setdefault(getattr(torchvision.models, arch).__module__, arch)
listed = torchvision.models.list_models(torchvision.models)
assert sorted(known) == sorted(listed), set(known) ^ set(listed)
one_each = list(families.values()) + ALSO
chosen = sys.argv[3:] or (known if ringlab.ALL else one_each if os.environ.get("RINGLAB_FAMILIES") == "1" else QUICK)


def begin():
    """A process of the pool: has its own probe, which ends with it."""
    global prober
    torch.set_num_threads(1)
    prober = ringlab.ModelProbe(PROBE)


with ringlab.folder() as root:
    # Two at a time: a check runs Python and our process in turn.
    with multiprocessing.Pool(2, begin) as pool:
        pool.starmap(check, [(arch, os.path.join(root, arch)) for arch in chosen if arch not in LARGE], chunksize=1)
    with multiprocessing.Pool(1, torch.set_num_threads, (2,), maxtasksperchild=1) as pool:
        pool.starmap(check_large, [(arch, os.path.join(root, arch)) for arch in chosen if arch in LARGE], chunksize=1)

    # Trained and saved by us, loaded by torchvision: one with auxiliary heads, one that needs its state_dict's version.
    data = ringlab.make_shapes(os.path.join(root, "data"), train=20, val=10)
    for arch in ("googlenet", "mnasnet0_5"):
        ranks = ringlab.start(os.path.join(root, "trained-" + arch), 2, data, "-a", arch, "-b", "10", "--epochs", "1", "--check-sync")
        assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log() + ranks[1].log()
        build(arch, 32).load_state_dict(torch.load(os.path.join(ranks[0].dir, "checkpoint.pth.tar"))["state_dict"])
