"""What the trainer does on one real GPU; not a test of CTest, whose machines have none.

usage: gpu.py BINARY [NAME]

BINARY is built for CUDA; its libtorch must be found (LD_LIBRARY_PATH), and this interpreter has PyTorch for CUDA and torchvision. One line a check,
of those whose name has NAME; exit 1 where one fails.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import time

import ringlab

COMMON = ["--image-size", "64", "--lr", "0.02", "--seed", "1", "--threads", "1"]


def start(name, world, *more):
    port = ringlab.free_port()
    each = [data, *COMMON, *more]
    if world == 1:
        return [ringlab.Rank(os.path.join(root, name), 0, [*each, "-j", "3"])]
    ranks = [*each, "-j", "1", "--world-size", str(world), "--dist-url", f"tcp://127.0.0.1:{port}"]
    return [ringlab.Rank(os.path.join(root, name), k, [*ranks, "--rank", str(k)]) for k in range(world)]


def over_nccl(name, world, *more):
    """Ranks that NCCL takes for as many machines: they share the GPU, and exchange over sockets as machines do."""
    port = ringlab.free_port()
    each = [data, *COMMON, "-j", "1", "--world-size", str(world), "--dist-url", f"tcp://127.0.0.1:{port}", "--dist-backend", "nccl", "--gpu", "0", *more]
    apart = {**os.environ, "NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "lo"}
    return [ringlab.Rank(os.path.join(root, name), k, [*each, "--rank", str(k)], {**apart, "NCCL_HOSTID": f"machine-{k}"}) for k in range(world)]


def ended(ranks, codes=None):
    got = [rank.wait(300) for rank in ranks]
    assert got == (codes or [0] * len(ranks)), "\n".join(rank.log()[-2000:] for rank in ranks)
    return ranks[0]


def top1(rank):
    assert rank.lines("start")[0]["device"].startswith("cuda"), rank.lines("start")[0]
    return rank.lines("end")[0]["best_top1"]


def verified():
    """The app's step: memory, a convolution, an all-reduce over NCCL."""
    done = subprocess.run([ringlab.BINARY, "verify"], capture_output=True, text=True, check=True)
    line = json.loads(done.stdout)
    assert line["ok"] and line["backend"] == "nccl" and done.stderr == "", (line, done.stderr)
    return line["devices"][0]["name"]


def sampled():
    """Its own process is in the GPU's list."""
    folder = os.path.join(root, "samples")
    os.makedirs(folder)
    (rank,) = start("sampled", 1, "--epochs", "4", "-b", "64")
    rank.wait_for_steps(5)
    subprocess.run([ringlab.BINARY, "monitor", "--metrics", os.path.join(folder, "m.jsonl"), "--interval", "0.5", "--watch-pid", str(rank.process.pid)], timeout=120, check=False)
    ended([rank])
    with open(os.path.join(folder, "m.jsonl")) as file:
        gpus = [gpu for line in map(json.loads, file) for gpu in line.get("gpus", [])]
    assert any(process["pid"] == rank.process.pid and process["memory_bytes"] > 0 for gpu in gpus for process in gpu["processes"]), gpus[:2]
    return {key: gpus[-1][key] for key in ("name", "power_watts", "temperature_celsius", "sm_clock_mhz")}


def learns(*options, min_top1=80):
    best = top1(ended(start("learns" + "".join(options), 1, "--epochs", "4", "-b", "128", *options)))
    assert best >= min_top1, best
    return f"{best:g} % top-1"


def agrees(start):
    """Ranks that share a GPU, in each mode."""
    modes = ["allreduce", "fp16", "bf16", "powersgd", "local:8", "diloco:8", "local:4,sparse=0.25", "local:1,stream=0.145,overlap=1"]
    folder = "agrees-" + start.__name__
    result = {mode: top1(ended(start(f"{folder}-{mode.replace(':', '-')}", 2, "--epochs", "2", "-b", "64", "--check-sync", "--sync", mode))) for mode in modes}
    assert min(result.values()) > 12, result
    return result


def nccl_as_gloo():
    """The same numbers, but for the order in which a convolution's gradients are added."""
    options = ("--epochs", "1", "-b", "64", "--sync-bn", "--check-sync")
    losses = [[step["loss"] for step in ended(way("same-" + way.__name__, 2, *options)).lines("step")] for way in (start, over_nccl)]
    apart = [abs(a - b) for a, b in zip(*losses)]
    assert len(losses[0]) == len(losses[1]) and max(apart[:5]) < 0.02, apart
    return f"{len(apart)} losses at most {max(apart):.3g} apart, the first five {max(apart[:5]):.3g}"


def lost_over_nccl():
    """Nothing is waited for after a rank is gone; all ends as over Gloo."""
    ranks = over_nccl("lost-nccl", 3, "--epochs", "20", "-b", "64")
    ranks[1].wait_for_steps(8)
    ranks[1].process.kill()
    gone = time.time()
    log = ended([ranks[0], ranks[2]], [4, 4]).log()
    error = ranks[0].lines("error")[0]
    assert (error["code"], error["peer_rank"]) == ("peer_lost", 1), (error, log[-2000:])
    return f"named after {error['t'] - gone:.1f} s"


def resumes(start, world, *more):
    """To the bit, with fp16's scaler."""
    options = ("--epochs", "2", "-b", "128", "--amp", "fp16", *more)
    folder = f"whole-{start.__name__}-{world}"
    whole = ended(start(folder, world, *options))
    stopped = ringlab.stopped(lambda attempt: start(f"{folder}-stopped-{attempt}", world, *options), 5, len(whole.lines("step")))[0]
    again = ended(start(os.path.basename(os.path.dirname(stopped.dir)), world, *options, "--resume", os.path.join(stopped.dir, "checkpoint.pth.tar")))
    losses = [[step["loss"] for step in rank.lines("step")] for rank in (whole, again)]
    assert losses[0] == losses[1], max(abs(a - b) for a, b in zip(*losses))
    return f"stopped after {stopped.lines('end')[0]['step']} of {len(losses[0])} steps"


def goes_on():
    """Without one of three ranks, whose exchanges an ExchangeGuard watches."""
    result = {}
    for mode in ("allreduce", "local:1,stream=0.145,overlap=1"):
        ranks = start("goes-on-" + mode.replace(":", "-"), 3, "--epochs", "3", "-b", "64", "--check-sync", "--on-lost-rank", "continue", "--sync", mode)
        ranks[1].wait_for_steps(8)
        ranks[1].process.kill()
        result[mode] = top1(ended([ranks[0], ranks[2]]))
        assert ranks[0].lines("membership")[0]["ranks"] == [0, 2]
    assert min(result.values()) > 12, result
    return result


def one_gpu_for_two():
    ranks = start("nccl", 2, "--epochs", "1", "--dist-backend", "nccl", "--gpu", "0")
    log = ended(ranks, [2, 2]).log()
    assert "NCCL needs a GPU for each rank: Duplicate GPU detected" in log, log
    return "refused"


def too_large():
    (rank,) = [ringlab.Rank(os.path.join(root, "large"), 0, ["--dummy", "-a", "convnext_large", "-b", "3000", "--epochs", "1", "-j", "8"])]
    ended([rank], [6])
    assert rank.lines("error")[0]["code"] == "out_of_memory", rank.log()
    return "out of memory is said so"


def opened():
    """By Python, on the GPU, with the same top-1."""
    import torch
    import torchvision

    rank = ended(start("opened", 1, "--epochs", "2", "-b", "128"))
    saved = ringlab.torch_load(os.path.join(rank.dir, "model_best.pth.tar"))
    model = torchvision.models.resnet18(num_classes=10).cuda().eval()
    model.load_state_dict(saved["state_dict"])
    normal = torchvision.transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    data_set = torchvision.datasets.ImageFolder(os.path.join(data, "val"), torchvision.transforms.Compose([torchvision.transforms.ToTensor(), normal]))
    with torch.no_grad():
        right = sum((model(images.cuda()).argmax(1).cpu() == labels).sum().item() for images, labels in torch.utils.data.DataLoader(data_set, 100))
    # TF32 may round one image to another class.
    assert abs(100 * right / len(data_set) - top1(rank)) <= 0.2, (right, top1(rank))
    return f"{100 * right / len(data_set):g} % top-1"


def checked(check):
    try:
        return check()
    except Exception as error:  # noqa: BLE001  (each check is reported)
        return error


ways = [(), ("--amp", "fp16"), ("--amp", "bf16", "--channels-last"), ("--channels-last", "auto"), ("--cuda-graph",), ("--cuda-graph", "--amp", "bf16", "--channels-last"), ("--parallel", "dp"),
        ("--optimizer", "adamw", "--lr", "0.001", "--accumulate", "2")]
checks = {"verify": verified, "monitor": sampled, **{f"learns {' '.join(way)}".strip(): (lambda way=way: learns(*way)) for way in ways}, "ranks that share it": lambda: agrees(start),
          "resumes": lambda: resumes(start, 1), "goes on": goes_on, "two ranks over NCCL on one machine": one_gpu_for_two, "Python opens model_best": opened,
          "over NCCL as over Gloo": nccl_as_gloo, "over NCCL in each mode": lambda: agrees(over_nccl), "over NCCL, resumes": lambda: resumes(over_nccl, 2, "--sync", "local:4"),
          "over NCCL without a lost rank": lost_over_nccl}
chosen = sys.argv[2] if len(sys.argv) > 2 else ""
with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=4000, val=500, size=64)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        some = [name for name in checks if chosen in name]
        results = dict(zip(some, pool.map(checked, [checks[name] for name in some])))
    # It takes all of the GPU's memory.
    if chosen in "too large a batch":
        results["too large a batch"] = checked(too_large)
for name, result in results.items():
    print(f"{'✗' if isinstance(result, Exception) else '✓'} {name}: {result}")
sys.exit(1 if any(isinstance(result, Exception) for result in results.values()) else 0)
