"""Whether a script's process group is that of all ranks: tutorials for one machine make one on each node (`mp.spawn`, MASTER_ADDR = "localhost")."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple


def launched() -> Optional[Tuple[int, int, str]]:
    """The world size, the processes of this node and the address of rank 0 that the launcher gave, whatever the script has set since (sitecustomize.py)."""
    given = os.environ.get("RINGLAB_GIVEN", "").split(" ")
    if len(given) != 3 or not given[0].isdigit() or not given[1].isdigit():
        return None
    return int(given[0]), int(given[1]), given[2]


def address_of(init_method: Any) -> str:
    """Where the ranks meet: of `init_process_group`'s second parameter, else of the environment. Empty where that is no host."""
    if isinstance(init_method, str) and not init_method.startswith("env://"):
        return init_method[6:].split("/")[0].rsplit(":", 1)[0] if init_method.startswith("tcp://") else ""
    return os.environ.get("MASTER_ADDR", "")


def said_of(size: Optional[int], address: str) -> Optional[Dict[str, Any]]:
    """None where the group is of all ranks, as far as can be seen. `size`: the group's, once its ranks have met."""
    found = launched()
    if found is None:
        return None
    given, local, master = found
    is_smaller = size is not None and size < given
    # Where the launcher itself gave such an address, all ranks are on one machine.
    is_own = given > local and _is_loopback(address) and not _is_loopback(master)
    if not is_smaller and not is_own:
        return None
    return {"given": given, "address": address[:200], **({} if size is None else {"size": size})}


def _is_loopback(address: str) -> bool:
    return address.strip("[]") in ("localhost", "::1") or address.startswith("127.")
