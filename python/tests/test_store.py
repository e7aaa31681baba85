"""The store of PyTorch's rendezvous where PyTorch is built without libuv."""

import types
import unittest
from unittest import mock

from harness import PACKAGE  # noqa: F401

from ringlab import _store


class WithoutLibuv:
    """As the one of Debian's PyTorch 2.6."""

    def __init__(self, host, port, use_libuv=True):
        if use_libuv:
            raise RuntimeError("use_libuv was requested but PyTorch was build without libuv support")
        self.port = port


class DefaultStore(unittest.TestCase):
    def patched(self, version, store):
        torch = types.SimpleNamespace(__version__=version)
        distributed = types.SimpleNamespace(TCPStore=store)
        with mock.patch.dict("sys.modules", {"torch": torch, "torch.distributed.rendezvous": types.SimpleNamespace(TCPStore=store)}):
            _store.default_store(distributed)
        return distributed.TCPStore

    def test_does_without_where_nobody_asks_for_it(self):
        store = self.patched("2.6.0+debian", WithoutLibuv)
        self.assertEqual(store("h", 7).port, 7)
        self.assertIsInstance(store("h", 7), WithoutLibuv)

    def test_fails_where_it_is_asked_for(self):
        with self.assertRaises(RuntimeError):
            self.patched("2.6.0+debian", WithoutLibuv)("h", 7, use_libuv=True)

    def test_keeps_other_errors(self):
        class Used(WithoutLibuv):
            def __init__(self, host, port, use_libuv=True):
                raise RuntimeError("address already in use")

        with self.assertRaisesRegex(RuntimeError, "in use"):
            self.patched("2.6.0+debian", Used)("h", 7)

    def test_changes_nothing_in_wheels_of_pytorch(self):
        self.assertIs(self.patched("2.11.0+cu130", WithoutLibuv), WithoutLibuv)


if __name__ == "__main__":
    unittest.main()
