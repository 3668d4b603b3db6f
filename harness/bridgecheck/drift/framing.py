"""How an answer is framed, as facts by name: what the bytes say beside the documents in them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bridgecheck.codec.body import decompress_body_if_possible, header_value
from bridgecheck.codec.sse import DONE_MARKER
from bridgecheck.drift.answers import Answer
from bridgecheck.drift.finding import Change, Severity
from bridgecheck.model.jsonvalue import obj, parse_json, text
from bridgecheck.wire.facts import RECORDS

_BOM: Final = b"\xef\xbb\xbf"
NOT_STATED: Final = "not stated"
_RETRY: Final = "retry-after"


@dataclass(frozen=True, slots=True)
class FactRule:
    """What it means that a fact differs. ``breaks``: new values that break clients, () for any; otherwise ``else_``.
    ``gemini_breaks``: of Gemini, whose SDK reads data lines alone (google-genai 3.4.0, measured)."""

    change: Change
    title: str
    severity: Severity
    reason: str
    gemini_breaks: bool = False


FACT_RULES: Final[Mapping[str, FactRule]] = {
    "form": FactRule("framing", "the body", "breaking", "clients decode it by its form"),
    "media type": FactRule("framing", "content-type", "breaking", "clients choose a decoder by it"),
    "charset": FactRule("framing", "charset of content-type", "cosmetic", "JSON is UTF-8 whatever it says"),
    "undecodable": FactRule("framing", "data that is no JSON", "breaking", "clients raise on it"),
    "end mark": FactRule("terminator", "the end mark", "breaking", "clients take a stream without it for broken off"),
    "ending": FactRule("ending", "the end of the body", "breaking", "the answer is not whole: record it again"),
    "line ends": FactRule("framing", "line ends", "notable", "clients that split lines themselves depend on them"),
    "event names": FactRule("framing", "event: lines", "breaking", "the SDK reads events by them"),
    "comments": FactRule("framing", "comment lines", "notable", "clients pass over them", gemini_breaks=True),
    "fields": FactRule("framing", "id: and retry: lines", "notable", "clients pass over them", gemini_breaks=True),
    "data lines": FactRule("framing", "data lines of an event", "notable", "clients may read each as a document"),
    "last event": FactRule("framing", "the empty line after the last event", "notable", "clients may lose the event"),
    "byte order mark": FactRule("framing", "byte order mark", "notable", "decoders may take it for data"),
    "after the end": FactRule("order", "after the end mark", "notable", "no client reads it"),
    "content-encoding": FactRule("framing", "content-encoding", "cosmetic", "clients undo it"),
    "retry-after": FactRule("framing", "retry-after", "notable", "clients wait as long as it says"),
    "writes": FactRule("framing", "writes of a stream", "notable", "clients show the answer only when it is whole"),
}  # fmt: skip


def framing_facts(answer: Answer) -> dict[str, str]:
    """Return fact -> value in words; a fact that such an answer cannot have is absent."""
    recorded = answer.recorded
    headers = {name.lower(): value for name, value in recorded.headers}
    body = decompress_body_if_possible(recorded.body, recorded.headers)
    media_type, _, parameters = header_value(recorded.headers, "content-type").partition(";")
    facts = {
        "form": _form(answer, body),
        "undecodable": "some" if answer.response.text and _form(answer, body) != "no JSON" else "none",
        "byte order mark": "present" if body.startswith(_BOM) else "absent",
        "content-encoding": headers.get("content-encoding", "") or "none",
        "ending": answer.response.end,
    }  # fmt: skip
    facts["media type"] = media_type.strip().lower() or NOT_STATED
    if media_type:
        facts["charset"] = parameters.strip().lower() or NOT_STATED
    if answer.response.status in (429, 503, 529):
        facts["retry-after"] = "present" if _RETRY in headers else "absent"
    if facts["form"] == "server-sent events":
        facts |= _sse_facts(answer, body)
    return facts


def _form(answer: Answer, body: bytes) -> str:
    start = body.removeprefix(_BOM).lstrip()[:1]
    if not start:
        return "empty"
    if answer.mode == "stream" and not answer.is_error and start not in (b"{", b"[", b"<", b'"'):
        return "server-sent events"
    if not answer.documents and not answer.errors:
        return "no JSON"
    return "a JSON array" if start == b"[" else "a JSON document"


def _sse_facts(answer: Answer, body: bytes) -> dict[str, str]:
    lines = re.split(rb"\r\n|\n|\r", body.removeprefix(_BOM))
    names = {line.partition(b":")[0].decode("utf-8", "replace") for line in lines if line}
    data = [line[5:].strip() for line in lines if line.startswith(b"data")]
    facts = {
        "line ends": _line_ends(body),
        "comments": "present" if "" in names else "absent",
        "fields": ", ".join(sorted(names & {"id", "retry"})) or "none",
        "data lines": "several" if re.search(rb"(?:^|[\r\n])data[^\r\n]*(?:\r\n|\n|\r)data", body) else "one",
        "event names": _event_names(answer, lines),
    }  # fmt: skip
    if answer.is_whole:
        facts["last event"] = "present" if re.search(rb"(\r\n|\n|\r)\1\s*$", body) else "absent"
        facts["end mark"] = _end_mark(answer, data)
        facts |= _after_the_end(data)
    if answer.recorded.t_ms and len(answer.documents) > 3:
        facts["writes"] = "all events in one" if len(answer.recorded.chunks) == 1 else "as they come"
    return facts


def _line_ends(body: bytes) -> str:
    crlf = body.count(b"\r\n")
    rest = body.count(b"\n") + body.count(b"\r") - 2 * crlf
    return "CRLF" if not rest else "LF or CR" if not crlf else "both"


def _end_mark(answer: Answer, data: list[bytes]) -> str:
    """Return what ends the stream: [DONE], the event that its dialect ends with, or nothing."""
    last_type = RECORDS[answer.dialect].framing.last_type
    has_last = last_type and any(obj(document).get("type") == last_type for document in answer.documents)
    marks = [*([last_type] if has_last else []), *([f"data: {DONE_MARKER}"] if DONE_MARKER.encode() in data else [])]
    return " and ".join(marks) or "none"


def _after_the_end(data: list[bytes]) -> dict[str, str]:
    if DONE_MARKER.encode() not in data:
        return {}
    rest = data[data.index(DONE_MARKER.encode()) + 1 :]
    return {"after the end": "events" if rest else "nothing"}


def _event_names(answer: Answer, lines: list[bytes]) -> str:
    """Return whether events are named, and by their type."""
    events, name = [], ""
    for line in lines:
        if line.startswith(b"event:"):
            name = line[6:].strip().decode("utf-8", "replace")
        elif line.startswith(b"data:"):
            events.append((name, line[5:]))
            name = ""
    events = [(name, data) for name, data in events if data.strip() != DONE_MARKER.encode()]
    named = [(name, data) for name, data in events if name]
    if not named:
        return "none"
    if len(named) < len(events):
        return "some events"
    return "as the type" if all(_type_of(data) == name for name, data in named) else "not as the type"


def _type_of(data: bytes) -> str:
    try:
        return text(obj(parse_json(data)).get("type"))
    except ValueError:
        return ""
