"""torchrun starts the ranks: its static and its c10d rendezvous, --standalone, two nodes, restarts, and its summary of a failure.

RINGLAB_TORCHRUN: another torchrun than this Python's, such as a virtual environment's with the newest PyTorch.
RINGLAB_ALL=1: every rendezvous, three ranks, two nodes, and a second restart.
"""
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time

import ringlab

ringlab.need_torch()
import torch  # noqa: E402

OTHER = os.environ.get("RINGLAB_TORCHRUN", "")
TORCHRUN = shlex.split(OTHER) or [sys.executable, "-m", "torch.distributed.run"]
if OTHER:
    os.environ.pop("USE_LIBUV", None)  # a published torchrun has libuv, and so a different store
# With Python 3.11 torchrun 1.13 does not start without it: its "no redirection" default is not a listed member of its flag enumeration.
REDIRECTS = [] if OTHER else ["-r", "1", "-t", "1"]
SETTINGS = ["-a", "shufflenet_v2_x0_5", "--image-size", "32", "--threads", "1", "-j", "1", "--lr", "0.01", "--seed", "1", "-b", "12", "-p", "1", "--dist-url", "env://", "--metrics", "m.jsonl", "--rendezvous-timeout", "30"]


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
        return True
    except OSError:
        return False


IPV6 = has_ipv6()


def has_store():
    """Debian's torch 2.6 is built without libuv, which its torchrun asks for whatever USE_LIBUV says."""
    try:
        torch.distributed.TCPStore("127.0.0.1", ringlab.free_port(), 1, True)
    except RuntimeError as error:
        if "libuv" not in str(error):
            raise
        return False
    return True


if not OTHER and not has_store():
    print(f"skipped: the torchrun of torch {torch.__version__} cannot start here, without libuv")
    sys.exit(77)


def torchrun(there, flags, arguments, **more):
    os.makedirs(there, exist_ok=True)
    command = [*TORCHRUN, *REDIRECTS, *flags, "--no_python", ringlab.BINARY, *arguments]
    return subprocess.Popen(command, cwd=there, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, **more)


def end(process, seconds=150):
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise AssertionError("torchrun did not end\n" + process.communicate()[0]) from None


def lines(there, kind, rank=0):
    path = os.path.join(there, "m.jsonl" if rank == 0 else f"rank-{rank}/m.jsonl")
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [line for line in map(json.loads, file) if line["kind"] == kind]


def until(process, what, seconds=90):
    deadline = time.time() + seconds
    while not what():
        if time.time() > deadline or process.poll() is not None:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError(process.communicate()[0])
        time.sleep(0.02)


def weights(there):
    return ringlab.torch_load(os.path.join(there, "checkpoint.pth.tar"))["state_dict"]


def same(a, b):
    return list(a) == list(b) and all(torch.equal(a[name], b[name]) for name in a)


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=48, val=10)
    ranks = ringlab.start(os.path.join(root, "by-hand"), 2, data, "-a", "shufflenet_v2_x0_5", "-b", "12", "--epochs", "1")
    assert [rank.wait() for rank in ranks] == [0, 0], ranks[0].log()
    expected = weights(ranks[0].dir)

    # One node: the default rendezvous with its own port, c10d, and --standalone. The trained weights are equal.
    for name, world, flags in [
        ("static", 2, ["--master_port", str(ringlab.free_port())]),
        ("localhost", 3, ["--master_addr", "localhost", "--master_port", str(ringlab.free_port())]),
        ("static over IPv6", 2, ["--master_addr", "::1", "--master_port", str(ringlab.free_port())]),
        ("static over IPv6, as in an address", 3, ["--master_addr", "[::1]", "--master_port", str(ringlab.free_port())]),
        ("c10d over IPv6", 2, ["--rdzv_backend", "c10d", "--rdzv_endpoint", f"[::1]:{ringlab.free_port()}", "--rdzv_id", "6"]),
        ("c10d", 2, ["--rdzv_backend", "c10d", "--rdzv_endpoint", f"localhost:{ringlab.free_port()}", "--rdzv_id", "some job"]),
        ("standalone", 2, ["--standalone"]),
        ("one", 1, ["--standalone"]),
    ]:
        if "IPv6" in name and not IPV6 or not ringlab.ALL and name != "static":
            continue
        there = os.path.join(root, name)
        process = torchrun(there, ["--nproc_per_node", str(world), *flags], [data, *SETTINGS, "--epochs", "1"])
        text = end(process)
        assert process.returncode == 0, text
        for rank in range(world):
            (start,) = lines(there, "start", rank)
            assert [start["rank"], start["world_size"], start["local_rank"]] == [rank, world, rank], start
        if world == 2:
            assert same(weights(there), expected), name

    # Two nodes, each with its agent and its folder.
    secret = os.path.join(root, "secret")
    with open(secret, "w") as file:
        file.write("0123456789abcdef0123456789abcdef\n")
    os.chmod(secret, 0o600)
    port = ringlab.free_port()
    for name, flags, more in [
        ("nodes", ["--master_addr", "127.0.0.1", "--master_port", str(port)], []),
        ("nodes-c10d", ["--rdzv_backend", "c10d", "--rdzv_endpoint", f"127.0.0.1:{ringlab.free_port()}", "--rdzv_id", "7"], ["--secret-file", secret]),
    ]:
        if not ringlab.ALL:
            continue
        folders = [os.path.join(root, name, str(node)) for node in range(2)]
        processes = [torchrun(folders[node], ["--nnodes", "2", "--node_rank", str(node), "--nproc_per_node", "1", *flags], [data, *SETTINGS, *more, "--epochs", "1"]) for node in range(2)]
        texts = [end(process) for process in processes]
        assert [process.returncode for process in processes] == [0, 0], texts
        found = [there for there in folders if os.path.exists(os.path.join(there, "checkpoint.pth.tar"))]
        assert len(found) == 1 and same(weights(found[0]), expected), name

    # A rank is killed: its peer names it, the agent restarts both, and they resume from the last checkpoint.
    there = os.path.join(root, "restart")
    flags = ["--nproc_per_node", "2", "--max_restarts", "2", "--monitor_interval", "0.5", "--master_port", str(ringlab.free_port())]
    process = torchrun(there, flags, [data, *SETTINGS, "--epochs", "100000", "--resume", "checkpoint.pth.tar"])
    kills = [(1, 1), (0, 2)] if ringlab.ALL else [(1, 1)]

    def begun(generation):
        until(process, lambda: len(lines(there, "start", 1)) == generation and len(lines(there, "start")) == generation)
        return lines(there, "start")[-1]["seq"]

    for victim, generation in kills:
        start = begun(generation)
        # Two more saves than at this start.
        until(process, lambda: sum(line["file"] == "checkpoint" and line["seq"] > start for line in lines(there, "checkpoint")) >= 2)
        os.kill(lines(there, "start", victim)[-1]["pid"], signal.SIGKILL)
    # SIGTERM at the agent: one message, one checkpoint.
    start = begun(len(kills) + 1)
    until(process, lambda: any(line["seq"] > start for line in lines(there, "step")))
    process.send_signal(signal.SIGTERM)
    text = end(process)
    last = text[text.rindex("=> loaded checkpoint") :]
    assert last.count("=> SIGTERM: ") == 1 and last.count("=> stopped ") == 1, text
    starts = [lines(there, "start", rank) for rank in range(2)]
    assert [len(one) for one in starts] == [len(kills) + 1] * 2, text
    assert "=> no checkpoint found at 'checkpoint.pth.tar'" in text and text.count("=> loaded checkpoint") == len(kills), text
    assert all(line["start_epoch"] > before["start_epoch"] for before, line in zip(starts[0], starts[0][1:])), starts[0]
    (lost,) = {line["message"] for line in lines(there, "error") if "rank 1 (127.0.0.1) was lost" in line["message"]}
    saved = ringlab.torch_load(os.path.join(there, "checkpoint.pth.tar"))
    assert saved["position"]["step"] == lines(there, "step")[-1]["step"] + 1, text
    if ringlab.ALL:
        process = torchrun(there, flags, [data, *SETTINGS, "--epochs", str(saved["epoch"] + 2), "--resume", "checkpoint.pth.tar"])
        text = end(process)
        assert process.returncode == 0 and ringlab.torch_load(os.path.join(there, "checkpoint.pth.tar"))["epoch"] == saved["epoch"] + 2, text

    # torchrun's summary of a failure has our message.
    there = os.path.join(root, "fails")
    process = torchrun(there, ["--nproc_per_node", "2", "--master_port", str(ringlab.free_port())], [os.path.join(root, "no data"), *SETTINGS])
    text = end(process)
    assert process.returncode != 0 and re.search(r"exitcode +: 3 ", text) and re.search(r"traceback : .*no data", text), text

    # Without torchrun env:// is unchanged: rank 0 listens at MASTER_ADDR.
    for host in ["localhost", "::1", "[::1]"] if ringlab.ALL and IPV6 else ["localhost"]:
        port = ringlab.free_port()
        ranks = []
        for rank in range(2):
            env = {**os.environ, "MASTER_ADDR": host, "MASTER_PORT": str(port), "WORLD_SIZE": "2", "RANK": str(rank), "LOCAL_RANK": str(rank)}
            ranks.append(ringlab.Rank(os.path.join(root, "env " + host), rank, [data, *SETTINGS, "--epochs", "1"], env))
        assert [rank.wait() for rank in ranks] == [0, 0], host + ranks[0].log()

    # An invalid store, and a foreign note.
    def alone(port, *more, **variables):
        env = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_USE_AGENT_STORE": "True", **variables}
        return subprocess.run([ringlab.BINARY, data, *SETTINGS, *more], cwd=root, env=env, capture_output=True, text=True, timeout=120)

    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        failed = alone(silent.getsockname()[1], "--rendezvous-timeout", "2")
        assert failed.returncode == 4 and "does not answer as torchrun's store does" in failed.stderr, failed
    failed = alone(ringlab.free_port(), "--rendezvous-timeout", "1", TORCHELASTIC_ERROR_FILE=os.path.join(root, "error.json"))
    assert failed.returncode == 4 and "torchrun's store cannot be reached at 127.0.0.1:" in failed.stderr, failed
    with open(os.path.join(root, "error.json")) as file:
        reported = json.load(file)["message"]
    assert reported["message"].startswith("rendezvous_timeout: torchrun's store cannot be reached") and int(reported["extraInfo"]["timestamp"]) > 1e9 and reported["extraInfo"]["py_callstack"] in reported["message"], reported
    store = torch.distributed.TCPStore("127.0.0.1", 0, 1, True, wait_for_workers=False)
    failed = alone(store.port, "--rendezvous-timeout", "1")
    assert failed.returncode == 4 and "rank 0 of 2 did not connect to torchrun's store" in failed.stderr, failed
    store.set("ringlab/none/attempt_0/rank-0", "ringlab-meeting-9\n")
    failed = alone(store.port)
    assert failed.returncode == 4 and "not one that this version reads" in failed.stderr, failed
