"""Stands in for gemini-cli: logs how it was started, then prints what a script says and ends as it says.

``fake_gemini.py SCRIPT OPTIONS``: the script is JSON with ``log`` (a path), ``stdout`` (texts, or numbers: seconds to
wait), ``stderr``, ``exit``, ``ignores_term``.
"""

import json
import os
import signal
import stat
import sys
import time
from pathlib import Path


def describe_files(folder: Path) -> dict[str, list[object]]:
    return {
        str(path.relative_to(folder)): [stat.S_IMODE(path.stat().st_mode), path.read_text()]
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def main() -> None:
    script = json.loads(Path(sys.argv[1]).read_text())
    if script.get("ignores_term"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    home = Path(os.environ["GEMINI_CLI_HOME"])
    log = {
        "argv": sys.argv[2:], "pid": os.getpid(), "folder": str(home.parent), "cwd": str(Path.cwd()),
        "cwd_files": sorted(str(path.relative_to(Path.cwd())) for path in Path.cwd().rglob("*")),
        "files": describe_files(home.parent), "folder_mode": stat.S_IMODE(home.parent.stat().st_mode),
        "stdin": sys.stdin.buffer.read().decode("latin-1"), "system_prompt": os.environ.get("GEMINI_SYSTEM_MD"),
    }  # fmt: skip
    with Path(script["log"]).open("a") as file:
        file.write(json.dumps(log) + "\n")
    for piece in script.get("stdout", []):
        if isinstance(piece, str):
            sys.stdout.buffer.write(piece.encode("latin-1"))
            sys.stdout.buffer.flush()
        else:
            time.sleep(piece)
    sys.stderr.write(script.get("stderr", ""))
    sys.stderr.flush()
    os._exit(script.get("exit", 0))


main()
