"""What ``smoke`` shows: a table of routes, what is wrong, what could be claimed, and what to do next.

All that an adapter wrote is escaped and never read as markup. Eighty columns are enough.
"""

import sys
from collections.abc import Iterator
from shlex import quote
from typing import Final

from rich import box
from rich.console import Console, RenderableType
from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from bridgecheck.cli.smoke_faults import Fault, faults
from bridgecheck.cli.smoke_lines import Smoked
from bridgecheck.drivers.recipe import FILE, SUFFIX, recipe_text
from bridgecheck.model.adapter import Route
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.verdict import CaseKey
from bridgecheck.report import words
from bridgecheck.report.gate_files import default_place
from bridgecheck.report.sidebyside import visible
from bridgecheck.run.smoke import Tried
from bridgecheck.wire import MODES

LEAST_WIDTH: Final = 80
PREFIX: Final = "wrong meaning: "
"""Left out where there is little room."""
OK: Final = "ok"
NONE: Final = "-"
"""In the table: not tried."""
_GAP: Final = "    "
_BEFORE_WHY: Final = 45
"""Columns of the terminal that stand before a capability's ``why not``."""
_LABEL: Final = len("answered")
_STYLE: Final = {"harness": "bold magenta", "configuration": "bold yellow", "adapter": "bold red"}


def show(smoked: Smoked, console: Console | None = None) -> None:
    """Prints it all on standard output."""
    console = console or Console(file=sys.stdout, highlight=False)
    for block in _blocks(smoked, console.width):
        console.print(block, markup=False, highlight=False, soft_wrap=isinstance(block, str))


def _blocks(smoked: Smoked, width: int) -> Iterator[RenderableType]:
    found = faults(smoked)
    yield Text(_head(smoked))
    if smoked.of("plain"):
        yield ""
        yield grid(smoked, found)
    for fault in found:
        yield ""
        yield from _fault(fault)
    if smoked.of("capability"):
        yield ""
        yield capabilities(smoked, width)
        yield ""
        yield from recipe(smoked)
    yield ""
    yield from _verdict(smoked, found)


def _head(smoked: Smoked) -> str:
    adapter = smoked.adapter
    named = f"{adapter.name} {adapter.version}".strip() if adapter else "no adapter"
    target = f" ({smoked.target})" if smoked.target else ""
    controls = smoked.of("control")
    fine = sum(one.works for one in controls)
    control = f"; control: {fine} of {words.plural(len(controls), 'native case')} ok" if controls else ""
    return visible(f"{named}{target}{control}")


def grid(smoked: Smoked, found: list[Fault]) -> Grid:
    """Routes down, layers and modes across."""
    plain = smoked.of("plain")
    layers = dict.fromkeys(one.result.key.layer for one in plain)
    columns = [(layer, mode) for layer in layers for mode in MODES]
    table = _grid("client > upstream", *(f"{layer} {mode}" for layer, mode in columns))
    cells = {_place(one.result.key): _cell(one, found) for one in plain}
    for route in dict.fromkeys(one.route for one in plain):
        table.add_row(_arrow(route), *(cells.get((*route, *column), Text(NONE, style="dim")) for column in columns))
    return table


def capabilities(smoked: Smoked, width: int) -> Grid:
    """Capabilities down: where each works, whether it is claimed, and why it does not where it does not."""
    table = _grid("capability", "works in", "claimed", "why not")
    table.columns[-1].max_width = max(width - _BEFORE_WHY, len("why not"))
    claims = smoked.adapter.claims if smoked.adapter else frozenset()
    for name in CAPABILITIES:
        played = [one for one in smoked.of("capability") if name in one.capabilities]
        works = sum(one.works for one in played)
        why = next((one.diagnosis.cause.removeprefix(PREFIX) for one in played if one.diagnosis), "")
        shown = f"{works} of {words.plural(len(played), 'route')}" if played else "not tried"
        table.add_row(name, shown, "yes" if name in claims else "no", Text(visible(why), style="dim"))
    return table


def recipe(smoked: Smoked) -> Iterator[str]:
    """The claims to begin with: a whole recipe, or for an adapter that has one, what to write into it."""
    adapter = smoked.adapter
    own = smoked.target.endswith(SUFFIX)
    if adapter and adapter.claims == smoked.claims and (own or not smoked.target):
        yield "It claims what works."
        return
    place = default_place(adapter.name if adapter else "").parent / FILE
    port = adapter.upstream_port if adapter else 0
    routes = {one.route for one in smoked.of("plain") if one.works} if port else ()
    lines = recipe_text(place, smoked.target, smoked.claims, routes, port).splitlines()
    if own:
        lines = lines[next(number for number, line in enumerate(lines) if line.startswith("claims")) :]
    yield f"Claims for {visible(smoked.target)}:" if own else f"A recipe to begin with, {visible(str(place))}:"
    yield from (f"  {visible(line)}" for line in lines if not line.startswith("#"))


def _verdict(smoked: Smoked, found: list[Fault]) -> Iterator[RenderableType]:
    plain = smoked.of("plain")
    fine = sum(one.works for one in plain)
    left = f", {smoked.left} not tried" if smoked.left else ""
    count = f"{fine} of {words.plural(len(plain), 'plain case')} ok{left}, " if plain else ""
    said = f"{count}{words.duration(smoked.seconds)}"
    style = _STYLE[found[0].diagnosis.whose] if found else "bold green"
    yield Text(f"{_JUDGEMENT[smoked.exit_code]}: {said}", style=style)
    if not found and fine:
        yield f"Next: {visible(_next(smoked))}"


_JUDGEMENT: Final = {
    0: "WIRED",
    1: "ADAPTER FAULT",
    2: "NOT WIRED",
    3: "HARNESS FAULT",
    4: "NOTHING TRIED",
}


def _next(smoked: Smoked) -> str:
    if not smoked.target:
        return "bridgecheck run"
    if smoked.target.endswith(SUFFIX):
        return f"bridgecheck run --adapter {quote(smoked.target)}"
    return f"bridgecheck init --adapter {quote(smoked.target)}"


def _fault(fault: Fault) -> Iterator[RenderableType]:
    found = fault.diagnosis
    yield Text(f"[{fault.number}] {found.whose}: {visible(found.cause)}", style=_STYLE[found.whose])
    table = Grid(box=None, show_header=False, padding=(0, 1, 0, 0), pad_edge=False)
    for label, line in [("in", fault.places), *found.evidence]:
        if line:
            table.add_row(_GAP + label.ljust(_LABEL), Text(visible(line)))
    if table.rows:
        yield table
    if found.next_step:
        yield f"{_GAP}{'next'.ljust(_LABEL)} {visible(found.next_step)}"


def _cell(one: Tried, found: list[Fault]) -> Text:
    number = next((fault.number for fault in found if one in fault.cases), 0)
    if number:
        return Text(f"[{number}]", style="bold red")
    if not one.works:
        return Text("not played", style="dim")
    return Text(f"{OK} {one.result.seconds * 1e3:.0f} ms")


def _place(key: CaseKey) -> tuple[str, str, str, str]:
    return key.client, key.upstream, key.layer, key.mode


def _arrow(route: Route) -> str:
    return f"{route[0]} > {route[1]}"


def _grid(*heads: str) -> Grid:
    columns = [Column(head, no_wrap=True, overflow="ellipsis") for head in heads]
    return Grid(*columns, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


class Waiting:
    """What is played at the moment, on standard error, where that is a terminal."""

    def __init__(self) -> None:
        self._status = Console(file=sys.stderr).status("", spinner="line")

    def __enter__(self) -> "Waiting":
        if self._status.console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._status.stop()

    def say(self, doing: str) -> None:
        self._status.update(Text(visible(doing)))
