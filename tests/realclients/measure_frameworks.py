"""Measure what the agent frameworks of ``make frameworks`` keep of an answer, and write ``frameworks/measured.json``.

.venv/bin/python -m tests.realclients.measure_frameworks
"""

import json
from contextlib import ExitStack
from typing import Any, Final

from bridgecheck.wire import DIALECTS

from .framework_clients import FOLDER, FRAMEWORKS, KINDS, FrameworkProcesses, LenientProvider, measure

FILE: Final = FOLDER / "measured.json"


def measure_all() -> dict[str, Any]:
    """Return client -> dialect, versions, and what it did with each kind of conversation; streamed only where other."""
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        providers = {dialect: stack.enter_context(LenientProvider(dialect)) for dialect in DIALECTS}
        processes = stack.enter_context(FrameworkProcesses())
        for framework in FRAMEWORKS:
            rows: dict[str, Any] = {}
            for name, kind in KINDS.items():
                if kind.includes(framework):
                    provider = providers[framework.dialect]
                    row = {mode: measure(processes, provider, framework, name, mode) for mode in kind.modes}
                    rows[name] = {"both": row["unary"]} if row.get("unary") == row["stream"] else row
            found[framework.name] = {"dialect": framework.dialect, "versions": framework.versions, "measured": rows}
    return found


def file_text(found: dict[str, Any]) -> str:
    """Return the text of the file: a line for each conversation."""
    clients = []
    for name, client in found.items():
        rows = client["measured"].items()
        lines = ",\n".join(f"   {json.dumps(kind)}: {json.dumps(row, ensure_ascii=False)}" for kind, row in rows)
        head = f'  "dialect": {json.dumps(client["dialect"])},\n  "versions": {json.dumps(client["versions"])},\n'
        clients.append(f' {json.dumps(name)}: {{\n{head}  "measured": {{\n{lines}\n  }}\n }}')
    return "{\n" + ",\n".join(clients) + "\n}\n"


def main() -> None:
    FILE.write_text(file_text(measure_all()), "utf-8")


if __name__ == "__main__":
    main()
