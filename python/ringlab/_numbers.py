"""What scripts log, as JSON: numbers of any library, without importing one."""

from __future__ import annotations

import dataclasses
import math
import os
import zlib
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple, Union

Number = Union[int, float, str]

MAX_NAME = 180
_MAX_DEPTH = 16
_MAX_ITEMS = 10_000
_MAX_TEXT = 10_000


def number(value: Any) -> Optional[Number]:
    """A number of Python, numpy, torch, or anything that has one value; None of anything else. What is not finite is a text, as
    in PROTOCOL.md: "NaN", "Infinity", "-Infinity". For a tensor on a GPU this waits for its value."""
    if isinstance(value, (str, bytes, bytearray, complex)) or value is None:
        return None
    if isinstance(value, (bool, int)):
        return _whole(int(value))
    if isinstance(value, float):
        return _real(float(value))
    try:
        item = getattr(value, "item", None)
        if callable(item):
            # Tensors, arrays and numpy's numbers, of one element: of more this raises.
            value = item()
            if isinstance(value, (str, bytes, complex)):
                return None
            if isinstance(value, (bool, int)):
                return _whole(int(value))
        elif not hasattr(value, "__float__"):
            return None
        return _real(float(value))
    except Exception:
        return None


def _whole(value: int) -> Number:
    # More than a 64-bit integer does not survive most readers of JSON.
    if -(2**63) <= value < 2**63:
        return value
    try:
        return _real(float(value))
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def _real(value: float) -> Number:
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def kept(value: Any) -> Any:
    """A value that is looked at later: the number of what has one, as a tensor may change until then, and holds what computed it."""
    for take in ("item", "detach"):
        try:
            return getattr(value, take)()
        except Exception:  # no such method, or of more than one element
            pass
    return value


def name(key: Any) -> str:
    """A name as it can be shown: 1 to 180 characters, none of them a control character."""
    text = "".join(c for c in str(key) if c.isprintable()).strip()
    if len(text) > MAX_NAME:
        # Names that differ only behind that stay two: on every rank, and in each run, the same ones.
        text = "%s…%08x" % (text[: MAX_NAME - 9], zlib.crc32(text.encode("utf-8", "replace")))
    return text or "value"


def flat(data: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> Iterator[Tuple[str, Any]]:
    """Leaves of nested dicts, their names joined by '/'."""
    for key, value in list(data.items()):
        path = str(key) if prefix == "" else prefix + "/" + str(key)
        if isinstance(value, Mapping):
            if depth < _MAX_DEPTH:
                yield from flat(value, path, depth + 1)
        else:
            yield name(path), value


def plain(value: Any, depth: int = 0) -> Any:
    """Settings as JSON has them: numbers, texts, lists, dicts; of anything else its text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, os.PathLike):
        return _text(str(value))
    if depth > _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        pairs = list(value.items())[:_MAX_ITEMS]
        return {name(key): plain(one, depth + 1) for key, one in pairs}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one, depth + 1) for one in list(value)[:_MAX_ITEMS]]
    found = number(value)
    return _text(str(value)) if found is None else found


def _text(value: str) -> str:
    # Half a character of a damaged name is no JSON that every reader takes.
    return value[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")


def mapping(value: Any) -> Dict[str, Any]:
    """A dict of settings: of a dict, argparse's and types' namespaces, dataclasses, and whatever has keys or fields."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(key): one for key, one in value.items()}
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {str(key): value[key] for key in value.keys()}
    fields = value._fields if hasattr(value, "_fields") else _slots(type(value)) if not hasattr(value, "__dict__") else ()
    pairs = {key: getattr(value, key) for key in fields if hasattr(value, key)} if fields else vars(value)
    return {str(key): one for key, one in pairs.items() if not str(key).startswith("_")}


def _slots(kind: type) -> Tuple[str, ...]:
    """The fields of an object without a dict, as dataclasses with slots."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    found = [getattr(one, "__slots__", ()) for one in reversed(kind.__mro__)]
    return tuple(name for names in found for name in ((names,) if isinstance(names, str) else names))
