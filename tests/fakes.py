"""Misbehaving gateways (fake_gateway.py), and functions that inspect their processes."""

import os
import time
from collections.abc import Callable
from pathlib import Path


def alive(pid: int) -> bool:
    """Return whether a process with this id runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def becomes_true(true: Callable[[], bool], seconds: float = 10) -> bool:
    """Return whether the condition becomes true within this time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.01)
    return true()


def number(path: Path) -> int:
    """Return the process id that a script wrote to a file."""
    assert becomes_true(lambda: path.is_file() and path.read_text().strip().isdecimal())
    return int(path.read_text())


def judges_of(pid: int) -> list[int]:
    """Return the process of the command and its workers: all its children but supervisors of adapters."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return [pid]
    return [pid, *(int(child) for child in children if not is_supervisor(int(child)))]


def is_supervisor(pid: int) -> bool:
    try:
        return b"process_supervisor" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def marked_processes(mark: str) -> list[int]:
    """Return the processes that were started with this mark in their environment, by whomever. Zombies have none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


RECIPE = """
name = "fake"
target = "http:http://127.0.0.1:{{port}}"
command = ["{{python}}", "{script}", "{manner}", "{{port}}", "{{upstream_url}}", "{folder}"]
env = {{ KEY = "{{upstream_key}}" }}
ready = {{ {path}seconds = {seconds} }}
timeout = {timeout}
routes = [["openai-chat", "openai-chat"]]
"""


class Fakes:
    """Recipes of fake_gateway.py and the processes they started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def recipe(self, manner: str, seconds: float = 10, timeout: float = 5, path: str = "/", more: str = "") -> Path:
        """``path``: "" to wait for a listener only. ``more``: further lines."""
        recipe_path = self.folder / "adapter.toml"
        path_entry = f'path = "{path}", ' if path else ""
        script = Path(__file__).with_name("fake_gateway.py")
        text = RECIPE.format(
            script=script, manner=manner, folder=self.folder, seconds=seconds, timeout=timeout, path=path_entry
        )
        recipe_path.write_text(text + more, encoding="utf-8")
        return recipe_path

    @property
    def pids(self) -> list[int]:
        """The ids of every process that was started."""
        paths = (*self.folder.glob("pid.*"), *self.folder.glob("grandchild"))
        return [int(text) for path in paths if (text := path.read_text())]

    @property
    def alive(self) -> list[int]:
        return [pid for pid in self.pids if alive(pid)]
