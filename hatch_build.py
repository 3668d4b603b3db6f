"""Puts the corpus into real wheels only.

An editable install reads scenarios/ and cassettes/ where they stand; a copy made by a static force-include would go
stale
behind it.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CORPUS = ("scenarios", "cassettes")
PROTOCOL = "protocol.schema.json"


class CorpusHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own config type is not public
    """Adds ``bridgecheck/_corpus/{scenarios,cassettes}`` and the schema of the command protocol to a standard wheel; an
    editable one gets nothing."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for name in CORPUS:
            build_data["force_include"][str(Path(self.root) / name)] = f"bridgecheck/_corpus/{name}"
        build_data["force_include"][str(Path(self.root) / "docs" / PROTOCOL)] = (
            f"bridgecheck/drivers/command/{PROTOCOL}"
        )
