"""The command ``refresh`` and its options, which are those of ``record --live``."""

from pathlib import Path
from typing import Annotated

import typer

from bridgecheck.cli.command_options import Adapter, Corpus
from bridgecheck.cli.record_command import (
    CaFile,
    DryRun,
    KeyEnv,
    Live,
    LongestWait,
    MaxCalls,
    MaxTokens,
    MaxUsd,
    Model,
    Out,
    Prices,
    Resume,
    Timeout,
    Tries,
)

Ids = Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="scenarios, or globs; default: all in FOLDER")]
Missing = Annotated[bool, typer.Option("--missing", help="also record what has live and stands not in FOLDER")]
Change = Annotated[
    Path | None,
    typer.Option(
        "--change", metavar="FILE", help="accept, and write drift, cost and verdicts before and after for a reviewer"
    ),
]
Accept = Annotated[bool, typer.Option("--accept", help="replace the old cassettes by those that were recorded anew")]


def refresh(
    out: Out, scenario_ids: Ids = None, live: Live = None, key_env: KeyEnv = None, model: Model = None,
    accept: Accept = False, dry_run: DryRun = False, resume: Resume = False, tries: Tries = 3,
    max_calls: MaxCalls = None, max_tokens: MaxTokens = None, max_usd: MaxUsd = 5, price: Prices = None,
    longest_wait: LongestWait = 120, ca_file: CaFile = None, timeout: Timeout = 120, corpus: Corpus = None,
    missing: Missing = False, change: Change = None, adapter: Adapter = "",
) -> None:  # fmt: skip
    """Record the cassettes of record --live anew.

    They stand beside the old ones in FOLDER.new; --accept replaces the old ones. --change FILE does so too, and
    writes what a reviewer needs: drift, cost, and the verdicts of --adapter before and after.

    Exit codes: 1 drift that was not accepted, 2 refused at start, 3 something was not recorded.
    """
    from bridgecheck.live.options import LiveOptions
    from bridgecheck.live.refresh import refresh as record_anew
    from bridgecheck.live.spending import Limits

    options = LiveOptions(
        out=out, live=tuple(live or ()), scenario=tuple(scenario_ids or ()), key_env=tuple(key_env or ()),
        model=tuple(model or ()), price=tuple(price or ()), dry_run=dry_run, resume=resume, tries=tries,
        limits=Limits(max_calls, max_tokens, max_usd), longest_wait=longest_wait, ca_file=ca_file, timeout=timeout,
        corpus=corpus, command="refresh", missing=missing, change=change, adapter=adapter,
    )  # fmt: skip
    raise typer.Exit(record_anew(options, accept=accept or change is not None))
