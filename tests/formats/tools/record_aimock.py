"""Record the calls with aimock in front of the provider. It needs Node.js, and aimock as tests/formats/tools/node has it.

python tests/formats/tools/record_aimock.py tests/formats/recordings
"""

import json
import shutil
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

from ports import free_port, wait_for
from provider import CALLS, KEY, serving

PACKAGE = Path(__file__).parent / "node" / "node_modules" / "@copilotkit" / "aimock"
HEADERS = {"authorization": f"Bearer {KEY}", "x-goog-api-key": KEY, "content-type": "application/json"}


def main(root: Path) -> None:
    version = json.loads((PACKAGE / "package.json").read_text())["version"]
    folder = root / f"aimock-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    port = free_port()
    with serving() as origin:
        providers = [part for name in ("openai", "anthropic", "gemini") for part in (f"--provider-{name}", origin)]
        command = ["node", PACKAGE / "dist" / "cli.js", "-p", str(port), "-f", folder, "--record", *providers]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            wait_for(port)
            for call in CALLS.values():
                connection = HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("POST", call.path, json.dumps(call.body), HEADERS)
                connection.getresponse().read()
                connection.close()
        finally:
            process.terminate()
            process.wait(30)
    for file in (folder / "recorded").iterdir():
        file.rename(folder / f"{file.name.partition('-')[0]}-{file.stem.rpartition('-')[2]}.json")
    (folder / "recorded").rmdir()


main(Path(sys.argv[1]))
