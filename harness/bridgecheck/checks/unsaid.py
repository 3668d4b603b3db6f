"""What a client's requests hold that its own types have no place for (``model/express``).

The checks that compare a request know their own paths; a scenario's expectations of a request do not say what they rest
on, so none is held against an adapter that was asked something it says it cannot say.
"""

from collections.abc import Iterator

from bridgecheck.compare.turns import KINDS, of_kind
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.express import feature_of_path
from bridgecheck.model.prompt import CallPart, Prompt, ResultPart


def asked_unsaid(evidence: Evidence) -> bool:
    """Whether any request of the case holds such a thing."""
    if not evidence.inexpressible:
        return False
    return any(
        feature_of_path(path, evidence.inexpressible)
        for asked in evidence.client_prompts
        if asked
        for path in _paths(asked)
    )


def _paths(asked: Prompt) -> Iterator[str]:
    """Everything in a request that need not be sayable, by the names of ``model/express`` or below them."""
    yield from (path for kind in KINDS for path, _ in of_kind(asked.turns, kind))
    yield from _of_turns(asked)
    yield from (f"settings.{name}" for name, _ in asked.settings)
    yield f"tool_choice.{asked.tool_choice.mode}"
    if asked.tool_choice.parallel is not None:
        yield "tool_choice.parallel"
    if any(tool.strict is not None for tool in asked.tools or ()):
        yield "tools.strict"
    if asked.thinking is not None:
        yield "thinking.include" if asked.thinking.include is not None else "thinking"
    if asked.response_format is not None:
        form = asked.response_format
        yield from (f"response_format.{name}" for name in ("name", "strict") if getattr(form, name))
        yield "response_format"


def _of_turns(asked: Prompt) -> Iterator[str]:
    for turn in asked.turns:
        yield f"turns.{turn.role}"
        if turn.name:
            yield "turns.name"
        for part in turn.parts:
            if getattr(part.call if isinstance(part, CallPart) else part, "signature", ""):
                yield "turns.signatures"
            if isinstance(part, ResultPart) and part.media:
                yield "turns.results.media"
