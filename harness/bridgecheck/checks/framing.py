"""client.framing: whether the bytes of a stream can be read by the clients of its dialect.

Judged where the adapter frames its events itself; one that returns documents has no bytes. What breaks which client was
measured with gemini-cli 0.61.0, google-genai 3.4.0, @google/genai 3.1.0, openai 3.52.0 and anthropic 2.11.0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from bridgecheck.checks.bases import BREAKS, MEASURED, OPTIONS, PLAYED
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.codec.sse import DONE
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import RECORDS

_BOM: Final = b"\xef\xbb\xbf"
_LINE_ENDS_IN_TEXT: Final = ("\u2028".encode(), "\u2029".encode())
_GEMINI_CLIENTS: Final = Basis("client-breaks", "gemini-cli 0.61.0, google-genai 3.4.0", MEASURED)


def check_framing(evidence: Evidence) -> Iterator[Result]:
    """Lines, fields and the end of a stream's body are those that the dialect's clients accept."""
    for view in response_views(evidence):
        response = view.client_response
        if response.chunks is None or response.mode != "stream" or response.status >= 400:
            continue
        body = b"".join(response.chunks)
        rows, end_rows = list(_FAULT_FINDERS[response.dialect](body)), list(_find_missing_end(view, body))
        if (rows or end_rows) and _is_inherited(view, bool(rows)):
            yield Result([*rows, *end_rows], "INHERITED", turn=view.turn)
            continue
        yield Result(rows, turn=view.turn)
        if end_rows:
            yield Result(end_rows, level="SHOULD", turn=view.turn)


FRAMING: Final = Check(
    "client.framing", "wire", "MUST", BREAKS,
    "A stream's bytes are framed as the clients of its dialect can read them.", check_framing, "stream", PLAYED,
    rules=(
        Rule("wire.framing", "MUST", "A stream is framed as its dialect's clients can read it.", BREAKS),
        Rule("wire.gemini_lines", "MUST", "A Gemini stream is `data: ` lines and empty ones: no comment, no event "
            "name, no [DONE], no byte order mark, no bare U+2028.", _GEMINI_CLIENTS),
        Rule("wire.done", "SHOULD", "A Chat stream ends with [DONE], and nothing follows.", OPTIONS),
    ),
)  # fmt: skip


def _is_inherited(view: ResponseView, has_wrong_lines: bool) -> bool:
    """Return whether the provider itself sent such bytes, to an adapter that passes them on. ``has_wrong_lines``: more
    than the end is wrong."""
    response = view.upstream_response
    if not view.ends.same_dialect or response.chunks is None or response.mode != "stream":
        return False
    if has_wrong_lines:
        return any(_FAULT_FINDERS[response.dialect](b"".join(response.chunks)))
    return response.terminated is not True


def _find_gemini_faults(body: bytes) -> Iterator[Difference]:
    """Yield all but ``data: {json}`` and empty lines: google-genai raises on all else, and gemini-cli takes U+2028 for
    the end of a line. A body that is one JSON array is right too."""
    if body.lstrip().startswith(b"["):
        return
    if body.startswith(_BOM):
        yield Difference("body", "data: {", "a byte order mark")
    yield from _find_wrong_line(_split_lines(body.removeprefix(_BOM)), b"data: ")
    if f"data: {DONE}".encode() in body:
        yield Difference("body", "JSON events", f"data: {DONE}", "Chat's terminator")
    if any(character in body for character in _LINE_ENDS_IN_TEXT):
        yield Difference("body", "U+2028 and U+2029 escaped", "as they are")


def _find_anthropic_faults(body: bytes) -> Iterator[Difference]:
    """Yield the first event without a name: the SDK asserts that there is one."""
    has_name = False
    for at, line in enumerate(_split_lines(body)):
        if line.startswith(b"event:"):
            has_name = True
        elif line.startswith(b"data:"):
            if not has_name:
                yield Difference(f"line {at}", "an event: line before it", line[:60].decode("utf-8", "replace"))
                return
            has_name = False


def _find_chat_faults(body: bytes) -> Iterator[Difference]:
    """Yield events behind the terminator. The SDKs pass over comments and event lines."""
    _, terminator, rest = body.partition(f"data: {DONE}".encode())
    if terminator and b"data:" in rest:
        yield Difference("body", f"nothing after {DONE}", "another event")


def _find_missing_end(view: ResponseView, body: bytes) -> Iterator[Difference]:
    """Yield a difference for a whole Chat stream without its terminator; the SDKs of OpenAI do without. One that ends
    in an error is not whole.

    Source: https://platform.openai.com/docs/api-reference/chat/create (stream)."""
    response = view.client_response
    is_whole = response.end == "complete" and view.actual.error is None
    if RECORDS[response.dialect].framing.done_marker and is_whole and response.terminated is False:
        yield Difference("body", f"data: {DONE} at the end", body[-30:].decode("utf-8", "replace"))


def _find_wrong_line(lines: Sequence[bytes], start: bytes) -> Iterator[Difference]:
    """Yield the first line that starts with anything else."""
    for at, line in enumerate(lines):
        if line and not line.startswith(start):
            yield Difference(f"line {at}", start.decode(), line[:60].decode("utf-8", "replace"))
            return


def _split_lines(body: bytes) -> list[bytes]:
    return body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


_FAULT_FINDERS: Final[Mapping[Dialect, Callable[[bytes], Iterator[Difference]]]] = {
    "gemini": _find_gemini_faults,
    "openai-chat": _find_chat_faults,
    "anthropic": _find_anthropic_faults,
}
