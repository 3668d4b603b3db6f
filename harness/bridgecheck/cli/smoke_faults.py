"""What is wrong, each thing once, with a number and the places where it shows."""

from dataclasses import dataclass

from bridgecheck.cli.smoke_lines import Smoked
from bridgecheck.run.diagnose import Diagnosis
from bridgecheck.run.smoke import Tried

PLACES: int = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """``number``: from 1, as the table has it. ``cases``: where it shows, none where nothing could be played."""

    number: int
    diagnosis: Diagnosis
    cases: tuple[Tried, ...] = ()

    @property
    def places(self) -> str:
        """``openai-chat > gemini unary, stream (sdk)``, the first few; "" where nothing could be played."""
        found: dict[tuple[str, str], list[str]] = {}
        for one in self.cases:
            key = one.result.key
            native = "native " if key.path == "native" else ""
            found.setdefault((f"{native}{key.client} > {key.upstream}", key.layer), []).append(_what(one))
        shown = [f"{route} {', '.join(what)} ({layer})" for (route, layer), what in found.items()]
        more = [f"and {len(shown) - PLACES} more"] if len(shown) > PLACES else []
        return "; ".join(shown[:PLACES] + more)


def faults(smoked: Smoked) -> list[Fault]:
    """In the order in which they showed, what stopped everything first."""
    found: dict[tuple[str, ...], list[Tried]] = {}
    for one in smoked.tried:
        if one.diagnosis and one.demanded:
            found.setdefault(_same(one.diagnosis), []).append(one)
    stopped = [(smoked.stopped, ())] if smoked.stopped else []
    groups = [(cases[0].diagnosis, tuple(cases)) for cases in found.values()]
    return [
        Fault(number, diagnosis, cases)
        for number, (diagnosis, cases) in enumerate([*stopped, *groups], 1)
        if diagnosis is not None
    ]


def _what(one: Tried) -> str:
    if one.stage == "capability":
        return f"{'/'.join(one.capabilities)} {one.result.key.mode}"
    return one.result.key.mode


def _same(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What tells faults apart: the words, which name the route only where that matters."""
    return diagnosis.whose, diagnosis.name, diagnosis.cause
