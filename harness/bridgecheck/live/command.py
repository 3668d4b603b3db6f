"""``bridgecheck record --live``: plan, play, report."""

import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich import progress as bars
from rich.console import Console

from bridgecheck.errors import RefusedAtStart
from bridgecheck.files.corpus import scenarios, scenarios_root
from bridgecheck.live.attempt import Clock, Connection
from bridgecheck.live.ledger_file import State, begin_ledger
from bridgecheck.live.options import LiveOptions, check_live, key_env_of, parse_models, parse_prices
from bridgecheck.live.plan import LiveCase, Plan, Tokens, make_plan
from bridgecheck.live.player import LivePlayer, PlayedCases
from bridgecheck.live.spending import Spending
from bridgecheck.live.summary import exit_code, plan_lines, result_lines
from bridgecheck.model.counts import plural
from bridgecheck.model.scenario import Scenario


class SystemClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def record_live(options: LiveOptions, clock: Clock | None = None) -> int:
    """Record the scenarios that the options select; return the exit code. Raises RefusedAtStart."""
    selected = scenarios(scenarios_root(), options.scenario)
    plan = plan_recording(options, selected)
    print_lines(plan_lines(plan, is_long=options.dry_run))
    if options.dry_run:
        return 0
    require_prices(plan, options)
    played, spending = play_plan(plan, options, clock or SystemClock(), options.out)
    print_lines(result_lines(plan, played, spending, options, options.out))
    return exit_code(plan, played)


def plan_recording(options: LiveOptions, selected: Sequence[Scenario]) -> Plan:
    """Return the plan. Raises RefusedAtStart where nothing selected can be played."""
    dialects = list(check_live(options))
    files = [scenario for scenario in selected if not scenario.client_model]
    plan = make_plan(files, dialects, parse_models(options), parse_prices(options), options.tries)
    if not plan.cases:
        print_lines(plan_lines(plan, is_long=True))
        what = f"nothing that is selected can be played live at {', '.join(dialects)}"
        raise RefusedAtStart(what, " ".join(options.scenario), "a scenario with live", "bridgecheck list --json")
    return plan


def require_prices(plan: Plan, options: LiveOptions) -> None:
    """Raise RefusedAtStart where money is limited and the price of a model is not known."""
    if options.limits.dollars is not None and plan.unpriced:
        model = plan.unpriced[0]
        what = f"money is limited, and the price of {model} is not known"
        raise RefusedAtStart(what, "--max-usd", f"--price {model}=INPUT,OUTPUT in US dollars for a million tokens")


def play_plan(plan: Plan, options: LiveOptions, clock: Clock, folder: Path) -> tuple[PlayedCases, Spending]:
    """Play what the ledger does not say is done. ``folder``: where it and the cassettes stand. Raises BadLedger."""
    console = Console(stderr=True)
    rows = begin_ledger(folder, resume=options.resume)
    spending = Spending(options.limits)
    for row in rows:
        spending.add(row.dialect, row.calls, Tokens(row.input, row.output), row.dollars)
    with make_bar(console) as bar:
        task = bar.add_task("", total=len(plan.cases), current="")

        def advance(case: LiveCase, state: State) -> None:
            total = spending.total
            bar.update(
                task, advance=1, current=f"{plural(total.calls, 'call')}, US$ {total.dollars:.4f}  {state}: {case.id}"
            )

        def wait(seconds: float) -> None:
            bar.update(task, current=f"throttled, waits {seconds:.0f} s")

        connections = {
            dialect: Connection(
                serve, key_env_of(options, dialect), clock, options.ca_file, options.timeout, options.longest_wait, wait
            )
            for dialect, serve in check_live(options).items()
        }
        player = LivePlayer(plan, connections, folder, spending, clock, advance, PlayedCases(list(rows)))
        return player.play(), spending


def make_bar(console: Console) -> bars.Progress:
    """Return a progress bar that shows only where there is a terminal."""
    columns = (
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("{task.fields[current]}"),
    )
    return bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def print_lines(lines: Iterable[str]) -> None:
    """Print them, and flush: what comes next may take long."""
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
