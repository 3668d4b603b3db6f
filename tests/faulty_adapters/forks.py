"""Many commands over copies of the packages, each in a fork of one process that has imported what they import.

The SDKs alone take longer to import than most runs over a mutant, and no mutant changes them. POSIX only.
"""

import importlib
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

IMPORTED: Final = (
    "anthropic", "anyio", "deepdiff", "google.genai", "httpx", "jinja2", "jsonschema", "openai", "orjson", "pydantic",
    "pytest", "rich.console", "typer", "vcr", "xdist",
)  # fmt: skip
"""Everything that is not in the copies and takes long to import."""


class Forks:
    """A process that forks for every command; one command at a time. It is gone when the ``with`` ends."""

    def __enter__(self) -> Self:
        here = [sys.executable, str(Path(__file__).resolve())]
        self._process = subprocess.Popen(here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(self, module: str, *arguments: str, packages: Path, env: Mapping[str, str]) -> tuple[int, str]:
        """``python -m module *arguments`` in ``packages``, which come before all else on the path: its exit code, and
        what it wrote. ``env`` is what is added to the environment."""
        said = packages / "said.txt"
        job = {"argv": [module, *arguments], "packages": str(packages), "env": dict(env), "said": str(said)}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        code = int(self._process.stdout.readline())
        return code, said.read_text(encoding="utf-8", errors="replace")


def _serve() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    early = sorted(name for name in sys.modules if name.partition(".")[0] in ("bridgecheck", "bridgecheck_reference"))
    assert not early, f"imported before a copy could be: {early}"
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _run(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(argv: list[str], packages: str, env: dict[str, str], said: str) -> None:
    code = 70
    try:
        written = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream, target in ((0, os.open(os.devnull, os.O_RDONLY)), (1, written), (2, written)):
            os.dup2(target, stream)
        os.environ.update(env)
        os.chdir(packages)
        sys.path[0], sys.argv = packages, argv
        code = _code(argv[0])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _code(module: str) -> int:
    """What the interpreter would end with."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


if __name__ == "__main__":
    _serve()
