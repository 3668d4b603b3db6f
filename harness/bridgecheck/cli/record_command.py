"""The command ``record`` and its options."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bridgecheck.cli.command_options import Corpus

Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="the folder of cassettes")]
Serve = Annotated[
    list[str] | None,
    typer.Option("--serve", metavar="DIALECT=URL", help="the provider of a dialect; may repeat"),
]
Mode = Annotated[
    Literal["record", "replay", "new", "live"],
    typer.Option(
        "--mode",
        help="record everything anew; replay without network; new: replay, and record the rest; live: write nothing",
    ),
]
Listen = Annotated[str, typer.Option("--listen", metavar="HOST:PORT", help="port 0: any free port")]
KeyEnv = Annotated[
    list[str] | None,
    typer.Option("--key-env", metavar="NAME", help="variable with the provider's key, or DIALECT=NAME; may repeat"),
]
CaFile = Annotated[Path | None, typer.Option("--ca-file", metavar="FILE", help="certificates to trust as well")]
Volatile = Annotated[
    list[str] | None,
    typer.Option(
        "--volatile", metavar="PATH", help="part of request bodies that matching ignores: metadata.user_id; may repeat"
    ),
]
Unplayed = Annotated[
    Literal["warn", "fail"],
    typer.Option("--unplayed", help="what to do about recordings that nothing asked for"),
]
Pace = Annotated[float, typer.Option("--pace", metavar="F", min=0, help="1: replay as fast as recorded; 0: at once")]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0.1, help="how long a provider may send nothing, in seconds")
]
ScenarioGlobs = Annotated[
    list[str] | None, typer.Option("--scenario", metavar="GLOB", help="with --live: which scenarios; may repeat")
]
Live = Annotated[
    list[str] | None,
    typer.Option("--live", metavar="DIALECT=URL", help="play scenarios to this provider (docs/live.md); may repeat"),
]
Model = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="NAME", help="with --live: in place of the table's, or DIALECT=NAME; may repeat"),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="with --live: print the plan, and ask nobody anything")]
Resume = Annotated[bool, typer.Option("--resume", help="with --live: go on with the run whose ledger stands in FOLDER")]
Tries = Annotated[int, typer.Option("--tries", metavar="N", min=1, help="with --live: attempts at a behaviour")]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", metavar="N", min=0, help="with --live: calls in all")]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", metavar="N", min=0, help="with --live: tokens in all")]
MaxUsd = Annotated[float | None, typer.Option("--max-usd", metavar="X", min=0, help="with --live: US dollars in all")]
Prices = Annotated[
    list[str] | None,
    typer.Option("--price", metavar="MODEL=IN,OUT", help="US dollars for a million tokens; may repeat"),
]
LongestWait = Annotated[
    float, typer.Option("--longest-wait", metavar="S", min=0, help="with --live: of a provider that throttles")
]
Command = Annotated[list[str] | None, typer.Argument(metavar="[-- COMMAND ...]", show_default=False)]


def record(
    out: Out, serve: Serve = None, mode: Mode = "record", listen: Listen = "127.0.0.1:0", key_env: KeyEnv = None,
    ca_file: CaFile = None, volatile: Volatile = None, unplayed: Unplayed = "warn", pace: Pace = 0,
    timeout: Timeout = 600, scenario: ScenarioGlobs = None, live: Live = None, model: Model = None,
    dry_run: DryRun = False, resume: Resume = False, tries: Tries = 3, max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None, max_usd: MaxUsd = 5, price: Prices = None, longest_wait: LongestWait = 120,
    command: Command = None, corpus: Corpus = None,
) -> None:  # fmt: skip
    """Record clients and their provider, or replay offline.

    Point clients at the address that it prints. Around COMMAND it sets the SDKs' base URLs, and passes its exit code
    on. With --live it plays scenarios to providers instead, through their SDKs, and spends at most --max-usd. Exit
    codes: 1 a miss, 2 refused at start, 3 something was not recorded.
    """
    if live or scenario:
        from bridgecheck.live.command import record_live
        from bridgecheck.live.options import LiveOptions
        from bridgecheck.live.spending import Limits

        live_options = LiveOptions(
            out=out, live=tuple(live or ()), scenario=tuple(scenario or ()), key_env=tuple(key_env or ()),
            model=tuple(model or ()), price=tuple(price or ()), dry_run=dry_run, resume=resume, tries=tries,
            limits=Limits(max_calls, max_tokens, max_usd), longest_wait=longest_wait, ca_file=ca_file, timeout=timeout,
            corpus=corpus,
        )  # fmt: skip
        raise typer.Exit(record_live(live_options))
    from bridgecheck.record.command import run_recorder
    from bridgecheck.record.options import RecordOptions

    options = RecordOptions(
        serve=tuple(serve or ()), out=out, mode=mode, listen=listen, key_env=tuple(key_env or ()), ca_file=ca_file,
        volatile=tuple(volatile or ()), unplayed=unplayed, pace=pace, timeout=timeout, command=tuple(command or ()),
    )  # fmt: skip
    raise typer.Exit(run_recorder(options))
