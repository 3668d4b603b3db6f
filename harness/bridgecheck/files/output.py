"""Where everything is written: files, and the standard streams. Nothing passes unmasked (docs/security.md).

    write_text(path, text)      any text: masked here
    write_masked(path, text)    text made of what ``secrets.mask_strings`` returned, which is not searched again
    mask_standard_streams()     from then on what anything in this process prints is masked

A test knows every module that may write by another way, and why.
"""

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO, cast

from bridgecheck.secrets import mask_text, remember_environment


def write_text(path: Path, content: str) -> bool:
    """Write UTF-8 text, masked, through a temporary file in the same folder, so that no reader ever sees half a file.

    True if the bytes changed; a file that already holds them is left alone.
    """
    return write_masked(path, mask_text(content))


def write_masked(path: Path, content: str) -> bool:
    """As ``write_text``, for a text that is made of masked strings."""
    data = content.encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True


class MaskedStream:
    """A text stream that masks what is written to it, each piece by itself; everything else is the stream's own. What
    nobody reads any more (``bridgecheck run | head``) is dropped: the command ends as it would have, with its code."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            self._stream.write(mask_text(text))
        except BrokenPipeError:
            self._drop_the_rest()
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop_the_rest()

    def _drop_the_rest(self) -> None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def mask_standard_streams() -> None:
    """Mask from now on what is printed, and whatever the variables of this process hold that may be credentials."""
    remember_environment(os.environ)
    sys.stdout, sys.stderr = (
        stream if isinstance(stream, MaskedStream) else cast(TextIO, MaskedStream(stream))
        for stream in (sys.stdout, sys.stderr)
    )
