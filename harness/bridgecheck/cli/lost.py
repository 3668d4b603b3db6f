"""Cases that left no result: their worker process died, or pytest itself tripped over them."""

import re
from typing import Final, cast

from bridgecheck.checks.table import HARNESS
from bridgecheck.cli.pytest_session import Collected
from bridgecheck.model.verdict import CaseKey, CaseResult, Layer, Path, Verdict
from bridgecheck.wire import DIALECTS, Dialect, Mode

_VARIANT: Final = re.compile(
    r"(?P<name>.*?)(?:\.json::|\[|::)(?P<path>native|bridged)-(?P<client>[a-z-]+)-to-(?P<upstream>[a-z-]+)"
    r"-(?P<mode>unary|stream)-(?P<layer>wire|sdk|http)\]?$"
)
_DIED: Final = "crashed while running"


def lost_cases(collected: Collected, adapter: str) -> list[CaseResult]:
    """A dead worker is the adapter's doing: it ended the process, or crashed the interpreter."""
    return [_lost(nodeid, text, adapter) for nodeid, text in collected.lost]


def _lost(nodeid: str, text: str, adapter: str) -> CaseResult:
    if _DIED in text:
        verdict = Verdict("adapter.completes", "FAIL", "the process that ran the adapter died")
    else:
        verdict = Verdict(HARNESS, "ERROR", text)
    return CaseResult(_key(nodeid), adapter, (verdict,), topic=_topic(nodeid), where=nodeid.partition("::")[0])


def _key(nodeid: str) -> CaseKey:
    match = _VARIANT.fullmatch(nodeid)
    if match is None:
        return CaseKey(nodeid, "native", DIALECTS[0], DIALECTS[0], "unary", "wire")
    name = match["name"].rpartition("::")[2].removeprefix("scenarios/")
    return CaseKey(
        name,
        cast(Path, match["path"]),
        cast(Dialect, match["client"]),
        cast(Dialect, match["upstream"]),
        cast(Mode, match["mode"]),
        cast(Layer, match["layer"]),
    )


def _topic(nodeid: str) -> str:
    return _key(nodeid).scenario.partition("/")[0]
