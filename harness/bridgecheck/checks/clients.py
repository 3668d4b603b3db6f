"""relay.client_remembers: what real clients keep of a response, by their models."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bridgecheck import normalise
from bridgecheck.checks.bases import ANSWERED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import ResponsePair, error_free_response_pairs
from bridgecheck.client_models import ClientModel, Remembered, client_models_of
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import canonical
from bridgecheck.model.outcome import Choice
from bridgecheck.model.prompt import CallPart, MediaPart, Part, TextPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

_REMEMBER: Final = Basis(
    "client-breaks",
    "google-genai 3.4.0 (chats._validate_response), @google/genai 3.1.0, gemini-cli 0.61.0, openai 3.52.0 "
    "(accumulate_delta), anthropic 2.11.0 (accumulate_event): the code run, or a server played to it",
    "2026-11-23",
)
_READ: Final = Basis("convention", "openai 7.55.0 (JavaScript), agents and frameworks: their code read", "2026-11-23")
FINISHED: Final = frozenset({"stop", "tool_calls"})
"""Finish classes of answers that are whole."""


def check_client_remembers(evidence: Evidence) -> Iterator[Result]:
    """Each client of the dialect, given this response, still has the question, text, calls and media in its history."""
    for pair in _whole_answers(evidence):
        lost = [(model, reason) for model in client_models_of(pair.ends.target) if (reason := _find_lost(model, pair))]
        yield _result(pair, lost, "client.remembered", "the turn is in the next request")


CLIENT_REMEMBERS: Final = Check(
    "relay.client_remembers", "relay", "MUST", _REMEMBER, "Real clients keep the turn in their history.",
    check_client_remembers, "response",
    (*ANSWERED, "response.text", "response.tool_calls", "response.media", "response.finish", "client.wire_shape",
     "stream.blocks", "stream.calls_contiguous", "stream.terminates_once"),
    rules=(
        Rule("client.remembered", "MUST", "A client of the dialect that is given the response has question, text, "
            "calls and media in its next request; thoughts and signatures may go.", _REMEMBER),
        Rule("client.remembered_as_read", "MAY", "So does a client whose rules were read in its code and not measured.",
            _READ),
    ),
)  # fmt: skip


def _whole_answers(evidence: Evidence) -> Iterator[ResponsePair]:
    """Yield the turns whose answer is whole at both ends, and holds something that a client could keep."""
    for pair in error_free_response_pairs(evidence):
        choices = (pair.expected.first, pair.actual.first)
        is_whole = {choice.finish.kind for choice in choices} <= FINISHED and not pair.actual.first.refusal
        is_only_choice = len(pair.expected.choices) == len(pair.actual.choices) == 1
        if is_whole and is_only_choice and any(_contents_of_choice(pair.actual.first, pair.ends.target)):
            yield pair


def _result(pair: ResponsePair, found: Sequence[tuple[ClientModel, str]], rule: str, expected: str) -> Result:
    measured = [(model, reason) for model, reason in found if model.how in ("run", "measured")]
    named = measured or found
    message = "; ".join(_sentences(named))
    rows = [Difference(f"{model.client} {model.version}", expected, reason) for model, reason in named]
    rules = [rule if measured else f"{rule}_as_read"] if found else []
    return Result(rows, level=None if measured else "MAY", message=message, rules=rules, turn=pair.turn)


def _sentences(found: Iterable[tuple[ClientModel, str]]) -> Iterator[str]:
    """Yield a sentence for each reason, with all the clients that have it."""
    clients: dict[str, list[str]] = {}
    for model, reason in found:
        clients.setdefault(reason, []).append(model.client)
    for reason, names in clients.items():
        yield f"{' and '.join(dict.fromkeys(names))}: {reason}"


def _find_lost(model: ClientModel, pair: ResponsePair) -> str:
    """Return what this client loses of the turn, and why; "" if it keeps all, or loses it of the provider's too."""
    reason = _describe_lost(model.remember(pair.client_response), pair.client_response, pair.actual.first)
    if reason and pair.ends.origin == pair.ends.target:
        own = model.remember(pair.upstream_response)
        return "" if _describe_lost(own, pair.upstream_response, pair.expected.first) else reason
    return reason


def _describe_lost(remembered: Remembered, response: Response, choice: Choice) -> str:
    because = f": {remembered.reason}" if remembered.reason else ""
    if remembered.forgets_question:
        return f"forgets question and answer{because}"
    if not remembered.messages:
        return f"forgets the answer{because}"
    body: JsonObject = {RECORDS[response.dialect].turns_member: [_QUESTION[response.dialect], *remembered.messages]}
    turns = normalise.request(Request(response.dialect, "unary", body, "")).turns
    parts = [part for turn in turns if turn.role == "assistant" for part in turn.parts]
    pairs = zip(
        ("text", "calls", "media"),
        _contents_of_choice(choice, response.dialect),
        _contents_of_parts(parts),
        strict=True,
    )
    lost = [name for name, expected, actual in pairs if expected and expected != actual]
    return f"keeps other {' and '.join(lost)} than it got{because}" if lost else ""


_QUESTION: Final = {
    dialect: normalise.text_message(dialect, "user", "?") for dialect in ("gemini", "openai-chat", "anthropic")
}


def _contents_of_choice(choice: Choice, dialect: Dialect) -> tuple[str, list[str], list[str]]:
    """Return text, calls and media, to be compared. A call that no client could read is left out, and so are media
    where the history of the dialect has no place for them."""
    calls = [canonical([call.name, call.args]) for call in choice.tool_calls if call.bad_args is None]
    media = choice.media if dialect == "gemini" else ()
    return choice.joined_text, calls, [item.sha256 or item.uri for item in media]


def _contents_of_parts(parts: Sequence[Part]) -> tuple[str, list[str], list[str]]:
    calls = [part.call for part in parts if isinstance(part, CallPart)]
    return (
        "".join(part.text for part in parts if isinstance(part, TextPart)),
        [canonical([call.name, call.args]) for call in calls if call.bad_args is None],
        [part.media.sha256 or part.media.uri for part in parts if isinstance(part, MediaPart)],
    )
