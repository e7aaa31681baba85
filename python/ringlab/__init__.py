"""Values, settings and files of a training script, for Ringlab's charts; its synchronisation over slow links for any model.

    import ringlab

    ringlab.config({"batch": 64})
    ringlab.log({"train/loss": loss})
    ringlab.save("best.pt")

These three are harmless outside Ringlab, and need no torch.

    model = ringlab.slow(model, optimizer)     # in place of DistributedDataParallel
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._record import config, log, save
from ._version import __version__

if TYPE_CHECKING:
    from ._slow import SlowLinks

__all__ = ["__version__", "config", "hook", "log", "save", "slow"]


def slow(model: Any, optimizer: Any, mode: str = "auto", steps_per_epoch: Optional[int] = None, peer_timeout: float = 30.0) -> "SlowLinks":
    """Trains `model` on all ranks over links of any speed, in place of ``DistributedDataParallel``.

    After ``torch.distributed.init_process_group``, on every rank, with the optimizer that steps the model; all ranks get rank 0's weights and
    must take equally many steps. `mode` is one of ``ringlab-train --sync``: ``local:4``, ``local:1,stream=0.18,overlap=1``, ``powersgd:1``, …; with
    ``auto`` Ringlab chooses by the drawn links: exact where they are fast. `steps_per_epoch` lets the periods of ``local:H`` end with the epoch. A rank that is silent for
    `peer_timeout` seconds is lost. Between exchanges the ranks' weights differ: call ``synchronise()`` on every rank before an evaluation or a save.
    A GradScaler's skipped step would be one rank's alone: train in bfloat16 with modes that exchange weights.
    """
    from ._slow import SlowLinks

    return SlowLinks(model, optimizer, mode, steps_per_epoch, peer_timeout)


def hook(ddp: Any, mode: str = "powersgd:2", peer_timeout: float = 30.0) -> Any:
    """Lets a ``DistributedDataParallel`` average its gradients in a compressed form, every step. `mode` is one of ``ringlab-train --sync``; raises
    RuntimeError, with a list of those that are valid, for one that does not average every step's gradients. Does nothing where this is the only rank."""
    from ._slow import hook as register

    return register(ddp, mode, peer_timeout)
