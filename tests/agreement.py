"""Compare the reference gateway over HTTP with the same conversions in process: each case has the same status.

    python tests/agreement.py [GLOB]...      # the whole corpus, or scenarios by their ids; prints totals and differences

What is passed through untouched (one dialect on both ends) is compared with the identity, what is converted with
``python:bridgecheck_reference:adapter`` at the wire layer. A difference is explained by one of RULES, or it is a fault.
"""

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from bridgecheck.drivers import Driver, resolve
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Case, Selection, plan

RECIPE: Final = Path(__file__).parents[1] / "reports" / "bridgecheck-reference" / "adapter.toml"
IN_PROCESS: Final = "python:bridgecheck_reference:adapter"


class Pair(NamedTuple):
    """One case, run in process and over HTTP. ``rule``: why the statuses differ, "" if they are equal, "?" if unexplained."""

    scenario: Scenario
    inside: CaseResult
    outside: CaseResult
    rule: str = ""

    @property
    def change(self) -> str:
        return f"{self.inside.status} -> {self.outside.status}"


def _framing_of_the_provider(pair: Pair) -> bool:
    """Bytes are visible over HTTP only: a response that is passed through keeps the provider's framing."""
    found = {verdict.check for verdict in pair.outside.verdicts if verdict.status != "PASS"}
    return pair.change == "PASS -> INHERITED" and found == {"client.framing"}


def _no_document(pair: Pair) -> bool:
    """A converter takes JSON objects only; any other body is handled by a gateway."""
    message = pair.inside.verdicts[0].message
    return pair.change == "NOT_APPLICABLE -> PASS" and "a matter of HTTP, not of conversion" in message


def _may_refuse(pair: Pair) -> bool:
    """In process a document may hold what no body can; a gateway may refuse it where the scenario allows that."""
    return pair.change == "PASS -> REJECTED" and bool(pair.scenario.may_refuse)


def _not_for_an_sdk(pair: Pair) -> bool:
    """The SDK cannot send or read this case, or cannot disconnect in the middle of it."""
    outside, reasons = pair.outside, ("a matter of HTTP, not of its clients", "played by the wire client")
    is_skipped = outside.key.layer == "sdk" and outside.status == "NOT_APPLICABLE"
    return is_skipped and any(reason in outside.verdicts[0].message for reason in reasons)


RULES: Final[dict[str, Callable[[Pair], bool]]] = {
    "framing of the provider": _framing_of_the_provider,
    "no document": _no_document,
    "may refuse": _may_refuse,
    "not for an SDK": _not_for_an_sdk,
}


BRIDGED: Final = Selection(paths=("bridged",))


def play_pairs(scenarios: Iterable[Scenario], selection: Selection = BRIDGED) -> Iterator[Pair]:
    """Yield every selected case of the gateway with its counterpart in process."""
    gateway, adapter, library = resolve(str(RECIPE)), resolve(IN_PROCESS), Library(cassettes_root())
    try:
        for scenario in scenarios:
            known: dict[CaseKey, CaseResult] = {}
            for case in plan(scenario, gateway, selection):
                inside = known.setdefault(key := _counterpart(case.key), _run(key, scenario, adapter, library))
                pair = Pair(scenario, inside, _run(case.key, scenario, gateway, library))
                yield pair._replace(rule=_explaining_rule(pair))
    finally:
        gateway.close()
        library.stop_edge()


def _counterpart(key: CaseKey) -> CaseKey:
    path = "native" if key.client == key.upstream else "bridged"
    return CaseKey(key.scenario, path, key.client, key.upstream, key.mode, "wire")


def _run(key: CaseKey, scenario: Scenario, driver: Driver, library: Library) -> CaseResult:
    return run_case(Case(key), scenario, driver, library)


def _explaining_rule(pair: Pair) -> str:
    if pair.inside.status == pair.outside.status:
        return ""
    return next((name for name, explains in RULES.items() if explains(pair)), "?")


def describe_pair(pair: Pair) -> str:
    """Return one line for the pair, followed by its verdicts that are not PASS."""
    verdicts = [verdict for verdict in pair.outside.verdicts if verdict.status != "PASS"]
    wrong = [f"    {verdict.check} {verdict.status}: {verdict.message}" for verdict in verdicts]
    lines = "\n".join([f"{pair.outside.key}  {pair.change}  ({pair.rule})", *wrong])
    return lines.encode("utf-8", "backslashreplace").decode()


def main(globs: list[str]) -> int:
    """Print the totals by layer and every difference. Return 1 if a difference is unexplained."""
    warnings.simplefilter("ignore")
    counts: dict[str, Counter[str]] = {"http": Counter(), "sdk": Counter()}
    differences: list[Pair] = []
    for pair in play_pairs(select_scenarios(globs)):
        counts[pair.outside.key.layer][pair.rule or "the same"] += 1
        if pair.rule:
            differences.append(pair)
    print(*map(describe_pair, differences), sep="\n")
    for layer, count in counts.items():
        print(
            f"{layer}: {count.total()} cases, " + ", ".join(f"{rule} {number}" for rule, number in count.most_common())
        )
    return int(any(pair.rule == "?" for pair in differences))


def select_scenarios(globs: list[str]) -> list[Scenario]:
    found = scenarios(scenarios_root(), (), ())
    return [scenario for scenario in found if not globs or any(fnmatchcase(scenario.id, glob) for glob in globs)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
