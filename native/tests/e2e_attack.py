"""Hostile connections to rank 0's port, during the rendezvous and during training: the run continues and finishes (finding 7)."""
import hashlib
import hmac
import os
import socket
import struct
import subprocess
import threading
import time

import ringlab

SECRET = "correct horse battery staple 0123456789"
MAGIC = b"ringlab\x01"


def digest(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def key_of(secret):
    return digest(b"ringlab run secret", secret.encode())


def answer_to(greeting, secret, nonce=None):
    nonce = nonce or os.urandom(32)
    nonces = greeting[9:] + nonce
    return MAGIC + b"s" + nonce + digest(key_of(secret), b"proof of the client", b"\n", b"s", nonces), nonces


def frame(key, count, payload, length=None):
    length = len(payload) if length is None else length
    return struct.pack(">I", length) + payload + digest(key, struct.pack(">QI", count, len(payload)), payload)[:16]


def text(value):
    return struct.pack(">I", len(value)) + value


def exactly(connection, count):
    got = b""
    while len(got) < count:
        part = connection.recv(count - len(got))
        if not part:
            return got
        got += part
    return got


def until_closed(connection):
    got = b""
    try:
        while part := connection.recv(4096):
            got += part
    except ConnectionResetError:
        pass
    return got


def connect(port, host="127.0.0.1"):
    connection = socket.create_connection((host, port), 5)
    connection.settimeout(30)
    return connection


def wait_for_port(port, rank):
    deadline = time.time() + 60
    while True:
        try:
            connect(port).close()
            return
        except OSError:
            assert time.time() < deadline and rank.process.poll() is None, rank.log()
            time.sleep(0.02)


def listening_addresses(port):
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file.readlines()[1:]]
    return {row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port}


def old_protocol(port):
    """A message that would declare a rank lost in c10d's TCPStore: SET of the verdict, with a length of 8 bytes before each text."""
    sized = lambda value: struct.pack("<Q", len(value)) + value
    for key in (b"/beat/verdict", b"beat/verdict", b"open/beat/verdict"):
        with connect(port) as stranger:
            stranger.sendall(b"\0" + sized(key) + sized(b"1\nmurdered") + b"x" * 200)
            until_closed(stranger)


def garbage(port):
    for bytes_ in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + b"\r\n" * 60, os.urandom(1 << 16), b"\0" * 4096, MAGIC + b"s" + b"\xff" * 2000, MAGIC + b"?" + b"\0" * 64):
        with connect(port) as stranger:
            try:
                stranger.sendall(bytes_)
                until_closed(stranger)
            except (BrokenPipeError, ConnectionResetError):
                pass


def hostile_handshakes(port):
    with connect(port) as first:
        greeting = exactly(first, 41)
        recorded, nonces = answer_to(greeting, SECRET)
        first.sendall(recorded)
        welcome = exactly(first, 33)
        assert welcome[0] == 0 and welcome[1:] == digest(key_of(SECRET), b"proof of the server", b"\n", b"s", nonces), "this test knows the secret"
    with connect(port) as replay:
        exactly(replay, 41)
        replay.sendall(recorded)
        assert until_closed(replay) == b"\x01" + bytes(32), "a recorded handshake opens nothing"
    with connect(port) as wrong:
        wrong.sendall(answer_to(exactly(wrong, 41), "another secret of a sort")[0])
        assert until_closed(wrong) == b"\x01" + bytes(32)


def hostile_messages(port):
    """By a peer that knows the secret, or writes into a connection of one that does."""
    verdict = b"c" + text(b"beat/verdict") + text(b"") + text(b"1\nmurdered")
    for make in (
        lambda key: struct.pack(">I", 0xFFFFFFFF) + b"x" * 100,
        lambda key: struct.pack(">I", (1 << 20) + 1) + b"x" * 100,
        lambda key: frame(b"not the key", 0, verdict),
        lambda key: frame(key, 1, verdict),
        lambda key: frame(key, 0, verdict)[:-1] + b"\0",
    ):
        with connect(port) as stranger:
            answer, nonces = answer_to(exactly(stranger, 41), SECRET)
            stranger.sendall(answer)
            assert exactly(stranger, 33)[0] == 0
            stranger.sendall(make(digest(key_of(SECRET), b"messages of the client", b"\n", b"s", nonces)))
            assert until_closed(stranger) == b"", "a message without its proof is answered with the end of the connection"


def secret_file(root, name, secret=SECRET):
    path = os.path.join(root, name)
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
        file.write(secret + "\n")
    return path


with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=1200, val=10, size=32)
    small = ringlab.make_shapes(os.path.join(root, "small"), train=32, val=10, size=32)
    mine = secret_file(root, "secret")
    options = ["-a", "shufflenet_v2_x0_5", "-b", "8", "--epochs", "1", "--secret-file", mine]
    port = ringlab.free_port()
    there = os.path.join(root, "run")
    [zero] = ringlab.start(there, 2, data, *options, port=port, ranks=[0])
    wait_for_port(port, zero)

    assert listening_addresses(port) == {"0100007F"}, f"it listens on {listening_addresses(port)}"
    for other in ("127.0.0.2", *subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()):
        try:
            connect(port, other).close()
            raise AssertionError(f"the port is open on {other}")
        except OSError:
            pass

    old_protocol(port)
    garbage(port)
    hostile_handshakes(port)
    hostile_messages(port)
    waiting = [connect(port) for _ in range(40)]
    for connection in waiting:
        connection.sendall(MAGIC + b"s" + b"half a handshake")

    # Ranks with another secret, and with none: each reports the reason. Rank 0 continues to wait for the right one.
    other = secret_file(root, "other", "another secret of a sort")
    for name, extra, words in (("other", ["--secret-file", other], "rank 0 has another secret"), ("none", [], "rank 0 runs with a secret, and this rank has none")):
        [rank] = ringlab.start(os.path.join(root, f"with-{name}"), 2, data, *options[:-2], *extra, port=port, ranks=[1])
        assert rank.wait(60) == 4 and rank.lines("error")[0]["code"] == "peer_disagrees" and words in rank.log(), rank.log()

    # 10,000 connections, while rank 1 connects.
    flooded = [0]

    def flood():
        held = []
        try:
            while flooded[0] < 10_000:
                held.append(socket.create_connection(("127.0.0.1", port), 5))
                flooded[0] += 1
                if len(held) > 400:
                    for connection in held[:200]:
                        connection.close()
                    del held[:200]
        except OSError:
            pass  # all ranks are connected: the port is closed

    flooding = threading.Thread(target=flood)
    flooding.start()
    while flooded[0] < 3000 and flooding.is_alive():
        time.sleep(0.01)
    [one] = ringlab.start(there, 2, data, *options, port=port, ranks=[1])
    for rank in (zero, one):
        rank.wait_for_steps(3)
    flooding.join()
    print(f"{flooded[0]} connections before the ranks were all there and the port was closed")

    # During the run: the port is closed, and the secret is only in its file.
    assert listening_addresses(port) == set()
    try:
        old_protocol(port)
        raise AssertionError("the port is still open")
    except ConnectionRefusedError:
        pass
    for connection in waiting:
        connection.close()
    for rank in (zero, one):
        for place in ("cmdline", "environ"):
            with open(f"/proc/{rank.process.pid}/{place}", "rb") as file:
                assert SECRET.encode() not in file.read(), place
    for rank in (zero, one):
        assert rank.wait() == 0 and rank.lines("end")[0]["reason"] == "finished", rank.log()
        assert rank.lines("error") == [] and SECRET not in rank.log()
        with open(rank.metrics) as file:
            assert SECRET not in file.read()

    # Rank 0 reports refused connections if the rendezvous fails.
    port = ringlab.free_port()
    [zero] = ringlab.start(os.path.join(root, "refused"), 2, data, *options, "--rendezvous-timeout", "3", port=port, ranks=[0])
    wait_for_port(port, zero)
    hostile_handshakes(port)
    assert zero.wait(60) == 4 and "refused, the last from 127.0.0.1: its secret is another one" in zero.log(), zero.log()

    # Only these addresses: a connection from another one ends without a byte, and a rank with a listed address is accepted.
    port = ringlab.free_port()
    there = os.path.join(root, "peers")
    [zero] = ringlab.start(there, 2, small, *options, "--peers", "127.0.0.5", port=port, ranks=[0])
    wait_for_port(port, zero)
    with connect(port) as stranger:
        assert until_closed(stranger) == b""
    [one] = ringlab.start(there, 2, small, *options, "--address", "127.0.0.5", port=port, ranks=[1])
    assert [zero.wait(), one.wait()] == [0, 0], zero.log() + one.log()

    # Without a secret a run is as open as Python's: it works and reports it, and a rank with a secret does not join it.
    port = ringlab.free_port()
    there = os.path.join(root, "open")
    [zero] = ringlab.start(there, 2, small, *options[:-2], port=port, ranks=[0])
    [rank] = ringlab.start(os.path.join(root, "with"), 2, small, *options, port=port, ranks=[1])
    assert rank.wait(60) == 4 and "this rank has a secret, and rank 0 runs without one" in rank.log(), rank.log()
    [one] = ringlab.start(there, 2, small, *options[:-2], port=port, ranks=[1])
    assert [zero.wait(), one.wait()] == [0, 0], zero.log() + one.log()
    assert "no --secret-file: anyone who reaches" in zero.log() and "--secret-file" not in one.log()

    # A secret that others may read, and the wildcard address: usage errors.
    os.chmod(mine, 0o644)
    [rank] = ringlab.start(os.path.join(root, "loose"), 2, small, *options, ranks=[0])
    assert rank.wait(60) == 2 and "other users may read it" in rank.log(), rank.log()
    rank = ringlab.Rank(os.path.join(root, "every"), 0, [data, "--world-size", "2", "--rank", "0", "--dist-url", "tcp://0.0.0.0:4567"])
    assert rank.wait(60) == 2 and "means every address" in rank.log(), rank.log()
