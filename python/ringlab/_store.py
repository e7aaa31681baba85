"""PyTorch's rendezvous: since 2.4 its store uses libuv by default, and some distributions build PyTorch without it (Debian's 2.6)."""

import os
import re
import sys

# Wheels of PyTorch's own have it.
_OWN_WHEEL = re.compile(r"\+(cpu|cu\d|rocm|xpu)")


def choose_store() -> None:
    """Sets USE_LIBUV=0 where it is not set and the default would fail. Call it when torch.distributed is imported."""
    import torch

    if "USE_LIBUV" in os.environ or _OWN_WHEEL.search(torch.__version__):
        return
    try:
        torch.distributed.TCPStore("127.0.0.1", 0, 1, True, wait_for_workers=False, use_libuv=True)
    except RuntimeError as error:
        if "without libuv" in str(error):
            os.environ["USE_LIBUV"] = "0"
    except TypeError:  # before 2.4 there is no such choice
        pass


def default_store(distributed) -> None:
    """
    A store that is made with defaults, as torchrun's are, does without libuv where there is none: none of them reads USE_LIBUV.

    :param distributed: torch.distributed, which may be importing its parts yet
    """
    import torch

    if _OWN_WHEEL.search(torch.__version__):
        return

    class TCPStore(distributed.TCPStore):
        def __init__(self, *values, **named):
            try:
                super().__init__(*values, **named)
            except RuntimeError as error:
                if "use_libuv" in named or "without libuv" not in str(error):
                    raise
                super().__init__(*values, use_libuv=False, **named)

    for module in (distributed, sys.modules.get("torch.distributed.rendezvous")):
        if hasattr(module, "TCPStore"):
            module.TCPStore = TCPStore
