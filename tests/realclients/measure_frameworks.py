"""Measure what the agent frameworks of ``make frameworks`` keep of an answer, and write ``frameworks/measured.json``.

.venv/bin/python -m tests.realclients.measure_frameworks
"""

import json
from contextlib import ExitStack
from typing import Any, Final

from bridgecheck.wire import DIALECTS

from .framework_clients import FOLDER, FRAMEWORKS, KINDS, Framework, FrameworkProcesses, measure
from .strict_provider import StrictProvider

FILE: Final = FOLDER / "measured.json"


def measure_all() -> dict[str, Any]:
    """Return client -> dialect, versions, and what it did with each kind of conversation; streamed only where other."""
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        providers = {dialect: stack.enter_context(StrictProvider(dialect, takes_all=True)) for dialect in DIALECTS}
        processes = stack.enter_context(FrameworkProcesses())
        for framework in FRAMEWORKS:
            rows: dict[str, Any] = {}
            for name, kind in KINDS.items():
                if kind.includes(framework):
                    provider = providers[framework.dialect]
                    row = {mode: measure(processes, provider, framework, name, mode) for mode in kind.modes}
                    rows[name] = {"both": row["unary"]} if row.get("unary") == row["stream"] else row
            found[framework.name] = head(framework) | {"measured": rows}
    return found


def head(framework: Framework) -> dict[str, Any]:
    """Return what is said about a framework above its conversations."""
    fields = ("dialect", "versions", "drops", "keeps", "adds", "prints")
    return {field: getattr(framework, field) for field in fields}


def file_text(found: dict[str, Any]) -> str:
    """Return the text of the file: a line for each conversation."""
    clients = []
    for name, client in found.items():
        rows = client["measured"].items()
        lines = ",\n".join(f"   {json.dumps(kind)}: {json.dumps(row, ensure_ascii=False)}" for kind, row in rows)
        fields = [f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in client.items() if key != "measured"]
        clients.append(f' {json.dumps(name)}: {{\n{"".join(fields)}  "measured": {{\n{lines}\n  }}\n }}')
    return "{\n" + ",\n".join(clients) + "\n}\n"


def main() -> None:
    FILE.write_text(file_text(measure_all()), "utf-8")


if __name__ == "__main__":
    main()
