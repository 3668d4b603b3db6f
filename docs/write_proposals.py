"""Writes docs/proposals.md: which test or scenario answers each proposal of the scenario catalogue.

    python docs/write_proposals.py

A proposal describes how a bridge between dialects was seen to fail, and what it should do. Its answers are the tests
marked ``@pytest.mark.proposal("its-id")`` and the scenarios that tests/corpus/proposals.json names. Keys of that file:

* ``levels``: {"MUST" | "SHOULD" | "MAY": [id, ...]}, every proposal once;
* ``scenarios``: {id: [scenario id, ...]};
* ``otherwise``: [{"proposals": [id, ...], "why": what is done in a case that they have otherwise, and why}];
* ``waiting``: {id: the dialect that it needs and that is not there yet};
* ``rejected``: {id: the reason, with its source}.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collect_marks import collect_marks

Known = dict[str, Any]
"""The document of tests/corpus/proposals.json."""

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "proposals.md"
KNOWN = ROOT / "tests" / "corpus" / "proposals.json"
HEAD = """# The proposals of the scenario catalogue, and what answers each

Written by `python docs/write_proposals.py`; not edited by hand. A proposal describes one way in which bridges between
the dialects were publicly seen to fail. It is answered by a test of the reference (its name, without parameters) or by
a scenario of the corpus (`scenarios/<id>.json`, run by `bridgecheck run`).
"""


def open_proposals(known: Known, tests: Mapping[str, object]) -> list[str]:
    """Return the ids that neither a test nor a scenario answers and that are neither waiting nor rejected."""
    answered = {*tests, *known["scenarios"], *known["waiting"], *known["rejected"]}
    return [name for names in known["levels"].values() for name in names if name not in answered]


def page(known: Known, tests: Mapping[str, list[str]]) -> str:
    """Return the whole page. An id without any answer is marked **open**."""
    lines = [HEAD, *_count_rows(known, tests), "", "| Proposal | Level | Answered by |", "| --- | --- | --- |"]
    for level, names in known["levels"].items():
        lines += [f"| {name} | {level} | {_answer_cell(name, known, tests)} |" for name in names]
    lines += ["", "## Answered, but in one case otherwise than proposed", "", *_deviation_lines(known["otherwise"])]
    return "\n".join([*lines, "", "## Rejected as a scenario, and why", "", *_rejection_lines(known["rejected"]), ""])


def _count_rows(known: Known, tests: Mapping[str, list[str]]) -> list[str]:
    lines = [
        "| Level | Proposals | By a test | By a scenario | Waiting | Rejected | Open |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    still = set(open_proposals(known, tests))
    for level, names in known["levels"].items():
        states = (tests, known["scenarios"], known["waiting"], known["rejected"], still)
        figures = (len(names), *(sum(name in state for name in names) for state in states))
        lines.append(f"| {level} | " + " | ".join(map(str, figures)) + " |")
    return lines


def _answer_cell(name: str, known: Known, tests: Mapping[str, list[str]]) -> str:
    shown = [f"`{_shorten_node_id(test)}`" for test in tests.get(name, [])]
    if name in known["rejected"]:
        return "<br>".join([*shown, "rejected as a scenario, see below"])
    if name in known["waiting"]:
        return "<br>".join([*shown, f"waits for {known['waiting'][name]}"])
    shown += [f"scenario `{scenario}`" for scenario in known["scenarios"].get(name, [])]
    return "<br>".join(shown) or "**open**"


def _shorten_node_id(test: str) -> str:
    """tests/reference/convert/test_x.py::test_y -> convert/test_x.py::test_y."""
    return test.removeprefix("tests/").removeprefix("reference/")


def _deviation_lines(deviations: list[dict[str, Any]]) -> list[str]:
    return [f"* {', '.join(item['proposals'])}: {item['why']}" for item in deviations] or ["None."]


def _rejection_lines(reasons: dict[str, str]) -> list[str]:
    return [f"* {name}: {reason}" for name, reason in sorted(reasons.items())] or ["None."]


def main() -> None:
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    PAGE.write_text(page(known, collect_marks("proposal")), encoding="utf-8")
    print(f"{PAGE.name}: {len(open_proposals(known, collect_marks('proposal')))} open")


if __name__ == "__main__":
    main()
