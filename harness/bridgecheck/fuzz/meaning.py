"""What is said, in no dialect's words: the turns of a conversation and the model's answer, and how they are generated.

Only what all three dialects can say is here, so the same meaning can be put on every side of every pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from bridgecheck.wire import JsonObject

MODEL: Final = "scripted-model"
"""Who answers."""
MODELS: Final = (MODEL, "gemini-2.5-flash", "gemini-3.5-flash", "gpt-5.1-mini", "claude-sonnet-4-5")
"""Who is asked: what a model can do decides how it is asked."""
PIXEL: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SIGNATURE: Final = "c2lnbmF0dXJlLW9uZQ=="
TOOLS: Final = ("get_weather", "search", "f", "read-file")
SCHEMA: Final[JsonObject] = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "of the world"}, "n": {"type": "integer"}},
}

WORDS: Final = st.text(
    st.characters(exclude_categories=["Cs", "Cn", "Co"], exclude_characters="\x00"), min_size=1, max_size=20
).map(lambda words: f"{words}.")
"""Never blank and never ending in white space: what providers refuse is no matter of conversion."""
NAMES: Final = st.sampled_from(TOOLS)
CALLED: Final = st.sampled_from((*TOOLS, "files_read"))
"""What a provider calls that may have been sent other names than the client's: Gemini's ``files.read`` among them."""
_LEAVES = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | WORDS | st.floats(-1e9, 1e9).map(lambda x: x or 0.0)
)
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6
)
ARGUMENTS: Final[st.SearchStrategy[JsonObject]] = st.dictionaries(
    st.sampled_from(["city", "größe", "n", "list"]), _VALUES, max_size=3
)


@dataclass(frozen=True)
class Call:
    """``id`` is used by every dialect, Gemini's too."""

    name: str
    args: JsonObject
    id: str


@dataclass(frozen=True)
class Says:
    """One turn of the model. ``stop``: OpenAI's word for the end, "" for the usual one. ``completion`` takes in what
    was thought, ``prompt`` what was ``cached``."""

    text: str = ""
    thinks: str = ""
    calls: tuple[Call, ...] = ()
    stop: str = ""
    prompt: int = 11
    completion: int = 7
    cached: int = 0

    @property
    def finish(self) -> str:
        return self.stop or ("tool_calls" if self.calls else "stop")


@dataclass(frozen=True)
class Round:
    """What the user said, and what the model answered; its calls, if any, were all answered with ``results``."""

    user: str
    image: bool
    model: Says
    results: tuple[str, ...]


@dataclass(frozen=True)
class Talk:
    """``choice``: auto, any, none or "" for nothing said. Without ``tools`` there is no choice."""

    system: str
    rounds: tuple[Round, ...]
    last: str
    temperature: float | None
    top_p: float | None
    stop: tuple[str, ...]
    choice: str = ""
    tools: tuple[str, ...] = ()


@st.composite
def calls(draw: st.DrawFn, stem: int = 0) -> tuple[Call, ...]:
    """``stem``: what sets the ids of one turn apart from those of another."""
    wanted = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=3))
    return tuple(Call(name, args, f"call_{stem}_{index}") for index, (name, args) in enumerate(wanted))


@st.composite
def answers(draw: st.DrawFn, stem: int = 0) -> Says:
    """One whole answer: it says or calls something, and its counts add up."""
    called = draw(calls(stem))
    text = draw(WORDS if not called else WORDS | st.just(""))
    stop = draw(st.sampled_from(["", "length"] if not called else [""]))
    prompt, completion = draw(st.integers(0, 10**6)), draw(st.integers(3, 10**5))
    cached = draw(st.just(0) | st.integers(0, prompt))
    return Says(text, draw(st.just("") | WORDS), called, stop, prompt, completion, cached)


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    rounds = []
    for number in range(draw(st.integers(0, 3))):
        said = draw(answers(number))
        # History says no thoughts: unsigned ones may not be replayed, and signed ones are the relay's matter.
        model = Says(said.text, "", said.calls)
        rounds.append(Round(draw(WORDS), draw(st.booleans()), model, tuple(draw(WORDS) for _ in model.calls)))
    tools = _declared(rounds, draw(st.lists(NAMES, unique=True)))
    return Talk(
        draw(st.just("") | WORDS),
        tuple(rounds),
        draw(WORDS),
        draw(st.none() | st.sampled_from([0, 0.5, 1])),
        draw(st.none() | st.sampled_from([0.1, 0.95])),
        tuple(draw(st.lists(st.sampled_from(["END", "\n\nHuman:"]), unique=True, max_size=2))),
        draw(st.sampled_from(["", "auto", "any", "none"])) if tools else "",
        tools,
    )


def _declared(rounds: Sequence[Round], more: Sequence[str]) -> tuple[str, ...]:
    """Every function that was called, and some more."""
    called = [call.name for each in rounds for call in each.model.calls]
    return tuple(dict.fromkeys([*called, *more]))


@st.composite
def cuts(draw: st.DrawFn) -> list[int]:
    """Where texts are cut: distances from their start, used for every text of a stream."""
    return sorted(set(draw(st.lists(st.integers(1, 40), max_size=5))))


def given(**settings: object) -> JsonObject:
    """Without what is not said."""
    return {key: value for key, value in settings.items() if value not in (None, [], "", {})}
