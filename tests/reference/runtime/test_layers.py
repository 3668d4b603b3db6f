"""Who may import whom inside the reference: downwards only."""

import ast
from pathlib import Path

import pytest

import bridgecheck_reference

ROOT = Path(bridgecheck_reference.__file__).parent
LAYERS = [
    ("convert", {"convert", "types", "conversion_profile", "loss", "errors"}),
    ("types", {"types", "loss"}),
    ("google_wire", {"google_wire", "config", "errors", "failures", "http_client", "sse"}),
    (
        "providers",
        {
            "providers",
            "convert",
            "types",
            "conversion_profile",
            "google_wire",
            "config",
            "errors",
            "failures",
            "http_client",
        }
        | {"streams", "cancel", "cli_bridge"},
    ),
    (
        "generator",
        {"generator", "providers", "provider_calls", "google_wire", "convert", "types", "config", "errors", "failures"}
        | {"streams", "cancel"},
    ),
    ("chat", {"chat", "generator", "providers", "config", "errors", "failures", "cancel", "session"}),
    ("context", {"context"}),
    ("cli_bridge", {"cli_bridge", "context", "convert", "cancel", "errors", "failures", "loss"}),
]


def imported_by(package: str) -> set[str]:
    """Names one level below the root package that the modules of ``package``, or the module of that name, import."""
    found = set()
    for path in sorted((ROOT / package).rglob("*.py")) or [ROOT / package]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bridgecheck_reference"):
                below = (node.module or "").split(".")[1:2]
                found.update(below or [alias.name for alias in node.names])
    return found


@pytest.mark.row("S1.7")
@pytest.mark.parametrize(("package", "allowed"), LAYERS, ids=[name for name, _ in LAYERS])
def test_imports_go_downwards(package: str, allowed: set[str]) -> None:
    found = imported_by(package)
    assert found, "nothing was read"
    assert found <= allowed


@pytest.mark.row("S1.60")
def test_the_chat_does_not_import_the_representation() -> None:
    """It speaks Gemini; whoever converts stands below the protocol of generators."""
    assert not imported_by("chat") & {"convert", "types", "conversion_profile", "provider_calls"}


@pytest.mark.row("S4.1")
def test_the_chat_reads_no_environment_and_prints_nothing() -> None:
    for path in sorted((ROOT / "chat").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        printing = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("print", "input")]
        assert path.name == "main.py" or not (modules & {"os", "sys"} or printing), path.name


@pytest.mark.row("S1.5", "S1.28")
@pytest.mark.parametrize(
    "name",
    [
        "types.openai_ir",
        "providers.protocol",
        "providers.gemini",
        "providers.openai",
        "providers.claude",
        "generator.bridge",
        "convert.gemini.request_to_openai",
        "convert.gemini.request_from_openai",
    ],
)
def test_every_concept_has_its_module(name: str) -> None:
    path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
