"""Tables of right answers: finish reasons, errors, effort levels, tool choice.

A relation, not an equality: per value of the provider the tables give the SET of values that are right for the client.
A normaliser never promotes ``stop`` beside calls to ``tool_calls``; whether that has to happen is decided here, because
forgetting it is the commonest bug of all.

Sources: https://platform.openai.com/docs/api-reference/chat/object (finish_reason) and
https://ai.google.dev/api/generate-content#FinishReason, stored copies read 2026-11-21. Recorded: api.openai.com ends
with ``stop`` beside calls when tool_choice names or requires a function."""

import re
from dataclasses import dataclass
from typing import Final

from bridgecheck.model.express import response_can_express
from bridgecheck.model.outcome import Choice, ErrorInfo, ErrorKind, FinishClass
from bridgecheck.model.prompt import Thinking, Tool, ToolChoice
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect

SUCCESS: Final[frozenset[FinishClass]] = frozenset({"stop", "tool_calls", "pause"})

EXPECTED_FINISHES: Final[dict[FinishClass, frozenset[FinishClass]]] = {
    "stop": frozenset({"stop"}), "tool_calls": frozenset({"tool_calls"}), "length": frozenset({"length"}),
    "content_filter": frozenset({"content_filter"}),
    "malformed_call": frozenset({"malformed_call", "content_filter", "error", "other"}),
    "pause": frozenset({"pause", "stop", "other"}), "incomplete": frozenset({"incomplete", "error"}),
    "error": frozenset({"error", "incomplete"}),
    "other": frozenset({"other", "stop", "content_filter", "error"}),
}  # fmt: skip
"""What the provider's class may become when the response has no tool call and the two dialects differ."""

BY_NATIVE: Final[dict[str, frozenset[FinishClass]]] = {"CONTINUATION": frozenset({"length", "pause", "other"})}
"""Native finish reasons with right answers of their own -> these. A limit was reached and the answer is not complete:
that is no clean end. Source: google-genai 3.4.0, types.FinishReason, read 2026-11-23."""

DISPUTED_NATIVE: Final[dict[str, frozenset[FinishClass]]] = {
    "RECITATION": frozenset({"content_filter", "other"}),
    "LANGUAGE": frozenset({"content_filter", "other", "stop", "error"}),
    "NO_IMAGE": frozenset({"content_filter", "other", "stop"}),
    "UNEXPECTED_TOOL_CALL": frozenset({"stop", "error", "other", "malformed_call", "content_filter", "tool_calls"}),
    "FINISH_REASON_UNSPECIFIED": frozenset({"other", "stop", "incomplete", "error"}),
}
"""Native finish reasons about which public reports disagree -> every class that one of them calls right."""


@dataclass(frozen=True, slots=True)
class RouteAndForcedCall:
    """``upstream`` / ``client``: the dialects of the two ends; ``converted``: the response was rewritten on its route,
    also where both are one dialect; ``may_force_call``: the request named or required a tool."""

    upstream: Dialect
    client: Dialect
    converted: bool = False
    may_force_call: bool = False


def right_finishes(expected: Choice, context: RouteAndForcedCall) -> frozenset[FinishClass]:
    """Return the classes that the client may receive for this choice of the provider."""
    kind = expected.finish.kind
    if context.upstream == context.client and not context.converted:
        # An adapter that passes a broken stream on may report that: it sees the connection, its client does not.
        return EXPECTED_FINISHES["incomplete"] if kind == "incomplete" else frozenset({kind})
    if expected.finish.native in BY_NATIVE:
        return BY_NATIVE[expected.finish.native]
    disputed = DISPUTED_NATIVE.get(expected.finish.native, frozenset())
    if expected.refusal:  # Chat ends a refusal in stop; where others have a word for it, that says what it is
        disputed |= {"content_filter"}
    if any(call.bad_args is not None for call in expected.tool_calls):
        disputed |= EXPECTED_FINISHES["malformed_call"]
    if expected.refusal and kind == "stop":  # Chat ends a refusal in stop, other dialects have a reason for it
        disputed |= {"content_filter"}
    if expected.tool_calls and kind in ("stop", "tool_calls"):
        return _right_finishes_beside_calls(kind, context) | disputed
    if kind == "incomplete" and context.client == "outcome":  # no caller takes "other" for a success
        return EXPECTED_FINISHES[kind] | {"other"}
    if kind == "tool_calls":
        return frozenset({"tool_calls", "stop"})
    return EXPECTED_FINISHES[kind] | disputed


def finish_rule(expected: Choice, context: RouteAndForcedCall) -> str:
    """Return the rule that widened or moved the set of right finishes, "" if the class simply stays."""
    if right_finishes(expected, context) == {expected.finish.kind}:
        return ""
    if expected.tool_calls and expected.finish.kind in ("stop", "tool_calls"):
        return "finish.promoted"
    return "finish.disputed" if expected.finish.native in DISPUTED_NATIVE else "finish.class"


def _right_finishes_beside_calls(kind: FinishClass, context: RouteAndForcedCall) -> frozenset[FinishClass]:
    """Return the right classes for a response that ended well with calls in it.

    Gemini has no finish reason for that and uses STOP; nor need a library have one, whose caller receives the calls.
    Chat and Anthropic use ``tool_calls``; where the request forced a tool, or the provider's dialect is Chat or the
    client's own and it sent ``stop`` itself, that is right too."""
    if context.client == "outcome" or not response_can_express("finish.tool_calls", [context.client]):
        return frozenset({"stop", "tool_calls"})
    if context.upstream == context.client:
        return frozenset({"tool_calls", kind})
    if context.may_force_call or (context.upstream == "openai-chat" and kind == "stop"):
        return frozenset({"tool_calls", "stop"})
    return frozenset({"tool_calls"})


ERROR_KINDS: Final[dict[ErrorKind, frozenset[ErrorKind]]] = {
    "auth": frozenset({"auth", "permission", "server", "unknown"}),
    "permission": frozenset({"permission", "auth", "server", "unknown"}),
    "not_found": frozenset({"not_found", "invalid"}),
    "invalid": frozenset({"invalid", "not_found", "too_large", "content"}),
    "too_large": frozenset({"too_large", "invalid"}), "rate_limit": frozenset({"rate_limit"}),
    "overloaded": frozenset({"overloaded", "server", "timeout", "unknown"}),
    "server": frozenset({"server", "overloaded", "timeout", "truncated", "unknown"}),
    "timeout": frozenset({"timeout", "server", "overloaded", "truncated", "unknown"}),
    "truncated": frozenset({"truncated", "server", "overloaded", "timeout", "content", "unknown"}),
    "content": frozenset({"content", "invalid", "server", "unknown"}),
    "unknown": frozenset({"unknown", "server", "overloaded", "timeout", "truncated"}),
}  # fmt: skip
"""Kind of the provider's error -> the kinds that the client may receive. An error without a class is taken for the
provider's failure: it may stand for those that nobody's request can cure."""


def right_statuses(status: int) -> range | tuple[int, ...]:
    """Return the HTTP statuses that the client may receive for an upstream error status.

    429 stays 429; the gateway's own key being refused (401, 403) may show as the gateway's failure; 5xx may become
    any 5xx (424 is seen in public), and a timeout 408, which clients retry as well; 4xx stays 4xx. A status below 400
    is no error status: anything."""
    if status == 429:
        return (429,)
    if status in (401, 403):
        return (401, 403, 500, 502)
    if status >= 500:
        return (*((408,) if status == 504 else ()), 424, *range(500, 600))
    if status == 408:
        return (*range(400, 500), 504)
    return range(400, 500) if status >= 400 else range(600)


def error_class_differences(expected: ErrorInfo, actual: ErrorInfo) -> list[Difference]:
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


EFFORT_LEVELS: Final[tuple[str, ...]] = ("off", "minimal", "low", "medium", "high", "xhigh")
"""The levels of effort, lowest first. ``dynamic`` stands beside them."""

EFFORT_BUDGETS: Final[tuple[tuple[int, str], ...]] = ((0, "off"), (512, "minimal"), (4096, "low"), (16384, "medium"))
"""Largest token budget of each level; above: high. Exact numbers are never judged, so neighbouring levels agree."""

EFFORT_ALIASES: Final[dict[str, str]] = {"none": "off", "disabled": "off", "max": "xhigh", "auto": "dynamic"}

_OF_OPENAI: Final = r"gpt-5(?!.*(?:pro|chat|codex))"
CAN_BE_SILENCED_AT_OPENAI: Final = re.compile(rf"(?:^|/){_OF_OPENAI}")
CAN_BE_SILENCED: Final = re.compile(rf"(?:^|/)(?:{_OF_OPENAI}|gemini-(?:2\.5|[3-9](?:\.\d+)?)-flash)")
"""Chat models known to take reasoning_effort ``none`` or ``minimal``: for these, no effort at all is not off. Sources:
https://platform.openai.com/docs/guides/reasoning, https://ai.google.dev/gemini-api/docs/openai; ``none`` is recorded of
api.openai.com (maruel-genai/0571)."""

CANNOT_BE_SILENCED: Final = re.compile(
    r"(?:^|/)(?:gemini-(?:2\.5|[3-9](?:\.\d+)?)-pro|gpt-5.*(?:pro|codex)|gpt-oss|o[1-9](?!\d))"
)
"""Models that always think: what was to be off is at its least there, 128 to 1024 tokens or the level low, or is left
to the model. Sources: https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/openai,
https://platform.openai.com/docs/guides/reasoning (2026-11-23)."""

WITHOUT_LEVELS: Final = re.compile(r"(?:^|/)gemini-2\.5")
"""Gemini's models that take a budget and refuse a level. Reported with Google's response: qwen-code#9094."""


def effort_level(thinking: Thinking | None) -> str:
    """Return the level of effort: off to xhigh, ``dynamic``, or "" where the request sets none.

    An explicit level wins over a budget. An unknown level stands for itself."""
    if thinking is None:
        return ""
    if thinking.level is not None:
        return EFFORT_ALIASES.get(thinking.level, thinking.level)
    if thinking.budget is None:
        return ""
    if thinking.budget < 0:
        return "dynamic"
    return next((level for largest, level in EFFORT_BUDGETS if thinking.budget <= largest), "high")


_SMALLEST_HIGH_BUDGET: Final = 4096


def is_close_effort(expected: str, actual: str) -> bool:
    """Return whether one level may stand for the other: neighbouring levels do, but ``off`` only for ``minimal`` (a
    model that cannot be silenced), and ``dynamic`` for anything that thinks, or for none set."""
    if expected == actual:
        return True
    if "dynamic" in (expected, actual):
        return "off" not in (expected, actual)
    if expected not in EFFORT_LEVELS or actual not in EFFORT_LEVELS:
        return False
    return abs(EFFORT_LEVELS.index(expected) - EFFORT_LEVELS.index(actual)) <= 1


def is_high_budget(thinking: Thinking) -> bool:
    """Return whether an adapter in use has this budget for the effort high: 4096 is the smallest, LiteLLM's
    (https://docs.litellm.ai/docs/reasoning_content, read 2026-11-23)."""
    return thinking.level is None and thinking.budget is not None and thinking.budget >= _SMALLEST_HIGH_BUDGET


def usable_tools(tools: tuple[Tool, ...] | None, choice: ToolChoice) -> tuple[tuple[Tool, ...], ToolChoice]:
    """Return tools and tool choice as their class: what the model may and must call, in whatever encoding.

    No tools: every choice is the same. ``none`` is the same as no tools. ``required`` with one tool, ``allowed`` with
    one name and ``named`` are the same, and so are a filtered tool list and a list of allowed names. ``validated``
    counts as auto (a declared loss where it cannot be expressed). Built-in tools are always kept."""
    functions = tuple(tool for tool in tools or () if not tool.builtin)
    builtin = tuple(tool for tool in tools or () if tool.builtin)
    parallel = False if choice.parallel is False and functions else None
    if not functions or choice.mode == "none":
        return builtin, ToolChoice("absent")
    if choice.mode in ("absent", "auto", "validated"):
        return tools or (), ToolChoice("auto", (), parallel)
    names = set(choice.names) if choice.names else {tool.name for tool in functions}
    selected = tuple(tool for tool in functions if tool.name in names) or functions
    if choice.mode == "named" or len(selected) == 1:
        return (*selected, *builtin), ToolChoice("named", tuple(sorted(names))[:1], parallel)
    return (*selected, *builtin), ToolChoice("required", (), parallel)
