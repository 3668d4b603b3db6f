"""``init``: afterwards the first run in CI passes, and later regressions fail."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]
Refused = Callable[..., str]


def _toml(path: Path) -> dict[str, object]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("folder", "claims"), [((), ["tools"]), pytest.param(("here/mine",), [], marks=pytest.mark.slow)]
)
def test_the_first_run_passes(cli: Cli, project: Path, folder: tuple[str, ...], claims: list[str]) -> None:
    """A claim whose scenario fails today is an accepted failure; without the claim the failure would be hidden."""
    source = (project / "adapters.py").read_text(encoding="utf-8")
    source = source.replace('name, version = "mine", "7"', f'name, version, capabilities = "mine", "7", {claims}')
    (project / "adapters.py").write_text(source, encoding="utf-8")
    started = cli("init", "--adapter", "python:adapters:trims", *folder)
    assert started.returncode == 0, started.stdout + started.stderr
    path = Path(*(folder or ("reports/mine",)))
    assert f"in CI: bridgecheck run --adapter {path / 'adapter.toml'} --stale fail" in started.stdout
    assert _toml(project / path / "adapter.toml") == {"target": "python:adapters:trims", "claims": claims}
    accepted = _toml(project / path / "deviations.toml")["deviation"]
    assert isinstance(accepted, list) and len(accepted) == 1
    assert "(1 accepted finding in 1 entry, one for each fingerprint)" in started.stdout
    assert "0/2 2a" in started.stdout, "what is accepted is not shown as failed"
    assert "a accepted" in started.stdout
    first = cli("run", "--adapter", str(path / "adapter.toml"), "--stale", "fail", "-n", "0")
    assert first.returncode == 0, first.stdout
    source = (project / "adapters.py").read_text(encoding="utf-8")
    (project / "adapters.py").write_text(source.replace('"total_tokens": 9', '"total_tokens": 8'), encoding="utf-8")
    assert cli("run", "--adapter", str(path / "adapter.toml"), "-n", "0").returncode == 1
    fixed = source.replace('.rstrip(".")', "")
    (project / "adapters.py").write_text(fixed, encoding="utf-8")
    assert cli("run", "--adapter", str(path / "adapter.toml"), "--stale", "fail", "-n", "0").returncode == 1


def test_its_entries_speak_of_init(cli: Cli, project: Path) -> None:
    assert cli("init", "--adapter", "python:adapters:trims").returncode == 0
    text = (project / "reports" / "mine" / "deviations.toml").read_text(encoding="utf-8")
    assert "by bridgecheck init; say why" in text
    assert "by --update-deviations" not in text


def test_nothing_is_overwritten(cli: Cli, project: Path) -> None:
    (project / "reports" / "mine").mkdir(parents=True)
    (project / "reports" / "mine" / "adapter.toml").write_text("# mine\n", encoding="utf-8")
    result = cli("init", "--adapter", "python:adapters:bridge")
    assert result.returncode == 2
    assert "adapter.toml is there already" in result.stderr
    assert (project / "reports" / "mine" / "adapter.toml").read_text(encoding="utf-8") == "# mine\n"


def test_a_refused_init_leaves_no_files(cli: Cli, project: Path, own_corpus: Path) -> None:
    (own_corpus / "scenarios" / "messages" / "plain.json").write_text("{}", encoding="utf-8")
    assert cli("init", "--adapter", "python:adapters:bridge", corpus=own_corpus).returncode == 2
    assert not [path for path in (project / "reports").rglob("*") if path.is_file()]


def test_a_recipe_gets_its_claims_and_accepted_failures(cli: Cli, project: Path) -> None:
    recipe = project / "mine" / "adapter.toml"
    recipe.parent.mkdir()
    recipe.write_text('# my own\nname = "mine"\ntarget = "python:adapters:trims"  # this\n', encoding="utf-8")
    assert "next: --adapter mine/adapter.toml" in cli("init", "--adapter", "mine").stderr
    elsewhere = cli("init", "--adapter", "mine/adapter.toml", "other")
    assert elsewhere.returncode == 2 and "the files of a recipe stand beside it" in elsewhere.stderr
    started = cli("init", "--adapter", "mine/adapter.toml")
    assert started.returncode == 0, started.stdout + started.stderr
    text = recipe.read_text(encoding="utf-8")
    assert text.startswith('# my own\nname = "mine"\ntarget = "python:adapters:trims"  # this\nclaims = [')
    assert len(_toml(recipe.with_name("deviations.toml"))["deviation"]) == 1
    assert cli("run", "--adapter", "mine/adapter.toml", "--stale", "fail", "-n", "0").returncode == 0
    again = cli("init", "--adapter", "mine/adapter.toml")
    assert again.returncode == 2 and "deviations.toml is there already" in again.stderr
    assert recipe.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("python:adapters:nothing", "has no 'nothing'"),
        ("http:http://localhost:1", "the port where the gateway calls its provider"),
    ],
)
def test_an_adapter_that_cannot_be_loaded(refusal_of: Refused, target: str, message: str) -> None:
    assert message in refusal_of("init", "--adapter", target)
