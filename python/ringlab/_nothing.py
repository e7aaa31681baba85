"""What ringlab.wandb does not take: can be called, does nothing."""

from __future__ import annotations

from typing import Any, Iterator

from . import _lines


class Nothing:
    """Can be called, entered, iterated and asked for anything; is nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __call__(self, *_: Any, **__: Any) -> "Nothing":
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: Any) -> "Nothing":
        return self

    def __setitem__(self, _: Any, __: Any) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __instancecheck__(self, _: Any) -> bool:
        return False

    def __subclasscheck__(self, _: Any) -> bool:
        return False

    def __enter__(self) -> "Nothing":
        return self

    def __exit__(self, *_: Any) -> None:
        return None


def unknown(name: str) -> Nothing:
    _lines.say_once("wandb.%s does nothing here" % name)
    return Nothing()


class Settings(Nothing):
    """Has no effect."""


class Image(Nothing):
    """Not taken."""


class Table(Nothing):
    """Not taken."""


class Histogram(Nothing):
    """Not taken."""


class Video(Nothing):
    """Not taken."""


class Audio(Nothing):
    """Not taken."""


class Html(Nothing):
    """Not taken."""


class Artifact(Nothing):
    """Not taken."""


class AlertLevel:
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


class Error(Exception):
    """For scripts that catch it; never raised."""


CommError = Error
UsageError = Error


class Errors(Nothing):
    """``wandb.errors``: an except clause takes classes alone."""

    Error = CommError = UsageError = AuthenticationError = Error
