"""Generated scenario documents, as they would stand in a scenario file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from hypothesis import strategies as st

from bridgecheck import normalise
from bridgecheck.codec.rechunk import Cut, cut_at
from bridgecheck.fuzz import anthropic, conversation, gemini, openai_chat, scripts
from bridgecheck.fuzz.conversation import Conversation, ModelAnswer
from bridgecheck.model.jsonvalue import obj, objs
from bridgecheck.model.verdict import CaseKey
from bridgecheck.wire import DIALECTS, MODES, Dialect, JsonObject, Mode
from bridgecheck.wire.facts import RECORDS


class DialectWriter(NamedTuple):
    """How one dialect writes conversations and answers down, and its strategies for what it alone can express."""

    write_request: Callable[[Conversation], JsonObject]
    write_answer: Callable[[ModelAnswer], JsonObject]
    native_requests: Callable[[str], st.SearchStrategy[JsonObject]]
    native_answers: Callable[[], st.SearchStrategy[JsonObject]]


WRITERS: Final[dict[Dialect, DialectWriter]] = {
    dialect: DialectWriter(module.write_request, module.write_answer, module.native_requests, module.native_answers)
    for dialect, module in zip(DIALECTS, (gemini, openai_chat, anthropic), strict=True)
}

Requests: TypeAlias = dict[Dialect, JsonObject]
"""The body of a request in each dialect that can express it."""

Scripts: TypeAlias = dict[Dialect, JsonObject]
"""The scripted response in each dialect that can express it."""


@dataclass(frozen=True)
class ModeAndChunking:
    """How responses arrive: in which mode, and where the texts of a stream are cut."""

    mode: Mode
    cut: Cut

    def script(self, dialect: Dialect, document: JsonObject) -> JsonObject:
        """Return the scripted response for a unary document."""
        if self.mode == "unary":
            return {"body": document}
        return {"events": normalise.unfold(dialect, document, self.cut)}


@dataclass(frozen=True)
class Turn:
    requests: Requests
    scripts: Scripts


def scenario_document(mode: Mode, model: str, turns: Sequence[Turn], outcome: JsonObject) -> JsonObject:
    """Return the document, without a name of its own (see ``set_id_and_source``). ``model``: the one requested.
    ``outcome``: expected of the last response, {} if the checks alone decide. Its content is ordinary in every dialect,
    so that a failure is a FAIL."""
    first, *rest = (
        {
            "client": {dialect: _client_request(dialect, body, model) for dialect, body in turn.requests.items()},
            "upstream": {dialect: {mode: [script]} for dialect, script in turn.scripts.items()},
        }
        for turn in turns
    )
    return {
        "id": "found/unnamed",
        "title": "Found by generating scenarios",
        "description": "The request arrives at the provider, and the provider's response at the client.",
        "why": "Found by bridgecheck fuzz; write here what breaks when you keep it.",
        "level": "MUST",
        "basis": {
            "kind": "documented", "ref": "https://ai.google.dev/api/generate-content#method:-models.generatecontent",
            "duty": "What the client requests is requested of the provider, and what it answers is the answer.",
        },
        "sources": [{"ref": "bridgecheck fuzz"}],
        "evidence": [],
        "tags": ["found"], "requires": [], "since": "0.2.0", "modes": [mode],
        **first, **({"turns": rest} if rest else {}),
        "expect": {"outcome": outcome, "wire": [{"on": "upstream_request[0]", "path": "", "present": True}]},
    }  # fmt: skip


def set_id_and_source(document: JsonObject, name: str, command: str) -> JsonObject:
    """Return the document with the id ``found/<name>``. ``command``: the one that found it, as its source."""
    return {**document, "id": f"found/{name}", "sources": [{"ref": command}]}


def keep_dialects_of_case(document: JsonObject, key: CaseKey) -> JsonObject:
    """Return the document with no dialects other than those of this case."""
    narrowed = _keep_turn_dialects(document, key)
    later = [_keep_turn_dialects(turn, key) for turn in objs(narrowed.get("turns"))]
    return {**narrowed, "turns": later} if later else narrowed


def _keep_turn_dialects(turn: JsonObject, key: CaseKey) -> JsonObject:
    request, script = obj(turn["client"])[key.client], obj(turn["upstream"])[key.upstream]
    return {**turn, "client": {key.client: request}, "upstream": {key.upstream: script}}


def _client_request(dialect: Dialect, body: JsonObject, model: str) -> JsonObject:
    record = RECORDS[dialect]
    named = {"model": model} if record.model_in_path else {}
    return {**named, "body": record.body_with_model(body | record.usage_members, model)}


def _expected_text_calls_and_usage(answer: ModelAnswer) -> JsonObject:
    return {
        "text": answer.text,
        "tool_calls": [[call.name, call.args] for call in answer.calls],
        "usage": {
            "prompt": answer.prompt, "completion": answer.completion, "total": answer.prompt + answer.completion,
        },
    }  # fmt: skip


@st.composite
def documents(
    draw: st.DrawFn, clients: tuple[Dialect, ...] = DIALECTS, upstreams: tuple[Dialect, ...] = DIALECTS
) -> JsonObject:
    """One scenario: a request with its answer, two turns, or a failure of the provider. Requests and answers are either
    portable, so that every dialect can express them, or native to one dialect."""
    mode: Mode = draw(st.sampled_from(MODES))
    delivery = ModeAndChunking(mode, cut_at(draw(conversation.cut_positions()) if mode == "stream" else []))
    native = draw(st.booleans())
    kind = draw(st.sampled_from(["portable", "native", "native", "two turns", "failure"]))
    model = draw(st.sampled_from(conversation.MODELS))
    if native:
        requests = draw(_requests_native_to_one_dialect(clients, model))
    else:
        content = draw(conversation.conversations())
        requests = {dialect: writer.write_request(content) for dialect, writer in WRITERS.items()}
    if kind == "native":
        dialect = draw(st.sampled_from(upstreams))
        script = delivery.script(dialect, draw(WRITERS[dialect].native_answers()))
        return scenario_document(mode, model, [Turn(requests, {dialect: script})], {})
    if kind == "failure":
        return scenario_document(mode, model, [Turn(requests, draw(_failure_scripts(delivery)))], {})
    answer = draw(conversation.model_answers(8))
    turns = [Turn(requests, _answer_scripts(answer, delivery))]
    if kind == "two turns":
        results, text = [draw(conversation.TEXTS) for _ in answer.calls], draw(conversation.TEXTS)
        later = {dialect: scripts.next_request(dialect, body, results, text) for dialect, body in requests.items()}
        answer = draw(conversation.model_answers(9))
        turns.append(Turn(later, _answer_scripts(answer, delivery)))
    return scenario_document(mode, model, turns, _expected_text_calls_and_usage(answer))


@st.composite
def _failure_scripts(draw: st.DrawFn, delivery: ModeAndChunking) -> Scripts:
    """A refusal; a stream that ends with an error event, or is cut."""
    refusal, event_count = draw(scripts.refusals()), draw(st.integers(0, 8))
    kind = draw(st.sampled_from(["refusal", "error event", "cut"])) if delivery.mode == "stream" else "refusal"
    answer = draw(conversation.model_answers())
    found: Scripts = {}
    for dialect in DIALECTS:
        events = normalise.unfold(dialect, WRITERS[dialect].write_answer(answer), delivery.cut)
        if kind == "refusal":
            found[dialect] = scripts.refusal_script(dialect, refusal)
        elif kind == "error event":
            found[dialect] = {"events": [*events[:1], scripts.error_document(dialect, refusal)], "done": False}
        else:
            found[dialect] = scripts.cut_stream_script(dialect, events, event_count)
    return found


def _answer_scripts(answer: ModelAnswer, delivery: ModeAndChunking) -> Scripts:
    return {dialect: delivery.script(dialect, writer.write_answer(answer)) for dialect, writer in WRITERS.items()}


@st.composite
def _requests_native_to_one_dialect(draw: st.DrawFn, dialects: tuple[Dialect, ...], model: str) -> Requests:
    dialect = draw(st.sampled_from(dialects))
    return {dialect: draw(WRITERS[dialect].native_requests(model))}
