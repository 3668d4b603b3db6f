"""Run many commands, each in a fork of one process that has already imported the third-party packages.

The SDKs and pytest take longer to import than most of these commands run. POSIX only.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, Self

IMPORTED: Final = (
    "anthropic", "anyio", "deepdiff", "google.genai", "httpx", "jinja2", "jsonschema", "openai", "orjson", "pydantic",
    "pytest", "rich.console", "typer", "vcr",
)  # fmt: skip
"""Packages that are slow to import and that no test changes."""

LIMIT_S: Final = 600


class Forks:
    """A process that forks for every command, one at a time. It ends with the ``with`` block or with its owner.

    ``packages``: import packages of this project that no command changes, so that all of their modules are imported
    before the first fork."""

    def __init__(self, *packages: str) -> None:
        self._packages = packages

    def __enter__(self) -> Self:
        here = [sys.executable, str(Path(__file__).resolve()), *self._packages]
        self._folder = TemporaryDirectory(prefix="bridgecheck-forks-")
        self._process = subprocess.Popen(here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
        self._folder.cleanup()

    def run(
        self, module: str, *arguments: str, folder: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """``python -m module *arguments`` in ``folder`` with the environment ``env``, finished. What does not end in
        LIMIT_S is ended by SIGALRM: the return code is -14."""
        out, err = (Path(self._folder.name, name) for name in ("out", "err"))
        job = {"argv": [module, *arguments], "folder": str(folder), "env": dict(env), "out": str(out), "err": str(err)}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        assert self._process.stdout is not None
        code = int(self._process.stdout.readline())
        outputs = [path.read_text(encoding="utf-8") for path in (out, err)]
        return subprocess.CompletedProcess(job["argv"], code, *outputs)


def _serve(packages: Sequence[str]) -> None:
    for name in (*IMPORTED, *packages, *(name for package in packages for name in _submodules(package))):
        importlib.import_module(name)
    project = {"bridgecheck", "bridgecheck_reference"}.difference(packages)
    early = sorted(name for name in sys.modules if name.partition(".")[0] in project)
    assert not early, f"imported before a command could: {early}"
    gc.freeze()  # a collection in a fork would touch, and so copy, all of this
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _submodules(package: str) -> Iterator[str]:
    """Return every module of the package except its ``__main__`` and the fragments of generated scripts."""
    paths = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(paths, f"{package}."):
        if not module.name.endswith("__main__") and ".parts" not in module.name:
            yield module.name


def _become(argv: list[str], folder: str, env: dict[str, str], out: str, err: str) -> None:
    """Act as an interpreter started in ``folder``. It ends the same way, without its cleanup: that
    would take longer than the command."""
    signal.alarm(LIMIT_S)
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for stream, target in enumerate((os.open(os.devnull, os.O_RDONLY), os.open(out, new), os.open(err, new))):
        os.dup2(target, stream)
        os.close(target)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.path[:1] = [folder, *filter(None, env.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv = argv
    code = _code(argv[0])
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _code(module: str) -> int:
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


if __name__ == "__main__":
    _serve(sys.argv[1:])
