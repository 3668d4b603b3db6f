"""What an adapter may add to a request, drop from it or narrow in it because of the provider's own rules.

A provider cannot do without what is *needed*; what is *neutral* changes nothing about the response. All else changes
what the model does, or what is kept of it, and the client did not request that.

In Anthropic's API thinking excludes forced tool use, a prefilled response, temperature, top_k and a limit that leaves
no room for a budget, and a running chain of calls has to hold the thinking that led to it; temperature ends at 1, and
newer models take none beside top_p. An adapter has to give up one of the two. OpenAI takes no name of an end user that
is longer than 64 characters, and the ids of coding agents are.

Sources: ``accept/anthropic``; of the prefilled response
https://platform.claude.com/docs/en/build-with-claude/extended-thinking#feature-compatibility; of the user
https://github.com/maximhq/bifrost/pull/1000 and https://github.com/looplj/axonhub/issues/1669 (read 2026-11-21)."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from bridgecheck.compare.classes import effort_level
from bridgecheck.model.prompt import Prompt, ReasoningPart, ResultPart, Thinking, Turn
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Addition:
    """What may be added to a request of a dialect. ``path``: in the Prompt, ``settings.NAME`` or ``other:PATH``; one
    that ends with a dot holds for all below it. ``source``: where it is documented or recorded."""

    dialect: Dialect
    path: str
    kind: Literal["needed", "neutral"]
    reason: str
    source: str


_CHAT: Final = "https://platform.openai.com/docs/api-reference/chat/create"
_MESSAGES: Final = "https://docs.anthropic.com/en/api/messages"
_OPENROUTER: Final = "https://openrouter.ai/docs/use-cases/reasoning-tokens"
_HOSTS: Final = "recorded: maruel-genai/0274, maruel-genai/0017"
_SECOND_NAME: Final = "hosts of Chat have several names for one setting; a second one is unmapped here"
_NO_COUNTS: Final = "without it a stream has no token counts"

ADDITIONS: Final[tuple[Addition, ...]] = (
    Addition("anthropic", "settings.max_tokens", "needed", "Anthropic requires a limit", _MESSAGES),
    Addition("openai-chat", "settings.include_usage", "neutral", _NO_COUNTS, _CHAT),
    Addition("openai-chat", "other:stream_options.include_usage", "neutral", _NO_COUNTS, _CHAT),
    Addition("openai-chat", "other:max_tokens", "neutral", _SECOND_NAME, _CHAT),
    Addition("openai-chat", "other:reasoning.", "neutral", _SECOND_NAME, _OPENROUTER),
    Addition("openai-chat", "other:thinking.type", "neutral", _SECOND_NAME, _HOSTS),
    Addition("openai-chat", "other:enable_thinking", "neutral", _SECOND_NAME, _HOSTS),
    Addition("openai-chat", "other:messages[].extra_content.google.", "neutral", "where Google's models are reached by "
        "Chat, this carries what they issued and require back",
        "https://ai.google.dev/gemini-api/docs/thought-signatures"),
    Addition("gemini", "other:contents[].parts[].thoughtSignature", "needed", "a picture of the model goes back with "
        "its signature, whatever carried that, or with the placeholder",
        "https://ai.google.dev/gemini-api/docs/thought-signatures"),
)  # fmt: skip
"""Placeholders for signatures and results are separated where turns are compared (``compare/turns``)."""

_DEFAULTS: Final[Mapping[Dialect, Mapping[str, object]]] = {
    "openai-chat": {
        "settings.temperature": 1, "settings.top_p": 1, "settings.presence_penalty": 0, "settings.frequency_penalty": 0,
        "other:service_tier": '"auto"', "other:store": "false",
    },
    "anthropic": {"settings.temperature": 1, "other:service_tier": '"auto"'},
}  # fmt: skip
"""Provider's dialect -> path in the Prompt -> value that its documentation (``_CHAT``, ``_MESSAGES``, read 2026-11-22)
states as the default: to state it changes nothing. Leaves are JSON."""

CLOSED_SCHEMAS: Final = frozenset[Dialect]({"anthropic"})
"""Dialects whose response formats take only objects that forbid further properties."""
_SMALLEST_BUDGET: Final = 1024
_EXCLUDED_BY_THINKING: Final = frozenset({"temperature", "top_k", "top_p"})
_HIGHEST_TEMPERATURE: Final = 1
_LONGEST_USER: Final = 64
_WITHOUT_THINKING: Final = re.compile(r"claude-(?:[a-z]+-)?[34](?!\d)|^(?!.*claude)")
"""Models that think only where Anthropic's API is told to: up to Claude 4, and those of others behind that API."""
_ONE_SAMPLER: Final = re.compile(r"claude-(?:[a-z]+-)?(?:4[.-][1-9](?!\d)|[5-9])")
"""Models of Anthropic that refuse temperature beside top_p: from Claude 4.1 on."""


def find_addition(dialect: Dialect, path: str) -> Addition | None:
    """Return the row that allows this addition, None if there is none."""
    rows = (row for row in ADDITIONS if row.dialect == dialect)
    return next((row for row in rows if row.path == path or (row.path[-1] == "." and path.startswith(row.path))), None)


def is_stated_default(dialects: Collection[Dialect], path: str, value: object) -> bool:
    """Return whether this is what one of the APIs on the route assumes without it: the provider's, to which it says
    nothing new, or the client's, by which an absent value means it."""
    return any(path in _DEFAULTS.get(dialect, {}) and _DEFAULTS[dialect][path] == value for dialect in dialects)


def is_off_by_default(prompt: Prompt, level: str, dialects: Collection[Dialect]) -> bool:
    """Return whether this is no thinking, where Anthropic's API is on the route and the model is one of Anthropic that
    does not think unless it is told to (https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking, read
    2026-11-22; recorded beside it: maruel-genai/0051)."""
    is_behind_its_api = prompt.dialect == "anthropic" or ("anthropic" in dialects and "claude" in prompt.model)
    return is_behind_its_api and level == "off" and _WITHOUT_THINKING.search(prompt.model) is not None


def thinking_exclusion_rule(prompt: Prompt, dialects: Collection[Dialect]) -> str:
    """Return the rule by which this request, as it was sent, leaves no room for thinking; "" if it leaves some.
    ``dialects``: all on the route."""
    if "anthropic" not in dialects:
        return ""
    if prompt.tool_choice.mode in ("required", "named"):
        return "thinking.forced_tool"
    if prompt.turns and prompt.turns[-1].role == "assistant":
        return "thinking.prefilled"
    limit = dict(prompt.settings).get("max_tokens")
    if isinstance(limit, int) and limit <= _SMALLEST_BUDGET:
        return "thinking.no_room"
    return "thinking.not_replayed" if _is_answering_calls_without_thinking(prompt.turns) else ""


def is_effort_level_that_max_tokens_allows(prompt: Prompt, dialects: Collection[Dialect], level: str) -> bool:
    """Return whether this level of effort is what Anthropic's limit leaves room for: its budget has to be below
    max_tokens, and the response needs tokens too, so half of them is enough."""
    limit = dict(prompt.settings).get("max_tokens")
    if "anthropic" not in dialects or not isinstance(limit, int):
        return False
    return level == effort_level(Thinking(budget=max(_SMALLEST_BUDGET, limit // 2)))


def setting_exclusion_rule(prompt: Prompt, dialects: Collection[Dialect], name: str, value: object) -> str:
    """Return the rule by which a setting could not be sent at all, "" if there is none. ``prompt``: the request as it
    was sent; ``dialects``: all on the route; ``value``: the client's."""
    if name == "user" and "openai-chat" in dialects and isinstance(value, str) and len(value) > _LONGEST_USER:
        return "settings.user_length"
    if "anthropic" not in dialects:
        return ""
    if name in _EXCLUDED_BY_THINKING and prompt.thinking is not None and effort_level(prompt.thinking) != "off":
        return "settings.thinking_excludes"
    if name == "top_p" and "temperature" in dict(prompt.settings) and _ONE_SAMPLER.search(prompt.model):
        return "settings.one_sampler"
    return "settings.blank_stops" if name == "stop" and not _stops_with_text(value) else ""


def narrowed_setting_rule(dialects: Collection[Dialect], name: str, expected: object, actual: object) -> str:
    """Return the rule by which a setting arrived with another value: a temperature beyond Anthropic's range as the
    highest there is, stop texts without those of white space. "" if there is none."""
    if "anthropic" not in dialects:
        return ""
    is_beyond_range = isinstance(expected, int | float) and expected > _HIGHEST_TEMPERATURE
    if name == "temperature" and is_beyond_range and actual == _HIGHEST_TEMPERATURE:
        return "settings.temperature_range"
    return "settings.blank_stops" if name == "stop" and actual == _stops_with_text(expected) else ""


def _stops_with_text(value: object) -> tuple[str, ...]:
    stops = value if isinstance(value, tuple) else ()
    return tuple(stop for stop in stops if isinstance(stop, str) and stop.strip())


def _is_answering_calls_without_thinking(turns: tuple[Turn, ...]) -> bool:
    """Return whether calls are answered and no thinking stands in the model's turns since the user's last text."""
    merged = _merge_neighbours(turns)
    if not merged or not _has_results_of_user(merged[-1]):
        return False
    for turn in reversed(merged):
        if turn.role == "assistant" and any(isinstance(part, ReasoningPart) for part in turn.parts):
            return False
        if turn.role == "user" and not _has_results_of_user(turn):
            break
    return True


def _merge_neighbours(turns: tuple[Turn, ...]) -> list[Turn]:
    """Merge neighbours of one role, as Anthropic reads them: in Chat results and texts are separate messages."""
    merged: list[Turn] = []
    for turn in turns:
        if merged and merged[-1].role == turn.role:
            merged[-1] = replace(turn, parts=(*merged[-1].parts, *turn.parts))
        else:
            merged.append(turn)
    return merged


def _has_results_of_user(turn: Turn) -> bool:
    return turn.role == "user" and any(isinstance(part, ResultPart) for part in turn.parts)
