"""response.identity, client.wire_shape, upstream.wire_shape, response.other, request.other: whether documents have the
members of their dialect, and whether leaves without a field in the normal form are dropped silently."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from bridgecheck import validate
from bridgecheck.checks.bases import ANSWERED, BREAKS, CHAT, CHUNK, GEMINI, READ, RECORDED_HOSTS
from bridgecheck.checks.check import Check, Result, Rule, describe_undocumented, silent_losses, undocumented_difference
from bridgecheck.checks.request_and_response_pairs import (
    RequestPair,
    ResponsePair,
    error_free_response_pairs,
    request_pairs,
    response_pairs,
)
from bridgecheck.checks.text import DECODED
from bridgecheck.codec.camel_case import respell_request
from bridgecheck.compare.diff import shorten
from bridgecheck.compare.losses import LOCATIONS, Ends
from bridgecheck.documented_leaves import is_documented, is_documented_tag, path_keys
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Request, Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import AppliedLoss, Difference, Level
from bridgecheck.normalise import UNDECODABLE
from bridgecheck.wire import JsonObject, Mode
from bridgecheck.wire.facts import RECORDS

_MOST: Final = 20
"""Violations shown of one document."""
_BODY_SHOWN: Final = 60
"""Characters shown of a body that is no JSON."""
_CLOCK_S: Final = 600
"""How long a stream may take."""
_MODEL_IS_NULL: Final = ("model", "null")
"""The one violation that two dialects of a body with a model share."""

_ONE_VALUE: Final = Basis(
    "convention",
    "Google's samples send contents and parts as single objects (google-gemini/generative-ai-python, "
    "samples/rest/system_instruction.sh); the parser whose words Gemini's refusals have takes one value for a list "
    "(protocolbuffers/protobuf, protostream_objectwriter_test.cc, ImplicitPrimitiveList); no refusal is recorded",
    READ,
)  # fmt: skip
_LIST_DUE: Final = ": Input should be a valid list, is "

DOCUMENT: Final = "a document of this dialect"
"""What is expected where a document is not valid; the actual side says what is wrong with it."""


def check_identity(evidence: Evidence) -> Iterator[Result]:
    """Chat and Anthropic responses have an id and a model; the model is one that was requested or that responded."""
    for pair in error_free_response_pairs(evidence):
        documents = _identifying_documents(pair.client_response)
        if not documents:
            continue
        rows = [*_find_missing_identity(pair.client_response), *_find_foreign_models(pair, documents)]
        yield _judge_identity(pair, rows, list(_find_missing_identity(pair.upstream_response)))
        changes = list(_find_changes_in_stream(pair.client_response))
        if changes:
            yield _judge_identity(pair, changes, list(_find_changes_in_stream(pair.upstream_response)), "SHOULD")


IDENTITY: Final = Check(
    "response.identity", "messages", "MUST", CHAT, "A response has the id, type and time of its dialect, and names a "
    "model that was requested or that responded.", check_identity, "response", ANSWERED,
    rules=(
        Rule("identity.named", "MUST", "Responses have the id, type and time of their dialect.", CHAT),
        Rule("identity.model", "MUST", "The model is one that was requested or that responded.", CHAT),
        Rule("identity.stable", "SHOULD", "Id, model and time do not change within a stream.", CHUNK),
    ),
)  # fmt: skip


def _judge_identity(
    pair: ResponsePair, rows: list[Difference], of_provider: list[Difference], level: Level | None = None
) -> Result:
    """Return a result that is INHERITED where the provider, in the same dialect, has the same faults."""
    same_dialect = pair.upstream_response.dialect == pair.client_response.dialect
    inherited = {row.path for row in of_provider} if same_dialect else set[str]()
    if rows and {row.path for row in rows} <= inherited:
        return Result(rows, "INHERITED", turn=pair.turn)
    return Result(rows, level=level, turn=pair.turn)


def _identifying_documents(response: Response) -> list[JsonObject]:
    """Return the documents that have to hold id and model. An error and Anthropic's later events need not."""
    documents = [obj(document) for document in response.documents if response.status < 400]
    if response.dialect == "anthropic" and response.mode == "stream":
        return [obj(event.get("message")) for event in documents if event.get("type") == "message_start"]
    return [
        document for document in documents if document and not document.get("error") and not is_prompt_filter(document)
    ]


def is_prompt_filter(chunk: JsonObject) -> bool:
    """Return whether it is the first chunk of Azure's streams, which judges the prompt and names nothing: id, object
    and model are "", there are no choices.

    Source: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming (2026-11-22)."""
    return "prompt_filter_results" in chunk and not chunk.get("choices")


def _find_missing_identity(response: Response) -> Iterator[Difference]:
    """Yield each member that is missing or of a wrong type, once."""
    documents = _identifying_documents(response)
    if response.dialect in ("gemini", "outcome"):
        return
    for key in ("id", "model"):
        wrong = [document.get(key) for document in documents if not text(document.get(key))]
        if wrong:
            yield Difference(key, "some text", shorten(wrong[0]))
    if response.dialect != "openai-chat":
        return
    kind = "chat.completion.chunk" if response.mode == "stream" else "chat.completion"
    kinds = [document.get("object") for document in documents if document.get("object") != kind]
    if kinds:
        yield Difference("object", kind, shorten(kinds[0]))
    times = [document.get("created") for document in documents if integer(document.get("created")) is None]
    if times:
        yield Difference("created", "whole seconds since 1970", shorten(times[0]))


def _find_foreign_models(pair: ResponsePair, documents: list[JsonObject]) -> Iterator[Difference]:
    """Yield each model that neither end named. Prefixes, versions and upper case do not count."""
    requested = pair.client_prompt.model if pair.client_prompt is not None else ""
    known = [name.lower() for name in (requested, pair.upstream_model, pair.expected.model) if name]
    key = RECORDS[pair.client_response.dialect].model_member
    for name in dict.fromkeys(text(document.get(key)) for document in documents):
        if name and known and not any(model in name.lower() or name.lower() in model for model in known):
            yield Difference(key, " or ".join(dict.fromkeys(known)), name, "a model that nobody named")


def _find_changes_in_stream(response: Response) -> Iterator[Difference]:
    """Yield each member that changes within one stream; an event without it changes nothing. Seconds that run on are
    the clock of who writes them into each event: whether they change depends on when the answer came."""
    if response.mode != "stream":
        return
    for key in RECORDS[response.dialect].shared_members:
        documents = _identifying_documents(response)
        values = dict.fromkeys(shorten(document[key]) for document in documents if document.get(key))
        times = [integer(document[key]) or 0 for document in documents if document.get(key)]
        is_clock = times == sorted(times) and 0 < times[-1] - times[0] <= _CLOCK_S if times else False
        if len(values) > 1 and not is_clock:
            yield Difference(key, "the same in every event", ", then ".join(list(values)[:3]), "changes in the stream")


def check_client_shape(evidence: Evidence) -> Iterator[Result]:
    """Every document that the client receives has the shape of the client's dialect. Documents of ``outcome`` are not
    judged: one of a wrong shape is no response at all."""
    for pair in response_pairs(evidence):
        if _has_unreadable_body(pair):
            actual, recorded = pair.client_response.text, pair.upstream_response.text
            is_inherited = bool(recorded) and (pair.ends.unconverted or actual == recorded)
            row = Difference("body", "a JSON document", actual[:_BODY_SHOWN])
            yield Result([row], "INHERITED" if is_inherited else None, turn=pair.turn)
        elif pair.client_response.dialect != "outcome":
            violations = _find_violations(pair.client_response)
            same_dialect = pair.client_response.dialect == pair.upstream_response.dialect
            of_provider = _find_violations(pair.upstream_response) if violations and same_dialect else []
            yield _judge_shape(violations, _has_same_kinds(violations, of_provider), pair.turn)


def _has_unreadable_body(pair: ResponsePair) -> bool:
    """Return whether a whole answer that claims to be a success is no JSON, where an error would be right: clients
    raise for it as for a page that somebody put in between, and nobody learns what failed. response.error judges it
    where an error is wrong, or is not of its class, and client.framing in a stream."""
    response, expected, actual = pair.client_response, pair.expected.error, pair.actual.error
    is_document_due = response.dialect != "outcome" and response.mode == "unary" and response.status < 400
    if not is_document_due or response.documents or not response.text:
        return False
    is_of_class = expected is None or (actual is not None and actual.kind == expected.kind)
    return pair.allows_error and is_of_class


CLIENT_SHAPE: Final = Check(
    "client.wire_shape", "wire", "MUST", BREAKS, "What the client receives is a document of its dialect.",
    check_client_shape, "response", ("response.identity", "response.choices"),
    rules=(Rule("wire.client", "MUST", "What the client receives has the shape of its dialect.", BREAKS),),
)  # fmt: skip


def check_upstream_shape(evidence: Evidence) -> Iterator[Result]:
    """Every request that the provider receives has the shape of the provider's dialect."""
    for pair in request_pairs(evidence):
        violations = _find_violations_of_request(pair.upstream_request)
        listed = _find_violations_of_request(list_single_values(pair.upstream_request, violations))
        if len(listed) < len(violations):
            single = [violation for violation in violations if violation not in listed]
            rows = [_violation_difference(violation) for violation in single[:_MOST]]
            yield Result(rows, level="SHOULD", rules=["wire.one_value"], turn=pair.turn)
            violations = listed
        stated = pair.client_request.wire_source_or_self
        of_client = validate.request(stated.dialect, stated.body) if violations else []
        comparable = stated.dialect == pair.upstream_request.dialect
        comparable = comparable or {_violation_path_and_type(violation) for violation in violations} == {_MODEL_IS_NULL}
        yield _judge_shape(violations, comparable and _has_same_kinds(violations, of_client), pair.turn)


UPSTREAM_SHAPE: Final = Check(
    "upstream.wire_shape", "wire", "MUST", GEMINI, "What the provider receives is a document of its dialect.",
    check_upstream_shape, "request", ("request.acceptable",),
    rules=(
        Rule("wire.upstream", "MUST", "What is sent has the shape of the provider's dialect.", GEMINI),
        Rule("wire.one_value", "SHOULD", "A list of one value is sent to Gemini as a list.", _ONE_VALUE),
    ),
)  # fmt: skip


def list_single_values(request: Request, violations: Sequence[str]) -> Request:
    """Return a request to Gemini with lists of one in place of the single values that violate its dialect by standing
    where a list belongs."""
    paths = {violation.partition(": ")[0] for violation in violations if _LIST_DUE in violation}
    if request.dialect != "gemini" or not paths:
        return request
    return replace(request, body=obj(_list_values_at(paths, respell_request(request.body), "")))


def _list_values_at(paths: Collection[str], value: object, path: str) -> object:
    if path in paths:
        return [value]
    if isinstance(value, dict):
        dot = "." if path else ""
        return {key: _list_values_at(paths, item, f"{path}{dot}{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_list_values_at(paths, item, f"{path}[{at}]") for at, item in enumerate(value)]
    return value


def _find_violations_of_request(request: Request) -> list[str]:
    """Return the violations of a request. In one to Gemini null means absent:
    https://protobuf.dev/programming-guides/json (2026-11-22)."""
    violations = validate.request(request.dialect, request.body)
    return (
        validate.request("gemini", obj(_without_nulls(request.body)))
        if violations and request.dialect == "gemini"
        else violations
    )


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _find_violations(response: Response) -> list[str]:
    """Return the violations of all documents, each once. An error document of a stream is a unary one. A failure in no
    form of the dialect is that one violation: no answer is missing there."""
    mode: Mode = "unary" if response.status >= 400 else response.mode
    violations: list[str] = []
    for document in response.documents:
        if mode == "stream" and response.dialect == "openai-chat" and is_prompt_filter(obj(document)):
            continue
        if response.status >= 400 and obj(document).get("error") is None:
            violations.append("error: is missing")
            continue
        violations += validate.response(response.dialect, mode, document)
    return list(dict.fromkeys(violations))


def _has_same_kinds(violations: Sequence[str], of_sender: Sequence[str]) -> bool:
    """Return whether the sender's document of the same dialect has the same violations, at the same path or another."""
    return set(map(_violation_path_and_type, violations)) <= set(map(_violation_path_and_type, of_sender))


def _violation_path_and_type(violation: str) -> tuple[str, str]:
    """Return the path of a violation, without indices, and the type that stands there: null where a number belongs and
    a missing member are one fault, a number where text belongs and a list are two."""
    path, _, what = violation.partition(": ")
    actual = "null" if what == "is missing" else what.rpartition(", is ")[2]
    return "".join(character for character in path if not character.isdigit()), actual


def _judge_shape(violations: Sequence[str], inherited: bool, turn: int) -> Result:
    rows = [_violation_difference(violation) for violation in violations[:_MOST]]
    return Result(rows, "INHERITED" if rows and inherited else None, turn=turn)


def _violation_difference(violation: str) -> Difference:
    path, _, what = violation.partition(": ")
    return Difference(path if what else "", DOCUMENT, what or violation)


Leaves: TypeAlias = Sequence[tuple[str, str]]
"""(path, value as JSON) in document order."""

_EMPTY_VALUES: Final = frozenset({"null", '""', "[]", "{}"})
_COMMON_VALUES: Final = frozenset({"0", "1", "false", "true", *_EMPTY_VALUES})
"""Too common to be recognised under another path."""


def check_response_other(evidence: Evidence) -> Iterator[Result]:
    """A leaf that the client's dialect has no place for is in the table of losses; in its own dialect it arrives.

    What an official SDK shows is not judged: google-genai drops the keys it does not know, no SDK shows a broken
    event."""
    if evidence.through_sdk:
        return
    for pair in response_pairs(evidence):
        if not pair.either_has_error:
            yield from _judge_leaf_losses(_leaves_to_pass_on(pair, evidence), pair.actual.other, pair.ends, pair.turn)


RESPONSE_OTHER: Final = Check(
    "response.other", "losses", "SHOULD", GEMINI, "What has no place in the client's dialect is a declared loss.",
    check_response_other, "response", ANSWERED,
    rules=(
        Rule("losses.response_declared", "SHOULD", "A documented leaf with no place in the client's dialect is a "
            "declared loss; none is dropped silently.", GEMINI),
        Rule("losses.response_within", "SHOULD", "Within one dialect every documented leaf arrives, whatever the "
            "adapter converts through.", GEMINI),
        Rule("losses.response_expressible", "SHOULD", "What the client's dialect has a place for all the same (a time, "
            "log probabilities) arrives there.", GEMINI),
        Rule("losses.response_undocumented", "SHOULD", "A leaf that no dialect documents arrives where nothing is "
            "converted; elsewhere its loss is a note.", RECORDED_HOSTS),
    ),
)  # fmt: skip


def _leaves_to_pass_on(pair: ResponsePair, evidence: Evidence) -> Leaves:
    """Return the leaves that the adapter could pass on. It cannot pass on half an event in which the connection broke;
    at wire level a converter receives no bytes."""
    leaves = _provider_leaves_not_received_as_text(pair)
    if evidence.key.layer != "wire" and pair.upstream_response.end == "complete":
        return leaves
    return [(path, value) for path, value in leaves if path != UNDECODABLE or evidence.key.path == "native"]


def _provider_leaves_not_received_as_text(pair: ResponsePair) -> Leaves:
    """Return the provider's leaves without those of decoded content that the client received as text."""
    if pair.ends.unconverted:
        return pair.expected.other
    text = pair.actual.first.joined_text
    return [
        (path, value)
        for path, value in pair.expected.other
        if not (path.startswith(DECODED) and value.strip('"') in text)
    ]


def check_request_other(evidence: Evidence) -> Iterator[Result]:
    """A leaf of the request that the provider's dialect has no place for is in the table of losses.

    Leaves that the client only returns from the adapter's earlier responses are not judged: between dialects that is a
    carrier of the adapter's own, and what has to come of it is judged by the relay checks."""
    for pair in request_pairs(evidence):
        yield from _judge_leaf_losses(
            _client_leaves_not_received_before(pair, evidence), pair.actual.other, pair.ends, pair.turn
        )


REQUEST_OTHER: Final = Check(
    "request.other", "losses", "MUST", CHAT, "What has no place in the provider's dialect is a declared loss.",
    check_request_other, "request",
    rules=(
        Rule("losses.request_declared", "MUST", "A documented leaf with no place at the provider is a declared loss.",
            CHAT),
        Rule("losses.request_within", "SHOULD", "Within one dialect every documented leaf is sent on.", CHAT),
        Rule("losses.request_undocumented", "SHOULD", "A leaf that no dialect documents is sent on where nothing is "
            "converted; elsewhere its loss is a note.", RECORDED_HOSTS),
    ),
)  # fmt: skip


def _client_leaves_not_received_before(pair: RequestPair, evidence: Evidence) -> Leaves:
    """Return the client's leaves without those it received before: the same key with the same value."""
    if pair.ends.unconverted or not pair.turn:
        return pair.expected.other
    earlier = (response.actual.other for response in response_pairs(evidence) if response.turn < pair.turn)
    received = {(_last_key(path), value) for leaves in earlier for path, value in leaves}
    return [(path, value) for path, value in pair.expected.other if (_last_key(path), value) not in received]


def _last_key(path: str) -> str:
    return path.rpartition(".")[2]


def _judge_leaf_losses(expected: Leaves, actual: Leaves, ends: Ends, turn: int) -> Iterator[Result]:
    """Yield results where there are leaves. What is missing and documented has to be a declared loss; within one
    dialect that is a WARN, since the client could have had it. What no dialect documents is a NOTE where something is
    converted, else a WARN. Through a conversion a leaf that arrived under another path is not missing, nor is an empty
    one, nor the tag of an object."""
    if not expected:
        return
    missing = list((Counter(expected) - Counter(actual)).elements())
    if not ends.unconverted:
        moved = {value for _, value in actual} - _COMMON_VALUES
        made_anew = {path for path, _ in actual if path in RECORDS[ends.origin].shared_members}
        missing = [
            (path, value)
            for path, value in missing
            if value not in moved and path not in made_anew and not is_empty_leaf(value)
        ]
    known = {f"other:{path}": value for path, value in missing if _is_documented(ends, path)}
    unknown = [path for path, _ in missing if f"other:{path}" not in known]
    losses, unlisted = ends.split_losses(known)
    losses = tuple(loss for loss in losses if not _has_arrived_elsewhere(loss, actual, known[loss.path]))
    within = ends.origin == ends.target
    if unlisted or not known or not within:
        level: Level | None = "SHOULD" if within and not ends.unconverted else None
        yield Result(silent_losses(unlisted, known), level=level, losses=losses, turn=turn)
    if within and losses:
        paths = [loss.path for loss in losses if not is_documented_tag(ends.origin, ends.side, loss.path)]
        yield Result(silent_losses(paths, known), level="SHOULD", losses=losses, turn=turn)
    if unknown and ends.unconverted:
        yield Result([undocumented_difference("other", unknown, ends.origin)], level="SHOULD", turn=turn)
    elif unknown:
        yield Result(status="NOTE", message=describe_undocumented(unknown, ends.origin), turn=turn)


def _has_arrived_elsewhere(loss: AppliedLoss, actual: Leaves, value: str) -> bool:
    """Return whether something stands where the target has room for what was lost: the same in its own terms. 0 needs
    no place: as a time it is none."""
    location = path_keys(LOCATIONS.get(loss.rule, ""))
    arrived = value in _COMMON_VALUES or any(path_keys(path)[: len(location)] == location for path, _ in actual)
    return bool(location) and arrived


def _is_documented(ends: Ends, path: str) -> bool:
    """Return whether the sender's dialect documents this leaf. Undecoded bytes, and an object where the dialect has
    text, are content."""
    return path == UNDECODABLE or path.startswith(DECODED) or is_documented(ends.origin, ends.side, path)


def is_empty_leaf(value: str) -> bool:
    """Return whether a leaf, as JSON, means the same as its absence between dialects."""
    return value in _EMPTY_VALUES
