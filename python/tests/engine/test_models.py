"""Models of several kinds with `ringlab.slow` and `ringlab.hook`, on two processes: what their modes cannot train exactly is named."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from cases import Cases
from test_engine import needs

WORLD = 2
STREAM = "local:1,stream=0.145,overlap=1"


@needs
class Models(Cases, unittest.TestCase):
    script = "models.py"
    world = WORLD

    def each_of(self, name):
        for found in self.each(name):
            for which, one in found.items():
                with self.subTest(which=which):
                    if isinstance(one, str):
                        self.fail(one)
                    yield which, one

    def test_torchs_default_type_decides_nothing(self):
        for _, same in self.each_of("types"):
            self.assertTrue(same)

    def test_float64_stays_float64_or_is_refused_by_name(self):
        for found in self.each("doubles"):
            for mode in ("allreduce", "local:2", "powersgd:2", "auto"):
                self.assertLess(found[mode], 1e-20, mode)
            self.assertIn("parameter weight is float64", found[STREAM])
            self.assertIn("allreduce", found[STREAM])

    def test_statistics_of_float64_are_averaged_as_such(self):
        for far in self.each("double statistics"):
            self.assertLess(far, 1e-15)

    def test_a_hook_follows_parameters_that_get_other_memory(self):
        self.assertEqual([found["hook that moves"] for found in self.ranks], [True] * WORLD)

    def test_parameters_that_are_unfrozen_later_are_named(self):
        for _, one in self.each_of("unfrozen"):
            self.assertIn("0.weight, 0.bias requires a gradient now", one["said"])
            self.assertTrue(one["moved"])

    def test_another_optimizer_is_said_to_train_alone(self):
        for found in self.ranks:
            for said in found["another optimizer"].values():
                self.assertRegex(said, "without a step of the optimizer that ringlab.slow was given|^$")
            # Once a process.
            self.assertEqual(sum(said.count("each rank trains alone") for said in found["another optimizer"].values()), 1)
            self.assertEqual(found["the same optimizer"], {"with_loads": "", "in_closures": ""})

    def test_gradients_that_no_exchange_averaged_are_said(self):
        for found in self.each("past the wrapper"):
            self.assertIn("a step has gradients that no exchange averaged", found.pop("by_the_model_inside"))
            self.assertEqual(found, {"by_turns": "", "in_closures": ""})

    def test_what_exchanges_by_itself_is_refused(self):
        for found in self.each("wrapped already"):
            self.assertIn("the model is a DistributedDataParallel, which sends all gradients", found["ddp"])
            self.assertIn("'1' of the model is a DistributedDataParallel", found["inner"])
            self.assertIn("the model is sharded by FSDP", found["fsdp"])
            self.assertIn("ringlab.hook takes a DistributedDataParallel, not a Sequential", found["hook"])

    def test_a_closed_one_lets_go_of_the_model(self):
        for _, one in self.each_of("freed"):
            self.assertEqual(one, {"free": True, "said": "this synchronisation is closed"})

    def test_sparse_gradients_are_averaged_as_dense_ones(self):
        for mode, one in self.each_of("sparse"):
            self.assertTrue(one["equal"])
            if mode == "allreduce":
                self.assertLess(one["far"], 1e-6)
            self.assertIn("words.weight, bag.weight has sparse gradients", one["adam"])
            self.assertIn("words.weight, bag.weight has sparse gradients", one["hook"])


@needs
class Alone(unittest.TestCase):
    def said(self, program, begin=(), **variables):
        package = str(Path(__file__).resolve().parent.parent.parent)
        done = subprocess.run([*begin, sys.executable, "-B", "-c", program], env={"USE_LIBUV": "0", **os.environ, "PYTHONPATH": package, **variables}, capture_output=True, text=True, check=False)
        return done.stdout or done.stderr

    def test_the_only_rank_has_no_one_to_average_with(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"""
import torch, torch.distributed as dist, ringlab
dist.init_process_group("gloo", init_method="file://{folder}/store", rank=0, world_size=1)
ddp = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 3))
print(ringlab.hook(ddp))
ddp(torch.ones(1, 3)).sum().backward()
"""
            self.assertEqual(self.said(program), "None\n")

    def test_a_temporary_folder_that_may_hold_no_programs(self):
        """As hardened machines mount /tmp."""
        with tempfile.TemporaryDirectory() as folder:
            mounted, rank = os.path.join(folder, "tmp"), os.path.join(folder, "rank")
            os.mkdir(mounted)
            os.mkdir(rank)
            begin = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o noexec none "$1" && shift && exec "$@"', "sh", mounted]
            try:
                subprocess.run([*begin, "true"], check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("this system lets no process mount a folder of its own")
            program = "from ringlab import _engine\ntry: _engine.load(), print('loaded')\nexcept RuntimeError as error: print(error)"
            said = {place: self.said(program, begin, TMPDIR=mounted, RINGLAB_RANK_DIR=place) for place in (rank, "")}
            self.assertEqual(said[rank], "loaded\n")
            self.assertEqual(os.listdir(rank), [])
            self.assertIn("mounted noexec", said[""])
            self.assertIn("Set TMPDIR", said[""])


if __name__ == "__main__":
    unittest.main()
