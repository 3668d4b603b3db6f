"""A JSON array that arrives piece by piece: what Gemini streams without ``alt=sse``. Documents come out one by one.

Source: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent.
"""

import json
from dataclasses import dataclass, field

_BETWEEN = frozenset(b" \t\r\n,[]")


@dataclass
class JsonArrayDecoder:
    """Feed bytes in any cut. Members are found by their brackets, so that each is parsed once and whole.

    A single document that stands in no array comes out as the only one. ``bad``: texts of members that are no JSON.
    """

    bad: list[str] = field(default_factory=list)
    _member: bytearray = field(default_factory=bytearray)
    _depth: int = 0
    _in_string: bool = False
    _escaped: bool = False

    def feed(self, data: bytes) -> list[object]:
        found: list[object] = []
        for byte in data:
            if not self._member and byte in _BETWEEN:
                continue
            if self._in_scalar() and byte in b",]":
                found += self._take()
                continue
            self._member.append(byte)
            self._step(byte)
            if self._depth == 0 and byte in b"}]" and not self._in_string:
                found += self._take()
        return found

    def close(self) -> list[object]:
        """What is left: a last scalar, or an unfinished member, which goes to ``bad``."""
        return self._take() if self._member.strip() else []

    def _in_scalar(self) -> bool:
        return bool(self._member) and self._depth == 0 and not self._in_string

    def _step(self, byte: int) -> None:
        if self._in_string:
            if self._escaped:
                self._escaped = False
            elif byte == 0x5C:
                self._escaped = True
            elif byte == 0x22:
                self._in_string = False
        elif byte == 0x22:
            self._in_string = True
        elif byte in b"{[":
            self._depth += 1
        elif byte in b"}]":
            self._depth -= 1

    def _take(self) -> list[object]:
        member = self._member.decode("utf-8", errors="replace")
        self._member.clear()
        self._depth, self._in_string, self._escaped = 0, False, False
        try:
            return [json.loads(member)]
        except ValueError:
            self.bad.append(member)
            return []
