"""The wheel: the same bytes each time, and it can be imported."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from harness import PACKAGE

sys.path.insert(0, str(PACKAGE / "packaging"))
import wheel_backend


class Wheel(unittest.TestCase):
    def build(self, make=wheel_backend.build_wheel):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name) / make(folder.name)

    def test_the_same_bytes_each_time(self):
        for make in (wheel_backend.build_wheel, wheel_backend.build_sdist):
            self.assertEqual(self.build(make).read_bytes(), self.build(make).read_bytes())

    def test_its_record_lists_every_file(self):
        with zipfile.ZipFile(self.build()) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith("RECORD"))
            listed = [line.split(",")[0] for line in archive.read(record).decode().splitlines()]
            self.assertEqual(sorted(listed), sorted(names))
            self.assertIn("ringlab/py.typed", names)
            line = next(line for line in archive.read(record).decode().splitlines() if line.startswith("ringlab/wandb.py,"))
            data = archive.read("ringlab/wandb.py")
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            self.assertEqual(line, f"ringlab/wandb.py,sha256={digest},{len(data)}")

    def test_it_is_imported_from(self):
        program = "import ringlab, ringlab.wandb; print(ringlab.__version__, ringlab.__file__)"
        wheel = self.build()
        said = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(wheel)}, capture_output=True, text=True, check=True, cwd=wheel.parent).stdout
        self.assertEqual(said.split()[0], wheel_backend.version())
        self.assertTrue(said.split()[1].startswith(str(wheel)))

    def test_its_version_is_the_programs(self):
        package = json.loads((PACKAGE.parent / "package.json").read_text())
        self.assertEqual(wheel_backend.version(), package["version"])


if __name__ == "__main__":
    unittest.main()
