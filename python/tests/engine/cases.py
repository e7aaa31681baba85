"""Runs a script of many cases once, on several processes, for a class of tests that look at what each rank found."""

import os
import tempfile

from test_engine import run


class Cases:
    """Beside unittest.TestCase. `script` writes RANK.pt: by case what was found, or as text why it failed."""

    script = ""
    world = 0

    @classmethod
    def setUpClass(cls):
        import torch

        with tempfile.TemporaryDirectory() as folder:
            codes, said = run("everything", folder, cls.script, cls.world)
            if codes != [0] * cls.world:
                raise AssertionError("exit codes %s\n%s" % (codes, "\n".join(text[-3000:] for text in said)))
            cls.ranks = [torch.load(os.path.join(folder, "%d.pt" % rank)) for rank in range(cls.world)]

    def each(self, name):
        for found in self.ranks:
            if isinstance(found[name], str):
                self.fail(found[name])
        return [found[name] for found in self.ranks]
