"""Processes on a GPU: read from a stand-in for NVIDIA's library, their owners from the kernel."""
import json
import os
import pwd
import subprocess
import sys
import time

import ringlab

STAND_IN = os.path.abspath(sys.argv[2])

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
