"""Record two calls of google-genai with its own replay client. Run it in the environment of a google-genai.

The base URL has a path that looks like Google's host, so that the client writes addresses as it does for that.

python tests/formats/tools/record_google_genai.py tests/formats/recordings
"""

import sys
from pathlib import Path

from google import genai
from google.genai.client import DebugConfig
from google.genai.types import HttpOptions
from provider import KEY, MODEL, serving

PROMPT = "Say hello to Zoë"


def main(root: Path) -> None:
    folder = root / f"google-genai-{genai.__version__}"
    with serving() as origin:
        client = genai.Client(
            api_key=KEY,
            http_options=HttpOptions(base_url=f"{origin}/generativelanguage.googleapis.com"),
            debug_config=DebugConfig(
                client_mode="record", replay_id="replays/answers/mldev", replays_directory=str(folder)
            ),
        )
        client.models.generate_content(model=MODEL, contents=PROMPT)
        list(client.models.generate_content_stream(model=MODEL, contents=PROMPT))
        client._api_client.close()


main(Path(sys.argv[1]))
