"""--pretrained: files of weights as written by all versions of PyTorch and torchvision, written here by Python's torch and read by us.

usage: e2e_pretrained.py RINGLAB-TRAIN MODEL-PROBE. Every copied number must equal Python's; a head for other classes must be initialised
as by torchvision. RINGLAB_ALL=1: the heads of every family; else of four small ones.
"""
import argparse
import collections
import copy
import datetime
import enum
import functools
import gzip
import io
import json
import os
import pathlib
import pickle
import random
import struct
import subprocess
import tarfile
import types
import zipfile

import ringlab

ringlab.need_torch()
import sys  # noqa: E402

import numpy  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402
from torchvision.models.vision_transformer import interpolate_embeddings  # noqa: E402

PROBE, SEED, CLASSES = ringlab.ModelProbe(sys.argv[2]), 5, 4
SMALL = "shufflenet_v2_x0_5"


def make(arch, classes=CLASSES, **more):
    torch.manual_seed(SEED)
    if arch in ("googlenet", "inception_v3"):
        more["init_weights"] = True
    return getattr(torchvision.models, arch)(num_classes=classes, **more)


def moved(model):
    """Weights and statistics unlike any initialisation."""
    torch.manual_seed(SEED + 1)
    with torch.no_grad():
        for tensor in model.state_dict().values():
            if tensor.is_floating_point():
                tensor.add_(torch.rand_like(tensor))
            else:
                tensor.add_(2)
    return model.state_dict()


def take(path, arch=SMALL, size=224, classes=CLASSES, channels=3):
    ours = path + ".ours"
    refused = PROBE.ask("--pretrained", arch, size, classes, channels, SEED, path, ours)
    if refused is not None:
        return refused
    found = torch.load(ours)
    os.remove(ours)
    return found


def same(found, expected, but=()):
    assert isinstance(found, dict), found
    assert set(found["state_dict"]) == set(expected), set(found["state_dict"]) ^ set(expected)
    for name, tensor in expected.items():
        if name not in but:
            assert torch.equal(found["state_dict"][name], tensor.to(found["state_dict"][name].dtype)), name


def safetensors(path, state, header):
    """As in the format's description; does not need the library."""
    kinds = {torch.float32: "F32", torch.float16: "F16", torch.int64: "I64"}
    data, header = io.BytesIO(), dict(header)
    for name, tensor in state.items():
        begin = data.tell()
        data.write(tensor.contiguous().numpy().tobytes())
        header[name] = {"dtype": kinds[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [begin, data.tell()]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data.getvalue())


def python2_legacy(path, state):
    """The format of torch 0.2 for Python 2: str as BINSTRING, _rebuild_tensor, storages that are views of another one."""
    out = io.BytesIO()
    for head in (0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}):
        pickle.dump(head, out, protocol=2)
    short = lambda text: b"U" + bytes([len(text)]) + text.encode()  # noqa: E731
    number = lambda value: b"J" + struct.pack("<i", value)  # noqa: E731
    out.write(b"\x80\x02ccollections\nOrderedDict\n]\x85R(")
    offset, floats, longs = 0, [], []
    total = sum(tensor.numel() for tensor in state.values() if tensor.is_floating_point())
    for name, tensor in state.items():
        out.write(short(name) + b"ctorch._utils\n_rebuild_tensor\n(")
        if tensor.is_floating_point():
            key = "base"
            view = b"(" + short(f"view{offset}") + number(offset) + number(tensor.numel()) + b"t"
            out.write(b"(" + short("storage") + b"ctorch\nFloatStorage\n" + short(key) + short("cuda:0") + number(total) + view + b"tQ")
            floats.append(tensor.flatten())
            offset += tensor.numel()
        else:
            key = f"long{len(longs)}"
            out.write(b"(" + short("storage") + b"ctorch.cuda\nLongStorage\n" + short(key) + short("cpu") + number(tensor.numel()) + b"NtQ")
            longs.append((key, tensor))
        out.write(number(0) + b"(" + b"".join(map(number, tensor.shape)) + b"t(" + b"".join(map(number, tensor.stride())) + b"ttR")
    out.write(b"u.")
    pickle.dump(["base"] + [key for key, _ in longs], out, protocol=2)
    for tensor in [torch.cat(floats)] + [tensor.flatten() for _, tensor in longs]:
        out.write(struct.pack("<q", tensor.numel()) + tensor.numpy().tobytes())
    with open(path, "wb") as file:
        file.write(out.getvalue())


with ringlab.folder() as root:
    file = os.path.join(root, "weights.pth")
    state = moved(make(SMALL))
    plain = dict(state)

    def saved(value, **how):
        torch.save(value, file, **how)
        return take(file)

    same(saved(state), plain)
    same(saved(state, _use_new_zipfile_serialization=False), plain)
    same(saved(state, _use_new_zipfile_serialization=False, pickle_protocol=4), plain)
    same(saved(plain), plain)
    for wrapped in (
        {"state_dict": state, "epoch": 3, "arch": SMALL},
        {"model": state, "optimizer": {"state": {}, "param_groups": []}, "args": argparse.Namespace(lr=0.1, output_dir="x", device=None)},
        {"model_state": state},
        {"model_state_dict": state, "loss": 0.5},
        {"model_ema": dict({"module." + name: tensor for name, tensor in state.items()}, n_averaged=torch.tensor(7))},
        {"module." + name: tensor for name, tensor in state.items()},
        {"module._orig_mod." + name: torch.nn.Parameter(tensor, requires_grad=False) for name, tensor in state.items()},
    ):
        same(saved(wrapped), plain)
        same(saved(wrapped, _use_new_zipfile_serialization=False), plain)
    # The whole module, as often saved, and one that is an attribute of another.
    owner = torch.nn.Module()
    owner.net, owner.loss = copy.deepcopy(make(SMALL)), torch.nn.CrossEntropyLoss(weight=torch.ones(CLASSES))
    owner.net.load_state_dict(state)
    for whole in (owner.net, torch.nn.DataParallel(owner.net), {"model": owner.net, "optimizer": torch.optim.SGD(owner.net.parameters(), 0.1)}, owner):
        for how in ({}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4}):
            same(saved(whole, **how), plain)
    found = saved({"state_dict": owner.state_dict(), "hyper_parameters": {"lr": 0.1}})
    same(found, plain)
    assert found["adapted"] == ["the names begin with net.; ignored: loss.weight"], found["adapted"]
    # Under an unusual key, beside objects that users save: none of it is constructed or called.
    class Settings(dict):
        pass
    class Mode(enum.Enum):
        MEAN = 1
    class Head:
        def mini(self):
            pass
    for named in (Settings, Mode, Head):
        globals()[named.__name__], named.__qualname__ = named, named.__name__
    Head.mini.__qualname__ = "Head.mini"
    # Python 3.13 writes pathlib's classes under the name of a private module.
    private = types.ModuleType("pathlib._local")
    private.PurePosixPath = type("PurePosixPath", (), {"__module__": "pathlib._local", "__reduce__": lambda self: (type(self), ("/", "x"))})
    sys.modules.setdefault("pathlib._local", private)
    kept = {
        "from 3.13": private.PurePosixPath() if sys.modules["pathlib._local"] is private else pathlib.PurePosixPath("/y"),
        "best": numpy.float32(71.5), "curve": numpy.arange(5.0), "random": (random.getstate(), numpy.random.get_state(), numpy.random.PCG64(3).state), "when": datetime.datetime(2020, 2, 3, 4, 5),
        "names": {"cat", "dog"}, "frozen": frozenset("ab"), "by": collections.defaultdict(list, a=[1]), "last": collections.deque([1, 2], 5), "from": pathlib.PurePosixPath("/x"), "device": torch.device("cuda:1"),
        "dtype": torch.float16, "act": torch.nn.ReLU, "bound": functools.partial(torch.nn.LayerNorm, eps=1e-6), "settings": Settings(lr=[0.1, (torch.nn.ReLU, 3)]), "complex": torch.ones(2, dtype=torch.cfloat),
        "sparse": torch.eye(3).to_sparse(), "small": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), "bytes": b"\0\xff", "large": 1 << 90, "slice": slice(1, 2), "z": 1j, "method": Head.mini,
        "how": torchvision.transforms.InterpolationMode.BILINEAR, "weights": torchvision.models.ResNet18_Weights.DEFAULT, **({"mode": Mode.MEAN} if sys.version_info[:2] == (3, 11) else {}),
    }
    for how in ({}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 4}):
        if how.get("_use_new_zipfile_serialization") is False:
            kept = {name: value for name, value in kept.items() if name not in ("complex", "small")}  # its storages are not on our list
        same(saved({"backbone_weights": state, **kept}, **how), plain)
    assert "several state_dicts, student, teacher" in saved({"student": state, "teacher": state})
    assert "several times, under student., teacher." in saved({f"{who}.{name}": tensor for who in ("student", "teacher") for name, tensor in state.items()})
    same(saved({**state, "total_ops": torch.zeros(1), "conv1.0.total_params": torch.zeros(1)}), plain)
    # Without a head: a new one, initialised as by torchvision. With half of one: an error.
    drawn = make(SMALL).state_dict()
    found = saved({name: tensor for name, tensor in state.items() if not name.startswith("fc.")})
    assert found["fresh"] == ["fc.weight", "fc.bias"] and found["classes"] == 0, found["fresh"]
    same(found, {name: drawn[name] if name.startswith("fc.") else tensor for name, tensor in plain.items()})
    assert "it lacks fc.bias" in saved({name: tensor for name, tensor in state.items() if name != "fc.bias"})

    class Hostile:
        def __init__(self, *call):
            self.call = call

        def __reduce__(self):
            return self.call

    for call, word in (((os.system, ("touch " + os.path.join(root, "hostile"),)), "posix system"), ((eval, ("1",)), "eval"), ((getattr, (owner, "net")), "getattr"), ((subprocess.Popen, (["true"],)), "Popen")):
        assert word in saved({"state_dict": state, "x": Hostile(*call)}), call
    assert not os.path.exists(os.path.join(root, "hostile"))

    for dtype in (torch.half, torch.bfloat16, torch.double):
        fewer = {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in state.items()}
        for zipped in (True, False):
            same(saved(fewer, _use_new_zipfile_serialization=zipped), fewer)
    # One storage for all, strides of every order, and gaps.
    flat, at, views = torch.empty(3 * sum(tensor.numel() for tensor in state.values())), 0, {}
    for name, tensor in state.items():
        if not tensor.is_floating_point():
            views[name] = tensor
            continue
        order = list(range(tensor.dim()))[::-1]
        view = flat[at : at + 2 * tensor.numel() : 2].view([tensor.shape[i] for i in order]).permute(order)
        at += 2 * tensor.numel()
        views[name] = view.copy_(tensor)
    for zipped in (True, False):
        same(saved(views, _use_new_zipfile_serialization=zipped), plain)
    python2_legacy(file, state)
    same(take(file), plain)
    # Before batch norms counted their batches.
    old = collections.OrderedDict((name, tensor) for name, tensor in state.items() if not name.endswith("num_batches_tracked"))
    found = saved(old, _use_new_zipfile_serialization=False)
    same(found, plain, but=set(plain) - set(old))
    assert all(found["state_dict"][name] == 0 for name in set(plain) - set(old)) and found["fresh"] == []

    # Mismatches are reported by name; a damaged file and an unsupported old format are reported.
    message = saved({name: tensor for name, tensor in state.items() if not name.startswith("conv5")} | {"extra.weight": torch.ones(2)})
    assert "conv5.0.weight" in message and "extra.weight" in message, message
    assert "stage2.0.branch1.0.weight has the shape" in saved(dict(state, **{"stage2.0.branch1.0.weight": torch.ones(3, 1, 3, 3)}))
    torch.save(state, file, _use_new_zipfile_serialization=False)
    with open(file, "rb") as whole:
        content = whole.read()
    for length in (10, 40, 200, len(content) // 2, len(content) - 1):
        with open(file, "wb") as cut:
            cut.write(content[:length])
        assert isinstance(take(file), str), length
    with tarfile.open(file, "w") as tar:
        tar.addfile(tarfile.TarInfo("pickle"))
    assert "PyTorch before 0.2" in take(file), take(file)
    script = io.BytesIO()
    torch.jit.save(torch.jit.script(make(SMALL)), script)
    torch.save(state, file)
    with open(file, "rb") as whole:
        content = whole.read()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("resnet.pth", content)
    for other, word in ((script.getvalue(), "TorchScript"), (gzip.compress(content), "gzip"), (b"<!DOCTYPE html>", "web page"), (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
                        (packed.getvalue(), "unpack"), (pickle.dumps([1]), "torch.save"), (b"", "empty")):
        with open(file, "wb") as whole:
            whole.write(other)
        assert word in take(file), (word, take(file))

    # safetensors, with and without metadata and padding, halves, a scalar, unaligned tensors; under any file name.
    safe = dict(state, **{name: tensor.half() for name, tensor in state.items() if name.startswith("stage4") and tensor.is_floating_point()})
    for more in ({}, {"__metadata__": {"format": "pt", "note": "\u56fe \"quoted\" \\"}}):
        safetensors(file, safe, more)
        found = take(file)
        same(found, safe)
    safetensors(file, {"module." + name: tensor for name, tensor in safe.items()}, {})
    same(take(file), safe)
    with open(file, "rb") as whole:
        content = whole.read()
    for length in (9, 10, 300, len(content) // 2, len(content) - 1):
        with open(file, "wb") as cut:
            cut.write(content[:length])
        assert "safetensors" in take(file) or length < 10, (length, take(file))

    # torchvision's first parameter names: DataParallel around the convolutions, DenseNet's dots, the Transformers' linear layers.
    squeezed = moved(make("squeezenet1_1"))
    torch.save({name.replace("features.", "features.module."): tensor for name, tensor in squeezed.items()}, file)
    same(take(file, "squeezenet1_1"), squeezed)
    dense = moved(make("densenet121"))
    dotted = {(name.replace("norm1", "norm.1").replace("norm2", "norm.2").replace("conv1", "conv.1").replace("conv2", "conv.2") if "denselayer" in name else name): tensor for name, tensor in dense.items()}
    assert set(dotted) != set(dense)
    torch.save(dotted, file, _use_new_zipfile_serialization=False)
    same(take(file, "densenet121"), dense)

    # Grey images: the convolution gives the same as for an image of three equal channels.
    torch.save(state, file)
    grey = take(file, channels=1)
    assert torch.allclose(grey["state_dict"]["conv1.0.weight"], state["conv1.0.weight"].sum(1, keepdim=True)) and "conv1.0.weight" in grey["adapted"][0]
    same(grey, {name: tensor for name, tensor in plain.items()}, but={"conv1.0.weight"})

    # A head for other classes is initialised as by torchvision from the same seed; everything else is the file's.
    heads = {"shufflenet_v2_x0_5": "fc", "squeezenet1_1": "classifier.1", "mobilenet_v3_small": "classifier.3", "mnasnet0_5": "classifier.1"}
    if ringlab.ALL:
        heads.update({
            "googlenet": "fc aux1.fc2 aux2.fc2", "efficientnet_b0": "classifier.1", "regnet_y_400mf": "fc", "resnet18": "fc",
            "alexnet": "classifier.6", "vgg11": "classifier.6", "densenet121": "classifier", "inception_v3": "fc AuxLogits.fc", "mobilenet_v2": "classifier.1", "convnext_tiny": "classifier.2",
            "vit_b_32": "heads.head", "swin_t": "head", "swin_v2_t": "head", "maxvit_t": "classifier.5",
        })
    for arch, layers in heads.items():
        size = 299 if arch == "inception_v3" else 224
        theirs = moved(make(arch, 1000))
        torch.save(theirs, file)
        found = take(file, arch, size)
        drawn = make(arch).state_dict()
        new = {name for name in drawn if name.rsplit(".", 1)[0] in layers.split()}
        assert new and set(found["fresh"]) == new and found["classes"] == 1000, (arch, found["fresh"])
        same(found, {name: drawn[name] if name in new else theirs[name] for name in drawn})
        same(take(file, arch, size, classes=1000), theirs)
        print(f"{arch:20} new: {', '.join(sorted(new))}", flush=True)

    if ringlab.ALL:
        # Another image size: the position embedding equals torchvision's interpolated one, also with its first names of the linear layers.
        theirs = moved(make("vit_b_32"))
        first = collections.OrderedDict((name.replace("mlp.0.", "mlp.linear_1.").replace("mlp.3.", "mlp.linear_2."), tensor) for name, tensor in theirs.items())
        torch.save(first, file)
        same(take(file, "vit_b_32"), theirs)
        found = take(file, "vit_b_32", 96)
        expected = interpolate_embeddings(96, 32, collections.OrderedDict(theirs))
        same(found, expected, but={"encoder.pos_embedding"})
        assert torch.allclose(found["state_dict"]["encoder.pos_embedding"], expected["encoder.pos_embedding"], atol=1e-6) and "interpolated" in found["adapted"][0]
PROBE.close()
