"""log, config and save: one line each in the rank's file."""

from __future__ import annotations

import os
import threading
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Mapping, Optional

from . import _lines, _numbers


class _Counter:
    """The step of a call that names none. Forked workers and signal handlers may call, too."""

    def __init__(self) -> None:
        self.next = 0
        self.renew()
        if hasattr(os, "register_at_fork"):
            # Another thread of the parent may hold it at that moment.
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.lock = threading.RLock()

    def take(self, given: Optional[float], advance: bool) -> float:
        with self.lock:
            step: float = self.next if given is None else given
            if advance or given is not None:
                self.next = int(step) + (1 if advance else 0)
            return step


_counter = _Counter()


@contextmanager
def kept_step() -> Iterator[None]:
    """What is written inside does not change the counted step."""
    with _counter.lock:
        before = _counter.next
        try:
            yield
        finally:
            _counter.next = before


def log(values: Mapping[str, Any], step: Optional[float] = None) -> None:
    """Logs a point of each value, such as ``log({"train/loss": loss, "lr": lr})``.

    Numbers of Python, numpy and torch (of one element) are taken; the names of nested dicts are joined by ``/``. Steps are counted
    from 0, one a call, or continue after the last ``step`` that was given. Never raises. A tensor on a GPU is waited for.
    """
    write_values(values, step)


def config(values: Any = None, **more: Any) -> None:
    """Keeps the settings of this run: a dict, ``argparse``'s result, a dataclass, or names and values. Never raises."""
    if _lines.folder() is None:
        return
    try:
        settings = _numbers.plain({**_numbers.mapping(values), **more})
    except Exception as error:
        _lines.say_once("settings were left out: %s" % error)
        return
    if settings:
        _lines.append({"t": time.time(), "config": settings})


def save(path: Any) -> None:
    """Names a file that this script has written, to be listed with the run and fetched. It is not copied. Never raises."""
    if _lines.folder() is None:
        return
    try:
        text = os.path.abspath(os.fsdecode(path)).encode("utf-8", "replace").decode("utf-8")
    except Exception as error:
        _lines.say_once("a file was left out: %s" % error)
        return
    _lines.append({"t": time.time(), "save": text})


def _whole_or_not(step: float) -> float:
    return int(step) if step == int(step) else step


def write_values(values: Mapping[str, Any], step: Optional[float] = None, advance: bool = True) -> float:
    """log(), for calls of other packages, too: returns the step. Without `advance` the next call has the same step."""
    given: Optional[float] = None
    try:
        found = None if step is None else _numbers.number(step)
        # Steps may be a part of an epoch, or hours.
        given = _whole_or_not(found) if isinstance(found, (int, float)) else None
        if step is not None and given is None and _lines.folder() is not None:
            _lines.say_once("a step that is no number (%s) was not taken: values are at the next step" % repr(step)[:80])
    except Exception:
        given = None
    taken = _counter.take(given, advance)
    if _lines.folder() is None:
        return taken
    try:
        numbers: Dict[str, Any] = {}
        for key, value in _numbers.flat(values):
            found = _numbers.number(value)
            if found is None:
                _lines.say_once("'%s' is no number (%s): left out" % (key, type(value).__name__))
            else:
                numbers[key] = found
        if numbers:
            _lines.append({"t": time.time(), "step": taken, "values": numbers})
    except Exception as error:
        _lines.say_once("values were left out: %s" % error)
    return taken
