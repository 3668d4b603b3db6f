"""``import`` and ``export``: what they write, refuse and print."""

import json
from pathlib import Path

import pytest

from bridgecheck.cassette import store
from bridgecheck.cassette.formats.names import WritableName
from bridgecheck.cli.format_commands import export_cassettes, import_recordings
from bridgecheck.errors import BadRecording, MissingPath, SecretFound, WouldOverwrite

from .conftest import RECORDINGS, ROOT

VCR = RECORDINGS / "vcrpy-9.4.2" / "httpx.yaml"
GEMINI = next(iter(sorted((ROOT / "cassettes").glob("unicode/*/gemini.stream.yaml"))))
CHAT = next(iter(sorted((ROOT / "cassettes").glob("unicode/*/openai-chat.unary.yaml"))))


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_an_import_names_its_origin_and_drops_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import_recordings([VCR], tmp_path / "out", None, force=False)
    (file,) = files_below(tmp_path)
    cassette = store.load_cassette(file)
    assert file == tmp_path / "out" / "httpx.yaml"
    assert cassette.source == "imported"
    assert cassette.metadata["imported_from"] == {"format": "vcrpy", "file": "httpx.yaml"}
    assert "where chunks began and when they arrived" in cassette.metadata["not_carried"]  # type: ignore[operator]
    assert "stub-key" not in file.read_text()
    printed = capsys.readouterr().out
    assert "7 interactions in 1 cassette" in printed and "dropped headers:" in printed and "authorization" in printed
    assert f"next: bridgecheck run --traffic {tmp_path / 'out'}" in printed


def test_a_body_that_was_kept_decoded_loses_the_name_of_its_encoding(tmp_path: Path) -> None:
    for version, is_encoded in (("5.1.0", False), ("9.4.2", True)):
        out = tmp_path / version
        import_recordings([RECORDINGS / f"vcrpy-{version}" / "httpx.yaml"], out, None, force=False)
        zipped = store.load_cassette(out / "httpx.yaml").interactions[-1]
        assert ("content-encoding" in dict(zipped.headers)) is is_encoded
        assert zipped.body.startswith(b"\x1f\x8b") is is_encoded


def test_a_folder_s_other_files_are_skipped_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.yaml").write_bytes(VCR.read_bytes())
    (tmp_path / "in" / "compose.yaml").write_text("services: {}\n")
    (tmp_path / "in" / "package.json").write_text('{"name": "x"}')
    (tmp_path / "in" / "README.md").write_text("x")
    import_recordings([tmp_path / "in"], tmp_path / "out", None, force=False)
    assert [file.name for file in files_below(tmp_path / "out")] == ["a.yaml"]
    assert "skipped 3 files without recordings (README.md, compose.yaml, package.json)" in capsys.readouterr().out


def test_a_foreign_file_that_is_named_is_refused(tmp_path: Path) -> None:
    foreign = tmp_path / "package.json"
    foreign.write_text('{"name": "x", "version": "1"}')
    with pytest.raises(MissingPath, match="JSON whose members are name, version") as refused:
        import_recordings([VCR, foreign], tmp_path / "out", None, force=False)
    assert (refused.value.where, refused.value.next_step) == (str(foreign), "bridgecheck import --help")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "name", ["vcrpy-9.4.2/httpx.json", "cassetter-0.16.1/httpx.toml", "mitmproxy-11.0.2/calls.har"]
)
def test_a_file_that_was_cut_off_is_refused_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    whole = RECORDINGS / name
    cut = tmp_path / whole.name
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    with pytest.raises(BadRecording, match=r"broken (JSON|TOML)") as refused:
        import_recordings([VCR, cut], tmp_path / "out", None, force=False)
    assert refused.value.where.startswith(str(cut)) and refused.value.expected and refused.value.next_step
    assert files_below(tmp_path) == [cut]


def test_a_recording_with_a_credential_in_its_body_is_refused(tmp_path: Path) -> None:
    secret = "sk-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"
    file = tmp_path / "a.yaml"
    file.write_text(VCR.read_text().replace("Hello, ", f"Hello, {secret} "))
    with pytest.raises(SecretFound) as refused:
        import_recordings([file], tmp_path / "out", None, force=False)
    assert secret not in str(refused.value)
    assert files_below(tmp_path) == [file]


def test_ids_become_stand_ins_and_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    email = "ann.lee@mail.acme-works.org"
    file = tmp_path / "a.yaml"
    file.write_text(VCR.read_text().replace("Hello, ", f"Hello, {email} "))
    import_recordings([file], tmp_path / "out", None, force=False)
    written = (tmp_path / "out" / "a.yaml").read_text()
    assert email in file.read_text() and email not in written and ".zzz" in written
    assert "replaced: 1 id of projects, accounts, requests or people" in capsys.readouterr().out


def test_a_cassette_that_is_there_stays(tmp_path: Path) -> None:
    out = tmp_path / "httpx.yaml"
    out.write_text("mine")
    with pytest.raises(WouldOverwrite, match="a file is there already") as refused:
        import_recordings([VCR], tmp_path, None, force=False)
    assert "--force" in refused.value.next_step
    assert out.read_text() == "mine"
    import_recordings([VCR], tmp_path, None, force=True)
    assert len(store.load_cassette(out).interactions) == 7
    import_recordings([VCR], tmp_path, None, force=False)  # the same bytes again


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "out" / "requests.yaml").mkdir(parents=True)
    with pytest.raises(MissingPath, match="a folder is in the place of a file"):
        import_recordings([VCR, VCR.with_name("requests.yaml")], tmp_path / "out", None, force=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(MissingPath, match="cannot be written"):
        import_recordings([VCR], tmp_path / "file", None, force=True)
    assert files_below(tmp_path) == [tmp_path / "file"]


def test_calls_of_no_known_api_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(VCR.read_text().replace("/v1/messages", "/oauth/token"))
    import_recordings([file], tmp_path / "out", None, force=False)
    assert "not imported: 1 interaction to an address of no API that bridgecheck knows" in capsys.readouterr().out
    assert "/oauth/token" not in (tmp_path / "out" / "a.yaml").read_text()


def test_a_named_format_is_taken_at_its_word(tmp_path: Path) -> None:
    with pytest.raises(BadRecording, match=r"broken JSON|no list"):
        import_recordings([VCR], tmp_path / "out", "har", force=False)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("vcrpy", "a.yaml"),
        ("gemini-cli", "a.responses"),
        ("google-genai", "bridgecheck/cassettes/a.json"),
        ("har", "a.har"),
    ],
)
def test_an_export_is_named_as_its_tool_names_files(tmp_path: Path, name: WritableName, file: str) -> None:
    source = tmp_path / "a.yaml"
    source.write_bytes(GEMINI.read_bytes())
    export_cassettes([source], name, tmp_path / "out", force=False)
    assert files_below(tmp_path / "out") == [tmp_path / "out" / file]
    single = tmp_path / f"one{Path(file).suffix}"
    export_cassettes([source], name, single, force=False)
    assert single.read_bytes() == (tmp_path / "out" / file).read_bytes()


def test_what_an_export_leaves_out_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_cassettes([GEMINI, CHAT], "gemini-cli", tmp_path, force=False)
    assert "left out: 1 interaction: not of the gemini dialect" in capsys.readouterr().out
    with pytest.raises(BadRecording, match="nothing of this can be written as gemini-cli: 1 not of the gemini dialect"):
        export_cassettes([CHAT], "gemini-cli", tmp_path / "none", force=False)
    assert not (tmp_path / "none").exists()


def test_an_export_of_har_is_an_archive(tmp_path: Path) -> None:
    export_cassettes([CHAT], "har", tmp_path / "a.har", force=False)
    log = json.loads((tmp_path / "a.har").read_text())["log"]
    assert (log["version"], len(log["entries"])) == ("1.2", 1)
    assert log["entries"][0]["response"]["content"]["size"] == log["entries"][0]["response"]["bodySize"]
