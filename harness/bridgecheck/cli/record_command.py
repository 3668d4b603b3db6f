"""The command ``record`` and its options."""

from pathlib import Path
from typing import Annotated, Literal

import typer

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
    Literal["warn", "fail"], typer.Option("--unplayed", help="what to do about recordings that nothing asked for")
]
Pace = Annotated[float, typer.Option("--pace", metavar="F", min=0, help="1: replay as fast as recorded; 0: at once")]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0.1, help="how long a provider may send nothing, in seconds")
]
Command = Annotated[list[str] | None, typer.Argument(metavar="[-- COMMAND ...]", show_default=False)]


def record(
    out: Out, serve: Serve = None, mode: Mode = "record", listen: Listen = "127.0.0.1:0", key_env: KeyEnv = None,
    ca_file: CaFile = None, volatile: Volatile = None, unplayed: Unplayed = "warn", pace: Pace = 0,
    timeout: Timeout = 600, command: Command = None,
) -> None:  # fmt: skip
    """Record what clients and their provider exchange, or replay it without network.

    Point clients at the address that it prints. Around COMMAND it sets the SDKs' base URLs, and passes its exit code
    on. Exit codes: 1 a miss, 2 refused at start, 3 something was not recorded.
    """
    from bridgecheck.record.command import run_recorder
    from bridgecheck.record.options import RecordOptions

    options = RecordOptions(
        serve=tuple(serve or ()), out=out, mode=mode, listen=listen, key_env=tuple(key_env or ()), ca_file=ca_file,
        volatile=tuple(volatile or ()), unplayed=unplayed, pace=pace, timeout=timeout, command=tuple(command or ()),
    )  # fmt: skip
    raise typer.Exit(run_recorder(options))
