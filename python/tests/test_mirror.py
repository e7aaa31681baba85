"""What a script logs to trackio or SwanLab is charted, too, without a changed line; what they do stays as it was."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from harness import PACKAGE

# As trackio 0.43 and swanlab 0.10 have it: a class Run, and a function that calls its method.
LOGGER = """
class Run:
    logged = []
    def log(self, {values}, step=None):
        self.logged.append(({values}, step))
        if "bad" in {values}: raise ValueError("theirs")
        return "logged"
def log({values}, step=None): return Run().log({values}={values}, step=step)
"""


class Mirror(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_script(self, name, program, text):
        (self.folder / name).mkdir()
        (self.folder / name / "__init__.py").write_text(text, "utf-8")
        path = os.pathsep.join([str(PACKAGE), str(PACKAGE / "ringlab" / "startup"), str(self.folder)])
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)], env={**os.environ, "PYTHONPATH": path, "RINGLAB_RANK_DIR": str(self.folder)}, capture_output=True, text=True, timeout=60, check=False
        )
        file = self.folder / "ringlab.jsonl"
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
        return done.stdout, done.stderr, [(line["step"], line["values"]) for line in lines]

    def test_of_each(self):
        for name, values in (("trackio", "metrics"), ("swanlab", "data")):
            with self.subTest(name):
                program = f"""
                    import {name}
                    print({name}.log({{"loss": 0.5, "nested": {{"a": 1}}, "picture": object()}}), {name}.Run().log({{"loss": 0.25}}, 7), len({name}.Run.logged))
                """
                (self.folder / "ringlab.jsonl").unlink(missing_ok=True)
                said, error, points = self.run_script(name, program, LOGGER.format(values=values))
                self.assertEqual((said, error), ("logged logged 2\n", ""))
                self.assertEqual(points, [(0, {"loss": 0.5, "nested/a": 1}), (7, {"loss": 0.25})])

    def test_the_step_of_hugging_faces_callbacks_is_among_the_values(self):
        # transformers' TrackioCallback: `self._trackio.log({**rewrite_logs(logs), "train/global_step": state.global_step})`.
        program = """
            import trackio
            for at in (1000, 1500):
                trackio.log({"train/loss": 2.0, "train/epoch": at / 5000, "train/global_step": at})
            trackio.log({"eval/loss": 1.5, "train/global_step": 1500}, 7)
            trackio.log({"train/global_step": 1500})
        """
        points = self.run_script("trackio", program, LOGGER.format(values="metrics"))[2]
        self.assertEqual(points, [(1000, {"train/loss": 2.0, "epoch": 0.2}), (1500, {"train/loss": 2.0, "epoch": 0.3}), (7, {"eval/loss": 1.5})])

    def test_their_errors_stay_theirs(self):
        program = """
            import trackio
            try: trackio.log({"bad": 1})
            except ValueError as error: print(error)
        """
        self.assertEqual(self.run_script("trackio", program, LOGGER.format(values="metrics")), ("theirs\n", "", []))

    def test_a_module_of_another_shape_is_left_alone(self):
        self.assertEqual(self.run_script("trackio", "import trackio; print(trackio.value)", "value = 3"), ("3\n", "", []))


if __name__ == "__main__":
    unittest.main()
