"""Each import contract is broken on purpose in a copy, and the linter has to report it by name with the offending import."""

import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

LAYERS = "the judge's layers, top to bottom"
CIRCLES = "no circle among the modules of a package"
CORE = "the core does no IO and reads no clock"
BREACHES = [
    (LAYERS, "bridgecheck.model.outcome", "bridgecheck.checks"),
    (LAYERS, "bridgecheck.smoke.command", "bridgecheck.doctor.command"),
    (LAYERS, "bridgecheck.smoke.command", "bridgecheck.ledger.command"),
    (LAYERS, "bridgecheck.doctor.command", "bridgecheck.cli.options"),
    (LAYERS, "bridgecheck.run.plan", "bridgecheck.doctor.machine"),
    (LAYERS, "bridgecheck.run.plan", "bridgecheck.smoke.command"),
    (LAYERS, "bridgecheck.report.read", "bridgecheck.run.plan"),
    (CORE, "bridgecheck.normalise", "socket"),
    (CORE, "bridgecheck_reference.convert", "time"),
    ("deepdiff lives in bridgecheck.compare.diff", "bridgecheck.report", "deepdiff"),
    ("pydantic lives in bridgecheck.files and bridgecheck.validate", "bridgecheck.report", "pydantic"),
    ("hypothesis lives in bridgecheck.fuzz", "bridgecheck.report", "hypothesis"),
    ("jinja2 lives in bridgecheck.report.html", "bridgecheck.report", "jinja2"),
    ("SDKs live in drivers, providers, google_wire and sdk_objects", "bridgecheck.run", "openai"),
    ("the judge never imports the judged", "bridgecheck.drivers", "bridgecheck_reference"),
    (
        "the judged imports nothing of the judge but its wire types",
        "bridgecheck_reference.convert",
        "bridgecheck.model.outcome",
    ),
    (CORE, "bridgecheck_reference.context", "asyncio"),
    ("the prompt assembler imports nothing else of the reference", "bridgecheck_reference.context.text", "bridgecheck_reference.loss"),
    ("normalisers do not know each other", "bridgecheck.normalise.gemini.response", "bridgecheck.normalise.anthropic"),
    ("wire dialects do not know each other", "bridgecheck.wire.gemini_documents", "bridgecheck.wire.openai_chat_documents"),
]  # fmt: skip
"""(contract, module that gets an import, what it imports). All of them stand in one copy, and one run reports them."""

CLOSED_CIRCLES = [
    ("bridgecheck.report", "read", "folder"),
    ("bridgecheck.run", "record", "execute"),
    ("bridgecheck.files", "jsonfile", "corpus"),
    ("bridgecheck.ledger", "documents", "command"),
]
"""(package, module that gets an import, module that already imports it). The linter reports only the package of a circle,
and the imports whose removal would break it."""


def source_file(folder: Path, module: str) -> Path:
    path = folder.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT_IMPORTS, "--config", ".importlinter"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return contract -> its section of the linter's report, where every contract is broken."""
    folder = tmp_path_factory.mktemp("contracts")
    for source in ("harness/bridgecheck", "reference_impl/bridgecheck_reference"):
        shutil.copytree(ROOT / source, folder / Path(source).name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", folder / ".importlinter")
    circles = [
        (CIRCLES, f"{package}.{module}", f"{package}.{imported}") for package, module, imported in CLOSED_CIRCLES
    ]
    for _, module, imported in (*BREACHES, *circles):
        with source_file(folder, module).open("a", encoding="utf-8") as file:
            file.write(f"\nimport {imported}\n")
    result = lint(folder)
    assert result.returncode == 1, result.stdout + result.stderr
    sections = re.split(r"^(.+)\n-+\n", result.stdout.partition("Broken contracts")[2], flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True))


def contract_names() -> set[str]:
    parser = ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    return {parser[section]["name"] for section in parser.sections() if ":contract:" in section}


def test_the_tree_keeps_every_contract() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


def test_every_contract_is_broken_by_an_entry() -> None:
    assert {CIRCLES, *(contract for contract, _, _ in BREACHES)} == contract_names()


@pytest.mark.parametrize("package", [package for package, _, _ in CLOSED_CIRCLES])
def test_a_circle_is_reported_with_its_package(report: dict[str, str], package: str) -> None:
    assert f"No cycles are allowed in {package}." in report[CIRCLES], report[CIRCLES]


@pytest.mark.parametrize(("contract", "module", "imported"), BREACHES, ids=[f"{b[1]}-{b[2]}" for b in BREACHES])
def test_a_breach_is_reported_by_name(report: dict[str, str], contract: str, module: str, imported: str) -> None:
    text = " ".join(report.get(contract, "").split())
    assert re.search(rf"{re.escape(module)} -> {re.escape(imported)}\b", text), text
