"""The command line: wrong options, bad data, divergence, several ranks on one node, the monitor."""
import json
import os
import shutil
import subprocess
import time

import ringlab


def run(*arguments, cwd=None, seconds=120):
    return subprocess.run([ringlab.BINARY, *arguments], capture_output=True, text=True, cwd=cwd, timeout=seconds)


with ringlab.folder() as root:
    help_text = run("--help")
    assert help_text.returncode == 0 and "resnet50" in help_text.stdout
    facts = json.loads(run("facts").stdout)
    assert set(facts) == {"version", "source_hash", "libtorch", "cuda", "nccl", "abi", "arch", "cpus"} and len(facts["source_hash"]) == 64, facts
    assert run("--version").stdout.startswith("ringlab-train ")

    for arguments, word in [(["--epoch", "1", "x"], "--epochs"), (["-a", "resnet81", "x"], "resnet18"), (["--dist-backend", "nccl", "--world-size", "2", "--rank", "0", "--dist-url", "tcp://127.0.0.1:1", "x"], "gloo"), (["--gpu", "0", "x"], "no CUDA"), (["-a", "inception_v3", "--image-size", "64", "x"], "at least 299"), (["-a", "vit_b_16", "--image-size", "40", "x"], "32, 48")]:
        wrong = run(*arguments, "--metrics", "m.jsonl", cwd=root)
        assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and word in wrong.stderr, wrong
    assert os.listdir(root) == [], "nothing was written"

    data = ringlab.make_shapes(os.path.join(root, "data"), train=200, val=20)
    assert run(os.path.join(root, "gone")).returncode == 3
    broken = os.path.join(root, "broken")
    shutil.copytree(data, broken)
    shutil.rmtree(os.path.join(broken, "val", "star"))
    wrong = run(broken)
    assert wrong.returncode == 3 and "train/star has no counterpart in val" in wrong.stderr, wrong

    # One broken image of 200 is skipped, reported and counted; the run continues.
    victim = os.path.join(data, "train", "moon", sorted(os.listdir(os.path.join(data, "train", "moon")))[0])
    with open(victim, "r+b") as file:
        file.truncate(100)
    (rank,) = ringlab.start(os.path.join(root, "skips"), 1, data, "-a", "shufflenet_v2_x0_5", "-b", "50", "--epochs", "2")
    assert rank.wait() == 0, rank.log()
    (warning,) = rank.lines("warning")  # not in each epoch
    assert warning["code"] == "broken_image" and warning["path"] == victim, warning

    (rank,) = ringlab.start(os.path.join(root, "diverges"), 1, data, "-a", "shufflenet_v2_x0_5", "-b", "50", "--lr", "1e30", "--epochs", "5")
    assert rank.wait() == 5 and rank.lines("error")[0]["code"] == "diverged" and rank.lines("error")[0]["step"] > 0, rank.log()

    # The disk of standard output is full: reported once, and the run continues to its end.
    there = os.path.join(root, "full")
    os.makedirs(there)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([ringlab.BINARY, data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "-b", "50", "--epochs", "1", "-p", "1", "--metrics", "m.jsonl"], stdout=full, stderr=subprocess.PIPE, text=True, cwd=there, timeout=600)
    assert done.returncode == 0 and os.path.exists(os.path.join(there, "checkpoint.pth.tar")), done
    assert done.stderr.count("standard output cannot be written: No space left on device") == 1, done.stderr

    # As with main.py: one command, several ranks, the batch divided among them.
    there = os.path.join(root, "node")
    os.makedirs(there)
    node = run(data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "-b", "80", "--epochs", "1", "--lr", "0.01", "--multiprocessing-distributed", "--nproc-per-node", "2", "--metrics", "m.jsonl", cwd=there)
    assert node.returncode == 0, node
    with open(os.path.join(there, "m.jsonl")) as file:
        start = json.loads(file.readline())
    assert start["world_size"] == 2 and start["local_batch_size"] == 40 and start["local_rank"] == 0, start
    assert os.path.exists(os.path.join(there, "checkpoint.pth.tar")) and os.path.exists(os.path.join(there, "rank-1", "m.jsonl"))

    # An absolute name of the metrics file is each rank's own, too; time-outs longer than any clock counts are as long as can be.
    there = os.path.join(root, "absolute")
    os.makedirs(there)
    node = run(data, "-a", "shufflenet_v2_x0_5", "--image-size", "32", "-b", "80", "--epochs", "1", "--lr", "0.01", "--nproc-per-node", "2", "--metrics", os.path.join(there, "m.jsonl"), "--rendezvous-timeout", "1e10", "--peer-timeout", "1e300", cwd=there)
    assert node.returncode == 0, node
    for rank, file in enumerate(("m.jsonl", os.path.join("rank-1", "m.jsonl"))):
        with open(os.path.join(there, file)) as lines:
            lines = [json.loads(line) for line in lines]
        assert [line["rank"] for line in lines if line["kind"] == "start"] == [rank] and [line["seq"] for line in lines] == list(range(len(lines))), lines

    # The monitor ends with the processes that it watches.
    sleeper = subprocess.Popen(["sleep", "100"])
    with open(os.path.join(root, "pid"), "w") as file:
        json.dump({"pid": sleeper.pid, "boot_id": "x", "start_ticks": 1}, file)
    monitor = subprocess.Popen([ringlab.BINARY, "monitor", "--metrics", os.path.join(root, "samples.jsonl"), "--interval", "0.3", "--watch-pid-file", os.path.join(root, "pid"), "--disk", root])
    deadline = time.time() + 60
    while not os.path.exists(os.path.join(root, "samples.jsonl")) or open(os.path.join(root, "samples.jsonl")).read().count('"sample"') < 2:
        assert time.time() < deadline and monitor.poll() is None
        time.sleep(0.05)
    sleeper.kill()
    sleeper.wait()
    assert monitor.wait(60) == 0
    with open(os.path.join(root, "samples.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    samples = [line for line in lines if line["kind"] == "sample"]
    assert len(samples) >= 2 and samples[0]["processes"][0]["pid"] == sleeper.pid and samples[0]["memory_total_bytes"] > 0, samples
    assert "lo" in [i["name"] for i in samples[0]["network"]] and samples[0]["disk_free_bytes"] > 0 and isinstance(samples[0]["gpus"], list)

    # The probe: one side serves, the other measures.
    port = ringlab.free_port()
    server = subprocess.Popen([ringlab.BINARY, "probe", "--listen", f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    result = json.loads(run("probe", "--connect", f"127.0.0.1:{port}", "--seconds", "0.4").stdout)
    assert result["rtt_ms"] > 0 and result["send_bits_per_second"] > 1e6 and result["receive_bits_per_second"] > 1e6, result
    assert server.wait(60) == 0
