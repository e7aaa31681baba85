"""A killed peer, a stopped peer, ranks that disagree or never connect, a port in use: a clear error and the right exit code."""
import os
import resource
import signal
import socket
import time

import ringlab

ARCH = ("-a", "shufflenet_v2_x0_5")

with ringlab.folder() as root:
    data = ringlab.make_shapes(os.path.join(root, "data"), train=1000, val=10, size=32)

    def lose(name, victim, how):
        ranks = ringlab.start(os.path.join(root, name), 3, data, *ARCH, "-b", "4")
        for rank in ranks:
            rank.wait_for_steps(1)
        ranks[victim].process.send_signal(how)
        lost_at = time.time()
        survivors = [rank for rank in ranks if rank.rank != victim]
        codes = [rank.wait(60) for rank in survivors]
        ranks[victim].process.kill()
        assert codes == [4, 4], [rank.log()[-600:] for rank in survivors]
        for rank in survivors:
            error = rank.lines("error")[0]
            assert error["code"] == "peer_lost" and error["peer_rank"] == victim and error["peer_address"] == "127.0.0.1", error
            noticed = error["t"] - lost_at
            # 2.5 s on an idle machine; without heartbeats it would be Gloo's half an hour.
            assert noticed < 30, f"{name}: rank {rank.rank} noticed after {noticed:.2f} s"
            assert rank.lines("end")[0]["exit_code"] == 4
            print(f"{name}: rank {rank.rank} noticed after {noticed:.2f} s: {error['message']}")

    lose("killed", 1, signal.SIGKILL)
    lose("rank 0 killed", 0, signal.SIGKILL)
    lose("hangs", 2, signal.SIGSTOP)

    # A pause that is shorter than the time-out: nobody is lost, also where the store does not answer for longer than it usually may.
    ranks = ringlab.start(os.path.join(root, "patient"), 2, data, *ARCH, "-b", "4", "--epochs", "1", "--peer-timeout", "60")
    for rank in ranks:
        rank.wait_for_steps(1)
    ranks[0].process.send_signal(signal.SIGSTOP)
    time.sleep(12)
    assert ranks[1].process.poll() is None, ranks[1].log()[-600:]
    ranks[0].process.send_signal(signal.SIGCONT)
    assert [rank.wait(120) for rank in ranks] == [0, 0], [rank.log()[-600:] for rank in ranks]

    # Ranks that disagree: each reports the difference.
    port = ringlab.free_port()
    a = ringlab.start(os.path.join(root, "differ"), 2, data, *ARCH, "-b", "4", port=port, ranks=[0])
    b = ringlab.start(os.path.join(root, "differ"), 2, data, "-b", "4", "-a", "squeezenet1_1", port=port, ranks=[1])
    for rank in a + b:
        assert rank.wait(60) == 4 and "arch: rank 0 has shufflenet_v2_x0_5, rank 1 has squeezenet1_1" in rank.log(), rank.log()
        assert rank.lines("error")[0]["code"] == "peer_disagrees"

    # A rank that never connects.
    ranks = ringlab.start(os.path.join(root, "alone"), 2, data, "--rendezvous-timeout", "1", ranks=[0])
    assert ranks[0].wait(60) == 4 and "rank 1 of 2 did not join within 1 s" in ranks[0].log(), ranks[0].log()
    ranks = ringlab.start(os.path.join(root, "alone"), 2, data, "--rendezvous-timeout", "1", ranks=[1])
    assert ranks[0].wait(60) == 4 and ranks[0].lines("error")[0]["code"] == "rendezvous_timeout", ranks[0].log()

    # Connections to hundreds of ranks: a soft limit of descriptors is raised, and a hard one that does not allow them is named.
    def of_400(name, limit):
        many = [data, *ARCH, "--world-size", "400", "--rank", "0", "--dist-url", f"tcp://127.0.0.1:{ringlab.free_port()}", "--rendezvous-timeout", "1"]
        return ringlab.Rank(os.path.join(root, name), 0, many, inside=["sh", "-c", f'ulimit {limit}; exec "$@"', "-"])

    rank = of_400("few descriptors", "-n 1000")
    assert rank.wait(60) == 1 and "Too many open files: rank 0 of 400 needs" in rank.log() and "the limit of this process is 1000" in rank.log(), rank.log()
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 4096:
        rank = of_400("more descriptors", "-Sn 1000")
        assert rank.wait(60) == 4 and "did not join within 1 s" in rank.log(), rank.log()

    # A port in use, and an address of another machine.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ranks = ringlab.start(os.path.join(root, "taken"), 2, data, port=taken.getsockname()[1], ranks=[0])
        assert ranks[0].wait(60) == 1 and ranks[0].lines("error")[0]["code"] == "port_in_use", ranks[0].log()
    rank = ringlab.Rank(os.path.join(root, "far"), 0, [data, "--world-size", "2", "--rank", "0", "--dist-url", "tcp://192.0.2.1:4567"])
    assert rank.wait(60) == 1 and rank.lines("error")[0]["code"] == "address_not_local", rank.log()
