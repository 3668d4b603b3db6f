"""request.added: what is in the request and was not asked for."""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck.checks.other import says_nothing
from bridgecheck.checks.verdicts import result
from bridgecheck.checks.view import RequestView, request_views
from bridgecheck.compare.additions import allowed
from bridgecheck.compare.classes import effort
from bridgecheck.compare.diff import ABSENT, short
from bridgecheck.compare.text import holds
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.prompt import Prompt
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import Dialect

CHECK: Final = "request.added"
SAFETY: Final = "safetySettings"
"""Where Gemini's thresholds stand: what they let pass is the client's choice."""


def added(evidence: Evidence) -> list[Verdict]:
    """Nothing that changes the model's behaviour is added to the request. What overrules the client's own word is the
    finding of the check that compares it."""
    verdicts: list[Verdict] = []
    for view in request_views(evidence):
        rows = list(_added(view))
        if rows or not view.ends.same_dialect:
            verdicts.append(result(CHECK, rows, level="SHOULD", turn=view.turn))
    return verdicts


def _added(view: RequestView) -> Iterator[Difference]:
    asked, sent, dialects = view.expected_canonical[0], view.actual_canonical[0], view.ends.dialects
    known = dict(asked.settings)
    for name, value in sent.settings:
        if name not in known and not _allowed(dialects, f"settings.{name}"):
            yield Difference(f"settings.{name}", ABSENT, short(value))
    if effort(sent.thinking) and not effort(asked.thinking):
        yield Difference("thinking", ABSENT, effort(sent.thinking))
    yield from _system(asked, sent, view.expected.system)
    if sent.response_format is not None and asked.response_format is None:
        yield Difference("response_format", ABSENT, sent.response_format.kind)
    yield from _tools(asked, sent)
    yield from _other(asked, sent, dialects)


def _system(asked: Prompt, sent: Prompt, pieces: Sequence[str]) -> Iterator[Difference]:
    """``pieces``: the client's system texts as they were."""
    if "".join(sent.system).strip() and not "".join(asked.system).strip() and not _moved(asked):
        yield Difference("system", ABSENT, short("".join(sent.system)))
    elif asked.system and sent.system != asked.system and holds(pieces, "".join(sent.system)):
        yield from _longer(asked, sent)


def _longer(asked: Prompt, sent: Prompt) -> Iterator[Difference]:
    """System text beyond what was asked; white space does not count."""
    if "".join("".join(sent.system).split()) != "".join("".join(asked.system).split()) and not _moved(asked):
        yield Difference("system", short(asked.system), short(sent.system))


def _moved(asked: Prompt) -> bool:
    return any(turn.role == "system" for turn in asked.turns)


def _tools(asked: Prompt, sent: Prompt) -> Iterator[Difference]:
    """Built-in tools; added functions are ``request.tools``'s finding."""
    ours = {_folded(tool.name) for tool in asked.tools or ()}
    for tool in sent.tools or ():
        if tool.builtin and _folded(tool.name) not in ours:
            yield Difference(f"tools.{tool.name}", ABSENT, short(tool.builtin))


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _other(asked: Prompt, sent: Prompt, dialects: Sequence[Dialect]) -> Iterator[Difference]:
    """Leaves that have no place in the normal form. A value that the client gave too has only moved; thresholds are one
    thing, whatever they are called."""
    theirs = {value for _, value in asked.other}
    paths = {path for path, _ in asked.other}
    safe = any(path.startswith(SAFETY) for path in paths)
    for path, value in sent.other:
        moved = path in paths or value in theirs or (safe and path.startswith(SAFETY))
        if not moved and not says_nothing(value) and not _allowed(dialects, f"other:{path}"):
            yield Difference(path, ABSENT, value)


def _allowed(dialects: Sequence[Dialect], path: str) -> bool:
    return any(allowed(dialect, path) for dialect in dialects)
