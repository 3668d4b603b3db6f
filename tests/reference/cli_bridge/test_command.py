"""The command line: one word an option, and no text of a prompt on it."""

from pathlib import Path

import pytest

from bridgecheck_reference.cli_bridge.command import build_command
from bridgecheck_reference.context import CliOutputError


@pytest.mark.row("S3.21")
def test_the_default_is_stream_json() -> None:
    assert build_command(("gemini",)) == ["gemini", "--output-format=stream-json", "--skip-trust"]


@pytest.mark.row("S3.21")
@pytest.mark.parametrize("output_format", ["json", "text"])
def test_other_formats(output_format: str) -> None:
    assert build_command(("node", "g.js"), output_format=output_format)[:3] == [
        "node",
        "g.js",
        f"--output-format={output_format}",
    ]


@pytest.mark.row("S3.21")
def test_jsonl_is_no_format() -> None:
    with pytest.raises(CliOutputError, match="got 'jsonl'"):
        build_command(("gemini",), output_format="jsonl")


def test_model_and_session_file_are_one_word_each() -> None:
    found = build_command(("gemini",), model="-m --yolo", session_file=Path("/a b/s.jsonl"))
    assert found[3:] == ["--model=-m --yolo", "--session-file=/a b/s.jsonl"]
