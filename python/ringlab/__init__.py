"""Values, settings and files of a training script, for Ringlab's charts. Harmless outside Ringlab.

    import ringlab

    ringlab.config({"batch": 64})
    ringlab.log({"train/loss": loss})
    ringlab.save("best.pt")
"""

from __future__ import annotations

from ._record import config, log, save
from ._version import __version__

__all__ = ["__version__", "config", "log", "save"]
