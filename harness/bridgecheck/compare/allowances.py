"""What an adapter may add to a request, drop from it or narrow in it because of the provider's own rules.

A provider cannot do without what is *needed*; what is *neutral* changes nothing about the response. All else changes
what the model does, or what is kept of it, and the client did not request that.

Thinking excludes forced tool use, a begun answer, temperature, top_k and a limit that leaves no room for a budget, and
a chain of calls under way has to hold the thinking that led to it; temperature ends at 1, and newer models take none
beside top_p. An adapter has to give up one of the two. OpenAI takes no name of an end user that is longer than 64
characters, and the ids of coding agents are.

Sources: ``accept/anthropic``; of the begun answer
https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility; of the user
https://github.com/maximhq/bifrost/pull/1000 and https://github.com/looplj/axonhub/issues/1669 (read 2026-11-21).
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, Literal

from bridgecheck.compare.classes import effort_level
from bridgecheck.model.prompt import Prompt, ReasoningPart, ResultPart, Thinking, Turn
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Addition:
    """``path``: in the Prompt, ``settings.NAME`` or ``other:PATH``; one that ends with a dot holds for all below it.
    ``source``: where it is documented or recorded."""

    dialect: Dialect
    path: str
    kind: Literal["needed", "neutral"]
    reason: str
    source: str


_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_MESSAGES: Final = "https://docs.anthropic.com/en/api/messages"

_OPENROUTER: Final = "https://openrouter.ai/docs/use-cases/reasoning-tokens"
_HOSTS: Final = "recorded: maruel-genai/0274, maruel-genai/0017"
_SECOND: Final = "hosts of Chat have words of their own for one setting; one that is given twice is left over here"

ADDITIONS: Final[tuple[Addition, ...]] = (
    Addition("anthropic", "settings.max_tokens", "needed", "Anthropic requires a limit", _MESSAGES),
    Addition("openai-chat", "settings.include_usage", "neutral", "without it a stream has no token counts", _CHAT),
    Addition(
        "openai-chat", "other:stream_options.include_usage", "neutral", "without it a stream has no counts", _CHAT
    ),
    Addition("openai-chat", "other:max_tokens", "neutral", _SECOND, _CHAT),
    Addition("openai-chat", "other:reasoning.", "neutral", _SECOND, _OPENROUTER),
    Addition("openai-chat", "other:thinking.type", "neutral", _SECOND, _HOSTS),
    Addition("openai-chat", "other:enable_thinking", "neutral", _SECOND, _HOSTS),
    Addition(
        "openai-chat",
        "other:messages[].extra_content.google.",
        "neutral",
        "where Google's models are reached by Chat, this carries what they gave and want back",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
)
"""Placeholders for signatures and results are told apart where turns are compared (``compare/turns``)."""


def find_addition(dialect: Dialect, path: str) -> Addition | None:
    """The row that allows this addition, None if there is none."""
    return next((row for row in ADDITIONS if row.dialect == dialect and _covers(row.path, path)), None)


def _covers(named: str, path: str) -> bool:
    return path.startswith(named) if named.endswith(".") else path == named


SMALLEST_BUDGET: Final = 1024
SAMPLING: Final = frozenset({"temperature", "top_k", "top_p"})
HOTTEST: Final = 1
LONGEST_USER: Final = 64
CLOSED_SCHEMAS: Final = frozenset[Dialect]({"anthropic"})
"""Dialects whose response formats take only objects that forbid further properties."""
ONE_SAMPLER: Final = re.compile(r"claude-(?:[a-z]+-)?(?:4[.-][1-9](?!\d)|[5-9])")
"""Models of Anthropic that refuse temperature beside top_p: from Claude 4.1 on."""


def thinking_exclusion_rule(sent: Prompt, dialects: Collection[Dialect]) -> str:
    """The rule by which this request, as it was sent, leaves no room for thinking; "" if it leaves some."""
    if "anthropic" not in dialects:
        return ""
    if sent.tool_choice.mode in ("required", "named"):
        return "thinking.forced_tool"
    if sent.turns and sent.turns[-1].role == "assistant":
        return "thinking.prefilled"
    limit = dict(sent.settings).get("max_tokens")
    if isinstance(limit, int) and limit <= SMALLEST_BUDGET:
        return "thinking.no_room"
    return "thinking.not_replayed" if _unled(sent.turns) else ""


def is_largest_possible_effort(sent: Prompt, dialects: Collection[Dialect], got: str) -> bool:
    """Whether this rung of effort is what Anthropic's limit leaves room for: its budget has to be below max_tokens, and
    the answer needs tokens too, so half of them is enough."""
    limit = dict(sent.settings).get("max_tokens")
    if "anthropic" not in dialects or not isinstance(limit, int):
        return False
    return got == effort_level(Thinking(budget=max(SMALLEST_BUDGET, limit // 2)))


def setting_exclusion_rule(sent: Prompt, dialects: Collection[Dialect], name: str, asked: object) -> str:
    """The rule by which a setting could not be sent at all, "" if there is none. ``dialects``: of everyone on the
    way."""
    if name == "user" and "openai-chat" in dialects and isinstance(asked, str) and len(asked) > LONGEST_USER:
        return "settings.user_length"
    if "anthropic" not in dialects:
        return ""
    if name in SAMPLING and sent.thinking is not None and effort_level(sent.thinking) != "off":
        return "settings.thinking_excludes"
    if name == "top_p" and "temperature" in dict(sent.settings) and ONE_SAMPLER.search(sent.model):
        return "settings.one_sampler"
    return "settings.blank_stops" if name == "stop" and not _stops(asked) else ""


def narrowed_setting_rule(dialects: Collection[Dialect], name: str, asked: object, got: object) -> str:
    """The rule by which a setting arrived with another value: a temperature beyond Anthropic's range as the hottest
    there is, stop texts without those of white space. "" if there is none."""
    if "anthropic" not in dialects:
        return ""
    if name == "temperature" and isinstance(asked, int | float) and asked > HOTTEST and got == HOTTEST:
        return "settings.temperature_range"
    return "settings.blank_stops" if name == "stop" and got == _stops(asked) else ""


def _stops(asked: object) -> tuple[str, ...]:
    given = asked if isinstance(asked, tuple) else ()
    return tuple(stop for stop in given if isinstance(stop, str) and stop.strip())


def _unled(turns: tuple[Turn, ...]) -> bool:
    """Whether calls are being answered and no thinking stands in the model's turns since the user's last words."""
    runs = _runs(turns)
    if not runs or not _answers(runs[-1]):
        return False
    for turn in reversed(runs):
        if turn.role == "assistant" and any(isinstance(part, ReasoningPart) for part in turn.parts):
            return False
        if turn.role == "user" and not _answers(turn):
            break
    return True


def _runs(turns: tuple[Turn, ...]) -> list[Turn]:
    """Neighbours of one role as one turn, as Anthropic reads them: in Chat results and words are messages apart."""
    merged: list[Turn] = []
    for turn in turns:
        if merged and merged[-1].role == turn.role:
            merged[-1] = replace(turn, parts=(*merged[-1].parts, *turn.parts))
        else:
            merged.append(turn)
    return merged


def _answers(turn: Turn) -> bool:
    return turn.role == "user" and any(isinstance(part, ResultPart) for part in turn.parts)
