"""The same document gives the same losses in the same order in every process, for every hash seed."""

import json
import os
import subprocess
import sys
from typing import Final

_UNKNOWN_MEMBERS: Final = dict.fromkeys(("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"), 1)

_SCRIPT: Final = """
import json
from bridgecheck_reference import openai_request_to_gemini
odd = {odd}
call = {{"name": "f", "parameters": {{"type": "object", "properties": {{"a": {{"type": "string", **odd}}}}}}, **odd}}
request = {{"model": "m", "messages": [{{"role": "user", "content": "hi", **odd}}],
           "tools": [{{"type": "function", "function": call}}], **odd}}
print(json.dumps([loss.path for loss in openai_request_to_gemini(request).losses]))
"""


def _losses(seed: str) -> str:
    converted = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(odd=_UNKNOWN_MEMBERS)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return converted.stdout


def test_losses_come_in_the_order_of_the_document() -> None:
    first = _losses("1")
    assert first == _losses("2")
    assert [path for path in json.loads(first) if "." not in path] == list(_UNKNOWN_MEMBERS)
