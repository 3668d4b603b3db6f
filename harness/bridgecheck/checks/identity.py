"""response.identity: an answer says what it is, where its dialect wants that, and who gave it."""

from collections.abc import Iterator, Mapping
from typing import Final

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, complete_response_views
from bridgecheck.compare.diff import short
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.model.verdict import Difference, Level, Verdict
from bridgecheck.wire import Dialect, JsonObject

CHECK: Final = "response.identity"

_MODEL: Final[Mapping[Dialect, str]] = {
    "gemini": "modelVersion",
    "openai-chat": "model",
    "anthropic": "model",
    "outcome": "model",
}
_STABLE: Final[Mapping[Dialect, tuple[str, ...]]] = {
    "gemini": ("responseId", "modelVersion"),
    "openai-chat": ("id", "model", "created"),
    "anthropic": (),
    "outcome": ("id", "model"),
}
"""Members that all events of a stream share. Anthropic says them once."""


def identity(evidence: Evidence) -> list[Verdict]:
    """Chat and Anthropic answers have an id and a model; the model is one that was asked for or that answered."""
    verdicts: list[Verdict] = []
    for view in complete_response_views(evidence):
        mine = _named(view.client_response)
        if not mine:
            continue
        rows = [*_unnamed(view.client_response), *_foreign(view, mine)]
        verdicts.append(_judged(view, rows, list(_unnamed(view.upstream_response)), "MUST"))
        changing = list(_changing(view.client_response))
        if changing:
            verdicts.append(_judged(view, changing, list(_changing(view.upstream_response)), "SHOULD"))
    return verdicts


def _judged(view: ResponseView, rows: list[Difference], own: list[Difference], level: Level) -> Verdict:
    """INHERITED where the provider, in the same dialect, did all of it."""
    theirs = {row.path for row in own} if view.upstream_response.dialect == view.client_response.dialect else set[str]()
    if rows and {row.path for row in rows} <= theirs:
        return verdict(CHECK, "INHERITED", rows, turn=view.turn)
    return result(CHECK, rows, level=level, turn=view.turn)


def _named(response: Response) -> list[JsonObject]:
    """The documents that have to say who they are. An error and Anthropic's later events need not."""
    found = [obj(document) for document in response.documents]
    if response.dialect == "anthropic" and response.mode == "stream":
        return [obj(event.get("message")) for event in found if event.get("type") == "message_start"]
    return [document for document in found if document and not document.get("error")]


def _unnamed(response: Response) -> Iterator[Difference]:
    """What is missing or wrong, each once."""
    documents = _named(response)
    if response.dialect in ("gemini", "outcome"):
        return
    for key in ("id", "model"):
        wrong = [document.get(key) for document in documents if not text(document.get(key))]
        if wrong:
            yield Difference(key, "some text", short(wrong[0]))
    if response.dialect != "openai-chat":
        return
    kind = "chat.completion.chunk" if response.mode == "stream" else "chat.completion"
    kinds = [document.get("object") for document in documents if document.get("object") != kind]
    if kinds:
        yield Difference("object", kind, short(kinds[0]))
    times = [document.get("created") for document in documents if integer(document.get("created")) is None]
    if times:
        yield Difference("created", "whole seconds since 1970", short(times[0]))


def _foreign(view: ResponseView, documents: list[JsonObject]) -> Iterator[Difference]:
    """A model that nobody named. Prefixes, versions and spelling in capitals do not count."""
    known = [name.lower() for name in (_asked(view), view.upstream_model, view.expected.model) if name]
    key = _MODEL[view.client_response.dialect]
    for name in dict.fromkeys(text(document.get(key)) for document in documents):
        if name and known and not any(one in name.lower() or name.lower() in one for one in known):
            yield Difference(key, " or ".join(dict.fromkeys(known)), name, "a model that nobody named")


def _asked(view: ResponseView) -> str:
    return view.client_prompt.model if view.client_prompt is not None else ""


def _changing(response: Response) -> Iterator[Difference]:
    """What changes within one stream; an event that leaves it out changes nothing."""
    if response.mode != "stream":
        return
    for key in _STABLE[response.dialect]:
        said = dict.fromkeys(short(one[key]) for one in _named(response) if one.get(key))
        if len(said) > 1:
            yield Difference(key, "the same in every event", ", then ".join(list(said)[:3]), "changes in the stream")
