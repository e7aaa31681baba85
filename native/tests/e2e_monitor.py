"""Processes on a GPU: read from a stand-in for NVIDIA's library, their owners from the kernel. Descendants of a watched process."""
import json
import os
import pwd
import signal
import subprocess
import sys
import time

import ringlab

STAND_IN = os.path.abspath(sys.argv[2])

# An agent, as torchrun is, and its worker, which starts a loader from a thread of its own.
LOADER = "import time; end = time.time() + 120\nwhile time.time() < end: pass"
WORKER = f"""
import subprocess, sys, threading, time
threading.Thread(target=lambda: subprocess.Popen([sys.executable, "-c", {LOADER!r}])).start()
time.sleep(120)
"""
AGENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WORKER!r}])"


def samples(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def descendants():
    """What a watched process's descendants use is its own, and a GPU's processes are found among them."""
    path = os.path.join(root, "tree.jsonl")
    agent = subprocess.Popen([sys.executable, "-c", AGENT], start_new_session=True)
    monitor = subprocess.Popen([ringlab.BINARY, "monitor", "--metrics", path, "--interval", "0.2", "--watch-pid", str(agent.pid)])
    try:
        while True:
            assert monitor.poll() is None and agent.poll() is None
            watched = [process for line in (samples(path) if os.path.exists(path) else []) for process in line.get("processes", [])]
            whole = [process for process in watched if len(process.get("descendants", [])) == 2 and process["cpu_percent"] > 0]
            # The loader has computed from one sample to the next.
            if len(whole) > 2:
                break
            time.sleep(0.05)
        worker, loader = whole[-1]["descendants"]
        names = [open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")[2].decode() for pid in (worker, loader)]
        assert {process["pid"] for process in watched} == {agent.pid} and names == [WORKER, LOADER], (watched, names)
    finally:
        os.killpg(agent.pid, signal.SIGKILL)
        agent.wait()
    assert monitor.wait(50) == 0


with ringlab.folder() as root:
    os.symlink(STAND_IN, os.path.join(root, "libnvidia-ml.so.1"))
    theirs = subprocess.Popen(["sleep", "60"], user=65534 if os.getuid() == 0 else None)
    path = os.path.join(root, "samples.jsonl")
    environment = {**os.environ, "LD_LIBRARY_PATH": root + ":" + os.environ.get("LD_LIBRARY_PATH", ""), "RINGLAB_STAND_IN_PID": str(theirs.pid)}
    sleeper = subprocess.Popen(["sleep", "60"])
    monitor = subprocess.Popen([ringlab.BINARY, "monitor", "--metrics", path, "--interval", "0.2", "--watch-pid", str(sleeper.pid)], env=environment)
    while not (os.path.exists(path) and os.path.getsize(path) > 0):
        assert monitor.poll() is None and sleeper.poll() is None
        time.sleep(0.02)
    sleeper.kill()
    sleeper.wait()
    assert monitor.wait(50) == 0
    theirs.kill()
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    assert not [line for line in lines if line["kind"] == "warning"], lines
    (gpu,) = lines[0]["gpus"]
    assert gpu["name"] == "Stand-in GPU" and gpu["utilization_percent"] == 71 and gpu["memory_used_bytes"] == 600, gpu
    mine, unseen = gpu["processes"]
    user = pwd.getpwuid(65534 if os.getuid() == 0 else os.getuid()).pw_name
    assert mine == {"pid": theirs.pid, "memory_bytes": 500, "user": user, "name": "sleep"}, mine
    assert unseen == {"pid": 4194303, "memory_bytes": 0}, unseen
    os.remove(path)
    assert subprocess.run([ringlab.BINARY, "monitor", "--metrics", path, "--watch-pid", str(theirs.pid)], env={**environment, "RINGLAB_STAND_IN_MIG": "1"}, timeout=50).returncode == 0
    (gpu,) = samples(path)[0]["gpus"]
    assert sorted(gpu) == ["index", "name", "processes", "uuid"], gpu
    descendants()
