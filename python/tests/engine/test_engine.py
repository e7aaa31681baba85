"""`ringlab.slow` and `ringlab.hook` on three processes: the same C++ as the trainer's, judged by torch itself. RINGLAB_TRAINER is ringlab-train;
RINGLAB_TEST_DEVICE=cuda has them on a GPU, which all three share."""

import importlib.util
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WORLD = 3
needs = unittest.skipUnless(os.environ.get("RINGLAB_TRAINER") and importlib.util.find_spec("torch"), "RINGLAB_TRAINER is the built ringlab-train, and Python has torch")


def run(scenario, folder, program="rank.py", world=WORLD):
    """Exit codes and stderr of the ranks. Debian's torch 2.6 has no libuv, which Python's store asks for by default."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    ranks = []
    for rank in range(world):
        place = {"RANK": str(rank), "WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, str(Path(__file__).with_name(program)), scenario, folder]
        ranks.append(subprocess.Popen(command, env={"USE_LIBUV": "0", **os.environ, **place}, stderr=subprocess.PIPE, text=True))
    said = [rank.communicate(timeout=500)[1] for rank in ranks]
    return [rank.returncode for rank in ranks], said


@needs
class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import torch

        with tempfile.TemporaryDirectory() as folder:
            codes, said = run("everything", folder)
            if codes != [0] * WORLD:
                raise AssertionError("exit codes %s\n%s" % (codes, "\n".join(text[-3000:] for text in said)))
            cls.ranks = [torch.load(os.path.join(folder, "%d.pt" % rank)) for rank in range(WORLD)]

    def each(self, name):
        return [found[name] for found in self.ranks]

    def test_allreduce_is_ddp_to_the_bit(self):
        for found in self.each("allreduce"):
            self.assertEqual(found["same"], [True] * 4)
            self.assertTrue(all(found["accumulated"]))
            self.assertEqual(found["steps"], 4)
            self.assertGreater(found["bytes"], 0)

    def test_a_scheduler_may_be_made_before_or_after(self):
        for found in self.each("scheduled"):
            for when, one in found.items():
                with self.subTest(when=when):
                    self.assertEqual(one, {"said": "", "same": True, "steps": 3, "rate": 0.05 / 8})

    def test_local_steps_are_local_and_their_average_is_the_mean(self):
        for found in self.each("local"):
            self.assertTrue(found["begun_equal"])
            self.assertEqual(found["as_alone"], [True] * 3)
            self.assertEqual(found["apart"], [True, True, True, False])
            self.assertLess(found["far"], 1e-6)
            self.assertGreater(found["bytes"], 0)
            self.assertTrue(found["equal"] and found["statistics"])

    def test_every_mode_learns_and_brings_all_ranks_to_one_point(self):
        for found in self.each("modes"):
            for mode, one in found.items():
                with self.subTest(mode=mode):
                    self.assertTrue(one["together"])
                    self.assertTrue(one["moved"])
                    self.assertLess(one["losses"][1], 0.7 * one["losses"][0])
                    # Streams keep what they did not send in the rank's own weights.
                    if "stream" in mode:
                        self.assertTrue(one["apart"])
                    if mode == "powersgd:1":
                        self.assertFalse(one["apart"])

    def test_a_resumed_run_continues_to_the_bit(self):
        for found in self.each("resumed"):
            for mode, one in found.items():
                with self.subTest(mode=mode):
                    self.assertTrue(one["same"])
                    self.assertEqual(one["steps"], 10)
                    self.assertIn("mode local:9", one["refused"])

    def test_error_feedback_loses_nothing(self):
        for found in self.each("feedback"):
            self.assertTrue(found["equal"])
            self.assertGreater(found["kept"], 0.01)
            self.assertLess(found["lost"], 1e-4)

    def test_a_hook_of_ddp(self):
        for found in self.each("hook"):
            self.assertTrue(found["equal"])
            self.assertGreater(found["far"], 0)
            self.assertLess(found["far"], 0.01)
            self.assertIn("powersgd", found["refused"])

    def test_a_rank_with_other_weights_is_named(self):
        for found in self.each("tampered"):
            self.assertIn("rank 1 differ", found["said"])

    def test_ranks_with_other_models_are_named(self):
        for found in self.each("other_models"):
            self.assertIn("models differ", found["said"])

    def test_modes_and_optimizers_that_do_not_fit(self):
        for found in self.each("settings"):
            self.assertIn("local:0", found["local:0"])
            self.assertIn("nearest valid", found["sometimes"])
            self.assertEqual(found["auto"], "local:3,8bit")
            self.assertEqual(found["fast links"], "allreduce")
            self.assertEqual([found["slow links"], found["no links"]], ["local:1,stream=0.145,overlap=1"] * 2)
            self.assertIn("optimizer", found["optimizer"])


@needs
class Lost(unittest.TestCase):
    def test_a_rank_that_goes_is_named(self):
        import torch

        with tempfile.TemporaryDirectory() as folder:
            codes, _ = run("lost", folder)
            self.assertEqual(codes[1], 9)
            for rank in (0, 2):
                # Told, or ended with the trainer's code for a lost peer.
                if codes[rank] == 0:
                    self.assertIn("rank 1", torch.load(os.path.join(folder, "%d.pt" % rank))["said"])
                else:
                    self.assertEqual(codes[rank], 4)


@unittest.skipUnless(importlib.util.find_spec("torch"), "Python has torch")
class Absent(unittest.TestCase):
    def said(self, **variables):
        program = "from ringlab import _engine\ntry: _engine.load()\nexcept RuntimeError as error: print(error)"
        plain = {name: value for name, value in os.environ.items() if not name.startswith("RINGLAB_")}
        package = str(Path(__file__).resolve().parent.parent.parent)
        return subprocess.run([sys.executable, "-B", "-c", program], env={**plain, "PYTHONPATH": package, **variables}, capture_output=True, text=True, check=True).stdout

    def test_why_it_could_not_be_built_is_said(self):
        said = self.said(RINGLAB_ENGINE_PROBLEM="There is no C++ compiler.")
        self.assertIn("could not build its engine for torch", said)
        self.assertIn("There is no C++ compiler.", said)
        self.assertIn("DistributedDataParallel", said)

    def test_one_for_another_torch_is_said(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as other:
            other.write(b"none")
            other.flush()
            self.assertIn("built for another libtorch than this Python's torch", self.said(RINGLAB_ENGINE=other.name))

    def test_without_ringlab_what_to_do_is_said(self):
        self.assertIn("start the script with Ringlab", self.said())


if __name__ == "__main__":
    unittest.main()
