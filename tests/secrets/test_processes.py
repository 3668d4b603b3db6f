"""What other processes print, and what processes that judge write, holds no secret that is planted in them."""

import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bridgecheck.drivers.child_process import ChildProcess, child_environment
from bridgecheck.pytest_plugin.suite import make_suite
from bridgecheck.secrets import mask_text, remember_environment, remember_secret

from .planted_secrets import ENVIRONMENT, RECIPE_ENVIRONMENT, TEXTS, find_planted


def test_the_log_of_a_gateway_holds_no_planted_secret(tmp_path: Path) -> None:
    remember_environment(ENVIRONMENT)
    for value in RECIPE_ENVIRONMENT.values():
        remember_secret(value)
    printed = "\n".join(text for _, _, text in TEXTS)
    (tmp_path / "printed").write_text(printed, encoding="utf-8")
    code = f"import sys; sys.stderr.write(open({str(tmp_path / 'printed')!r}).read())"
    child = ChildProcess([sys.executable, "-c", code], env=child_environment(tmp_path), cwd=tmp_path)
    try:
        until = time.monotonic() + 30
        while not child.exit_description and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        child.stop()
    assert find_planted(printed), "nothing was planted"
    assert child.log.size == len(printed.encode())
    assert find_planted(child.log.text()) == [] == find_planted(child.log.last_lines(1000))


def test_whoever_judges_knows_the_secrets_of_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker process of xdist and anyone's pytest session do not go through the command line."""
    value = "words-that-only-this-test-has"
    monkeypatch.setenv("SUITE_PASSWORD", value)
    assert value in mask_text(f"see {value}")
    driver, options = SimpleNamespace(info=SimpleNamespace(version="")), SimpleNamespace(requirements="")
    make_suite(cast(Any, driver), cast(Any, options), cast(Any, None), None)
    assert mask_text(f"see {value} here") == "see REDACTED here"
