"""A node without power loses what its kernel had not written: every rank's lines reach as far as the checkpoint, from which the run resumes.

usage: e2e_power_cut.py BINARY

Each rank has a disk of its own, an ext4 file system in a file, that ends by Linux's EXT4_IOC_SHUTDOWN without writing its journal. Needs
root.
"""
import contextlib
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time

import ringlab

if os.geteuid() != 0 or any(shutil.which(tool) is None for tool in ("mkfs.ext4", "e2fsck")):
    print("skipped: needs root and e2fsprogs")
    sys.exit(77)
ringlab.need_torch()

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2


def steps_of(rank):
    """What was cut short by the power is a line that does not parse."""
    steps = set()
    if not os.path.exists(rank.metrics):
        return []
    with open(rank.metrics, "rb") as file:
        for line in file:
            with contextlib.suppress(ValueError):
                fields = json.loads(line)
                if fields["kind"] == "step":
                    steps.add(fields["step"])
    return sorted(steps)


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Disk:
    def __init__(self, image, folder):
        self.image, self.folder = image, folder
        os.makedirs(folder)
        for command in (["truncate", "-s", "96M", image], ["mkfs.ext4", "-q", image]):
            subprocess.run(command, check=True)

    def mount(self):
        done = run("mount", "-o", "loop", self.image, self.folder)
        if done.returncode != 0:
            print(f"skipped: no loop mounts here: {done.stdout}")
            sys.exit(77)

    def cut_power(self):
        handle = os.open(self.folder, os.O_RDONLY)
        fcntl.ioctl(handle, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        os.close(handle)

    def unmount(self):
        run("umount", self.folder)


with ringlab.folder() as root, contextlib.ExitStack() as stack:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=64, val=10)
    there = os.path.join(root, "run")
    os.mkdir(there)
    # A test beside this one may start `ip netns exec`, which copies all mounts: an unmounted disk is gone there, too, where the mount around it is shared.
    for command in (["mount", "--bind", there, there], ["mount", "--make-shared", there]):
        subprocess.run(command, check=True)
    stack.callback(run, "umount", "-l", there)
    disks = [Disk(os.path.join(root, f"disk-{k}"), os.path.join(there, f"rank-{k}")) for k in range(2)]
    for disk in disks:
        disk.mount()
        stack.callback(disk.unmount)
    path = os.path.join(disks[0].folder, "checkpoint.pth.tar")
    saved = 0

    def start(*more):
        ranks = ringlab.start(there, 2, data, "-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", "100000", "-p", "100000", *more)
        for rank in ranks:
            stack.callback(rank.wait, 60)
            stack.callback(rank.process.kill)
        return ranks

    for victim in (1, 0):
        ranks = start(*(["--resume", path] if saved else []))
        deadline = time.time() + 120
        # Several epochs of eight steps, each with a save.
        while max(steps_of(ranks[0]), default=-1) < saved + 24:
            assert time.time() < deadline and ranks[0].process.poll() is None, ranks[0].log() + ranks[1].log()
            time.sleep(0.003)
        disks[victim].cut_power()
        for rank in ranks:
            rank.process.send_signal(signal.SIGKILL)
        for rank in ranks:
            rank.wait(60)
        disks[victim].unmount()
        checked = run("e2fsck", "-f", "-y", disks[victim].image)
        assert checked.returncode in (0, 1), checked.stdout
        disks[victim].mount()
        position = ringlab.torch_load(path)["position"]
        assert position["step"] > saved, (position, saved)
        saved = position["step"]
        for rank in ranks:
            steps = steps_of(rank)
            assert steps[:saved] == list(range(saved)), (victim, rank.dir, saved, steps)
    ranks = start("--resume", path)
    while max(steps_of(ranks[0])) < saved + 4:
        assert ranks[0].process.poll() is None, ranks[0].log() + ranks[1].log()
        time.sleep(0.01)
    for rank in ranks:
        rank.process.send_signal(signal.SIGTERM)
    assert [rank.wait(60) for rank in ranks] == [7, 7], ranks[0].log() + ranks[1].log()
print("power cut: every rank has the lines of all steps before the checkpoint")
