"""The guard: an item that fails where a standard case was taken out, or something else put in its place.

A part of the cases that someone asks for on the command line (``-k``, a node id, ``--bridgecheck-scenario``) is no
mistake: the guard is skipped then, and says so. What stands in a configuration or a conftest.py is one.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import pytest
from _pytest._code.code import TerminalRepr, TracebackStyle

from bridgecheck.errors import BridgecheckError
from bridgecheck.files import scenario_ids
from bridgecheck.pytest_plugin.items import unexcused
from bridgecheck.pytest_plugin.suite import Suite
from bridgecheck.testing import Conformance

NAME: Final = "every_standard_case_is_here"
SHOWN: Final = 5

_CHOICE: Final = re.compile(
    r"-[qvxsl]*[km]|--deselect|--lf|--last-failed|--sw|--stepwise|--bridgecheck-(?:scenario|tag|mode|path|layer|shard)"
)
_NO_WORD: Final = re.compile(r"\W+")


class GuardFailed(Exception):
    """``str()`` is the text to show."""


class Guard(pytest.Item):
    """What both guards have in common. ``planned``: addresses of the cases that should be there; ``present``: of those
    that are, when every plugin has had its say. ``chosen``: what of this command line asked for a part, "" if nothing
    did. ``holder``: node id of what holds the cases. ``seen``: the suite, once the guard ran."""

    planned: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    chosen: str = ""
    holder: str = ""
    seen: Suite | None = None
    excused: bool = False

    def mine(self, item: pytest.Item) -> bool:
        """Whether this item is a case that the guard looks after."""
        raise NotImplementedError

    def suite(self) -> Suite:
        raise NotImplementedError

    def further(self) -> Iterable[str]:
        return ()

    def look(self, items: Sequence[pytest.Item], chosen: str) -> None:
        self.present = frozenset(getattr(item, "address", "") for item in items if self.mine(item))
        self.chosen = chosen

    def runtest(self) -> None:
        self.seen = self.suite()
        found = list(self.further())
        missing = sorted(self.planned - self.present)
        if missing and not self.chosen:
            found.insert(0, _missing(missing, len(self.planned)))
        if found:
            raise GuardFailed("\n".join(found))
        if missing:
            self.excused = True
            pytest.skip(f"{self.chosen}: {len(self.present)} of {len(self.planned)} cases were asked for")

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        ours = isinstance(excinfo.value, GuardFailed | BridgecheckError)
        return str(excinfo.value) if ours else super().repr_failure(excinfo)

    def finish(self, report: pytest.TestReport) -> None:
        """Tells the end of the session what this suite was, so that it can tell what is stale."""
        unexcused(report, self.excused, told=self.seen is not None)
        suite = self.seen
        if report.when != "call" or self.chosen or suite is None or suite.deviations is None or suite.asked.narrowed:
            return
        told = {
            "planned": len(self.planned),
            "deviations": str(suite.deviations),
            "version": suite.driver.info.version,
            "stale": suite.asked.stale,
            "relations": suite.asked.relating.how_many,
        }
        vars(report).update(bridgecheck_holder=self.holder, bridgecheck_suite=json.dumps(told))


def asked_for_a_part(config: pytest.Config) -> str:
    """The argument that asks for a part of the tests, given by hand and not by a configuration; "" if there is none."""
    given = map(str, config.invocation_params.args)
    return next((argument for argument in given if "::" in argument or _CHOICE.match(argument)), "")


def overridden(cls: type[Conformance]) -> Iterator[str]:
    """What a test class has that bears the name of a standard case."""
    standard = {_plain(name): name for name in (*scenario_ids(), NAME)}
    for base in cls.__mro__[: cls.__mro__.index(Conformance)]:
        for name in vars(base):
            own = standard.get(_plain(name.partition("[")[0].partition("::")[0]).removeprefix("test_"))
            if own:
                yield f"{base.__name__}.{name} has the name of the standard case {own}, which it cannot replace"


def _missing(missing: Sequence[str], planned: int) -> str:
    shown = "".join(f"\n  {address}" for address in missing[:SHOWN])
    more = f"\n  ... and {len(missing) - SHOWN} more" if len(missing) > SHOWN else ""
    return (
        f"{len(missing)} of {planned} standard cases were taken out of the session:{shown}{more}\n"
        "Accept what fails in deviations.toml; ask for a part on the command line (-k, -m, a node id), not in a "
        "configuration or conftest.py."
    )


def _plain(name: str) -> str:
    return _NO_WORD.sub("_", name)
