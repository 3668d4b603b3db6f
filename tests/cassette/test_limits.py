"""Traffic files of others that would cost without end: they are refused, and say why."""

from pathlib import Path

import pytest

from bridgecheck.cassette import traffic
from bridgecheck.cassette.formats import json_lines
from bridgecheck.cassette.store import load_cassette
from bridgecheck.errors import BadCassette, BadTraffic, MissingPath

INTERACTION = """
interactions:
- request: {{method: POST, uri: "https://api.openai.com/v1/chat/completions", body: "{{}}", headers: {headers}}}
  response: {{status: {{code: 200, message: OK}}, headers: {headers}, body: {{string: "{{}}"}}}}
"""
NINE_TIMES = "a: &a [x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGED = "a: &a {k: x}\n" + "".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
LONG_TEXT = f'a: &a "{"x" * 100_000}"\nb: &b [{", ".join(["*a"] * 1_000)}]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NINE_TIMES + INTERACTION.format(headers="{x: *i}"), "its aliases expand to more than 1000000 characters"),
        (MERGED + INTERACTION.format(headers="*i"), "its aliases expand to more than 1000000 characters"),
        (LONG_TEXT + INTERACTION.format(headers="{x: *b}"), "its aliases expand to more than"),
        ("a: &a [*a]\n" + INTERACTION.format(headers="{x: *a}"), "its aliases expand to more than"),
        (f"interactions: {'[' * 100_000}{']' * 100_000}\n", "it nests deeper than 200 levels"),
        (f"interactions:\n{'- ' * 100_000}x\n", "it nests deeper than 200 levels"),
    ],
    ids=["lists", "merged", "text", "circle", "brackets", "dashes"],
)
def test_yaml_that_is_larger_than_its_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bomb.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadCassette, match=message):
        load_cassette(file)
    (found,) = traffic.read_traffic(file)
    assert isinstance(found, BadTraffic)


def test_headers_that_two_requests_share_are_read(tmp_path: Path) -> None:
    text = "headers: &shared {accept: ['*/*'], x: ['& so on']}\n" + INTERACTION.format(headers="*shared")
    file = tmp_path / "shared.yaml"
    file.write_text(text + "# " + "[" * 2_000, encoding="utf-8")
    (recorded,) = load_cassette(file).interactions
    assert recorded.headers == recorded.request.headers == (("accept", "*/*"), ("x", "& so on"))


def test_a_line_that_is_too_long_is_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "MAX_LINE_BYTES", 1_000)
    file = tmp_path / "long.jsonl"
    file.write_text("x" * 5_000 + "\n{}\n" + "x" * 5_000, encoding="utf-8")
    first, second, third = traffic.read_traffic(file)
    assert [found.where.rpartition(":")[2] for found in (first, second, third)] == ["1", "2", "3"]
    assert [isinstance(found, BadTraffic) and found.what for found in (first, second, third)] == [
        "a line of more than 1000 bytes", "`id` is missing", "a line of more than 1000 bytes",
    ]  # fmt: skip


@pytest.mark.parametrize("in_folder", [True, False])
def test_a_link_to_a_file_without_a_suffix_is_refused(tmp_path: Path, in_folder: bool) -> None:
    (tmp_path / "blob").write_text("{}\n", encoding="utf-8")
    (tmp_path / "real.jsonl").write_text("{}\n", encoding="utf-8")
    (tmp_path / "good.jsonl").symlink_to("real.jsonl")
    assert len(traffic.traffic_files(tmp_path)) == 2
    link = tmp_path / "link.jsonl"
    link.symlink_to("blob")
    with pytest.raises(MissingPath, match="a link to blob, whose name does not say what it holds"):
        traffic.traffic_files(tmp_path if in_folder else link)
