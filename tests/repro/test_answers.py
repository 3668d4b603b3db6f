"""What a script saw, as the checks take it."""

from types import SimpleNamespace
from typing import cast

from bridgecheck.repro.answers import transcript
from bridgecheck.repro.fault import Fault


def test_what_was_asked_stays_where_the_adapter_broke() -> None:
    key = SimpleNamespace(client="outcome", upstream="gemini", mode="unary")
    fault = cast(Fault, SimpleNamespace(key=key, cassette=SimpleNamespace(decoded=lambda *_: [])))
    shown = {"asked": [{"model": "m"}], "sent": [], "received": [], "status": [], "raised": "KeyError: 'parameters'"}
    seen = transcript(fault, shown)
    assert [one.request.body for one in seen.client if one.request] == [{"model": "m"}]
    assert seen.crash == "KeyError: 'parameters'"
