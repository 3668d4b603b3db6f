"""What nobody can judge any more, in bytes and in events: a fiftieth of it is the longest of the corpus."""

from typing import Final

MAX_BODY_BYTES: Final = 16 * 1024 * 1024
"""Bytes of an answer, unpacked."""

MAX_EVENTS: Final = 200_000
"""Events of one answer: more than any model writes tokens."""
