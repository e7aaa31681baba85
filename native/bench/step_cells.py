"""How long a step takes over drawn links, cell by cell: what the app's estimate is judged by (src/shared/estimate.test.ts).

usage: step_cells.py BINARY [--only WORD] [--json FILE]

Each node is a network namespace with an address of its own, each link a veth pair with `tc tbf` at both ends; packets go
over intermediate nodes. One rank a node, one thread each, pictures of 32 px. Needs root. A cell's line has
the median of its steps without the first two, of the slowest rank; `compute_seconds` is that of the same ranks over links
that nothing shapes, so that the estimate is not told what it shall find out.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
import ringlab  # noqa: E402

PORT = 29400
CELLS = [
    # shape, nodes, Mbps, mode, architecture, steps
    ("chain", 3, 10, "allreduce", "squeezenet1_1", 8),
    ("chain", 3, 100, "allreduce", "resnet18", 8),
    ("star", 4, 100, "allreduce", "resnet18", 8),
    ("ring", 8, 100, "allreduce", "resnet18", 6),
    ("ring", 4, 1000, "allreduce", "resnet18", 12),
    ("chain", 3, 10, "powersgd:2", "resnet18", 12),
    ("star", 4, 10, "powersgd:2", "resnet18", 12),
    ("ring", 8, 10, "powersgd:2", "squeezenet1_1", 12),
    ("chain", 8, 100, "powersgd:2", "resnet18", 10),
    ("star", 3, 1000, "powersgd:2", "resnet18", 20),
]
BATCH = 16  # pictures a rank and step


def links_of(shape, nodes):
    if shape == "star":
        return [(0, k) for k in range(1, nodes)]
    return [(k, (k + 1) % nodes) for k in range(nodes if shape == "ring" else nodes - 1)]


def address(node):
    return f"10.213.9.{node + 1}"


class Node:
    """A network namespace that lives as long as the process that holds it."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "ready\n", "network namespaces need root"
        self.inside = ["nsenter", "-t", str(self.holder.pid), "-n"]

    def run(self, *command):
        done = subprocess.run([*self.inside, *command], capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}"

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(10)


def next_hops(links, nodes, start):
    """By destination, the neighbour over which the shortest way leads."""
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


def network(shape, count, mbps):
    nodes = [Node() for _ in range(count)]
    links = links_of(shape, count)
    for number, (a, b) in enumerate(links):
        nodes[a].run("ip", "link", "add", f"to{b}", "type", "veth", "peer", "name", f"to{a}", "netns", str(nodes[b].holder.pid))
        for here, there in ((a, b), (b, a)):
            nodes[here].run("ip", "link", "set", f"to{there}", "up")
            if mbps is not None:
                # A burst of at least what passes between two ticks of the kernel's clock (250 a second).
                burst = max(32_000, mbps * 1_000_000 // 8 // 250 * 2)
                nodes[here].run("tc", "qdisc", "add", "dev", f"to{there}", "root", "tbf", "rate", f"{mbps}mbit", "burst", str(burst), "latency", "400ms")
    for k, node in enumerate(nodes):
        node.run("ip", "link", "set", "lo", "up")
        node.run("ip", "addr", "add", f"{address(k)}/32", "dev", "lo")
        node.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        # As the app's emulated networks: BBR takes the microseconds of an idle veth for the link's round trip.
        node.run("sh", "-c", "case $(cat /proc/sys/net/ipv4/tcp_congestion_control) in bbr*) echo reno > /proc/sys/net/ipv4/tcp_congestion_control;; esac")
        for end, via in next_hops(links, count, k).items():
            gateway = [] if via == end else ["via", address(via), "onlink"]
            node.run("ip", "route", "add", f"{address(end)}/32", *gateway, "dev", f"to{via}", "src", address(k))
        node.run("sh", "-c", "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done")
    return nodes


def measure(data, shape, count, mbps, mode, arch, steps):
    nodes = network(shape, count, mbps)
    ranks = []
    try:
        with ringlab.folder() as root:
            for k, node in enumerate(nodes):
                arguments = [data, "-a", arch, "--image-size", "32", "--threads", "1", "-j", "1", "-b", str(BATCH), "--seed", "1", "--lr", "0.01", "--epochs", "1", "--sync", mode]
                arguments += ["--world-size", str(count), "--rank", str(k), "--dist-url", f"tcp://{address(0)}:{PORT}", "--address", address(k)]
                ranks.append(ringlab.Rank(root, k, arguments, env={**os.environ, "OMP_NUM_THREADS": "1"}, inside=node.inside))
            for rank in ranks:
                rank.wait_for_steps(steps + 2, 900)
            lines = [rank.lines("step")[2 : steps + 2] for rank in ranks]
    finally:
        for rank in ranks:
            rank.process.kill()
            rank.process.wait()
        for node in nodes:
            node.close()

    def slowest(field):
        return max(statistics.median(field(line) for line in of) for of in lines)

    return {
        "seconds_per_step": slowest(lambda line: line["step_seconds"]),
        "other_seconds": slowest(lambda line: line["step_seconds"] - line["communication_seconds"]),
        "bytes_per_step": statistics.median(line["bytes_sent"] for line in lines[0]),
    }


parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--only", default="", help="cells whose name has this word")
parser.add_argument("--json", help="write the lines as one array")
options = parser.parse_args()
results = []
with ringlab.folder() as top:
    data = ringlab.make_shapes(os.path.join(top, "data"), train=8 * BATCH * 40, val=10, size=32)
    for shape, count, mbps, mode, arch, steps in CELLS:
        name = f"{shape} {count} {mbps} {mode} {arch}"
        if options.only not in name:
            continue
        compute = measure(data, "star", count, None, "allreduce", arch, 10)["other_seconds"]
        cell = {"shape": shape, "nodes": count, "mbps": mbps, "sync": mode, "architecture": arch, "batch": BATCH * count}
        cell |= {"compute_seconds": compute} | measure(data, shape, count, mbps, mode, arch, steps)
        results.append(cell)
        print(json.dumps({key: round(value, 4) if isinstance(value, float) else value for key, value in cell.items()}), flush=True)
if options.json:
    with open(options.json, "w") as file:
        json.dump(results, file, indent=1)
