"""What `collect` costs: processor time, latency and losses, for a script that writes event files and one that prints without end.

    /usr/bin/python3 native/bench/collect.py native/build/ringlab-train [--seconds S] [--rate N] [--megabytes M]

The last line is one JSON object. The issue's goal: 1,000 scalars a second without loss below 10 % of a core; 10 MB of output a second below a
whole one.
"""
import argparse
import json
import os
import struct
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("binary")
parser.add_argument("--seconds", type=float, default=15)
parser.add_argument("--rate", type=int, default=1000, help="scalars a second")
parser.add_argument("--megabytes", type=float, default=10, help="of output a second")
arguments = parser.parse_args()

TABLE = []
for entry in range(256):
    for _ in range(8):
        entry = (entry >> 1) ^ (0x82F63B78 if entry & 1 else 0)
    TABLE.append(entry)


def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def event(step, tag, value):
    inner = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(inner)]) + inner
    number = b""
    while step >= 0x80:
        number += bytes([step & 0x7F | 0x80])
        step >>= 7
    data = b"\x09" + struct.pack("<d", time.time()) + b"\x10" + number + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


class Collector:
    def __init__(self, root):
        self.dir, self.work = os.path.join(root, "rank-0"), os.path.join(root, "code")
        os.makedirs(self.dir)
        os.makedirs(self.work)
        open(os.path.join(self.dir, "launch.sh"), "w").close()
        self.process = subprocess.Popen([arguments.binary, "collect", "--rank", f"0={self.dir}:{self.work}"])

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    def lines(self):
        path = os.path.join(self.dir, "metrics.jsonl")
        if not os.path.exists(path):
            return []
        with open(path) as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def end(self):
        path = os.path.join(self.dir, "exit.json")
        with open(path + ".tmp", "w") as file:
            file.write('{"code":0,"signal":null,"t":0,"attempt":1}')
        os.rename(path + ".tmp", path)
        assert self.process.wait(180) == 0
        return self.lines()


def measured(write):
    """Calls write(collector, tick) twenty times a second; cores used, and the lines at the end."""
    with tempfile.TemporaryDirectory(prefix="ringlab-bench-") as root:
        collector = Collector(root)
        started = time.time()
        ticks = int(arguments.seconds * 20)
        for tick in range(ticks):
            write(collector, tick)
            time.sleep(max(0, started + (tick + 1) / 20 - time.time()))
        cores = collector.cpu() / (time.time() - started)
        peak = collector.peak()
        return cores, peak, collector.end()


def scalars():
    """Ten names, each an event of its own, flushed at once: what a script that logs every step makes."""
    per_tick = arguments.rate // 20

    def write(collector, tick):
        with open(os.path.join(collector.work, "events.out.tfevents.1.host.1.0"), "ab") as file:
            for k in range(per_tick):
                number = tick * per_tick + k
                file.write(event(number // 10 + 1, b"group/name%d" % (number % 10), number))

    cores, peak, lines = measured(write)
    found = sum(len(line["values"]) for line in lines if line["kind"] == "scalar")
    return {"scalars": int(arguments.seconds * 20) * per_tick, "found": found, "cores": round(cores, 4), "memory_mib": round(peak, 1), "lines": len(lines)}


def latency():
    """Seconds from a write to its line, one write every tenth of a second or so."""
    took = []
    with tempfile.TemporaryDirectory(prefix="ringlab-bench-") as root:
        collector = Collector(root)
        path = os.path.join(collector.dir, "metrics.jsonl")
        for step in range(30):
            written = time.time()
            with open(os.path.join(collector.dir, "log.txt"), "a") as log:
                log.write(f"step {step}: loss {step}.5\n")
            while not (os.path.exists(path) and f'"step":{step},"from"' in open(path).read()):
                time.sleep(0.005)
            took.append(time.time() - written)
            time.sleep(0.037)
        collector.end()
    took.sort()
    return {"median_s": round(took[len(took) // 2], 3), "largest_s": round(took[-1], 3)}


def flood():
    """Output without metrics, as fast as asked for, with a metric twenty times a second."""
    noise = "2026-11-23 14:22:33,123 - INFO - worker 3 of 8: sample 12345 took 0.5 ms, cache hits 10, misses 3\n"
    text = noise * int(arguments.megabytes * 1e6 / 20 / len(noise))

    def write(collector, tick):
        with open(os.path.join(collector.dir, "log.txt"), "a") as log:
            log.write(text + f"step {tick}: loss 0.5\n")

    cores, peak, lines = measured(write)
    found = sum(1 for line in lines if line["kind"] == "scalar")
    return {"megabytes": round(len(text) * arguments.seconds * 20 / 1e6), "metrics": int(arguments.seconds * 20), "found": found, "cores": round(cores, 4), "memory_mib": round(peak, 1), "skipped": lines[-1].get("skipped")}


def idle():
    """A script that writes nothing, beside a thousand event files."""
    def write(collector, tick):
        if tick == 0:
            for k in range(1000):
                folder = os.path.join(collector.work, "runs", str(k))
                os.makedirs(folder)
                with open(os.path.join(folder, "events.out.tfevents.1.host"), "wb") as file:
                    file.write(event(1, b"loss", k))

    cores, peak, lines = measured(write)
    return {"cores": round(cores, 4), "memory_mib": round(peak, 1), "found": sum(len(line["values"]) for line in lines if line["kind"] == "scalar")}


result = {}
for part in (scalars, latency, flood, idle):
    result[part.__name__] = part()
    print(part.__name__, result[part.__name__], flush=True)
print(json.dumps(result))
