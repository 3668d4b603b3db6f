"""A request in a wire format -> the same request as an ``outcome`` document, for a library with types of its own.

It is what the normaliser reads in the request, written down in ``wire.outcome``'s words. Where a scenario states a
request in several dialects, the first of SOURCES whose every turn can be said so is taken. What the answers of earlier
turns are to bring stays in it as placeholders, for ``relay`` to replace.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from bridgecheck import normalise
from bridgecheck.errors import HarnessError
from bridgecheck.model.exchange import Request
from bridgecheck.model.jsonvalue import integer, objs
from bridgecheck.model.prompt import OtherPart, Prompt
from bridgecheck.model.scenario import ScenarioTurn
from bridgecheck.normalise.outcome.nonsense import problems
from bridgecheck.upstream.outcome_document import RECEIVED, SETTINGS, document
from bridgecheck.upstream.plain_words import plain
from bridgecheck.wire import DIALECTS, Dialect, JsonObject
from bridgecheck.wire.facts import MOST_SPOKEN, RECORDS

SOURCES: Final[tuple[Dialect, ...]] = (MOST_SPOKEN, *(dialect for dialect in DIALECTS if dialect != MOST_SPOKEN))
"""What most libraries take after comes first."""

_IMPLIED: Final = frozenset({"include_usage"})
"""Settings of the wire that no caller of a library makes."""
_NOTHING: Final = frozenset({"null", '""', "[]", "{}"})


class NoWords(HarnessError):
    """The request holds what an ``outcome`` document has no word for: one provider's own feature."""

    code = "no-words"


def source(turns: Sequence[ScenarioTurn]) -> Dialect:
    """The dialect that the requests of these turns are made from. Raises NoWords, with what stands in the way in the
    first one that states them all."""
    wrong: list[NoWords] = []
    for dialect in SOURCES:
        stated = [turn.client[dialect] for turn in turns if dialect in turn.client]
        if len(stated) < len(turns):
            continue
        try:
            for said in stated:
                written(Request(dialect, "unary", said.body, said.model, said.headers))
        except NoWords as no_words:
            wrong.append(no_words)
        else:
            return dialect
    raise wrong[0] if wrong else NoWords("no dialect states every turn")


def written(asked: Request) -> JsonObject:
    """The document. Raises NoWords."""
    body = marked(asked.body, asked.dialect)
    prompt = normalise.request(Request(asked.dialect, asked.mode, body, asked.model, asked.headers))
    prompt = plain(prompt)
    gone = next(_unsayable(prompt), "")
    if gone:
        raise NoWords(f"an outcome document has no word for {gone}")
    made = document(prompt, body)
    stated = [turn for turn in objs(made["turns"]) if "$received" not in turn]
    wrong = problems("request", made | {"turns": stated})
    if wrong:
        raise NoWords(f"an outcome document cannot say {wrong[0]}")
    return made


def marked(body: JsonObject, dialect: Dialect) -> JsonObject:
    """The request with a text, ``$received:N``, in place of each answer that is to be put there."""
    key = RECORDS[dialect].turns_member
    history = body.get(key)
    return body | {key: [_mark(one, dialect) for one in history]} if isinstance(history, list) else body


def _mark(message: object, dialect: Dialect) -> object:
    if not isinstance(message, dict) or "$received" not in message:
        return message
    return normalise.text_message(dialect, "assistant", f"{RECEIVED}{integer(message['$received']) or 0}")


def _unsayable(prompt: Prompt) -> Iterator[str]:
    """What is one provider's own: fields, settings, tools that it runs, parts and headers."""
    yield from (path for path, value in prompt.other if not path.startswith("stream") and value not in _NOTHING)
    yield from (name for name, _ in prompt.settings if name not in SETTINGS | _IMPLIED)
    yield from (f"the tool {tool.name}" for tool in prompt.tools or () if tool.builtin)
    yield from (f"a part {part.kind}" for turn in prompt.turns for part in turn.parts if isinstance(part, OtherPart))
    yield from (f"the header {name}" for name in prompt.features)
