"""Tables of right answers: finish reasons, errors, effort levels, tool choice.

A relation, not an equality: per value of the provider the tables give the SET of values that are right for the client.
A normaliser never promotes ``stop`` beside calls to ``tool_calls``; whether that has to happen is decided here, because
forgetting it is the commonest bug of all.

Sources: https://platform.openai.com/docs/api-reference/chat/object (finish_reason) and
https://ai.google.dev/api/generate-content#FinishReason, stored copies read 2026-11-21. Recorded: api.openai.com ends
with ``stop`` beside calls when tool_choice names or requires a function.
"""

import re
from dataclasses import dataclass
from typing import Final

from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, FinishClass
from bridgecheck.model.prompt import Thinking, Tool, ToolChoice
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect

ERROR_KINDS: Final[dict[ErrorKind, frozenset[ErrorKind]]] = {
    "auth": frozenset({"auth", "permission", "server"}),
    "permission": frozenset({"permission", "auth", "server"}),
    "not_found": frozenset({"not_found", "invalid"}),
    "invalid": frozenset({"invalid", "not_found", "too_large", "content"}),
    "too_large": frozenset({"too_large", "invalid"}),
    "rate_limit": frozenset({"rate_limit"}),
    "overloaded": frozenset({"overloaded", "server", "timeout"}),
    "server": frozenset({"server", "overloaded", "timeout", "truncated"}),
    "timeout": frozenset({"timeout", "server", "overloaded", "truncated"}),
    "truncated": frozenset({"truncated", "server", "overloaded", "timeout", "content"}),
    "content": frozenset({"content", "invalid", "server"}),
}
"""What kind of error the client may be told, per kind the provider said."""

EFFORTS: Final[tuple[str, ...]] = ("off", "minimal", "low", "medium", "high", "xhigh")
"""The ladder, lowest first. ``dynamic`` stands beside it."""

EFFORT_BUDGETS: Final[tuple[tuple[int, str], ...]] = ((0, "off"), (512, "minimal"), (4096, "low"), (16384, "medium"))
"""Largest token budget of each rung; above: high. Exact numbers are never judged, so rungs next to each other agree."""

EFFORT_WORDS: Final[dict[str, str]] = {"none": "off", "disabled": "off", "max": "xhigh", "auto": "dynamic"}


CAN_BE_SILENCED: Final = re.compile(r"(?:^|/)(?:gpt-5(?!.*(?:pro|chat|codex))|gemini-(?:2\.5|[3-9](?:\.\d+)?)-flash)")
"""Chat models known to take reasoning_effort ``none`` or ``minimal``: to these, nothing said is not off. Sources:
https://platform.openai.com/docs/guides/reasoning, https://ai.google.dev/gemini-api/docs/openai; ``none`` is recorded of
api.openai.com (maruel-genai/0571)."""

WITHOUT_LEVELS: Final = re.compile(r"(?:^|/)gemini-2\.5")
"""Gemini's models that take a budget and refuse a level. Reported with Google's answer: qwen-code#9094."""


def right_statuses(status: int) -> range | tuple[int, ...]:
    """HTTP statuses the client may see for an upstream error status.

    429 stays 429; the gateway's own key being refused (401, 403) may show as the gateway's failure; 5xx may become
    any 5xx (424 is seen in public); 4xx stays 4xx. A status below 400 is no error status: anything.
    """
    if status == 429:
        return (429,)
    if status in (401, 403):
        return (401, 403, 500, 502)
    if status >= 500:
        return (424, *range(500, 600))
    return range(400, 500) if status >= 400 else range(600)


def error_differences(expected: ErrorInfo, actual: ErrorInfo) -> list[Difference]:
    """Return a difference for every field that is not in its set of right values. The text of the message is never
    judged, but there has to be some."""
    rows: list[Difference] = []
    kinds = ERROR_KINDS[expected.kind]
    if actual.kind not in kinds:
        rows.append(Difference("error.kind", " or ".join(sorted(kinds)), actual.kind))
    status = expected.status
    if status is not None and actual.status is not None and actual.status not in right_statuses(status):
        rows.append(Difference("error.status", f"a right status for {status}", str(actual.status)))
    if expected.retry_after is not None and actual.retry_after is None:
        rows.append(Difference("error.retry_after", f"{expected.retry_after:g} s", "(absent)"))
    if expected.message and not actual.message:
        rows.append(Difference("error.message", "some text", "(empty)"))
    return rows


def effort_level(thinking: Thinking | None) -> str:
    """The rung of the ladder: off to xhigh, ``dynamic``, or "" where nothing was said about the amount.

    An explicit level wins over a budget. An unknown word stands for itself.
    """
    if thinking is None:
        return ""
    if thinking.level is not None:
        return EFFORT_WORDS.get(thinking.level, thinking.level)
    if thinking.budget is None:
        return ""
    if thinking.budget < 0:
        return "dynamic"
    return next((word for largest, word in EFFORT_BUDGETS if thinking.budget <= largest), "high")


def is_same_effort(asked: str, sent: str) -> bool:
    """Whether one rung may stand for the other: neighbours on the ladder do, but ``off`` only for ``minimal`` (a
    model that cannot be silenced), and ``dynamic`` for anything that thinks, or for nothing said."""
    if asked == sent:
        return True
    if "dynamic" in (asked, sent):
        return "off" not in (asked, sent)
    if asked not in EFFORTS or sent not in EFFORTS:
        return False
    return abs(EFFORTS.index(asked) - EFFORTS.index(sent)) <= 1


def usable_tools(tools: tuple[Tool, ...] | None, choice: ToolChoice) -> tuple[tuple[Tool, ...], ToolChoice]:
    """Tools and tool choice as their class: what the model may and must call, whatever words say so.

    No tools: every choice is the same. ``none`` is the same as no tools. ``required`` with one tool, ``allowed`` with
    one name and ``named`` are the same, and so are a filtered tool list and a list of allowed names. ``validated``
    counts as auto (a declared loss where it cannot be said). Built-in tools are always kept.
    """
    functions = tuple(tool for tool in tools or () if not tool.builtin)
    builtin = tuple(tool for tool in tools or () if tool.builtin)
    parallel = False if choice.parallel is False and functions else None
    if not functions or choice.mode == "none":
        return builtin, ToolChoice("absent")
    if choice.mode in ("absent", "auto", "validated"):
        return tools or (), ToolChoice("auto", (), parallel)
    names = set(choice.names) if choice.names else {tool.name for tool in functions}
    kept = tuple(tool for tool in functions if tool.name in names) or functions
    if choice.mode == "named" or len(kept) == 1:
        return (*kept, *builtin), ToolChoice("named", tuple(sorted(names))[:1], parallel)
    return (*kept, *builtin), ToolChoice("required", (), parallel)


SUCCESS: Final[frozenset[FinishClass]] = frozenset({"stop", "tool_calls", "pause"})

EXPECTED_FINISHES: Final[dict[FinishClass, frozenset[FinishClass]]] = {
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
        return EXPECTED_FINISHES["incomplete"] if kind == "incomplete" else frozenset({kind})
    disputed = DISPUTED_NATIVE.get(said.finish.native, frozenset())
    if any(call.bad_args is not None for call in said.tool_calls):
        disputed |= EXPECTED_FINISHES["malformed_call"]
    if said.tool_calls and kind in ("stop", "tool_calls"):
        return _beside_calls(kind, context) | disputed
    if kind == "tool_calls":
        return frozenset({"tool_calls", "stop"})
    return EXPECTED_FINISHES[kind] | disputed


def finish_rule(said: Choice, context: FinishContext) -> str:
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
