"""A rank's folder for tests."""

import importlib
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PACKAGE))


class RankTest(unittest.TestCase):
    """Each test has a folder of its own, and the package as if it were imported for the first time."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["RINGLAB_RANK_DIR"] = folder.name
        os.environ.pop("WANDB_MODE", None)
        for name in [name for name in sys.modules if name == "ringlab" or name.startswith("ringlab.")]:
            del sys.modules[name]
        self.ringlab = importlib.import_module("ringlab")

    def lines(self):
        path = self.folder / "ringlab.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def points(self):
        """(step, values) of each line of values."""
        return [(line["step"], line["values"]) for line in self.lines() if "values" in line]
