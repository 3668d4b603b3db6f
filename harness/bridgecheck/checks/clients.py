"""relay.client_remembers, client.shows: what real clients make of a response, by their models."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bridgecheck import normalise
from bridgecheck.checks.bases import ANSWERED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import ResponsePair, error_free_response_pairs
from bridgecheck.client_models import ClientModel, Remembered, client_models_of
from bridgecheck.compare.diff import shorten
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import canonical, objs
from bridgecheck.model.outcome import Choice
from bridgecheck.model.prompt import CallPart, MediaPart, Part, TextPart
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

_REMEMBER: Final = Basis(
    "client-breaks",
    "google-genai 3.4.0 (chats._validate_response), @google/genai 3.1.0, gemini-cli 0.61.0, openai 3.52.0 "
    "(accumulate_delta) and 7.55.0 for JavaScript, anthropic 2.11.0 (accumulate_event), OpenAI Agents SDK 0.24.0, "
    "LangGraph 1.2.22, pydantic-ai 2.68.0, ai 7.0.173: the code run, or a server played to it",
    "2026-11-23",
)
_READ: Final = Basis(
    "convention", "opencode, LitellmModel of the OpenAI Agents SDK: code read, users' reports", "2026-11-23"
)
_SHOW: Final = Basis(
    "client-breaks",
    "Claude Code 2.1.197 -p (a server played to it, https://github.com/anthropics/claude-code/issues/40326), "
    "message.content[0].text with anthropic 2.11.0",
    "2026-11-23",
)

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


def check_client_shows(evidence: Evidence) -> Iterator[Result]:
    """A person who reads the response in a client of the dialect sees the whole text, and nothing else."""
    for pair in _whole_answers(evidence):
        if not _is_one_text(pair):
            continue
        wrong = [
            (model, reason) for model in client_models_of(pair.ends.target) if (reason := _find_unshown(model, pair))
        ]
        yield _result(pair, wrong, "client.shown", "the whole text is shown")


CLIENT_SHOWS: Final = Check(
    "client.shows", "messages", "MUST", _SHOW, "A person sees the whole text.", check_client_shows, "response",
    (*ANSWERED, "response.text", "response.order", "response.refusal", "response.citations", "stream.blocks",
     "client.wire_shape"),
    rules=(
        Rule("client.shown", "MUST", "What a client of the dialect prints of an answer of one text is that text: no "
            "block without text stands where it looks for it.", _SHOW),
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
    """Return text without its white space, which some clients drop of any provider's answer, calls and media, to be
    compared. A call that no client could read is left out, and so are media where the history of the dialect has no
    place for them."""
    calls = [canonical([call.name, call.args]) for call in choice.tool_calls if call.bad_args is None]
    media = choice.media if dialect == "gemini" else ()
    return _without_spaces(choice.joined_text), calls, [item.sha256 or item.uri for item in media]


def _contents_of_parts(parts: Sequence[Part]) -> tuple[str, list[str], list[str]]:
    calls = [part.call for part in parts if isinstance(part, CallPart)]
    return (
        _without_spaces("".join(part.text for part in parts if isinstance(part, TextPart))),
        [canonical([call.name, call.args]) for call in calls if call.bad_args is None],
        [part.media.sha256 or part.media.uri for part in parts if isinstance(part, MediaPart)],
    )


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _is_one_text(pair: ResponsePair) -> bool:
    """Return whether the answer is one text to a person at both ends: several texts, thoughts that the client receives,
    citations, calls and pictures each have a block of their own by right."""
    expected, actual = pair.expected.first, pair.actual.first
    separate = (actual.reasoning, actual.tool_calls, actual.media, actual.code, actual.citations)
    return len(expected.text) == 1 and not any(separate) and bool(actual.joined_text)


def _find_unshown(model: ClientModel, pair: ResponsePair) -> str:
    """Return what this client shows in place of the text, "" if it shows that, or if the text is only cut in blocks."""
    prompt = pair.client_prompt
    if model.is_without_thinking and prompt is not None and prompt.thinking is not None:
        return ""
    shown, expected = model.shows(pair.client_response), pair.actual.first.joined_text
    if _without_spaces(shown) == _without_spaces(expected) or _is_all_text(model.remember(pair.client_response)):
        return ""
    if pair.ends.origin == pair.ends.target and model.shows(pair.upstream_response) == shown:
        return ""
    blocks = "a block without text stands where it looks for the text"
    return f"shows nothing: {blocks}" if not shown else f"shows {shorten(shown)} of {shorten(expected)}: {blocks}"


def _is_all_text(remembered: Remembered) -> bool:
    """Return whether an answer is nothing but blocks of text: providers cut one text in several where they cite."""
    blocks = [block for message in remembered.messages for block in objs(message.get("content"))]
    return bool(blocks) and all(block.get("type") == "text" for block in blocks)
