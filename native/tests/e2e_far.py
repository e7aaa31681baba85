"""The probe over paths that a satellite or a modem has: a round trip of more than a second, and 30 kbit/s."""
import concurrent.futures
import contextlib
import fcntl
import json
import os
import queue
import struct
import subprocess
import threading
import time

import ringlab
from namespaces import Namespace, skip

ADDRESSES = ["10.213.8.1", "10.213.8.2"]
PORT = 29400  # inside a separate namespace, where no other program listens
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000


def tunnel(name):
    """A device whose packets this process carries."""
    try:
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    except OSError as error:
        skip(f"/dev/net/tun: {error}")
    return device


def carry(source, target, seconds, bits_per_second):
    """Carries packets until a device is closed; each arrives `seconds` after its last bit was sent."""
    under_way = queue.Queue()

    def deliver():
        while (entry := under_way.get()) is not None:
            time.sleep(max(0, entry[0] - time.monotonic()))
            with contextlib.suppress(OSError):
                os.write(target, entry[1])

    threading.Thread(target=deliver, daemon=True).start()
    free = time.monotonic()
    while True:
        try:
            packet = os.read(source, 65536)
        except OSError:
            break
        free = max(free, time.monotonic()) + 8 * len(packet) / bits_per_second
        under_way.put((free + seconds, packet))
    under_way.put(None)


@contextlib.contextmanager
def two_ends(name, seconds, bits_per_second):
    """Two namespaces with a path between them."""
    ends = [Namespace(), Namespace()]
    devices = [tunnel(f"{name}{k}") for k in range(2)]
    try:
        for k, end in enumerate(ends):
            subprocess.run(["ip", "link", "set", f"{name}{k}", "netns", str(end.holder.pid)], check=True)
            end.ip("addr", "add", f"{ADDRESSES[k]}/24", "dev", f"{name}{k}")
            end.ip("link", "set", f"{name}{k}", "up")
        for k in range(2):
            threading.Thread(target=carry, args=(devices[k], devices[1 - k], seconds, bits_per_second), daemon=True).start()
        yield ends
    finally:
        for end in ends:
            end.close()
        for device in devices:
            os.close(device)


def probed(ends):
    here, there = ends
    address = f"{ADDRESSES[1]}:{PORT}"
    listener = subprocess.Popen([*there.inside, ringlab.BINARY, "probe", "--listen", address, "--seconds", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert listener.stdout.readline() == f"listening on {address}\n"
        done = subprocess.run([*here.inside, ringlab.BINARY, "probe", "--connect", address, "--seconds", "0.2", "--connect-timeout", "30"], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done
        return json.loads(done.stdout)
    finally:
        listener.kill()
        listener.wait()


# Side by side: most of the time is waiting.
with two_ends(f"rl{os.getpid()}f", 0.51, 1e8) as far, two_ends(f"rl{os.getpid()}s", 0, 30_000) as slow, concurrent.futures.ThreadPoolExecutor() as pool:
    far, slow = pool.map(probed, [far, slow])
assert far["rtt_ms"] >= 1020, far
for direction in ("send_bits_per_second", "receive_bits_per_second"):
    # Headers take a part of it.
    assert 0 < slow[direction] <= 30_000, slow
print("ok")
