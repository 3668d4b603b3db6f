"""The folder of one run: home, working folder, session, settings; for its owner alone, and removed afterwards.

It is removed too where this process is killed: a small process of its own waits for that, ends the program's process
group and removes the folder. gemini-cli keeps a copy of the session in its home, and a report of errors in its
temporary folder, so both are in here.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from bridgecheck_reference.cli_bridge.prompt import COMMAND_NAME

_WATCHER: Final = """
import os, shutil, signal, sys
group = 0
for line in sys.stdin:
    group = int(line)
if group:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""Reads process groups, one a line, the last of which counts, 0 for none; acts when nobody can write any more."""

SETTINGS: Final[dict[str, object]] = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "ide": {"enabled": False},
    "hooksConfig": {"enabled": False},
    "context": {"fileName": "no-context-file"},
    "tools": {"core": []},
}
"""No tools, no hooks, no files of context, and the key in GEMINI_API_KEY."""


def session_lines(records: Sequence[Mapping[str, object]], session_id: str, timestamp: str) -> bytes:
    """Return a session file: its description, and a line a record.

    In ASCII, because the program takes U+2028 for the end of a line. It refuses a blank ``projectHash``, and puts
    its own in the place of any.
    """
    description = {
        "sessionId": session_id, "projectHash": "imported", "kind": "main",
        "startTime": timestamp, "lastUpdated": timestamp,
    }  # fmt: skip
    return b"".join(json.dumps(line, allow_nan=False).encode() + b"\n" for line in (description, *records))


class RunFolder:
    """``with RunFolder() as folder``: files are 0600, folders 0700, and nothing is left behind."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="bridgecheck-cli-"))
        try:
            self._watcher = _start_watcher(self.path)
        except OSError:
            shutil.rmtree(self.path)
            raise
        for folder in (self.home / ".gemini" / "commands", self.work / ".gemini", self.temporary):
            folder.mkdir(parents=True, mode=0o700)
        # Else the program looks for one in every folder above.
        self._write(self.work / ".gemini" / ".env", b"")

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def work(self) -> Path:
        """An empty working folder."""
        return self.path / "work"

    @property
    def temporary(self) -> Path:
        return self.path / "tmp"

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self.watch_group(0)
        assert self._watcher.stdin is not None
        with suppress(BrokenPipeError):
            self._watcher.stdin.close()
        self._watcher.wait()

    def watch_group(self, group: int) -> None:
        """End this process group too, should this process be killed; 0 for none."""
        assert self._watcher.stdin is not None
        with suppress(BrokenPipeError):
            self._watcher.stdin.write(b"%d\n" % group)
            self._watcher.stdin.flush()

    def write_settings(self, settings: Mapping[str, object]) -> None:
        """Write the program's settings; a member replaces that of ``SETTINGS``."""
        self._write(self.home / ".gemini" / "settings.json", json.dumps({**SETTINGS, **settings}).encode())

    def write_command(self, text: str) -> None:
        self._write(self.home / ".gemini" / "commands" / f"{COMMAND_NAME}.toml", text.encode())

    def write_system_prompt(self, text: str) -> Path:
        return self._write(self.path / "system.md", text.encode())

    def write_session(self, records: Sequence[Mapping[str, object]], timestamp: str) -> Path:
        return self._write(self.path / f"session-{uuid4()}.jsonl", session_lines(records, str(uuid4()), timestamp))

    def _write(self, path: Path, data: bytes) -> Path:
        # Path.open takes no opener.
        with open(path, "xb", opener=_open_private) as file:
            file.write(data)
        return path


def _start_watcher(folder: Path) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WATCHER, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
