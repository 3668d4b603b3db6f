"""The ledger of a live recording: what each attempt came to and took, one JSON line each, so that a run goes on where
it was interrupted.

    OUT/live.ledger   {"case": "tools/single-call::gemini.unary", "state": "recorded", "calls": 1, ...}

A line is written, and is on the disk, before the next attempt begins. A line that was cut by a crash is passed over."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast, get_args

from bridgecheck.errors import RefusedAtStart
from bridgecheck.model.jsonvalue import integer, obj, text
from bridgecheck.secrets import mask_text
from bridgecheck.wire import Dialect

NAME: Final = "live.ledger"
EARLIER: Final = "live.earlier.ledger"

State: TypeAlias = Literal["recorded", "not elicited", "not shown", "refused", "left"]
"""recorded: a cassette was written. not elicited: the last attempt did not show the behaviour either. refused: the
provider takes no such request, or its answer may not be written. Of these a run that goes on repeats none. not shown:
an attempt that another may follow. left: throttled, unreachable, interrupted."""

FINAL_STATES: Final[frozenset[State]] = frozenset({"recorded", "not elicited", "refused"})


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One attempt. ``at``: when it ended, ISO 8601. ``why``: of a state that is not recorded."""

    case: str
    dialect: Dialect
    model: str
    state: State
    calls: int
    input: int
    output: int
    dollars: float
    why: str = ""
    at: str = ""


class BadLedger(RefusedAtStart):
    """The ledger that --resume goes on with is not there, or is none."""

    code = "bad-ledger"


def begin_ledger(folder: Path, *, resume: bool) -> list[LedgerRow]:
    """Return the rows of the run that is gone on with, [] for a new one, which keeps the ledger before it under another
    name. Raises BadLedger."""
    path = folder / NAME
    if not resume:
        if path.is_file():
            path.replace(folder / EARLIER)
        return []
    if not path.is_file():
        raise BadLedger("there is no run to go on with", str(path), "a ledger", "the same command without --resume")
    return list(_read_rows(path))


def append_row(folder: Path, row: LedgerRow) -> None:
    """Write a row; a provider's message may quote the key, so it is masked."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    data = (json.dumps(asdict(replace(row, why=mask_text(row.why))), ensure_ascii=False) + "\n").encode("utf-8")
    with path.open("ab") as file:
        if file.tell() and not path.read_bytes().endswith(b"\n"):
            data = b"\n" + data  # behind a line that a crash cut
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _read_rows(path: Path) -> Iterator[LedgerRow]:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    is_any = False
    for number, line in enumerate(lines, 1):
        try:
            row = obj(json.loads(line))
        except ValueError:
            continue  # cut by a crash
        is_any = True
        yield _to_row(row, f"{path}:{number}")
    if lines and not is_any:
        raise BadLedger("no line of it is JSON", str(path), "a ledger of record --live", f"rm {path}")


def _to_row(row: dict[str, object], where: str) -> LedgerRow:
    state = text(row.get("state"))
    if state not in get_args(State) or not text(row.get("case")):
        raise BadLedger(f"a row with the state {state!r}", where, f"one of {', '.join(get_args(State))}")
    dollars = row.get("dollars")
    return LedgerRow(
        text(row["case"]), cast(Dialect, text(row.get("dialect"))), text(row.get("model")), cast(State, state),
        integer(row.get("calls")) or 0, integer(row.get("input")) or 0, integer(row.get("output")) or 0,
        float(dollars) if isinstance(dollars, int | float) else 0.0, text(row.get("why")), text(row.get("at")),
    )  # fmt: skip
