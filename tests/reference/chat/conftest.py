"""The scripted providers of ``runtime``, and a chat whose clock and waits are the test's."""

from ..runtime.conftest import lab

__all__ = ["lab"]
