"""PyTorch's rendezvous: since 2.4 its store uses libuv by default, and some distributions build PyTorch without it (Debian's 2.6)."""

import os
import re

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
