"""What one case showed, as the symptoms look at it: the adapter's calls, its response, and what broke."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bridgecheck.codec.body import header_value
from bridgecheck.errors import BridgecheckError
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.exchange import Response
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.secrets import mask_text
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import endpoint

MOST_CHARACTERS: Final = 200
"""Characters shown of what an adapter responded, raised or sent."""

MOST_LINES: Final = 4
"""Lines shown of what an adapter's process wrote, the last ones."""

_URL: Final = re.compile(r"\b[A-Z]{3,7} (?P<url>\S*/\S*)")
_FRAME: Final = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)')
_BAD: Final = ("ERROR", "FAIL")
NOT_PLAYED: Final = CaseTranscript((), ())


@dataclass(frozen=True)
class Observation:
    """``transcript``: empty where nothing was played. ``upstream_url``: where the adapter has to call its provider, ""
    where it need not know. ``capabilities``: that the case detects. ``log``: what the adapter's process
    wrote last, "" if it has none. ``error``: of the harness, None if the case could be played."""

    result: CaseResult
    transcript: CaseTranscript = NOT_PLAYED
    upstream_url: str = ""
    capabilities: tuple[str, ...] = ()
    log: str = ""
    error: BridgecheckError | None = None

    @property
    def key(self) -> CaseKey:
        return self.result.key

    @property
    def crash(self) -> str:
        return self.transcript.crash

    @property
    def misses(self) -> tuple[str, ...]:
        return self.transcript.misses

    @cached_property
    def response(self) -> Response | None:
        """The client's last response; None if it received none: the adapter raised, or was not called."""
        if not self.transcript.client:
            return None
        last = self.transcript.client[-1].response
        is_empty = last.end != "complete" and not last.documents and not last.text
        return None if is_empty and (self.crash or self.transcript.refused) else last

    @property
    def status(self) -> int:
        """The HTTP status of the response, 0 without one."""
        return self.response.status if self.response else 0

    @cached_property
    def upstream_calls(self) -> tuple[str, ...]:
        """What the adapter called at its provider, without repeats: a path where it used HTTP, else the dialect."""
        return tuple(dict.fromkeys(self._find_upstream_calls()))

    @cached_property
    def worst_verdict(self) -> Verdict | None:
        """The first ERROR, else the first FAIL; None where there is neither."""
        bad = [verdict for verdict in self.result.verdicts if verdict.status in _BAD]
        return min(bad, key=lambda verdict: _BAD.index(verdict.status), default=None)

    @property
    def client_model(self) -> str:
        """The name of the model that the client requested, "" without a request."""
        request = self.transcript.client[-1].request if self.transcript.client else None
        return request.model if request else ""

    @cached_property
    def response_text(self) -> str:
        """All that the client received, as text."""
        if self.response is None:
            return ""
        documents = (json.dumps(document, ensure_ascii=False) for document in self.response.documents)
        return self.response.text or "".join(documents)

    @property
    def response_excerpt(self) -> str:
        """The beginning of the client's response; "" without one."""
        if self.response is None:
            return ""
        end = "nothing" if self.response.end == "complete" else f"nothing, the connection: {self.response.end}"
        return mask_and_shorten(self.response_text) or end

    @property
    def response_summary(self) -> str:
        """Status, content type and beginning, ``404 text/html: <html>...``; "" without a response."""
        if self.response is None:
            return ""
        content_type = header_value(self.response.headers, "content-type").partition(";")[0]
        return f"{' '.join(filter(None, (str(self.status), content_type)))}: {self.response_excerpt}"

    @property
    def crash_location(self) -> str:
        """The last frame of the adapter's traceback, ``adapters.py:12, in text``; "" without one."""
        frames = list(_FRAME.finditer(self.crash))
        return f"{frames[-1]['file']}:{frames[-1]['line']}, in {frames[-1]['name']}" if frames else ""

    def _find_upstream_calls(self) -> Iterator[str]:
        for call in self.transcript.upstream:
            if call.request is not None:
                yield call.request.path.partition("?")[0] or f"{call.request.dialect} ({call.request.mode})"
        yield from missed_paths(self.misses)


def missed_paths(misses: tuple[str, ...]) -> Iterator[str]:
    """Yield the URL paths that misses name, without the host."""
    for miss in misses:
        match = _URL.search(miss)
        if match is not None:
            yield "/" + match["url"].partition("/")[2]


def missed_dialects(misses: tuple[str, ...]) -> frozenset[Dialect]:
    """Return the dialects of the endpoints that misses name, as far as we know these endpoints."""
    endpoints = (endpoint(path) for path in missed_paths(misses))
    return frozenset(known.dialect for known in endpoints if known is not None and known.operation == "generate")


def mask_and_shorten(text: str) -> str:
    """Return the text without credentials, cut to MOST_CHARACTERS."""
    text = mask_text(text)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def last_lines(text: str) -> tuple[str, ...]:
    """Return the last MOST_LINES lines that are not blank, each shortened."""
    return tuple(mask_and_shorten(line.strip()) for line in text.splitlines() if line.strip())[-MOST_LINES:]
