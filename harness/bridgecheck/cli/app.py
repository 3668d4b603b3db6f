"""The commands and their options. Each one imports what it needs when it is called."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from bridgecheck import __version__
from bridgecheck.cassette.formats.names import FormatName, WritableName
from bridgecheck.cli.command_options import (
    Adapter,
    AsJson,
    Corpus,
    Deviations,
    DialectOption,
    Force,
    LayerOption,
    MaxAge,
    MaxFail,
    ModeOption,
    OptionalTarget,
    PathOption,
    Recordings,
    Relations,
    ReportFolder,
    Require,
    Requirements,
    SameAsTarget,
    Scenarios,
    Seed,
    ShardOption,
    Shuffle,
    StaleOption,
    Strict,
    Tags,
    Traffic,
    Update,
    UpstreamPort,
    Workers,
    complete_scenario,
    stated_folders,
)  # fmt: skip
from bridgecheck.cli.record_command import record
from bridgecheck.cli.refresh_command import refresh

app = typer.Typer(
    name="bridgecheck",
    help="Check adapters between the Gemini API, OpenAI Chat Completions and Anthropic Messages, offline.",
    epilog="Exit codes: 0 conformant or known failures, 1 failures, 2 refused at start, 3 errors of the harness, "
    "4 nothing judged.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

LOCAL: Final = Path("reports/local")


def _print_version(is_set: bool) -> None:
    if is_set:
        typer.echo(f"bridgecheck {__version__}")
        raise typer.Exit


@app.callback()
def accept_version_option(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Nothing: the option does it all."""


@app.command()
def run(
    adapter: Adapter = "", scenario: Scenarios = None, tag: Tags = None, traffic: Traffic = None,
    mode: ModeOption = None, path: PathOption = None, layer: LayerOption = None, workers: Workers = None,
    shard: ShardOption = "", max_fail: MaxFail = 0, relations: Relations = None, seed: Seed = 0, strict: Strict = False,
    deviations: Deviations = None, stale: StaleOption = None, update_deviations: Update = False,
    requirements: Requirements = "", report: ReportFolder = LOCAL, upstream_port: UpstreamPort = 0,
    shuffle: Shuffle = None, max_age: MaxAge = None, require: Require = None, corpus: Corpus = None,
    recordings: Recordings = None,
) -> None:  # fmt: skip
    """Play the corpus or recorded traffic; report what differs.

    Every case is played through the native path and through the adapter.

    Without --adapter: the adapter of [tool.bridgecheck] in the nearest pyproject.toml, else the reference. --traffic
    without --scenario runs only the traffic.
    """
    from bridgecheck.cli.options import RunOptions, add_project
    from bridgecheck.cli.run_command import run_cases
    from bridgecheck.files.project import nearest_project
    from bridgecheck.relations.choice import RelationChoice

    project = nearest_project(Path.cwd())
    options = RunOptions(
        adapter=adapter, scenarios=tuple(scenario or ()), tags=tuple(tag or ()), traffic=tuple(traffic or ()),
        mode=mode, path=path, layers=(layer,) if layer else (), workers=workers, shard=shard, max_fail=max_fail,
        relation_choice=RelationChoice(relations or project.relations, seed), strict=strict,
        deviations=deviations, stale=stale or project.stale, update=update_deviations, requirements=requirements,
        folder=report, upstream_port=upstream_port, shuffle=shuffle, max_age=max_age, require=tuple(require or ()),
        folders=stated_folders(corpus, recordings),
    )  # fmt: skip
    raise typer.Exit(run_cases(add_project(options, project)))


@app.command()
def plan(
    adapter: Adapter = "", scenario: Scenarios = None, tag: Tags = None, traffic: Traffic = None,
    mode: ModeOption = None, path: PathOption = None, layer: LayerOption = None, workers: Workers = None,
    shard: ShardOption = "", max_age: MaxAge = None, require: Require = None,
    cases: Annotated[bool, typer.Option("--cases", help="print the address of every case, one per line")] = False,
    models: Annotated[bool, typer.Option("--models", help="print the models that clients name, per direction")] = False,
    corpus: Corpus = None, recordings: Recordings = None,
) -> None:  # fmt: skip
    """Show what run would do with these options."""
    from bridgecheck.cli.options import RunOptions, add_project
    from bridgecheck.cli.plan_command import print_plan
    from bridgecheck.files.project import nearest_project

    options = RunOptions(
        adapter=adapter, scenarios=tuple(scenario or ()), tags=tuple(tag or ()), traffic=tuple(traffic or ()),
        mode=mode, path=path, layers=(layer,) if layer else (), workers=workers, shard=shard,
        max_age=max_age, require=tuple(require or ()),
    )  # fmt: skip
    print_plan(add_project(options, nearest_project(Path.cwd())), cases, models)


@app.command()
def merge(
    reports: Annotated[list[Path], typer.Argument(metavar="REPORT...", help="report.json files or folders with one")],
    report: ReportFolder = LOCAL,
    corpus: Corpus = None,
) -> None:
    """Join the reports of shards, or complete a cut-off one."""
    from bridgecheck.cli.report_commands import merge_reports

    raise typer.Exit(merge_reports(reports, report))


@app.command(name="html")
def write_html(
    reports: Annotated[list[Path] | None, typer.Argument(
        metavar="[REPORT]...", help="report.json, a folder with one, or a folder of such folders")] = None,
    output: Annotated[Path | None,
        typer.Option("--output", metavar="FILE", help="default: report.html or index.html beside it")] = None,
    corpus: Corpus = None,
) -> None:  # fmt: skip
    """Write reports as self-contained HTML pages.

    A folder of reports gets an index page, too.
    """
    from bridgecheck.cli.report_commands import write_pages_and_folder_indexes

    write_pages_and_folder_indexes(reports or (), output)


@app.command()
def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="report.json or a folder with one")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="report.json or a folder with one")],
    as_json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="write the comparison there")] = None,
) -> None:
    """Compare two reports: regressed, fixed, new, removed.

    Exit code 1 on a regression.
    """
    from bridgecheck.cli.report_commands import print_comparison

    raise typer.Exit(print_comparison(old, new, as_json))


@app.command()
def repro(
    case: Annotated[str, typer.Argument(metavar="CASE", help="ID::VARIANT, or a finding's number or fingerprint")],
    adapter: Adapter = "",
    report: Annotated[
        Path, typer.Option("--report", metavar="PATH", help="where the finding is, and which adapter was run")
    ] = LOCAL,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="the text; its script stands beside it")
    ] = None,
    corpus: Corpus = None,
) -> None:
    """Write a finding up for an issue tracker, with a script.

    The script shows the finding without bridgecheck.
    """
    from bridgecheck.repro.command import write_repro

    write_repro(case, adapter, report, output)


@app.command()
def badge(
    report: Annotated[Path, typer.Argument(metavar="[REPORT]", help="report.json or a folder with one")] = LOCAL,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="badge.json and badge.svg; default: beside the report"),
    ] = None,
) -> None:
    """Write a badge for a report.

    An endpoint for shields.io, and an SVG that needs no service.
    """
    from bridgecheck.cli.report_commands import write_badge

    write_badge(report, output)


@app.command()
def fuzz(
    adapter: Adapter = "",
    examples: Annotated[int, typer.Option("--examples", metavar="N", min=1, help="scenarios to judge")] = 500,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="S", help="to find the same again; default: any")
    ] = None,
    client: Annotated[DialectOption, typer.Option("--client", help="only clients of this dialect")] = None,
    upstream: Annotated[DialectOption, typer.Option("--upstream", help="only providers of this one")] = None,
    max_fail: Annotated[int, typer.Option("--max-fail", metavar="N", min=1, help="stop after N failures")] = 10,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="a corpus of what was found")] = LOCAL / "fuzz",
) -> None:
    """Generate scenarios, and judge the adapter by them.

    The smallest scenario of each failure is written down.
    """
    from bridgecheck.fuzz.command import FuzzOptions, run_fuzz

    raise typer.Exit(run_fuzz(FuzzOptions(adapter, examples, seed, client, upstream, max_fail, out)))


@app.command()
def init(
    adapter: Annotated[
        str, typer.Option("--adapter", metavar="TARGET", help="as of run: an object, a command, a recipe")
    ],
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="default: reports/ADAPTER; of a recipe its own")
    ] = None,
    upstream_port: UpstreamPort = 0,
    corpus: Corpus = None,
) -> None:
    """Set up an adapter: recipe, claims, accepted failures.

    Its present failures are accepted, so that CI is green.
    """
    from bridgecheck.cli.init_command import init_adapter

    raise typer.Exit(init_adapter(adapter, folder, upstream_port, stated_folders(corpus)))


@app.command()
def doctor(
    target: OptionalTarget = "", adapter: SameAsTarget = "", as_json: AsJson = False, upstream_port: UpstreamPort = 0,
    corpus: Corpus = None,
) -> None:  # fmt: skip
    """Show what a run would find here, and what would stop it.

    Versions, corpus, ports, environment and adapter.
    Without TARGET: the adapter that run would use.
    """
    from bridgecheck.doctor.command import run_doctor

    raise typer.Exit(run_doctor(target or adapter, as_json, upstream_port))


@app.command()
def smoke(
    target: OptionalTarget = "", adapter: SameAsTarget = "", as_json: AsJson = False, upstream_port: UpstreamPort = 0,
    corpus: Corpus = None,
) -> None:  # fmt: skip
    """Check in seconds whether an adapter is wired correctly.

    It says what the adapter could claim, or what is wrong.
    Without TARGET: the adapter of [tool.bridgecheck] in the nearest pyproject.toml, else the reference.
    """
    from bridgecheck.smoke.command import run_smoke

    raise typer.Exit(run_smoke(target or adapter, as_json, upstream_port))


@app.command(name="list")
def list_scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="print a JSON array with all about each")] = False,
    corpus: Corpus = None, recordings: Recordings = None,
) -> None:  # fmt: skip
    """List the scenarios."""
    from bridgecheck.cli.corpus_commands import print_scenarios

    print_scenarios(as_json)


@app.command()
def show(
    scenario_id: Annotated[str, typer.Argument(metavar="ID", autocompletion=complete_scenario)],
    corpus: Corpus = None, recordings: Recordings = None,
) -> None:  # fmt: skip
    """Show one scenario: what it requires, and why."""
    from bridgecheck.cli.corpus_commands import print_scenario

    print_scenario(scenario_id)


@app.command()
def lint(corpus: Corpus = None, recordings: Recordings = None) -> None:
    """Check the corpus, and what reports/ publishes.

    Schema, ids, cassettes, secrets, and the source of every rule.
    """
    from bridgecheck.cli.corpus_commands import lint_corpus_and_reports

    raise typer.Exit(lint_corpus_and_reports())


@app.command(name="import")
def import_recordings(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="recordings, or folders with some; .gz too")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="where the cassettes go")],
    format_name: Annotated[FormatName | None, typer.Option("--format", help="default: by the content")] = None,
    force: Force = False,
) -> None:
    """Turn recordings of other tools into cassettes.

    Without keys and secrets, labelled with their origin.

    Reads vcrpy (YAML, JSON), cassetter (YAML, TOML), gemini-cli --record-responses, google-genai replay files, HAR,
    aimock fixtures and JSON lines; see docs/formats.md.
    """
    from bridgecheck.cli import format_commands

    format_commands.import_recordings(paths, out, format_name, force=force)


@app.command(name="export")
def export_cassettes(
    cassettes: Annotated[list[Path], typer.Argument(metavar="CASSETTE...", help="cassettes, or folders with some")],
    format_name: Annotated[WritableName, typer.Option("--format", help="of which tool")],
    out: Annotated[Path, typer.Option("--out", metavar="PATH", help="a folder, or of one cassette the file")],
    force: Force = False,
) -> None:
    """Write cassettes in the format of another tool."""
    from bridgecheck.cli import format_commands

    format_commands.export_cassettes(cassettes, format_name, out, force=force)


requirements_app = typer.Typer(help="Frozen sets of requirements.", no_args_is_help=True)
app.add_typer(requirements_app, name="requirements")


@requirements_app.command()
def freeze(set_id: Annotated[str, typer.Argument(metavar="ID", help="such as 2026.1")], corpus: Corpus = None) -> None:
    """Freeze the present corpus and checks as a set.

    Runs can then select it. For maintainers.
    """
    from bridgecheck.cli.corpus_commands import freeze_requirements

    freeze_requirements(set_id)


@requirements_app.command(name="list")
def list_requirements(corpus: Corpus = None) -> None:
    """List the frozen sets."""
    from bridgecheck.cli.corpus_commands import print_requirement_sets

    print_requirement_sets()


@app.command()
def regenerate(
    scenario_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", autocompletion=complete_scenario)
    ] = None,
    corpus: Corpus = None,
) -> None:
    """Write scripted cassettes anew from their scripts.

    No byte changes when nothing changed.
    """
    from bridgecheck.cli.corpus_commands import regenerate_cassettes

    regenerate_cassettes(tuple(scenario_ids or ()))


@app.command()
def drift(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="a cassette, or a folder with some")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="the same, recorded later")],
    as_json: AsJson = False,
    accept: Annotated[bool, typer.Option("--accept", help="put the new cassettes in the place of the old")] = False,
    corpus: Corpus = None,
) -> None:
    """Tell what a provider changed between two recordings.

    Structure, not words. Exit code 1 on drift that is breaking or notable and was not accepted.
    """
    from bridgecheck.drift.command import run_drift

    raise typer.Exit(run_drift(old, new, as_json=as_json, accept=accept))


@app.command()
def ledger(
    adapter: Adapter = "",
    client: Annotated[DialectOption, typer.Option("--client", help="only clients of this dialect")] = None,
    upstream: Annotated[DialectOption, typer.Option("--upstream", help="only providers of this dialect")] = None,
    side: Annotated[
        Literal["request", "response", "stream"] | None, typer.Option("--side", help="only these documents")] = None,
    fate: Annotated[Literal["kept", "transformed", "declared", "rejected", "silent", "invented", "failed"] | None,
        typer.Option("--fate", help="list the fields of this fate; default: those that fail")] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="DIR", help="ledger.json and ledger.md")] = None,
) -> None:  # fmt: skip
    """Send every documented field through; tell where it ended.

    One at a time through the adapter; without --adapter through the reference.
    """
    from bridgecheck.ledger.command import LedgerOptions, print_ledger
    from bridgecheck.ledger.play import LedgerDialectsAndSide

    raise typer.Exit(print_ledger(LedgerOptions(adapter, LedgerDialectsAndSide(client, upstream, side), fate, report)))


app.command()(record)
app.command()(refresh)
