"""How a scenario's behaviour is brought about at a live provider, and the models that it is asked of.

The member ``live`` of a scenario, per dialect:

    "live": {"openai-chat": {
        "family": "gpt-mini",                      # of FAMILIES; left out: the model that the request names
        "prompt": "Call tie_knot twice: ...",      # the last text of the user in the first request; left out: as it is
        "settings": {"max_completion_tokens": 200},  # a JSON merge patch (RFC 7396) on the scenario's requests
        "first": {"messages": [...]},              # a request before the scenario's own; its answer is turn 0 then
        "shows": [{"on": "client_response", "path": "choices[0].message.tool_calls", "count": 2}]
    }}

``shows`` are literal expectations (docs/expectations.md) of the provider's answer as it came, ``client_response`` of an
answer in one document, ``client_events`` of a stream. All of them about one mode have to hold. A mode without any is
not played live."""

from dataclasses import dataclass, field
from typing import Final

from bridgecheck.model.scenario_predicate import WireDocumentPredicate
from bridgecheck.wire import Dialect, JsonObject, Mode


@dataclass(frozen=True, slots=True)
class Elicitation:
    """What a scenario says of one dialect's provider. ``family``: "" for the model of the request; ``prompt``: "" for
    the text of the request; ``first``: a request that is asked before, None where none is."""

    shows: tuple[WireDocumentPredicate, ...]
    family: str = ""
    prompt: str = ""
    settings: JsonObject = field(default_factory=dict)
    first: JsonObject | None = None

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes in which there is something to show."""
        found = {mode for predicate in self.shows if (mode := mode_shown(predicate))}
        return tuple(mode for mode in MODES if mode in found)

    def shows_in(self, mode: Mode) -> tuple[WireDocumentPredicate, ...]:
        return tuple(predicate for predicate in self.shows if mode_shown(predicate) == mode)


MODES: Final[tuple[Mode, ...]] = ("unary", "stream")


def mode_shown(predicate: WireDocumentPredicate) -> Mode | None:
    """Return the mode that a predicate of ``shows`` is about; None for one about a request."""
    if predicate.on == "client_response":
        return "unary"
    return "stream" if predicate.on == "client_events" else None


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of model, and the cheapest one of it that shows the behaviours. Prices: US dollars for a million tokens
    of input and of output, thoughts among these; ``read``: the day on which ``source`` was read."""

    dialect: Dialect
    model: str
    input_price: float
    output_price: float
    read: str
    source: str


_GOOGLE: Final = "https://ai.google.dev/gemini-api/docs/pricing"
_OPENAI: Final = "https://developers.openai.com/api/docs/pricing"
_GPT_4_1: Final = "https://openai.com/index/gpt-4-1/"
_ANTHROPIC: Final = "https://platform.claude.com/docs/en/about-claude/pricing"

FAMILIES: Final[dict[str, Family]] = {
    "gemini-lite": Family("gemini", "gemini-2.5-flash-lite", 0.10, 0.40, "2026-10-07", _GOOGLE),
    "gemini-flash": Family("gemini", "gemini-2.5-flash", 0.30, 2.50, "2026-10-07", _GOOGLE),
    "gemini-signing": Family("gemini", "gemini-3.5-flash", 1.50, 9.00, "2026-10-07", _GOOGLE),
    "gpt-mini": Family("openai-chat", "gpt-4.1-mini", 0.40, 1.60, "2025-04-14", _GPT_4_1),
    "gpt-reasoning": Family("openai-chat", "gpt-5.4-nano", 0.20, 1.25, "2026-05-04", _OPENAI),
    "claude-haiku": Family("anthropic", "claude-haiku-4-5", 1.00, 5.00, "2026-05-22", _ANTHROPIC),
}  # fmt: skip
"""Name -> model and prices. Of gemini-lite and gemini-flash only what later models have too is expected: the first does
not think unless it is told to, the second does; gemini-signing signs its calls and texts."""


def price_of(model: str) -> Family | None:
    """Return the row whose price is that of a model; None where the table does not have it. A version that is named
    behind a family's model is that model."""
    exact = next((row for row in FAMILIES.values() if row.model == model), None)
    if exact is not None:
        return exact
    dated = (row for row in FAMILIES.values() if _is_version_of(model, row.model))
    return next(dated, None)


def _is_version_of(name: str, model: str) -> bool:
    return name.startswith(f"{model}-") and name.removeprefix(f"{model}-").replace("-", "").isdecimal()
