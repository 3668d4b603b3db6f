"""client.framing: the bytes of a stream are such as the clients of its dialect can read.

Judged where the adapter frames its events itself; one that gives documents has no bytes. What breaks which client was
measured with gemini-cli 0.61.0, google-genai 3.4.0, @google/genai 3.1.0, openai 3.52.0 and anthropic 2.11.0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from bridgecheck.checks.verdicts import result, verdict
from bridgecheck.checks.view import ResponseView, response_views
from bridgecheck.codec.sse import DONE
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.verdict import Difference, Verdict
from bridgecheck.wire import Dialect

CHECK: Final = "client.framing"

_BOM: Final = b"\xef\xbb\xbf"
_LINE_ENDS_IN_TEXT: Final = ("\u2028".encode(), "\u2029".encode())


def framing(evidence: Evidence) -> list[Verdict]:
    """Lines, fields and the end of a stream's body are those that the dialect's clients take."""
    verdicts: list[Verdict] = []
    for view in response_views(evidence):
        response = view.client_response
        if response.chunks is None or response.mode != "stream" or response.status >= 400:
            continue
        body = b"".join(response.chunks)
        rows, late = list(_FAULTS[response.dialect](body)), list(_end(view, body))
        if (rows or late) and _inherited(view, bool(rows)):
            verdicts.append(verdict(CHECK, "INHERITED", [*rows, *late], turn=view.turn))
            continue
        verdicts.append(result(CHECK, rows, turn=view.turn))
        if late:
            verdicts.append(result(CHECK, late, level="SHOULD", turn=view.turn))
    return verdicts


def _inherited(view: ResponseView, wrong: bool) -> bool:
    """Whether the provider itself sent such bytes, to an adapter that passes them on. ``wrong``: more than the end."""
    said = view.upstream_response
    if not view.ends.same_dialect or said.chunks is None or said.mode != "stream":
        return False
    if wrong:
        return any(_FAULTS[said.dialect](b"".join(said.chunks)))
    return said.terminated is not True


def _gemini(body: bytes) -> Iterator[Difference]:
    """Nothing but ``data: {json}`` and empty lines: google-genai raises on all else, and gemini-cli takes U+2028 for
    the end of a line. A body that is one JSON array is right too."""
    if body.lstrip().startswith(b"["):
        return
    if body.startswith(_BOM):
        yield Difference("body", "data: {", "a byte order mark")
    yield from _wrong_lines(_lines(body.removeprefix(_BOM)), b"data: ")
    if f"data: {DONE}".encode() in body:
        yield Difference("body", "JSON events", f"data: {DONE}", "Chat's terminator")
    if any(letter in body for letter in _LINE_ENDS_IN_TEXT):
        yield Difference("body", "U+2028 and U+2029 escaped", "as they are")


def _anthropic(body: bytes) -> Iterator[Difference]:
    """Every event has its name: the SDK asserts that there is one."""
    named = False
    for at, line in enumerate(_lines(body)):
        if line.startswith(b"event:"):
            named = True
        elif line.startswith(b"data:"):
            if not named:
                yield Difference(f"line {at}", "an event: line before it", line[:60].decode("utf-8", "replace"))
                return
            named = False


def _chat(body: bytes) -> Iterator[Difference]:
    """The SDKs pass over comments and event lines; only what cannot be told apart is wrong."""
    done = f"data: {DONE}".encode()
    _, ended, rest = body.partition(done)
    if ended and b"data:" in rest:
        yield Difference("body", f"nothing after {DONE}", "another event")


def _end(view: ResponseView, body: bytes) -> Iterator[Difference]:
    """A whole Chat stream ends with its terminator; the SDKs of OpenAI do without. One that ends in an error is not
    whole.

    Source: https://platform.openai.com/docs/api-reference/chat/create (stream)."""
    response = view.client_response
    whole = response.end == "complete" and view.actual.error is None
    if response.dialect == "openai-chat" and whole and response.terminated is False:
        yield Difference("body", f"data: {DONE} at the end", body[-30:].decode("utf-8", "replace"))


def _wrong_lines(lines: Sequence[bytes], start: bytes) -> Iterator[Difference]:
    """The first line that starts with anything else."""
    for at, line in enumerate(lines):
        if line and not line.startswith(start):
            yield Difference(f"line {at}", start.decode(), line[:60].decode("utf-8", "replace"))
            return


def _lines(body: bytes) -> list[bytes]:
    return body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")


_FAULTS: Final[Mapping[Dialect, Callable[[bytes], Iterator[Difference]]]] = {
    "gemini": _gemini,
    "openai-chat": _chat,
    "anthropic": _anthropic,
}
