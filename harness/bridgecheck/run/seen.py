"""What one tiny case showed, as ``diagnose`` looks at it: what was asked, what came back, what broke."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bridgecheck.cassette.redact import masked
from bridgecheck.model.exchange import Headers, Response
from bridgecheck.model.transcript import Transcript
from bridgecheck.model.verdict import CaseKey, CaseResult, Verdict
from bridgecheck.wire import Dialect
from bridgecheck.wire.facts import endpoint

SHOWN: Final = 200
"""Characters kept of what an adapter answered, raised or sent."""

_PLACE: Final = re.compile(r"\b[A-Z]{3,7} (?P<place>\S*/\S*)")
_FRAME: Final = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)')
_BAD: Final = ("ERROR", "FAIL")


@dataclass(frozen=True)
class Seen:
    """``transcript``: None where nothing was played. ``upstream_url``: where the adapter was told its provider is, ""
    where it need not know. ``capabilities``: that the case detects. ``log``: what the adapter's
    process wrote last, "" if it has none."""

    result: CaseResult
    transcript: Transcript | None = None
    upstream_url: str = ""
    capabilities: tuple[str, ...] = ()
    log: str = ""

    @property
    def key(self) -> CaseKey:
        return self.result.key

    @property
    def crash(self) -> str:
        return self.transcript.crash if self.transcript else ""

    @property
    def refused(self) -> str:
        return self.transcript.refused if self.transcript else ""

    @property
    def misses(self) -> tuple[str, ...]:
        return self.transcript.misses if self.transcript else ()

    @cached_property
    def answer(self) -> Response | None:
        """What the client got last; None if it got nothing: the adapter raised in place of it, or was not asked."""
        if self.transcript is None or not self.transcript.client:
            return None
        last = self.transcript.client[-1].response
        broken = last.end != "complete" and not last.documents and not last.text
        return None if broken and (self.crash or self.refused) else last

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """What the adapter asked of its provider, each once: a path where it went over HTTP, else the dialect."""
        return tuple(dict.fromkeys(self._asked()))

    @cached_property
    def bad(self) -> Verdict | None:
        """The first verdict of the worst kind; None where all is well."""
        found = [one for one in self.result.verdicts if one.status in _BAD]
        return min(found, key=lambda one: _BAD.index(one.status), default=None)

    @property
    def answered(self) -> str:
        """``404 text/html: <html>...``; "" if there was no answer."""
        if self.answer is None:
            return ""
        kind = header(self.answer.headers, "content-type").partition(";")[0]
        return f"{' '.join(filter(None, (str(self.answer.status), kind)))}: {self.said}"

    @property
    def model(self) -> str:
        """As the client calls it."""
        asked = self.transcript.client[-1].request if self.transcript and self.transcript.client else None
        return asked.model if asked else ""

    @cached_property
    def words(self) -> str:
        """All that the client got, as text."""
        if self.answer is None:
            return ""
        return self.answer.text or "".join(json.dumps(one, ensure_ascii=False) for one in self.answer.documents)

    @property
    def said(self) -> str:
        """The beginning of what the client got."""
        if self.answer is None:
            return ""
        return clipped(self.words) or (
            "nothing" if self.answer.end == "complete" else f"nothing, the connection: {self.end}"
        )

    @property
    def end(self) -> str:
        return self.answer.end if self.answer else ""

    @property
    def place(self) -> str:
        """``adapters.py:12, in text``: where a crash came from."""
        frames = list(_FRAME.finditer(self.crash))
        return f"{frames[-1]['file']}:{frames[-1]['line']}, in {frames[-1]['name']}" if frames else ""

    def _asked(self) -> Iterator[str]:
        for call in self.transcript.upstream if self.transcript else ():
            if call.request is not None:
                yield call.request.path.partition("?")[0] or f"{call.request.dialect} ({call.request.mode})"
        yield from places(self.misses)


def places(misses: tuple[str, ...]) -> Iterator[str]:
    """The paths that misses name, without the host."""
    for miss in misses:
        found = _PLACE.search(miss)
        if found is not None:
            yield "/" + found["place"].partition("/")[2]


def dialects(misses: tuple[str, ...]) -> frozenset[Dialect]:
    """Of the endpoints that misses name, those we know."""
    known = (endpoint(place) for place in places(misses))
    return frozenset(one.dialect for one in known if one is not None and one.operation == "generate")


def header(headers: Headers, name: str) -> str:
    return next((value for key, value in headers if key.lower() == name), "")


def clipped(text: str) -> str:
    """Without credentials, at most SHOWN characters."""
    text = masked(text)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
