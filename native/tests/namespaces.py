"""Network namespaces for end-to-end tests, which are skipped where there can be none."""
import contextlib
import os
import shutil
import subprocess
import sys


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


if os.geteuid() != 0:
    skip("network namespaces need root")
for tool in ("ip", "unshare", "nsenter"):
    if shutil.which(tool) is None:
        skip(f"no {tool}: install iproute2 and util-linux")


class Namespace:
    """A network namespace that exists as long as the process that holds it."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "ready\n":
            skip(f"no network namespace: {self.holder.stderr.read().strip()}")
        self.inside = ["nsenter", "-t", str(self.holder.pid), "-n"]

    def ip(self, *arguments):
        done = subprocess.run([*self.inside, "ip", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            skip(f"ip {' '.join(arguments)}: {done.stderr.strip()}")

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(10)


@contextlib.contextmanager
def joined(addresses):
    """Two namespaces with a link between them, `cable0` and `cable1`, which is removed with them."""
    ends = [Namespace(), Namespace()]
    try:
        ends[0].ip("link", "add", "cable0", "type", "veth", "peer", "name", "cable1", "netns", str(ends[1].holder.pid))
        for k, end in enumerate(ends):
            end.ip("addr", "add", f"{addresses[k]}/24", "dev", f"cable{k}")
            end.ip("link", "set", f"cable{k}", "up")
            end.ip("link", "set", "lo", "up")
        yield ends
    finally:
        for end in ends:
            end.close()
