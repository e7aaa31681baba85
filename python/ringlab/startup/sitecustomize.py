"""Python imports this at its start, where Ringlab started the process: its folder is in PYTHONPATH. Then runs the next module of this name.

Once torch.distributed is imported, `ringlab._collectives` notices where ranks wait for each other; what is logged to trackio or SwanLab is
charted, too. Without them nothing happens.
"""

import os
import sys

_HERE = os.path.dirname(os.path.realpath(__file__))
_ATTACH = {"torch.distributed.distributed_c10d": "ringlab._collectives", "trackio": "ringlab._mirror", "swanlab": "ringlab._mirror"}


def _others(path):
    return [entry for entry in path if os.path.realpath(entry or os.curdir) != _HERE]


def _next():
    """A distribution's or the user's own, which this one hides."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    # A child process that is started with this path as its PYTHONPATH has it from the environment again.
    sys.path[:] = _others(sys.path)
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


class _Finder:
    """Finds some modules as the others do, and attaches to each when it has run."""

    finding = False

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in _ATTACH or cls.finding:
            return None
        from importlib import import_module
        from importlib.util import find_spec

        attach = import_module(_ATTACH[name]).attach
        cls.finding = True
        try:
            spec = find_spec(name)
        finally:
            cls.finding = False
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return spec
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            try:
                attach(module)
            except Exception:
                pass

        try:
            spec.loader.exec_module = exec_module
        except Exception:
            pass
        return spec


def _watch():
    if not os.environ.get("RINGLAB_RANK_DIR"):
        return
    # What the launcher gave, for `ringlab._collectives`: scripts set these anew, and start processes that inherit that.
    if os.environ.get("WORLD_SIZE", "").isdigit():
        given = (os.environ["WORLD_SIZE"], os.environ.get("LOCAL_WORLD_SIZE") or "1", os.environ.get("MASTER_ADDR") or "-")
        os.environ.setdefault("RINGLAB_GIVEN", " ".join(given))
    sys.meta_path.insert(0, _Finder)


try:
    _watch()
except Exception:
    pass
_next()
