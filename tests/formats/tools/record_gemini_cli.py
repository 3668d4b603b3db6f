"""Record one run of gemini-cli by its own --record-responses. It needs Node.js, and the CLI: make node_modules.

python tests/formats/tools/record_gemini_cli.py tests/formats/recordings
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from gemini_cli import PACKAGE, run_gemini_cli
from provider import serving


def main(root: Path) -> None:
    version = json.loads((PACKAGE / "package.json").read_text())["version"]
    file = root / f"gemini-cli-{version}" / "hello.responses"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    with serving() as origin, TemporaryDirectory() as home:
        run = run_gemini_cli(Path(home), origin, "Say hello to Zoë", "--record-responses", str(file.resolve()))
    assert run.returncode == 0, run.stderr[-2000:]


main(Path(sys.argv[1]))
