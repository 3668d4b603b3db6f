"""Play an archive with mitmdump and print the answer to one of its calls. Run it in mitmproxy's environment.

python tests/formats/tools/play_har.py FILE ORIGIN
"""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

from ports import free_port, wait_for
from provider import CALLS


def main(file: str, origin: str) -> None:
    port = free_port()
    mitmdump = Path(sys.executable).with_name("mitmdump")
    with TemporaryDirectory() as folder:
        process = subprocess.Popen([
            mitmdump, "-q", "--listen-host", "127.0.0.1", "--listen-port", str(port), "--server-replay", file,
            "--set", f"confdir={folder}", "--set", "server_replay_extra=404", "--set", "connection_strategy=lazy",
            "--set", "server_replay_ignore_content=true",
        ])  # fmt: skip
        try:
            wait_for(port)
            call = CALLS["chat-unary"]
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": f"http://127.0.0.1:{port}"}))
            headers = {"content-type": "application/json"}
            request = urllib.request.Request(origin + call.path, json.dumps(call.body).encode(), headers)
            sys.stdout.write(opener.open(request, timeout=60).read().decode())
        finally:
            process.terminate()
            process.wait(30)


main(*sys.argv[1:])
