"""Record the calls with cassetter: by httpx and by requests, as YAML, TOML and JSON. Run it in cassetter's environment.

python tests/formats/tools/record_cassetter.py tests/formats/recordings
"""

import sys
from importlib.metadata import version
from pathlib import Path

import httpx
import requests
from cassetter import use_cassette
from provider import CALLS, GZIPPED, KEY, serving

HEADERS = {"authorization": f"Bearer {KEY}"}


def main(root: Path) -> None:
    folder = root / f"cassetter-{version('cassetter')}"
    folder.mkdir(parents=True, exist_ok=True)
    with serving() as origin:
        for suffix in ("yaml", "toml", "json"):
            for library, post in (("httpx", httpx.post), ("requests", requests.post)):
                with use_cassette(str(folder / f"{library}.{suffix}"), record_mode="all"):
                    for call in (*CALLS.values(), GZIPPED):
                        post(origin + call.path, json=call.body, headers=HEADERS)


main(Path(sys.argv[1]))
