"""Set-valued class tables besides the finish reasons: errors, the effort ladder, tool choice."""

import re
from typing import Final

from bridgecheck.model.outcome import ErrorInfo, ErrorKind
from bridgecheck.model.prompt import Thinking, Tool, ToolChoice

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


def error_problems(said: ErrorInfo, got: ErrorInfo) -> list[tuple[str, str, str]]:
    """(field, expected, got) for everything that is not in the set of right answers. The wording is never judged, but
    there has to be some."""
    problems: list[tuple[str, str, str]] = []
    if got.kind not in ERROR_KINDS[said.kind]:
        problems.append(("error.kind", _either(ERROR_KINDS[said.kind]), got.kind))
    if said.status is not None and got.status is not None and got.status not in right_statuses(said.status):
        problems.append(("error.status", f"a right status for {said.status}", str(got.status)))
    if said.retry_after is not None and got.retry_after is None:
        problems.append(("error.retry_after", f"{said.retry_after:g} s", "(absent)"))
    if said.message and not got.message:
        problems.append(("error.message", "some text", "(empty)"))
    return problems


def effort(thinking: Thinking | None) -> str:
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


def same_effort(asked: str, sent: str) -> bool:
    """Whether one rung may stand for the other: neighbours on the ladder do, but ``off`` only for ``minimal`` (a
    model that cannot be silenced), and ``dynamic`` for anything that thinks, or for nothing said."""
    if asked == sent:
        return True
    if "dynamic" in (asked, sent):
        return "off" not in (asked, sent)
    if asked not in EFFORTS or sent not in EFFORTS:
        return False
    return abs(EFFORTS.index(asked) - EFFORTS.index(sent)) <= 1


def usable(tools: tuple[Tool, ...] | None, choice: ToolChoice) -> tuple[tuple[Tool, ...], ToolChoice]:
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


def _either(kinds: frozenset[ErrorKind]) -> str:
    return " or ".join(sorted(kinds))
