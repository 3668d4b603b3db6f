"""bridgecheck installed from a wheel, outside of its checkout."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bridgecheck.files import corpus_root

from .conftest import surroundings

Call = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).resolve().parents[2]
WHERE = "import bridgecheck, bridgecheck.files as files; print(bridgecheck.__file__); print(files.corpus_root())"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages with what the wheel holds."""
    built = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


@pytest.fixture
def run_installed(site: Path, example: Path) -> Call:
    """``run_installed("-m", "pytest")``: Python in the example, with the wheel's packages before all others."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=example, env=surroundings(str(site)), capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip

    return run


def test_the_wheel_contains_the_corpus(run_installed: Call, site: Path) -> None:
    file, corpus = run_installed("-c", WHERE).stdout.split()
    assert file == str(site / "bridgecheck" / "__init__.py")
    assert corpus == str(site / "bridgecheck" / "_corpus")
    for kind, pattern in (("scenarios", "*/*.json"), ("cassettes", "*/*/*.yaml")):
        expected = {path.relative_to(corpus_root()) for path in (corpus_root() / kind).glob(pattern)}
        assert expected == {path.relative_to(corpus) for path in (Path(corpus) / kind).glob(pattern)} != set()


@pytest.mark.slow
def test_the_installed_wheel_judges_the_example(run_installed: Call) -> None:
    suite = run_installed("-m", "pytest", "-k", "usage or every_standard")
    assert suite.returncode == 0, suite.stdout + suite.stderr
    assert "passed" in suite.stdout
    run = run_installed("-m", "bridgecheck", "run", "--scenario", "usage/*", "-n", "0")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "\nCONFORMANT" in run.stdout


def test_the_wheel_contains_every_module(site: Path) -> None:
    for package, root in (("bridgecheck", ROOT / "harness"), ("bridgecheck_reference", ROOT / "reference_impl")):
        expected = {path.relative_to(root) for path in (root / package).rglob("*") if path.suffix not in (".pyc", "")}
        assert expected <= {path.relative_to(site) for path in (site / package).rglob("*")}
