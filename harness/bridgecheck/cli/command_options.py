"""The options that several commands take, with their help."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from bridgecheck.model.corpus_variables import CORPUS_VARIABLE, RECORDINGS_VARIABLE
from bridgecheck.wire import WireDialect


def _set_variable(name: str) -> Callable[[Path | None], Path | None]:
    """Return what names a folder to this process and to those that it starts, where one is stated."""

    def set_variable(folder: Path | None) -> Path | None:
        if folder is not None:
            os.environ[name] = str(folder.absolute())
        return folder

    return set_variable


def complete_scenario(incomplete: str) -> list[str]:
    """Return the ids of the corpus that begin so, for a shell; none where there is no corpus."""
    from bridgecheck.errors import MissingPath
    from bridgecheck.files import scenario_ids

    try:
        return [scenario_id for scenario_id in scenario_ids() if scenario_id.startswith(incomplete)]
    except MissingPath:
        return []


Corpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus",
        metavar="PATH",
        callback=_set_variable(CORPUS_VARIABLE),
        help="folder with scenarios/ and cassettes/",
    ),
]
"""What it says is done by its callback, before the command starts."""

Recordings = Annotated[
    Path | None,
    typer.Option(
        "--recordings",
        metavar="DIR",
        callback=_set_variable(RECORDINGS_VARIABLE),
        help="live cassettes, in place of the corpus's",
    ),
]
"""Likewise."""


def stated_folders(corpus: Path | None, recordings: Path | None = None) -> tuple[tuple[str, str], ...]:
    """Return (option, folder) pairs for what was stated, for commands that play the same: as seen from here, so that a
    report holds no path of this machine."""
    pairs = (("--corpus", corpus), ("--recordings", recordings))
    return tuple((option, os.path.relpath(folder)) for option, folder in pairs if folder is not None)


DialectOption = WireDialect | None

Adapter = Annotated[
    str,
    typer.Option("--adapter", metavar="TARGET", help="python:MODULE:OBJECT, command:..., http:URL or a recipe (.toml)"),
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        metavar="GLOB",
        autocompletion=complete_scenario,
        help="scenario id, or case ID::VARIANT; may repeat",
    ),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="T", help="only scenarios with this tag; may repeat")]
Traffic = Annotated[
    list[str] | None,
    typer.Option(
        "--traffic", metavar="PATH", help="recorded traffic, a file or folder, or PATH::ID-GLOB[::VARIANT]; may repeat"
    ),
]
ModeOption = Annotated[Literal["unary", "stream"] | None, typer.Option("--mode", help="only this mode")]
PathOption = Annotated[Literal["native", "bridged"] | None, typer.Option("--path", help="only this path")]
LayerOption = Annotated[
    Literal["wire", "sdk", "http", "chat"] | None,
    typer.Option(
        "--layer",
        help="only this layer: wire (without HTTP), sdk (SDK clients), http (sockets) or chat (conversations)",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option("-n", metavar="N", min=0, help="number of worker processes, 0 for none; default: by size of the run"),
]
ShardOption = Annotated[
    str, typer.Option("--shard", metavar="I/N", help="only the I-th of N equal parts; merge joins their reports")
]
MaxFail = Annotated[int, typer.Option("--max-fail", metavar="N", min=0, help="stop after N failed cases; 0: never")]
Relations = Annotated[
    Literal["none", "fast", "all"] | None,
    typer.Option("--relations", help="also play every stream in other forms that a provider may send; default: none"),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="seed for the selection of --relations fast")]
Shuffle = Annotated[
    int | None,
    typer.Option("--shuffle", metavar="SEED", help="play the cases in the order that this seed gives"),
]
Strict = Annotated[bool, typer.Option("--strict", help="a WARN fails the run, too")]
MaxAge = Annotated[
    int | None,
    typer.Option("--max-age", metavar="DAYS", min=0, help="fail for live cassettes older than this; 0: never"),
]
Require = Annotated[
    list[str] | None,
    typer.Option("--require", metavar="live[:TOPIC]", help="fail for scenarios that rest on less; may repeat"),
]
Deviations = Annotated[
    Path | None,
    typer.Option("--deviations", metavar="FILE", help="accepted failures; default: reports/ADAPTER/deviations.toml"),
]
StaleOption = Annotated[
    Literal["warn", "fail"] | None,
    typer.Option("--stale", help="what to do about an accepted failure that no longer fails; default: warn"),
]
Update = Annotated[bool, typer.Option("--update-deviations", help="accept what fails now, and remove what is stale")]
Requirements = Annotated[
    str, typer.Option("--requirements", metavar="ID", help="judge only by this frozen set, e.g. 2026.1")
]
UpstreamPort = Annotated[
    int, typer.Option(
        "--upstream-port", metavar="N", min=0, max=65535,
        help="for http:URL: the port of 127.0.0.1 where that gateway calls its provider",
    ),
]  # fmt: skip
ReportFolder = Annotated[
    Path, typer.Option("--report", metavar="DIR", help="folder of the report: JSON, HTML, JUnit, SARIF, ...")
]
AsJson = Annotated[bool, typer.Option("--json", help="print everything as one JSON object")]
OptionalTarget = Annotated[str, typer.Argument(metavar="[TARGET]", help="as --adapter of run")]
SameAsTarget = Annotated[str, typer.Option("--adapter", metavar="TARGET", help="the same as TARGET")]
Force = Annotated[bool, typer.Option("--force", help="replace files that are there")]
