"""Verification of a machine before its first run: on the CPU all checks pass, and a missing GPU is reported as failed."""
import json
import subprocess

import ringlab


def run(*arguments):
    return subprocess.run([ringlab.BINARY, "verify", *arguments], capture_output=True, text=True, timeout=120)


passed = run("--gpus", "0")
result = json.loads(passed.stdout)
assert passed.returncode == 0 and result["ok"] and result["kind"] == "verify" and result["backend"] == "gloo", passed
assert [(device["device"], device["ok"]) for device in result["devices"]] == [("cpu", True)], result

failed = run("--gpus", "64")
result = json.loads(failed.stdout)
assert failed.returncode == 1 and not result["ok"] and len(result["devices"]) == 64, failed
last = result["devices"][63]
assert last["device"] == "cuda:63" and not last["ok"] and last["failed"] == "memory" and last["error"], last

# By default: the devices that libtorch sees here, which must all pass.
seen = run()
assert seen.returncode == 0 and json.loads(seen.stdout)["ok"], seen

for wrong in [run("--gpu", "1"), run("--gpus"), run("--gpus", "-1"), run("--gpus", "two")]:
    assert wrong.returncode == 2 and "--gpus" in wrong.stderr and wrong.stdout == "", wrong
