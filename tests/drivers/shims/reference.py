"""The reference's conversions behind the example's shim: a converter as a command, complete."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "examples" / "command_python"))

from shim import serve

from bridgecheck_reference import adapter


class DocumentedLosses:
    """The reference, its losses as plain documents."""

    claims = adapter.capabilities

    def __getattr__(self, name):
        return getattr(adapter, name)

    def take_losses(self):
        return [{"path": loss.path, "reason": loss.reason} for loss in adapter.take_losses()]


serve(DocumentedLosses())
