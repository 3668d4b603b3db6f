"""The result of ``smoke`` as text: a table of routes, the faults, what could be claimed, and what to do next.

All that an adapter wrote is escaped and never read as markup. Eighty columns are enough.
"""

import sys
from collections.abc import Iterator
from shlex import quote
from typing import Final

from rich import box
from rich.console import Console, RenderableType
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text

from bridgecheck.drivers.recipe import FILE, SUFFIX, recipe_text
from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.counts import plural
from bridgecheck.report import sentences
from bridgecheck.report.deviations_file import default_deviations_path
from bridgecheck.report.side_by_side import escape_invisible
from bridgecheck.smoke.result import Fault, SmokeResult, fault_number, group_faults
from bridgecheck.smoke.trials import DiagnosedTrial
from bridgecheck.wire import MODES

_OBVIOUS: Final = "wrong meaning: "
"""The beginning of a cause, omitted where there is little room."""
_INDENT: Final = "    "
_WIDTH_BEFORE_REASON: Final = 45
"""Columns of the terminal before a capability's ``why not``."""
_LABEL_WIDTH: Final = len("response")
_STYLES: Final = {"harness": "bold magenta", "configuration": "bold yellow", "adapter": "bold red"}
_VERDICTS: Final = {0: "WIRED", 1: "ADAPTER FAULT", 2: "NOT WIRED", 3: "HARNESS FAULT", 4: "NOTHING PLAYED"}
"""The verdict of each exit code."""


def print_result(result: SmokeResult, console: Console | None = None) -> None:
    """Print everything on standard output."""
    console = console or Console(file=sys.stdout, highlight=False, emoji=False)
    for block in _render_blocks(result, console.width):
        console.print(block, markup=False, highlight=False, soft_wrap=isinstance(block, str))


def _render_blocks(result: SmokeResult, width: int) -> Iterator[RenderableType]:
    faults = group_faults(result)
    yield Text(_heading(result))
    if result.trials_of("plain"):
        yield ""
        yield routes_table(result, faults)
        yield from (f"not played: {escape_invisible(reason)}" for reason in result.reasons_for_unplayed)
    for fault in faults:
        yield ""
        yield from _render_fault(fault)
    if result.trials_of("capability"):
        yield ""
        yield capabilities_table(result, width)
        yield ""
        yield from _suggested_recipe_lines(result)
    yield ""
    yield from _render_verdict(result, faults)


def _heading(result: SmokeResult) -> str:
    adapter = result.adapter
    name = f"{adapter.name} {adapter.version}".strip() if adapter else "no adapter"
    target = f" ({result.target})" if result.target else ""
    controls = result.trials_of("control")
    working = sum(trial.works for trial in controls)
    control = f"; control: {working} of {plural(len(controls), 'native case')} ok" if controls else ""
    return escape_invisible(f"{name}{target}{control}")


def routes_table(result: SmokeResult, faults: list[Fault]) -> RichTable:
    """Return a table with a row for each route, and a column for each layer and mode."""
    plain = result.trials_of("plain")
    layers = dict.fromkeys(trial.result.key.layer for trial in plain)
    columns = [(layer, mode) for layer in layers for mode in MODES]
    table = _empty_table("client > upstream", *(f"{layer} {mode}" for layer, mode in columns))
    cells = {(*trial.route, trial.result.key.layer, trial.result.key.mode): _cell(trial, faults) for trial in plain}
    for client, upstream in dict.fromkeys(trial.route for trial in plain):
        row = (cells.get((client, upstream, *column), Text("-", style="dim")) for column in columns)
        table.add_row(f"{client} > {upstream}", *row)
    return table


def capabilities_table(result: SmokeResult, width: int) -> RichTable:
    """Return a table with a row for each capability: where it works, whether it is claimed, and why it does not."""
    table = _empty_table("capability", "works in", "claimed", "why not")
    table.columns[-1].max_width = max(width - _WIDTH_BEFORE_REASON, len("why not"))
    for name in CAPABILITIES:
        played = result.trials_of_capability(name)
        works = sum(trial.works for trial in played)
        reason = result.why_not(name).removeprefix(_OBVIOUS)
        count = f"{works} of {plural(len(played), 'route')}" if played else "not played"
        claimed = "yes" if name in result.claims else "no"
        table.add_row(name, count, claimed, Text(escape_invisible(reason), style="dim"))
    return table


def _suggested_recipe_lines(result: SmokeResult) -> Iterator[str]:
    """Yield the claims to begin with: a whole recipe, or the claims for the recipe that the adapter has."""
    adapter = result.adapter
    has_recipe = result.target.endswith(SUFFIX)
    if adapter and result.claims == result.claimed_or_working_capabilities and (has_recipe or not result.target):
        yield "It claims what works."
        return
    path = default_deviations_path(adapter.name if adapter else "").parent / FILE
    port = adapter.upstream_port if adapter else 0
    routes = {trial.route for trial in result.trials_of("plain") if trial.works} if port else ()
    lines = recipe_text(path, result.target, result.claimed_or_working_capabilities, routes, port).splitlines()
    if has_recipe:
        lines = lines[next(number for number, line in enumerate(lines) if line.startswith("claims")) :]
    heading = f"Claims for {result.target}:" if has_recipe else f"A recipe to begin with, {path}:"
    yield escape_invisible(heading)
    yield from (f"  {escape_invisible(line)}" for line in lines if not line.startswith("#"))
    if result.wrong_capabilities:
        yield f"init claims what is answered wrongly, too: {', '.join(result.wrong_capabilities)}"


def _render_verdict(result: SmokeResult, faults: list[Fault]) -> Iterator[RenderableType]:
    plain = result.trials_of("plain")
    working = sum(trial.works for trial in plain)
    skipped = f", {result.skipped} not played" if result.skipped else ""
    count = f"{working} of {plural(len(plain), 'plain case')} ok{skipped}, " if plain else ""
    style = _STYLES[faults[0].diagnosis.culprit] if faults else "bold green"
    yield Text(f"{_VERDICTS[result.exit_code]}: {count}{sentences.seconds_or_minutes(result.seconds)}", style=style)
    target = escape_invisible(quote(result.target))
    is_adapters = bool(faults) and all(fault.diagnosis.culprit == "adapter" for fault in faults)
    if is_adapters and result.target and not result.claims and any(trial.is_answered for trial in plain):
        yield f"Next: mend it, or accept today's failures: bridgecheck init --adapter {target}"
    if not faults and working:
        is_set_up = not result.target or (result.target.endswith(SUFFIX) and result.claims)
        command = "run" if is_set_up else "init"
        option = f" --adapter {quote(result.target)}" if result.target else ""
        yield f"Next: bridgecheck {command}{escape_invisible(option)}"


def _render_fault(fault: Fault) -> Iterator[RenderableType]:
    diagnosis = fault.diagnosis
    cause = f"[{fault.number}] {diagnosis.culprit}: {escape_invisible(diagnosis.cause)}"
    yield Text(cause, style=_STYLES[diagnosis.culprit])
    table = RichTable(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    for label, line in [("in", fault.locations), *diagnosis.evidence]:
        if line:
            table.add_row(_INDENT + label.ljust(_LABEL_WIDTH), Text(escape_invisible(line)))
    if table.rows:
        yield table
    if diagnosis.next_step:
        yield f"{_INDENT}{'next'.ljust(_LABEL_WIDTH)} {escape_invisible(diagnosis.next_step)}"


def _cell(trial: DiagnosedTrial, faults: list[Fault]) -> Text:
    number = fault_number(trial, faults)
    if number:
        return Text(f"[{number}]", style="bold red")
    return Text(f"ok {trial.result.seconds * 1e3:.0f} ms") if trial.works else Text("not played", style="dim")


def _empty_table(*headings: str) -> RichTable:
    columns = [Column(heading, no_wrap=True, overflow="ellipsis") for heading in headings]
    return RichTable(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
