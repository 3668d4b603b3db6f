"""Recorded traffic as the predicates of ``live`` see an answer: the document, or the list of events."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bridgecheck.model.literals import find_violation
from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.wire import Dialect, Mode

_DIALECTS: dict[str, Dialect] = {
    "gemini": "gemini", "vertex": "gemini", "openai": "openai-chat", "openai-compatible": "openai-chat",
    "anthropic": "anthropic",
}  # fmt: skip


class RecordedAnswer(NamedTuple):
    """``provider``: as the traffic names it: gemini, vertex, openai, openai-compatible or anthropic."""

    id: str
    dialect: Dialect
    mode: Mode
    document: object
    status: int
    provider: str


def recorded_answers(folder: Path) -> Iterator[RecordedAnswer]:
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["synthetic_suspect"]:
                continue
            events, dialect = row.get("sse_chunks"), _DIALECTS[row["provider"]]
            body = row["response_body"]
            if row["stream"] and (events or isinstance(body, dict)):
                yield RecordedAnswer(row["id"], dialect, "stream", events or [body], row["status"], row["provider"])
            elif isinstance(body, dict):
                yield RecordedAnswer(row["id"], dialect, "unary", body, row["status"], row["provider"])


def holds(predicates: tuple[WireDocumentPredicate, ...], document: object) -> bool:
    """Whether all of them hold of one answer."""
    return not any(
        find_violation(predicate.operator, predicate.operand, document, predicate.path, predicate.on, False)
        for predicate in predicates
    )
