"""Record the calls as an HTTP archive, with mitmproxy in front of the provider. Run it in mitmproxy's environment.

python tests/formats/tools/record_har.py tests/formats/recordings
"""

import json
import subprocess
import sys
from http.client import HTTPConnection
from importlib.metadata import version
from pathlib import Path

from ports import free_port, wait_for
from provider import CALLS, GZIPPED, KEY, serving

HEADERS = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}


def main(root: Path) -> None:
    folder = root / f"mitmproxy-{version('mitmproxy')}"
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    mitmdump = Path(sys.executable).with_name("mitmdump")
    with serving() as origin:
        process = subprocess.Popen([
            mitmdump, "-q", "--listen-host", "127.0.0.1", "--mode", f"reverse:{origin}@{port}",
            "--set", f"hardump={folder / 'calls.har'}", "--set", f"confdir={folder / 'conf'}",
        ])  # fmt: skip
        try:
            wait_for(port)
            for call in (*CALLS.values(), GZIPPED):
                connection = HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("POST", call.path, json.dumps(call.body), HEADERS)
                connection.getresponse().read()
                connection.close()
        finally:
            process.terminate()
            process.wait(30)
    for file in (folder / "conf").iterdir():  # its certificates, which nothing here uses
        file.unlink()
    (folder / "conf").rmdir()


main(Path(sys.argv[1]))
