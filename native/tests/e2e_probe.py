"""The probe's port: authentication, and what unauthenticated connections can do."""
import hashlib
import hmac
import json
import os
import socket
import struct
import subprocess
import time

import ringlab

SECRET = "correct horse battery staple 0123456789"
OTHER = "another secret of the right length"
MAGIC = b"ringlab\x01"


def digest(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def unproved(port):
    connection = socket.create_connection(("127.0.0.1", port), 5)
    connection.settimeout(30)
    return connection


def exactly(connection, count):
    got = b""
    while len(got) < count and (part := connection.recv(count - len(got))):
        got += part
    return got


def is_closed(connection):
    """Has the other side closed it, whatever it sent before?"""
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def proved(port, secret=SECRET):
    connection = unproved(port)
    nonce = os.urandom(32)
    nonces = exactly(connection, 41)[9:] + nonce
    key = digest(b"ringlab run secret", secret.encode())
    connection.sendall(MAGIC + b"s" + nonce + digest(key, b"proof of the client", b"\n", b"s", nonces))
    return connection, exactly(connection, 33)[:1]


def listen(port, *options):
    listener = subprocess.Popen([ringlab.BINARY, "probe", "--listen", f"127.0.0.1:{port}", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert listener.stdout.readline() == f"listening on 127.0.0.1:{port}\n"
    return listener


def measure(port, *options, secret=None):
    if secret is not None:
        options += ("--secret-file", "-")
    return subprocess.run([ringlab.BINARY, "probe", "--connect", f"127.0.0.1:{port}", "--seconds", "0.2", *options], input=secret, capture_output=True, text=True, timeout=60)


with ringlab.folder() as root:
    path = root + "/secret"
    with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(SECRET + "\n")
    port = ringlab.free_port()
    listener = listen(port, "--secret-file", path, "--probes", "3")

    # With different secrets no probe runs, and each side reports the reason.
    for secret, said in ((None, "the other side has a secret"), (OTHER, "another secret")):
        done = measure(port, secret=secret)
        assert done.returncode == 4 and said in done.stderr and done.stdout == "", done
    assert proved(port, OTHER)[1] == b"\x01"

    # Endless data, or another protocol: closed; the bytes are not even counted.
    for bytes_ in (b"\xff" * (1 << 16), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + b"\r\n" * 60, b"U" + struct.pack("<Q", 1 << 62) + b"x" * 200):
        with unproved(port) as one:
            try:
                one.sendall(bytes_)
            except (BrokenPipeError, ConnectionResetError):
                pass
            assert is_closed(one)

    # Idle connections block no other: of 40 connections without a proof 16 are kept, and the right one measures.
    idle = [unproved(port) for _ in range(40)]
    done = measure(port, secret=SECRET)
    assert done.returncode == 0, done
    result = json.loads(done.stdout)
    assert result["rtt_ms"] > 0 and result["send_bits_per_second"] > 1e6 and result["receive_bits_per_second"] > 1e6, result
    # They are closed without any action of theirs.
    assert all(is_closed(one) for one in idle)

    # A peer with the secret that requests more than a probe transfers ends its own measurement, not the listener.
    greedy, verdict = proved(port)
    assert verdict == b"\0"
    greedy.sendall(b"D" + struct.pack("<Q", 1 << 62))
    assert is_closed(greedy)
    assert listener.poll() is None
    assert measure(port, secret=SECRET).returncode == 0
    assert listener.wait(30) == 0, listener.stderr.read()

    # Without --probes one probe is served. It works without a secret on both sides; a side with a secret reports the other one's lack.
    listener = listen(port)
    done = measure(port, secret=SECRET)
    assert done.returncode == 4 and "the other side has no secret" in done.stderr, done
    assert measure(port).returncode == 0 and listener.wait(30) == 0

    # It listens on one address, and ends at once if its secret is invalid.
    for options, said in ((["--listen", f"0.0.0.0:{port}"], "means every address"), (["--listen", f"127.0.0.1:{port}", "--seconds", "nan"], "0.1 to 600"),
                          (["--listen", f"127.0.0.1:{port}", "--probes", "0"], "1 to 10000")):
        done = subprocess.run([ringlab.BINARY, "probe", *options], capture_output=True, text=True, timeout=30)
        assert done.returncode == 2 and said in done.stderr, done
    os.chmod(path, 0o644)
    done = subprocess.run([ringlab.BINARY, "probe", "--listen", f"127.0.0.1:{port}", "--secret-file", path], capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "other users may read it" in done.stderr, done
print("ok")
