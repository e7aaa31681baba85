"""Appends lines to this rank's file. Never raises, starts no thread, keeps nothing open."""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
import time
from typing import Any, Dict, Optional, Set

FILE_NAME = "ringlab.jsonl"
# A line is read whole on the other side.
MAX_LINE_BYTES = 1 << 20
# What the collector takes of one.
MAX_REPORT_BYTES = 16 << 10

_said: Set[str] = set()

# Where the file may end within a line: what an earlier attempt left, or our own line that a full disk cut. Not asked each time: another
# process's line may be half written at that moment.
_open_ends: Set[str] = set()
_begun: Set[str] = set()


def folder() -> Optional[str]:
    """This rank's folder, where Ringlab started this script."""
    return os.environ.get("RINGLAB_RANK_DIR") or None


def say_once(text: str) -> None:
    """One line on stderr, which is the rank's log."""
    if text in _said or len(_said) > 1000:
        return
    _said.add(text)
    try:
        sys.stderr.write("ringlab: " + text + "\n")
        sys.stderr.flush()
    except Exception:  # closed, full, or replaced by something else
        pass


def append(line: Dict[str, Any]) -> bool:
    """Writes `line`, which holds only what JSON has. False where it could not be written: said once.

    The file is opened for each line: a descriptor that is kept would be closed or reused behind our back by a script that
    becomes a daemon, and shared by forked workers. One write with O_APPEND keeps lines of several processes apart.
    """
    where = folder()
    if where is None:
        return False
    try:
        data = (json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n").encode("ascii")
        if len(data) > MAX_LINE_BYTES:
            say_once("a line of %d bytes was left out; the most is %d" % (len(data), MAX_LINE_BYTES))
            return False
        _write(os.path.join(where, FILE_NAME), data)
        return True
    except Exception as error:
        say_once("%s was not written: %s" % (FILE_NAME, error))
        return False


def report(name: str, value: Dict[str, Any], spare: str) -> bool:
    """`value` under `name`, of at most 16 KiB, else without its member `spare`. Without a word on stderr, unlike `append`: its lock may be held by the thread that forks."""
    where = folder()
    if where is None:
        return False
    try:
        for said in (value, {key: one for key, one in value.items() if key != spare}):
            data = (json.dumps({"t": time.time(), name: said}, separators=(",", ":")) + "\n").encode("ascii")
            if len(data) <= MAX_REPORT_BYTES:
                _write(os.path.join(where, FILE_NAME), data)
                return True
        return False
    except Exception:
        return False


def _write(path: str, data: bytes) -> None:
    # O_NONBLOCK: a pipe of that name without a reader must not stop the training.
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
    file = os.open(path, flags, 0o644)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file")
        if path not in _begun:
            _begun.add(path)
            if status.st_size > 0 and os.pread(file, 1, status.st_size - 1) != b"\n":
                _open_ends.add(path)
        if path in _open_ends:
            # It stays a line of its own.
            data = b"\n" + data
        written = os.write(file, data)
        _open_ends.discard(path)
        if written != len(data):
            _open_ends.add(path)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(file)
