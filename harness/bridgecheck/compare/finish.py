"""Finish reasons: which classes a client may be told, given what the provider said and the context.

A relation, not an equality: the tables give the SET of right answers. A normaliser never promotes ``stop`` beside
calls to ``tool_calls``; whether that has to happen is decided here, because forgetting it is the commonest bug of all.

Sources: https://platform.openai.com/docs/api-reference/chat/object (finish_reason) and
https://ai.google.dev/api/generate-content#FinishReason, stored copies read 2026-11-21. Recorded: api.openai.com
ends with ``stop`` beside calls when tool_choice names or requires a function.
"""

from dataclasses import dataclass
from typing import Final

from bridgecheck.model.outcome import Choice, FinishClass
from bridgecheck.wire import Dialect

SUCCESS: Final[frozenset[FinishClass]] = frozenset({"stop", "tool_calls", "pause"})

RIGHT: Final[dict[FinishClass, frozenset[FinishClass]]] = {
    "stop": frozenset({"stop"}),
    "tool_calls": frozenset({"tool_calls"}),
    "length": frozenset({"length"}),
    "content_filter": frozenset({"content_filter"}),
    "malformed_call": frozenset({"malformed_call", "content_filter", "error", "other"}),
    "pause": frozenset({"pause", "stop", "other"}),
    "incomplete": frozenset({"incomplete", "error"}),
    "error": frozenset({"error", "incomplete"}),
    "other": frozenset({"other", "stop", "content_filter", "error"}),
}
"""What the provider's class may become when the answer has no tool call and the two dialects differ."""

DISPUTED_NATIVE: Final[dict[str, frozenset[FinishClass]]] = {
    "RECITATION": frozenset({"content_filter", "other"}),
    "LANGUAGE": frozenset({"content_filter", "other", "stop"}),
    "NO_IMAGE": frozenset({"content_filter", "other", "stop"}),
    "UNEXPECTED_TOOL_CALL": frozenset({"stop", "error", "other", "malformed_call", "content_filter", "tool_calls"}),
    "FINISH_REASON_UNSPECIFIED": frozenset({"other", "stop", "incomplete", "error"}),
}
"""Native words about which public reports disagree -> everything that one of them calls right."""


@dataclass(frozen=True, slots=True)
class FinishContext:
    """``upstream`` / ``client``: who speaks on the two ends; ``pivoted``: the answer was rewritten on its way
    although both speak one dialect; ``named``: the request named or required a tool."""

    upstream: Dialect
    client: Dialect
    pivoted: bool = False
    named: bool = False


def right_finishes(said: Choice, context: FinishContext) -> frozenset[FinishClass]:
    """The classes that the client may be told about this choice."""
    kind = said.finish.kind
    if context.upstream == context.client and not context.pivoted:
        # Who passes a broken stream on may say that it broke: a gateway sees the connection, its client does not.
        return RIGHT["incomplete"] if kind == "incomplete" else frozenset({kind})
    disputed = DISPUTED_NATIVE.get(said.finish.native, frozenset())
    if any(call.bad_args is not None for call in said.tool_calls):
        disputed |= RIGHT["malformed_call"]
    if said.tool_calls and kind in ("stop", "tool_calls"):
        return _beside_calls(kind, context) | disputed
    if kind == "tool_calls":
        return frozenset({"tool_calls", "stop"})
    return RIGHT[kind] | disputed


def rule_name(said: Choice, context: FinishContext) -> str:
    """The rule that widened or moved the answer, "" if the class simply stays."""
    right = right_finishes(said, context)
    if right == {said.finish.kind}:
        return ""
    if said.tool_calls and said.finish.kind in ("stop", "tool_calls"):
        return "finish.promoted"
    return "finish.disputed" if said.finish.native in DISPUTED_NATIVE else "finish.class"


def _beside_calls(kind: FinishClass, context: FinishContext) -> frozenset[FinishClass]:
    """An answer that ended well with calls in it. Gemini has no word for that and says STOP; nor need a library have
    one, whose caller is handed the calls. Chat and Anthropic say ``tool_calls``; where the request forced a tool, or
    the provider speaks Chat or the client's own dialect and said ``stop`` itself, that is right too.
    """
    if context.client in ("gemini", "outcome"):
        return frozenset({"stop", "tool_calls"})
    if context.upstream == context.client:
        return frozenset({"tool_calls", kind})
    if context.named or (context.upstream == "openai-chat" and kind == "stop"):
        return frozenset({"tool_calls", "stop"})
    return frozenset({"tool_calls"})
