"""Record the calls with vcrpy: by httpx and by requests, as YAML and as JSON. Run it in the environment of a vcrpy.

python tests/formats/tools/record_vcrpy.py tests/formats/recordings
"""

import sys
from pathlib import Path

import httpx
import requests
import vcr
from provider import CALLS, GZIPPED, KEY, serving

HEADERS = {"authorization": f"Bearer {KEY}"}


def main(root: Path) -> None:
    folder = root / f"vcrpy-{vcr.__version__}"
    with serving() as origin:
        for serializer in ("yaml", "json"):
            calls = [*CALLS.values(), *([GZIPPED] if serializer == "yaml" else [])]
            for library, post in (("httpx", httpx.post), ("requests", requests.post)):
                recorder = vcr.VCR(serializer=serializer, record_mode="all")
                with recorder.use_cassette(str(folder / f"{library}.{serializer}")):
                    for call in calls:
                        post(origin + call.path, json=call.body, headers=HEADERS)


main(Path(sys.argv[1]))
