"""Where a thread of the script is: its innermost frames, and the line of the script's own files among them."""

from __future__ import annotations

import linecache
import os
import sysconfig
from typing import Any, Dict, List, Optional

MAX_WALK = 200
_MAX_FRAMES = 12
_MAX_TEXT = 160

# Where Python and packages are, this one among them.
_PACKAGES = tuple(
    os.path.realpath(path) + os.sep for path in {sysconfig.get_paths().get(key, "") for key in ("stdlib", "platstdlib", "purelib", "platlib")} if path
) + (os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep,)
_MARKS = ("/site-packages/", "/dist-packages/")


def is_own(file: str) -> bool:
    """Whether it is the script's, and not Python's or a package's."""
    return not file.startswith("<") and not any(mark in file for mark in _MARKS) and not os.path.realpath(file).startswith(_PACKAGES)


def _shown(file: str) -> str:
    for mark in _MARKS:
        if mark in file:
            return file.rsplit(mark, 1)[1][-200:]
    here = os.getcwd() + os.sep
    return (file[len(here) :] if file.startswith(here) else file)[-200:]


def place_of(file: str, line: int, function: str) -> Dict[str, Any]:
    """A line of a script, with its text."""
    return {"file": _shown(file), "line": line, "function": function[:80], "text": linecache.getline(file, line).strip()[:_MAX_TEXT]}


def places(frame: Any, left_out: str) -> Dict[str, Any]:
    """`stack`: the innermost frames but those of the file `left_out`; `place`: the innermost one of the script itself, with the line's text."""
    stack: List[List[Any]] = []
    place: Optional[Dict[str, Any]] = None
    for _ in range(MAX_WALK):
        if frame is None or (place is not None and len(stack) >= _MAX_FRAMES):
            break
        file, line, name = frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name[:80]
        if file == left_out:
            frame = frame.f_back
            continue
        if len(stack) < _MAX_FRAMES:
            stack.append([_shown(file), line, name])
        if place is None and is_own(file):
            place = place_of(file, line, name)
        frame = frame.f_back
    return {"stack": stack} if place is None else {"stack": stack, "place": place}
