"""Reading recorded traffic: nothing is lost, and broken rows are reported with their line."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bridgecheck.cassette import store, traffic
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.cassette.traffic import TrafficItem
from bridgecheck.errors import BadTraffic, MissingPath

ROW = {
    "id": "x/1", "provider": "gemini", "host": "generativelanguage.googleapis.com", "model": "m", "stream": False,
    "url_path": "/v1beta/models/m:generateContent", "method": "POST", "status": 200, "source_path": "a.yaml",
    "request_body": {"contents": []}, "response_headers": {"content-type": "application/json"},
    "response_body": {"candidates": []},
}  # fmt: skip


def read_row(tmp_path: Path, **changes: object) -> TrafficItem | BadTraffic:
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps({**ROW, **changes}) + "\n")
    (item,) = traffic.read_traffic(file)
    return item


def good(tmp_path: Path, **changes: object) -> TrafficItem:
    item = read_row(tmp_path, **changes)
    assert isinstance(item, TrafficItem), item
    return item


def test_a_unary_row(tmp_path: Path) -> None:
    item = good(tmp_path)
    request, response = item.interaction.request, item.interaction.response
    assert (item.id, item.operation, item.group, item.source) == ("x/1", "generate", "a.yaml", "traffic")
    assert item.where == f"{tmp_path / 't.jsonl'}:1"
    assert request is not None
    assert (request.dialect, request.mode, request.model, request.body) == ("gemini", "unary", "m", {"contents": []})
    assert (response.status, response.documents, response.terminated) == (200, ({"candidates": []},), None)
    assert response.headers == (("content-type", "application/json"),)


def test_the_model_may_be_in_the_path_only(tmp_path: Path) -> None:
    request = good(tmp_path, model=None, url_path="/v1beta/models/gemini-x:generateContent").interaction.request
    assert request is not None
    assert request.model == "gemini-x"


def test_an_id_can_be_sent_and_written(tmp_path: Path) -> None:
    assert good(tmp_path, id="x/\ud800").id == "x/\\ud800"


@pytest.mark.parametrize(
    ("changes", "dialect", "mode"),
    [
        ({"provider": "vertex"}, "gemini", "unary"),
        ({"provider": "openai-compatible", "url_path": "/x/chat/completions"}, "openai-chat", "unary"),
        ({"provider": "anthropic", "url_path": "/v1/messages", "stream": True}, "anthropic", "stream"),
        ({"provider": "newcomer"}, "gemini", "unary"),
        ({"provider": "newcomer", "url_path": "/v1/messages", "request_body": {"stream": True}}, "anthropic", "stream"),
        ({"url_path": "/v1beta/models/m:streamGenerateContent"}, "gemini", "stream"),
    ],
)
def test_dialect_and_mode(tmp_path: Path, changes: dict[str, object], dialect: str, mode: str) -> None:
    response = good(tmp_path, **changes).interaction.response
    assert (response.dialect, response.mode) == (dialect, mode)


def test_a_stream_row_and_its_terminator(tmp_path: Path) -> None:
    chat = {"provider": "openai", "url_path": "/v1/chat/completions", "sse_chunks": [{"choices": []}, "no json"]}
    ended = good(tmp_path, **chat, sse_meta={"done_sentinel": True}).interaction.response
    assert (ended.mode, ended.terminated) == ("stream", True)
    assert ended.documents == ({"choices": []}, "no json")
    assert good(tmp_path, **chat, sse_meta={"done_sentinel": False}).interaction.response.terminated is False
    assert good(tmp_path, **chat, sse_meta={"synthesised_framing": True}).interaction.response.terminated is None
    claude = {"provider": "anthropic", "url_path": "/v1/messages"}
    assert good(tmp_path, **claude, sse_chunks=[{"type": "message_stop"}]).interaction.response.terminated is True
    assert good(tmp_path, **claude, sse_chunks=[{"type": "ping"}]).interaction.response.terminated is False
    assert good(tmp_path, sse_chunks=[{}], sse_meta={"done_sentinel": False}).interaction.response.terminated is None


def test_geminis_json_array_is_a_stream(tmp_path: Path) -> None:
    item = good(tmp_path, stream=True, response_body=[{"a": 1}, {"a": 2}], json_array_stream=True, sdk_level=True)
    assert item.interaction.response.documents == ({"a": 1}, {"a": 2})
    assert item.notes == ("sdk_level", "json_array_stream")


def test_rows_without_a_request_or_with_an_unusual_body(tmp_path: Path) -> None:
    assert good(tmp_path, request_body=None).interaction.request is None
    assert good(tmp_path, response_body="<html>", status=502).interaction.response.text == "<html>"
    assert good(tmp_path, response_body=None).interaction.response.documents == ()
    assert good(tmp_path, url_path="/v1beta/models/m:countTokens").operation == "count_tokens"


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"id": ""}, "id"),
        ({"status": "ok"}, "status"),
        ({"provider": "who", "url_path": "/robots.txt"}, "dialect"),
        ({"request_body": "text"}, "request_body"),
        ({"sse_chunks": {"a": 1}}, "sse_chunks"),
    ],
)
def test_an_invalid_row_is_reported(tmp_path: Path, changes: dict[str, object], what: str) -> None:
    bad = read_row(tmp_path, **changes)
    assert isinstance(bad, BadTraffic)
    assert what in bad.what
    assert bad.where.endswith("t.jsonl:1")


def test_broken_lines_do_not_hide_valid_ones(tmp_path: Path) -> None:
    row = json.dumps({**ROW, "title": "a\u2028b"}, ensure_ascii=False).encode()
    unanswered = json.dumps({key: ROW[key] for key in ROW if key != "response_body"}).encode()
    lines = [row, b"", b'{"id": "cut', row, b"[1]", b"\xff\xfe", unanswered, row[:-30]]
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\n".join(lines))
    read = list(traffic.read_traffic(file))
    bad = [item for item in read if isinstance(item, BadTraffic)]
    assert [item.where.rpartition(":")[2] for item in bad] == ["3", "5", "6", "7", "8"]
    assert [item.where.rpartition(":")[2] for item in read if isinstance(item, TrafficItem)] == ["1", "4"]
    assert "column" in bad[0].what


def test_traffic_is_found_by_folder_glob_and_address(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("b.jsonl", "a.jsonl", "in/deep/c.jsonl", "d.txt"):
        (tmp_path / name).write_text(json.dumps({**ROW, "id": name.removesuffix(".jsonl")}) + "\n{broken\n")
    ids = [item.id if isinstance(item, TrafficItem) else "bad" for item in traffic.read_traffic(tmp_path)]
    assert ids == ["a", "bad", "b", "bad", "in/deep/c", "bad"]
    path, glob = traffic.split_address(f"{tmp_path}::in/*")
    assert [item.id for item in traffic.read_traffic(path, glob) if isinstance(item, TrafficItem)] == ["in/deep/c"]
    assert len(list(traffic.read_traffic(path, glob))) == 1, "what is broken has no id to match"
    assert traffic.split_address("a/b.jsonl") == (Path("a/b.jsonl"), "*")


@pytest.mark.parametrize("name", ["none.jsonl", "notes.txt"])
def test_a_path_without_traffic_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(MissingPath):
        traffic.read_traffic(tmp_path / name)


CHUNKS = (b'data: {"choices": [{"index": 0, "delta": {"content": "hi"}}]}\n\n', b"data: [DONE]\n\n")


@pytest.fixture
def tape(tmp_path: Path, chat: Callable[..., RecordedInteraction], cassette_of: Callable[..., Cassette]) -> Path:
    path = tmp_path / "tapes" / "t.yaml"
    store.save_cassette(path, cassette_of(*(chat(*CHUNKS, prompt=str(number)) for number in range(3))))
    return path


def test_a_cassette_as_traffic(tape: Path) -> None:
    items = [item for item in traffic.read_traffic(tape.parent) if isinstance(item, TrafficItem)]
    assert [item.id for item in items] == ["t/0000", "t/0001", "t/0002"]
    lines = tape.read_text().splitlines()
    for item in items:
        assert lines[int(item.where.rpartition(":")[2]) - 1].startswith("- request:")
    request, response = items[1].interaction.request, items[1].interaction.response
    assert request is not None
    assert request.body["messages"] == [{"role": "user", "content": "1"}]
    assert (response.mode, response.terminated, len(response.documents)) == ("stream", True, 1)


def test_a_cassette_of_plain_vcrpy_with_gzip(tmp_path: Path) -> None:
    import gzip

    body = gzip.compress(b'{"choices": []}')
    interaction = {
        "request": {"method": "POST", "uri": "https://h/v1/chat/completions", "body": '{"model": "m"}', "headers": {}},
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Encoding": ["gzip"]},
            "body": {"string": body},
        },
    }
    login = {**interaction, "request": {**interaction["request"], "uri": "https://h/login", "body": None}}
    file = tmp_path / "v.yml"
    file.write_text(yaml.dump({"interactions": [interaction, login], "version": 1}))
    first, second = traffic.read_traffic(file)
    assert isinstance(first, TrafficItem)
    assert first.interaction.response.documents == ({"choices": []},)
    assert isinstance(second, TrafficItem)
    assert (second.operation, second.notes, second.interaction.request) == ("other", ("unmodelled_endpoint",), None)


def test_a_truncated_cassette_yields_its_complete_interactions(tape: Path) -> None:
    text = tape.read_text()
    tape.write_text(text[: text.rindex("data: [DONE]")])
    read = list(traffic.read_traffic(tape))
    assert [type(item) for item in read] == [TrafficItem, TrafficItem, BadTraffic]
    bad = read[2]
    assert isinstance(bad, BadTraffic)
    starts = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("- request:")]
    assert bad.where == f"{tape}:{starts[2]}"


def test_a_broken_interaction_does_not_hide_complete_ones(tape: Path) -> None:
    text = tape.read_text()
    middle = text.index("- request:", text.index("- request:") + 1)
    tape.write_text(text[:middle] + text[middle:].replace("code: 200", "code: null", 1))
    read = list(traffic.read_traffic(tape))
    assert [type(item) for item in read] == [TrafficItem, BadTraffic, TrafficItem]
    assert str(read[1]).count(str(tape)) == 1


def test_a_request_that_does_not_decode_is_bad(tape: Path) -> None:
    tape.write_text(tape.read_text().replace('"model"', "model", 1))
    assert [type(item) for item in traffic.read_traffic(tape)] == [BadTraffic, TrafficItem, TrafficItem]


@pytest.mark.parametrize(
    ("text", "found"),
    [("just: a mapping", "begins with 'just: a mapping'"), ("]", "begins with ']'"), ("", "an empty file")],
)
def test_yaml_that_is_no_recording_is_refused_by_name_and_skipped_in_a_folder(
    tmp_path: Path, text: str, found: str
) -> None:
    file = tmp_path / "v.yaml"
    file.write_text(text)
    with pytest.raises(MissingPath, match=found) as refused:
        traffic.read_traffic(file)
    assert refused.value.where == str(file)
    assert traffic.sort_folder(tmp_path) == ([], [file])


def test_a_cassette_without_a_list_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "v.yaml"
    file.write_text("interactions: 5")
    (bad,) = traffic.read_traffic(file)
    assert isinstance(bad, BadTraffic)
    assert str(file) in bad.where


@pytest.mark.traffic
def test_every_recorded_interaction_is_read(traffic_folder: Path) -> None:
    items = list(traffic.read_traffic(traffic_folder))
    assert [item for item in items if isinstance(item, BadTraffic)] == []
    good = [item for item in items if isinstance(item, TrafficItem)]
    assert len({item.id for item in good}) == len(good) == 2264
    operations = Counter((item.interaction.response.dialect, item.operation) for item in good)
    assert operations == {
        ("openai-chat", "generate"): 940,
        ("gemini", "generate"): 816,
        ("anthropic", "generate"): 489,
        ("anthropic", "count_tokens"): 10,
        ("gemini", "count_tokens"): 9,
    }
    assert sum(item.interaction.request is None for item in good) == 271
    assert sum("sdk_level" in item.notes for item in good) == 90
    assert [item.id for item in good if not item.interaction.response.documents] == ["ruby-openai/0005"]
