"""docs/examples/gateway: it is wired right, does what it claims, and a planted fault is found."""

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from .conftest import ROOT, Call

EXAMPLE = ROOT / "docs" / "examples" / "gateway"
RIGHT, WRONG = '"index": self.calls', '"index": 0'
TOPICS = ("tools/parallel*", "multimodal/image-input", "usage/thoughts-in-completion", "errors/rate-limit")


@pytest.fixture
def gateway(tmp_path: Path) -> Path:
    """A writable copy."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "gateway", ignore=shutil.ignore_patterns("__pycache__", ".*")))


def _run(call: Call, gateway: Path, *scenarios: str) -> tuple[int, str, str]:
    """The exit code, the line of the verdict, and everything that was printed."""
    chosen = [argument for scenario in scenarios for argument in ("--scenario", scenario)]
    options = ("--adapter", "gateway/adapter.toml", "--path", "bridged", "--layer", "http", "-n", "0")
    result = call("bridgecheck", "run", *options, *chosen, folder=gateway.parent)
    verdict = re.search(r"^(?:NOT )?CONFORMANT: .*", result.stdout, re.MULTILINE)
    assert verdict, result.stdout + result.stderr
    return result.returncode, verdict[0], result.stdout


def test_it_is_wired_right_and_claims_what_works(call: Call, gateway: Path) -> None:
    result = call("bridgecheck", "smoke", "gateway/adapter.toml", folder=gateway.parent)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "\nWIRED: 4 of 4 plain cases ok" in result.stdout
    claims = tomllib.loads((gateway / "adapter.toml").read_text(encoding="utf-8"))["claims"]
    assert re.findall(r"^(\w+) +1 of 1 route ", result.stdout, re.MULTILINE) == claims


def test_it_does_what_it_claims(call: Call, gateway: Path) -> None:
    code, verdict, output = _run(call, gateway, *TOPICS)
    assert code == 0, output
    assert re.match(r"CONFORMANT: no finding in \d\d judged cases", verdict)


def test_a_planted_fault_is_found(call: Call, gateway: Path) -> None:
    source = (gateway / "conversion.py").read_text(encoding="utf-8")
    assert source.count(RIGHT) == 1
    (gateway / "conversion.py").write_text(source.replace(RIGHT, WRONG), encoding="utf-8")
    code, verdict, output = _run(call, gateway, "tools/parallel*")
    assert code == 1, output
    assert verdict.startswith("NOT CONFORMANT: 1 finding in ")
    assert re.search(r"^1\. FAIL stream\.calls_contiguous\b.* two calls under one index", output, re.MULTILINE)


@pytest.mark.slow
def test_nothing_of_what_it_claims_fails(call: Call, gateway: Path) -> None:
    result = call("bridgecheck", "run", "--adapter", "gateway/adapter.toml", folder=gateway.parent)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "\nCONFORMANT: " in result.stdout


def test_the_readme_names_existing_files() -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    for file in ("gateway.py", "conversion.py", "adapter.toml"):
        assert f"`{file}`" in readme
        assert (EXAMPLE / file).is_file()
    assert f"(`{RIGHT}` becomes `{WRONG}`)" in readme
    assert len(readme.splitlines()) <= 40
