"""``bridgecheck plan``: what ``run`` would do with the same options, without doing it."""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.console import Console

from bridgecheck.cassette import traffic as recorded
from bridgecheck.cli.options import RunOptions, ScenariosAndTrafficToRun, plan_run
from bridgecheck.drivers import Driver
from bridgecheck.errors import BadTraffic
from bridgecheck.files import cassette_folders
from bridgecheck.model.counts import plural
from bridgecheck.model.selection import parse_shard_or_refuse
from bridgecheck.model.verdict import CaseKey, CaseResult
from bridgecheck.report import Report, RunInfo, sentences, terminal
from bridgecheck.report.table import planned_table
from bridgecheck.run import plan, traffic
from bridgecheck.run.library import Library


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """``address``: of the case; for a line of traffic that cannot be read, which is an ERROR, its location.
    ``is_idle``: it is not played, but NOT_APPLICABLE from the start. ``model``: as its client calls it."""

    topic: str
    key: CaseKey
    address: str
    is_idle: bool = False
    model: str = ""
    is_traffic: bool = False


def print_plan(options: RunOptions, prints_addresses: bool, prints_models: bool) -> None:
    """Print a table of topics and directions, or the address of each case, or the models that clients name. Raises
    RefusedAtStart."""
    driver = options.load_driver()
    run = plan_run(options, driver)
    shard = parse_shard_or_refuse(options.shard)
    cases = shard.select_items(list(_plan_cases(options, run, driver)), lambda case: case.address)
    if prints_addresses:
        sys.stdout.write("".join(f"{case.address}\n" for case in cases))
        return
    if prints_models:
        sys.stdout.write("".join(f"{line}\n" for line in _model_lines(cases)))
        return
    console = Console(file=sys.stdout, emoji=False)
    for table in terminal.split_topic_table(
        planned_table((case.topic, case.key, case.is_idle) for case in cases), console.width
    ):
        console.print(table)
        console.print()
    console.print(_summary(options, run, driver, cases), soft_wrap=True, highlight=False)
    for line in _unmet_demand_lines(options, cases):
        console.print(line, soft_wrap=True, highlight=False, markup=False)


def _unmet_demand_lines(options: RunOptions, cases: list[PlannedCase]) -> Iterator[str]:
    """Yield the cassettes that --max-age and --require will fail, as the report will name them."""
    library = Library(*cassette_folders())
    results = []
    for case in cases:
        if not case.is_traffic:
            rests_on = library.provenance(case.key.scenario, case.key.upstream, case.key.mode)
            results.append(CaseResult(case.key, "", (), source=rests_on.source, recording=rests_on.recording))
    started = options.now().isoformat(timespec="seconds")
    info = RunInfo("", started=started, max_age=options.max_age or 0, require=options.require)
    yield from sentences.unmet_demand_lines(Report(info, tuple(results)))


def _model_lines(cases: list[PlannedCase]) -> Iterator[str]:
    """Yield a line for each model of each direction, with its number of cases."""
    played = [case for case in cases if case.model and not case.is_idle and case.key.path == "bridged"]
    counts = Counter((case.key.client, case.key.upstream, case.model) for case in played)
    for (client, upstream, model), count in sorted(counts.items()):
        yield f"{client} > {upstream}  {model}  {plural(count, 'case')}"


def _summary(options: RunOptions, run: ScenariosAndTrafficToRun, driver: Driver, cases: list[PlannedCase]) -> str:
    layers = Counter(case.key.layer for case in cases)
    parts = [
        f"{driver.info.name}: {plural(len(cases), 'case')}",
        plural(len(run.scenarios), "scenario") if run.scenarios else "",
        plural(len(run.files), "file") + " of traffic" if run.files else "",
        sentences.skipped_files(run.skipped) if run.skipped else "",
        ", ".join(f"{count} at the {layer} layer" for layer, count in sorted(layers.items())),
        f"{sum(case.is_idle for case in cases)} not applicable",
        f"shard {options.shard}" if options.shard else "",
        plural(run.workers, "worker") if run.workers else "in one process",
    ]
    return "; ".join(filter(None, parts))


def _plan_cases(options: RunOptions, run: ScenariosAndTrafficToRun, driver: Driver) -> Iterator[PlannedCase]:
    for scenario in run.scenarios:
        for case in plan.plan(scenario, driver, options.case_selection):
            model = plan.name_model(driver, case.key, scenario)
            yield PlannedCase(scenario.topic, case.key, str(case.key), bool(case.why_not), model)
    for file, glob in run.files.items():
        selection = replace(options.case_selection, addresses=(glob,))
        for item in recorded.read_traffic(file, glob):
            topic = traffic.topic_of_file(item.where)
            if isinstance(item, BadTraffic):
                key = traffic.unreadable_case(item, driver.info.name).key
                yield PlannedCase(topic, key, item.where, is_traffic=True)
                continue
            for case in traffic.plan(item, driver, selection):
                yield PlannedCase(topic, case.key, str(case.key), bool(case.why_not), is_traffic=True)
