"""``bridgecheck plan``: what ``run`` would do with the same options, without doing it."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.console import Console

from bridgecheck.cassette import traffic as recorded
from bridgecheck.cli.wanted import Checked, Wanted, check, workers
from bridgecheck.drivers import Driver
from bridgecheck.errors import BadTraffic
from bridgecheck.model.selection import parse_shard
from bridgecheck.model.verdict import CaseKey
from bridgecheck.report import sentences, terminal
from bridgecheck.report.table import planned_table
from bridgecheck.run import plan, traffic


@dataclass(frozen=True, slots=True)
class Planned:
    """``address``: of the case; of a line of traffic that cannot be read, which is an ERROR, its place. ``idle``: it is
    not played: NOT_APPLICABLE from the start."""

    topic: str
    key: CaseKey
    address: str
    idle: bool = False


def print_plan(wanted: Wanted, addresses: bool) -> None:
    """A table of topics and directions, or with ``addresses`` one case a line. Raises RefusedAtStart."""
    driver = wanted.driver()
    checked = check(wanted, driver)
    cases = parse_shard(wanted.shard).select_items(list(_cases(wanted, checked, driver)), lambda case: case.address)
    if addresses:
        sys.stdout.write("".join(f"{case.address}\n" for case in cases))
        return
    console = Console(file=sys.stdout)
    for table in terminal.topic_tables(planned_table((case.topic, case.key) for case in cases), console.width):
        console.print(table)
        console.print()
    console.print(_summary(wanted, checked, driver, cases), soft_wrap=True, highlight=False)


def _summary(wanted: Wanted, checked: Checked, driver: Driver, cases: list[Planned]) -> str:
    layers = Counter(case.key.layer for case in cases)
    idle = sum(case.idle for case in cases)
    said = [
        f"{driver.info.name}: {sentences.plural(len(cases), 'case')}",
        *([sentences.plural(len(checked.scenarios), "scenario")] if checked.scenarios else []),
        *([sentences.plural(len(checked.files), "file") + " of traffic"] if checked.files else []),
        ", ".join(f"{count} at the {layer} layer" for layer, count in sorted(layers.items())),
        f"{idle} not applicable",
        *([f"shard {wanted.shard}"] if wanted.shard else []),
        sentences.plural(workers(wanted, checked), "worker"),
    ]
    return "; ".join(filter(None, said))


def _cases(wanted: Wanted, checked: Checked, driver: Driver) -> Iterator[Planned]:
    for scenario in checked.scenarios:
        for case in plan.plan(scenario, driver, wanted.selection):
            yield Planned(scenario.topic, case.key, str(case.key), bool(case.why_not))
    everywhere = replace(wanted.selection, addresses=())
    for file, glob in checked.files.items():
        for item in recorded.read_traffic(file, glob):
            topic = traffic.topic_of_file(item.where)
            if isinstance(item, BadTraffic):
                yield Planned(topic, traffic.unreadable_case(item, driver.info.name).key, item.where)
                continue
            for case in traffic.plan(item, driver, everywhere):
                yield Planned(topic, case.key, str(case.key), bool(case.why_not))
