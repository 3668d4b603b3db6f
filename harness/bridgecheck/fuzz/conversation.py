"""Conversations and answers that every dialect can express, and strategies that generate them.

They hold no document of any dialect, so the same content can be written for both ends of every pair of dialects.
"""

from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from bridgecheck.wire import JsonObject

MODEL: Final = "scripted-model"
"""The model that answers."""
MODELS: Final = (MODEL, "gemini-2.5-flash", "gemini-3.5-flash", "gpt-5.1-mini", "claude-sonnet-4-5")
"""Models to request: what a model can do decides how a request is converted."""
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SIGNATURE: Final = "c2lnbmF0dXJlLW9uZQ=="
TOOLS: Final = ("get_weather", "search", "f", "read-file")
SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "of the world"}, "n": {"type": "integer"}},
}

TEXTS: Final = st.text(
    st.characters(exclude_categories=["Cs", "Cn", "Co"], exclude_characters="\x00"), min_size=1, max_size=20
).map(lambda text: f"{text}.")
"""Never blank and never ending in white space: providers refuse such texts, which is no matter of conversion."""
TOOL_NAMES: Final = st.sampled_from(TOOLS)
CALLED_NAMES: Final = st.sampled_from((*TOOLS, "files_read"))
"""Functions that a provider calls. It may have been sent changed names: ``files_read`` for Gemini's ``files.read``."""
_NUMBERS = st.floats(-1e9, 1e9).map(lambda number: number or 0.0)
_LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | TEXTS | _NUMBERS
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)
ARGUMENTS: Final[st.SearchStrategy[JsonObject]] = st.dictionaries(
    st.sampled_from(["city", "größe", "n", "list"]), _VALUES, max_size=3
)
DRAWN_CALLS: Final = st.lists(st.tuples(TOOL_NAMES, ARGUMENTS), max_size=3)


@dataclass(frozen=True)
class ModelCall:
    """A tool call. ``id`` is used by every dialect, Gemini's too."""

    name: str
    args: JsonObject
    id: str


@dataclass(frozen=True)
class ModelAnswer:
    """One turn of the model. ``stop``: OpenAI's finish reason, "" for the usual one. ``completion`` includes the tokens
    of the reasoning, ``prompt`` those that were ``cached``."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ModelCall, ...] = ()
    stop: str = ""
    prompt: int = 11
    completion: int = 7
    cached: int = 0

    @property
    def finish_reason(self) -> str:
        return self.stop or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True)
class Exchange:
    """A text of the user and the model's answer to it; ``results``: one for each of the model's calls."""

    user: str
    image: bool
    model: ModelAnswer
    results: tuple[str, ...]


@dataclass(frozen=True)
class Conversation:
    """A whole request. ``last``: the user's last text. ``choice``: auto, any, none or "" for no setting; without
    ``tools`` there is none."""

    system: str
    exchanges: tuple[Exchange, ...]
    last: str
    temperature: float | None
    top_p: float | None
    stop: tuple[str, ...]
    choice: str = ""
    tools: tuple[str, ...] = ()


@st.composite
def model_answers(draw: st.DrawFn, turn: int = 0) -> ModelAnswer:
    """One whole answer: it has text or calls, and its counts add up. ``turn`` makes the ids of its calls unique."""
    drawn_calls = draw(DRAWN_CALLS)
    calls = tuple(ModelCall(name, args, f"call_{turn}_{index}") for index, (name, args) in enumerate(drawn_calls))
    text = draw(TEXTS if not calls else TEXTS | st.just(""))
    stop = draw(st.sampled_from(["", "length"] if not calls else [""]))
    prompt, completion = draw(st.integers(0, 10**6)), draw(st.integers(3, 10**5))
    cached = draw(st.just(0) | st.integers(0, prompt))
    return ModelAnswer(text, draw(st.just("") | TEXTS), calls, stop, prompt, completion, cached)


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    exchanges = []
    for number in range(draw(st.integers(0, 3))):
        answer = draw(model_answers(number))
        # History has no reasoning: unsigned reasoning may not be replayed, and the relay tests replay signed one.
        model = ModelAnswer(answer.text, "", answer.calls)
        exchanges.append(Exchange(draw(TEXTS), draw(st.booleans()), model, tuple(draw(TEXTS) for _ in model.calls)))
    called = [call.name for exchange in exchanges for call in exchange.model.calls]
    tools = tuple(dict.fromkeys([*called, *draw(st.lists(TOOL_NAMES, unique=True))]))
    return Conversation(
        draw(st.just("") | TEXTS), tuple(exchanges), draw(TEXTS),
        draw(st.none() | st.sampled_from([0, 0.5, 1])), draw(st.none() | st.sampled_from([0.1, 0.95])),
        tuple(draw(st.lists(st.sampled_from(["END", "\n\nHuman:"]), unique=True, max_size=2))),
        draw(st.sampled_from(["", "auto", "any", "none"])) if tools else "", tools,
    )  # fmt: skip


@st.composite
def cut_positions(draw: st.DrawFn) -> list[int]:
    """Where texts are cut: distances from their start in characters, used for every text of a stream."""
    return sorted(set(draw(st.lists(st.integers(1, 40), max_size=5))))


def drop_none_and_empty(**settings: object) -> JsonObject:
    """Return the settings that are neither None nor empty."""
    return {key: value for key, value in settings.items() if value not in (None, [], "", {})}
