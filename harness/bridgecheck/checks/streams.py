"""client.framing, stream.terminates_once, stream.incremental: whether a stream's bytes can be read by the clients of
its dialect, how it ends, and whether it is passed on as it comes.

Framing is judged where the adapter frames its events itself; one that returns documents has no bytes. Which client
breaks was measured with gemini-cli 0.61.0, google-genai 3.4.0, @google/genai 3.1.0, openai 3.52.0, anthropic 2.11.0."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from bridgecheck.checks.bases import BREAKS, CHUNK, MEASURED, OPTIONS, PLAYED, READ
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import ResponsePair, response_pairs
from bridgecheck.codec.body import JsonArrayDecoder, header_value
from bridgecheck.codec.sse import DONE_MARKER, SseDecoder, SseEvent
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import MAX_NESTING, integer, obj, objs, text
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference, Layer, Level
from bridgecheck.wire import Dialect, JsonObject
from bridgecheck.wire.facts import RECORDS

_BOM: Final = b"\xef\xbb\xbf"
_LINE_ENDS_IN_TEXT: Final = ("\u2028".encode(), "\u2029".encode())
_GEMINI_CLIENTS: Final = Basis("client-breaks", "gemini-cli 0.61.0, google-genai 3.4.0", MEASURED)

_LENGTH: Final = Basis("documented", "https://www.rfc-editor.org/rfc/rfc9112#section-8", "2026-11-23")


def check_framing(evidence: Evidence) -> Iterator[Result]:
    """A body is as long as its head says; a stream's lines, fields and end are those the dialect's clients accept."""
    for pair in response_pairs(evidence):
        response = pair.client_response
        short = tuple(_find_missing_bytes(pair))
        if short:
            yield Result(short, turn=pair.turn)
            continue
        if response.chunks is None or response.mode != "stream" or response.status >= 400:
            continue
        body = b"".join(response.chunks)
        rows = [*_FAULT_FINDERS[response.dialect](body), *_find_event_that_is_no_json(pair)]
        end_rows = list(_find_wrong_done_marker(pair, body))
        if (rows or end_rows) and _is_inherited(pair, bool(rows)):
            yield Result([*rows, *end_rows], "INHERITED", turn=pair.turn)
            continue
        yield Result(rows, turn=pair.turn)
        if end_rows:
            yield Result(end_rows, level="SHOULD", turn=pair.turn)


FRAMING: Final = Check(
    "client.framing", "wire", "MUST", BREAKS,
    "A response's bytes are framed as the clients of its dialect can read them.", check_framing, "stream", PLAYED,
    rules=(
        Rule("wire.length", "MUST", "A body is as long as its Content-Length says, or ends with its last chunk.",
            _LENGTH),
        Rule("wire.framing", "MUST", "A stream is framed as its dialect's clients can read it, and its events are "
            "JSON.", BREAKS),
        Rule("wire.gemini_lines", "MUST", "A Gemini stream is `data: ` lines and empty ones: no comment, no event "
            "name, no [DONE], no byte order mark, no bare U+2028.", _GEMINI_CLIENTS),
        Rule("wire.done", "SHOULD", "A Chat stream ends with [DONE], and nothing follows; no Anthropic stream has it.",
            OPTIONS),
    ),
)  # fmt: skip


def _find_missing_bytes(pair: ResponsePair) -> Iterator[Difference]:
    """Yield a difference for a body that ends before its Content-Length or its last chunk, where the provider's was
    whole. Behind the terminator of its dialect no client reads on, and the last chunk may be missing."""
    response = pair.client_response
    if response.chunks is None or pair.upstream_response.end != "complete":
        return
    promised, received = header_value(response.headers, "content-length"), sum(map(len, response.chunks))
    if promised.isdigit() and received < int(promised):
        yield Difference("body", f"{promised} bytes of Content-Length", f"{received}, and the end of the connection")
    is_chunked = header_value(response.headers, "transfer-encoding").lower() == "chunked"
    if is_chunked and response.end in ("cut", "reset") and response.terminated is not True:
        yield Difference("body", "the last chunk, of no bytes", f"{received} bytes, and the end of the connection")


def _find_event_that_is_no_json(pair: ResponsePair) -> Iterator[Difference]:
    """Yield a difference for an event that no SDK can read, where the provider sent a whole stream without one."""
    undecoded, upstream = pair.client_response.text, pair.upstream_response
    if undecoded and not upstream.text and upstream.end == "complete" and pair.expected.error is None:
        yield Difference("body", f"JSON of at most {MAX_NESTING} levels in every event", undecoded[:60])


def _is_inherited(pair: ResponsePair, has_wrong_lines: bool) -> bool:
    """Return whether the provider sent such bytes and nothing is converted. ``has_wrong_lines``: not just the end."""
    response = pair.upstream_response
    if not pair.ends.unconverted or response.chunks is None or response.mode != "stream":
        return False
    if has_wrong_lines:
        return any(_FAULT_FINDERS[response.dialect](b"".join(response.chunks)))
    return response.terminated is not True


def _find_gemini_line_faults(body: bytes) -> Iterator[Difference]:
    """Yield all but ``data: {json}`` and empty lines: google-genai raises on all else, and gemini-cli takes U+2028 for
    the end of a line. A body that is one JSON array is right too."""
    if body.lstrip().startswith(b"["):
        return
    if body.startswith(_BOM):
        yield Difference("body", "data: {", "a byte order mark")
    yield from _find_wrong_line(_split_lines(body.removeprefix(_BOM)), b"data: ")
    if f"data: {DONE_MARKER}".encode() in body:
        yield Difference("body", "JSON events", f"data: {DONE_MARKER}", "Chat's terminator")
    if any(character in body for character in _LINE_ENDS_IN_TEXT):
        yield Difference("body", "U+2028 and U+2029 escaped", "as they are")


def _find_unnamed_anthropic_event(body: bytes) -> Iterator[Difference]:
    """Yield the first event without a name: the SDK asserts that there is one."""
    has_name = False
    for at, line in enumerate(_split_lines(body)):
        if line.startswith(b"event:"):
            has_name = True
        elif line.startswith(b"data:") and not _is_done_marker(line):
            if not has_name:
                yield Difference(f"line {at}", "an event: line before it", line[:60].decode("utf-8", "replace"))
                return
            has_name = False


def _is_done_marker(line: bytes) -> bool:
    return line.removeprefix(b"data:").strip() == DONE_MARKER.encode()


def _find_events_after_chat_done(body: bytes) -> Iterator[Difference]:
    """Yield events behind the terminator. The SDKs pass over comments and event lines."""
    _, terminator, rest = body.partition(f"data: {DONE_MARKER}".encode())
    if terminator and b"data:" in rest:
        yield Difference("body", f"nothing after {DONE_MARKER}", "another event")


def _find_wrong_done_marker(pair: ResponsePair, body: bytes) -> Iterator[Difference]:
    """Yield a difference for a whole Chat stream without its terminator, which the SDKs of OpenAI do without, and for
    an Anthropic stream with that of Chat, which the SDKs of Anthropic pass over as they do every event without a name
    that they know. One that ends in an error is not whole.

    Source: https://platform.openai.com/docs/api-reference/chat/create (stream)."""
    response = pair.client_response
    is_whole = response.end == "complete" and pair.actual.error is None
    if RECORDS[response.dialect].framing.done_marker and is_whole and response.terminated is False:
        yield Difference("body", f"data: {DONE_MARKER} at the end", body[-30:].decode("utf-8", "replace"))
    if response.dialect == "anthropic" and any(map(_is_done_marker, _split_lines(body))):
        yield Difference("body", "message_stop at the end", f"data: {DONE_MARKER}")


def _find_wrong_line(lines: Sequence[bytes], start: bytes) -> Iterator[Difference]:
    """Yield the first line that starts with anything else."""
    for at, line in enumerate(lines):
        if line and not line.startswith(start):
            yield Difference(f"line {at}", start.decode(), line[:60].decode("utf-8", "replace"))
            return


def _split_lines(body: bytes) -> list[bytes]:
    return body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


_FAULT_FINDERS: Final[Mapping[Dialect, Callable[[bytes], Iterator[Difference]]]] = {
    "gemini": _find_gemini_line_faults, "openai-chat": _find_events_after_chat_done,
    "anthropic": _find_unnamed_anthropic_event,
}  # fmt: skip


ENOUGH: Final = 3
"""Events with text that ``stream.incremental`` needs: one may be held back, to see whether it is the last."""
_STREAMED: Final = Basis("convention", "router-for-me/CLIProxyAPI#460, aws-samples/bedrock-access-gateway#149", READ)

ChoiceEvent: TypeAlias = tuple[int, str, bool]
"""(index of the choice, finish reason or "", whether it has content) of one choice in one event."""


def check_choices_end_once(evidence: Evidence) -> Iterator[Result]:
    """Each choice gets one finish reason, and no content after it; a Chat stream's usage chunk comes last."""
    for pair in response_pairs(evidence):
        if pair.client_response.mode == "stream":
            faults = _find_second_ends_and_late_content(pair.client_response)
            yield _judge_ends(pair, faults, _find_second_ends_and_late_content(pair.upstream_response))
            early = _find_early_usage(pair.client_response)
            if early:
                yield _judge_ends(pair, early, _find_early_usage(pair.upstream_response), "SHOULD")


TERMINATES_ONCE: Final = Check(
    "stream.terminates_once", "streams", "MUST", CHUNK, "Each choice of a stream ends once, and nothing follows.",
    check_choices_end_once, "stream", ("response.choices",),
    rules=(
        Rule("stream.one_end", "MUST", "Each choice of a stream ends once; nothing follows.", CHUNK),
        Rule("stream.usage_last", "SHOULD", "The chunk of usage comes after the last end.", OPTIONS),
    ),
)  # fmt: skip


def _judge_ends(
    pair: ResponsePair, rows: list[Difference], of_provider: list[Difference], level: Level | None = None
) -> Result:
    """Return a result that is INHERITED where the provider's stream, in the same dialect, has the same kinds of
    faults."""
    upstream = pair.upstream_response
    if rows and upstream.dialect == pair.client_response.dialect and upstream.mode == "stream":
        kinds = {row.note for row in of_provider}
        if all(row.note in kinds for row in rows):
            return Result(rows, "INHERITED", turn=pair.turn)
    return Result(rows, level=level, turn=pair.turn)


def _find_early_usage(response: Response) -> list[Difference]:
    """Return usage chunks that a choice's end still follows. Clients take the first for the last, as the reference
    describes it (https://platform.openai.com/docs/api-reference/chat/create, stream_options); most go on reading."""
    if response.dialect != "openai-chat":
        return []
    chunks = [obj(document) for document in response.documents]
    finishes = [[choice.get("finish_reason") for choice in objs(chunk.get("choices"))] for chunk in chunks]
    ends = [at for at, reasons in enumerate(finishes) if any(reasons)]
    return [
        Difference(f"events[{at}]", "usage after the finish reason", "usage before it", "usage before the end")
        for at, chunk in enumerate(chunks)
        if chunk.get("usage") and not chunk.get("choices") and ends and at < ends[-1]
    ]


def _find_second_ends_and_late_content(response: Response) -> list[Difference]:
    ended: dict[int, str] = {}
    rows: list[Difference] = []
    for at, document in enumerate(response.documents):
        for index, finish, has_content in _CHOICE_EVENTS[response.dialect](obj(document)):
            path = f"events[{at}].choice[{index}]"
            if finish and index in ended:
                rows.append(Difference(path, "one finish reason", f"{ended[index]}, then {finish}", "finished twice"))
            elif has_content and index in ended:
                rows.append(Difference(path, f"nothing after {ended[index]}", "content", "content after the end"))
            if finish:
                ended[index] = finish
    return rows


def _anthropic_choice_finish_or_content(event: JsonObject) -> Iterator[ChoiceEvent]:
    kind = event.get("type")
    yield 0, "message_stop" if kind == "message_stop" else "", kind == "content_block_delta"


def _outcome_choice_events(event: JsonObject) -> Iterator[ChoiceEvent]:
    finish = text(event.get("finish"))
    yield integer(event.get("choice")) or 0, "" if finish == "incomplete" else finish, bool(event.get("parts"))


def _gemini_choices_finish_or_content(chunk: JsonObject) -> Iterator[ChoiceEvent]:
    for position, candidate in enumerate(objs(chunk.get("candidates"))):
        parts = list(objs(obj(candidate.get("content")).get("parts")))
        has_content = any(set(part) - {"text"} or text(part.get("text")) for part in parts)
        yield _choice_index(candidate, position), str(candidate.get("finishReason") or ""), has_content


def _chat_choices_finish_or_content(chunk: JsonObject) -> Iterator[ChoiceEvent]:
    for position, choice in enumerate(objs(chunk.get("choices"))):
        delta = obj(choice.get("delta"))
        has_text = text(delta.get("content")) or text(delta.get("reasoning_content"))
        has_content = bool(has_text or delta.get("tool_calls"))
        yield _choice_index(choice, position), str(choice.get("finish_reason") or ""), has_content


def _choice_index(choice: JsonObject, position: int) -> int:
    index = integer(choice.get("index"))
    return position if index is None else index


_CHOICE_EVENTS: Final[Mapping[Dialect, Callable[[JsonObject], Iterator[ChoiceEvent]]]] = {
    "gemini": _gemini_choices_finish_or_content, "openai-chat": _chat_choices_finish_or_content,
    "anthropic": _anthropic_choice_finish_or_content, "outcome": _outcome_choice_events,
}  # fmt: skip


def check_incremental(evidence: Evidence) -> Iterator[Result]:
    """The client's first text comes before the provider's last. What has no text (calls, whose arguments some clients
    can only receive whole) is not judged."""
    for pair in response_pairs(evidence):
        arrivals = evidence.transcript.arrivals
        if pair.client_response.mode == "stream" and pair.turn < len(arrivals):
            yield from _judge_arrivals(pair, arrivals[pair.turn], evidence.key.layer)


INCREMENTAL: Final = Check(
    "stream.incremental", "streams", "SHOULD", _STREAMED, "Text is passed on as it comes.",
    check_incremental, "stream", ("response.text",),
    rules=(
        Rule("stream.incremental", "SHOULD", "The client's first text comes before the provider's last.", _STREAMED),
    ),
)  # fmt: skip


def _judge_arrivals(pair: ResponsePair, arrivals: str, layer: Layer) -> Iterator[Result]:
    """``arrivals``: letters as in ``CaseTranscript``; u: a chunk of the provider, c: an event of the client."""
    upstream = pair.upstream_response
    events_with_text = numbers_of_events_with_text(pair.client_response)
    if upstream.mode == "unary":  # the adapter called for a whole response, and makes the stream itself
        row = Difference("stream", "a stream asked of the provider", "a whole answer", "held back")
        yield from [Result([row], turn=pair.turn)] if events_with_text else []
        return
    text_numbers = numbers_of_events_with_text(upstream) if layer == "wire" else numbers_of_chunks_with_text(upstream)
    client_events = [at for at, letter in enumerate(arrivals) if letter == "c"]
    if len(text_numbers) < ENOUGH or not events_with_text or events_with_text[0] > len(client_events):
        return
    arrived = arrivals[: client_events[events_with_text[0] - 1]].count("u")
    row = Difference("stream", f"text before event {text_numbers[-1]}", f"after event {arrived}", "held back")
    yield Result([row] if arrived >= text_numbers[-1] else (), turn=pair.turn)


def numbers_of_events_with_text(response: Response) -> list[int]:
    """Return the numbers, from 1, of the events with visible text."""
    return [at for at, event in enumerate(response.documents, 1) if _HAS_TEXT[response.dialect](obj(event))]


def numbers_of_chunks_with_text(response: Response) -> list[int]:
    """Return the numbers, from 1, of the chunks that complete events with visible text; [] for compressed bytes."""
    chunk_of_event = _chunk_number_per_event(response.chunks or ())
    return sorted({chunk_of_event[at - 1] for at in numbers_of_events_with_text(response) if at <= len(chunk_of_event)})


def _chunk_number_per_event(chunks: Sequence[bytes]) -> list[int]:
    """Return per event the number, from 1, of the chunk that completed it."""
    is_array = b"".join(chunks[:3]).lstrip()[:1] == b"["
    decoder = JsonArrayDecoder() if is_array else SseDecoder()
    return [
        at
        for at, chunk in enumerate(chunks, 1)
        for event in decoder.feed(chunk)
        if not isinstance(event, SseEvent) or event.data.lstrip()[:1] == "{"
    ]


def _gemini_has_visible_text(chunk: JsonObject) -> bool:
    candidates = objs(chunk.get("candidates"))
    parts = (part for candidate in candidates for part in objs(obj(candidate.get("content")).get("parts")))
    return any(text(part.get("text")) and not part.get("thought") for part in parts)


_HAS_TEXT: Final[Mapping[Dialect, Callable[[JsonObject], bool]]] = {
    "gemini": _gemini_has_visible_text,
    "openai-chat": lambda chunk: any(text(obj(choice.get("delta")).get("content"))
                                     for choice in objs(chunk.get("choices"))),
    "anthropic": lambda event: bool(text(obj(event.get("delta")).get("text"))),
    "outcome": lambda event: any(text(part.get("text")) for part in objs(event.get("parts"))),
}  # fmt: skip
