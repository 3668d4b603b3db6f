"""Thoughts of an answer among its text (mapping row R-10, ``thoughts="inline"``)."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.letter.contents import spoken
from bridgecheck_reference.convert.parts_to_message import PartReader


class InlineReader(PartReader):
    """Reads a thought as the text that it is."""

    __slots__ = ()

    def read(self, parts: list[object], *, last: bool = False) -> JsonObject:
        return super().read([spoken(part) for part in parts], last=last)
