"""Takes the numbers that a script logs to trackio and SwanLab: their files are their own, their `Run.log` is public."""

from __future__ import annotations

import functools
from typing import Any, Dict

from . import _lines, _numbers
from ._record import write_values


def attach(module: Any) -> None:
    """`Run.log(values, step=None)` of the module first does what it did."""
    run = module.Run
    log = run.log

    @functools.wraps(log)
    def mirrored(self: Any, *given: Any, **named: Any) -> Any:
        result = log(self, *given, **named)
        try:
            _take(*given, **named)
        except Exception:  # what is no part of the training must not end it
            pass
        return result

    run.log = mirrored


def _take(*given: Any, **named: Any) -> None:
    values = given[0] if given else named.get("metrics", named.get("data"))
    step = given[1] if len(given) > 1 else named.get("step")
    if _lines.folder() is None or not isinstance(values, dict):
        return
    # Pictures and texts are none of ours, and no reason for a word on stderr.
    numbers: Dict[str, Any] = {key: value for key, value in _numbers.flat(values) if _numbers.number(value) is not None}
    # Hugging Face's callbacks name no step: it is one of the values, and so is the epoch.
    counted = numbers.pop("train/global_step", None)
    if "train/epoch" in numbers:
        numbers.setdefault("epoch", numbers.pop("train/epoch"))
    if numbers:
        write_values(numbers, counted if step is None else step)
