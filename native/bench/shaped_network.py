"""An emulated network for the benches: each node a network namespace, each link a veth pair with `tc tbf` at both ends; links with a delay
have TAP devices for ends, which the trainer's `link` command joins.

Packets are forwarded by intermediate nodes along the shortest path. Each node has one address, on a separate interface named `node`,
which can be passed to Gloo by name. Needs root; everything is removed with the process that created it.
"""
import os
import subprocess
import tempfile
import threading
import time


def links_of(shape, nodes):
    if shape == "star":
        return [(0, k) for k in range(1, nodes)]
    return [(k, (k + 1) % nodes) for k in range(nodes if shape == "ring" else nodes - 1)]


def address(node):
    return f"10.213.9.{node + 1}"


class Node:
    """A network namespace that exists as long as the process that holds it."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "ready\n", "network namespaces need root"
        self.inside = ["nsenter", "-t", str(self.holder.pid), "-n"]
        self.name = None

    def run(self, *command):
        done = subprocess.run([*self.inside, *command], capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}"

    def bytes_sent(self):
        """Bytes over all links of this node, including forwarded ones: the interfaces' own counters."""
        total = 0
        with open(f"/proc/{self.holder.pid}/net/dev") as file:
            for line in file:
                name, colon, numbers = line.partition(":")
                if colon and name.strip().startswith("to"):
                    total += int(numbers.split()[8])
        return total

    def named(self):
        """Its name below /run/netns, which it has from now on."""
        if self.name is None:
            self.name = f"bench-{os.getpid()}-{self.holder.pid}"
            subprocess.run(["ip", "netns", "attach", self.name, str(self.holder.pid)], check=True)
        return self.name

    def close(self):
        if self.name is not None:
            subprocess.run(["ip", "netns", "delete", self.name], check=True)
        self.holder.stdin.close()
        self.holder.wait(10)


def device(a, b):
    """Of the link between two nodes: the same name at both ends."""
    return f"to{min(a, b)}-{max(a, b)}"


def next_hops(links, nodes, start):
    """For each destination, the next hop of the shortest path."""
    first = {start: start}
    layer = [start]
    while layer:
        ends = []
        for here in layer:
            for a, b in links:
                for x, y in ((a, b), (b, a)):
                    if x == here and y not in first:
                        first[y] = y if here == start else first[here]
                        ends.append(y)
        layer = ends
    return {node: first[node] for node in range(nodes) if node != start}


class Network:
    """`mbps` None: links are not limited. `delay_ms` is of each direction of each link; with it, `trainer` is needed."""

    def __init__(self, shape, count, mbps, delay_ms=0, trainer=None):
        self.nodes = [Node() for _ in range(count)]
        links = links_of(shape, count)
        for a, b in links:
            if delay_ms > 0:
                for end in (a, b):
                    self.nodes[end].run("ip", "tuntap", "add", "dev", device(a, b), "mode", "tap")
            else:
                self.nodes[a].run("ip", "link", "add", device(a, b), "type", "veth", "peer", "name", device(a, b), "netns", str(self.nodes[b].holder.pid))
            for end in (a, b):
                self.nodes[end].run("ip", "link", "set", device(a, b), "up")
        self.link_folder = tempfile.TemporaryDirectory() if delay_ms > 0 else None
        if delay_ms > 0:
            rows = [f"{device(a, b)} {self.nodes[a].named()} {self.nodes[b].named()} {round(delay_ms * 1000)} 0 0\n" for a, b in links]
            subprocess.run([trainer, "link", os.path.join(self.link_folder.name, "link")], input="".join(rows), text=True, check=True)
        for k, node in enumerate(self.nodes):
            node.run("ip", "link", "set", "lo", "up")
            node.run("ip", "link", "add", "node", "type", "bridge")  # not every kernel has `dummy`
            node.run("ip", "addr", "add", f"{address(k)}/32", "dev", "node")
            node.run("ip", "link", "set", "node", "up")
            node.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
            # BBR would use the microseconds of an idle veth as the link's round trip.
            node.run("sh", "-c", "case $(cat /proc/sys/net/ipv4/tcp_congestion_control) in bbr*) echo reno > /proc/sys/net/ipv4/tcp_congestion_control;; esac")
            for end, via in next_hops(links, count, k).items():
                gateway = [] if via == end else ["via", address(via), "onlink"]
                node.run("ip", "route", "add", f"{address(end)}/32", *gateway, "dev", device(k, via), "src", address(k))
            node.run("sh", "-c", "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done")

        self.links = links
        if mbps is not None:
            self.shape(mbps)

    def shape(self, mbps):
        """Gives all links another bandwidth, also while they are used."""
        # The burst is at least the traffic between two kernel ticks (250 a second).
        burst = max(32_000, mbps * 1_000_000 // 8 // 250 * 2)
        for a, b in self.links:
            for end in (a, b):
                # A link carries packets, not the 64 KB pieces that a virtual one is given: a node that forwards would wait for the whole of one.
                self.nodes[end].run("ip", "link", "set", "dev", device(a, b), "gso_max_segs", "1")
                self.nodes[end].run("tc", "qdisc", "replace", "dev", device(a, b), "root", "tbf", "rate", f"{mbps}mbit", "burst", str(burst), "latency", "400ms")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The process that joins them ends when its devices are gone.
        if self.link_folder is not None:
            for a, b in self.links:
                self.nodes[a].run("ip", "link", "delete", device(a, b))
            self.link_folder.cleanup()
        for node in self.nodes:
            node.close()


class Counters:
    """A network's link counters, read ten times a second while it is open: bytes of all nodes at any time."""

    def __init__(self, network):
        self.network = network
        self.readings = []
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def read(self):
        self.readings.append((time.time(), sum(node.bytes_sent() for node in self.network.nodes)))

    def watch(self):
        while not self.closing.wait(0.1):
            self.read()

    def __enter__(self):
        self.read()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self.thread.join()
        self.read()

    def bytes_at(self, moment):
        before = self.readings[0]
        for reading in self.readings:
            if reading[0] >= moment:
                share = (moment - before[0]) / max(1e-9, reading[0] - before[0])
                return before[1] + share * (reading[1] - before[1])
            before = reading
        return before[1]

    def between(self, start, end):
        return self.bytes_at(end) - self.bytes_at(start)
