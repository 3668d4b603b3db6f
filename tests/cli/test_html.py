"""``bridgecheck html``: where the pages are written, and what is refused."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bridgecheck.cli.app import app
from bridgecheck.errors import BadReport, MissingPath
from bridgecheck.report import write_report
from bridgecheck.report.jsonfile import to_text

from ..report.sample_reports import clean, sample

Html = Callable[..., str]

FINDING = """
[[finding]]
id = "lost-call"
title = "A call is lost"
fingerprints = ["0123456789"]
case = "tools/many::bridged-openai-chat-to-gemini-stream-wire"
why = "The control keeps it."
provoked_by = "recorded"
provoked_source = "scenarios/tools/many.json"
witness = "the openai SDK 3.54.0 gives one tool call"
documentation = "nothing was found"
status = "observed"
"""


@pytest.fixture
def html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Html:
    """Run the command in an empty folder and return what it prints. Its errors are raised."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["html", *arguments], catch_exceptions=False)
        if result.exception:
            raise result.exception
        return result.stdout

    return run


def put(folder: str, report: object = None) -> Path:
    path = Path(folder) / "report.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_text(report or sample()), encoding="utf-8")  # type: ignore[arg-type]
    return path


def test_without_an_argument_the_last_run_is_rendered(html: Html) -> None:
    put("reports/local")
    assert "Written: reports/local/report.html (" in html()
    assert "sample 1.4.0" in Path("reports/local/report.html").read_text(encoding="utf-8")


def test_a_report_file_or_folder_is_rendered_to_the_output_path(html: Html) -> None:
    path = put("some")
    html("some", str(path))
    assert Path("some/report.html").is_file()
    html("some", "--output", "new/page.html")
    assert Path("new/page.html").read_bytes() == Path("some/report.html").read_bytes()


def test_a_folder_of_reports_gets_an_index_and_a_page_each(html: Html) -> None:
    put("reports/zeta one")
    put("reports/alpha", clean())
    put("reports/local")
    output = html("reports")
    assert "reports/index.html" in output and "local" not in output
    index = Path("reports/index.html").read_text(encoding="utf-8")
    assert 'href="alpha/report.html"' in index and 'href="zeta%20one/report.html"' in index
    assert Path("reports/zeta one/report.html").is_file() and Path("reports/alpha/report.html").is_file()
    html("reports", "--output", "pages/over/all.html")
    assert 'href="../../reports/alpha/report.html"' in Path("pages/over/all.html").read_text(encoding="utf-8")


def test_published_findings_next_to_a_report_are_on_its_pages(html: Html, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with a script link it; another says by name why it has none."""
    from bridgecheck.files.findings_toml import read_published
    from bridgecheck.report import Report
    from bridgecheck.repro import report_scripts
    from bridgecheck.repro.report_scripts import PublishedScript

    findings = put("reports/alpha", clean()).with_name("findings.toml")
    findings.write_text(FINDING, encoding="utf-8")
    html("reports")
    for page in ("reports/index.html", "reports/alpha/report.html"):
        text = Path(page).read_text(encoding="utf-8")
        assert "repro/lost-call.py" not in text and "[bad-recipe] no recipe can be read" in text

    def write_scripts(folder: Path, report: Report) -> list[PublishedScript]:
        return [PublishedScript(finding, folder / "repro/lost-call.py") for finding in read_published(findings)]

    monkeypatch.setattr(report_scripts, "write_published_scripts", write_scripts)
    html("reports")
    assert 'href="alpha/repro/lost-call.py"' in Path("reports/index.html").read_text(encoding="utf-8")
    assert 'href="repro/lost-call.py"' in Path("reports/alpha/report.html").read_text(encoding="utf-8")
    html("reports/alpha", "--output", "page.html")
    assert 'href="reports/alpha/repro/lost-call.py"' in Path("page.html").read_text(encoding="utf-8")


def test_a_compressed_report_is_included(html: Html) -> None:
    path = put("reports/alpha", clean())
    path.with_name("report.json.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    html("reports")
    assert 'href="alpha/report.html"' in Path("reports/index.html").read_text(encoding="utf-8")


def test_the_page_of_a_run_has_its_date(tmp_path: Path) -> None:
    long_ago = sample()
    write_report(replace(long_ago, info=replace(long_ago.info, started="2020-01-01T00:00:00+00:00")), tmp_path)
    assert "2020-03-31" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_schema_violation_is_refused_with_path_and_next_step(html: Html) -> None:
    path = put("some")
    document = json.loads(path.read_text(encoding="utf-8"))
    document["cases"][3]["key"]["mode"] = "sideways"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(BadReport, match=r"\$\.cases\[3\]\.key\.mode: 'sideways' is not one of") as refusal_of:
        html("some")
    assert "next: bridgecheck run" in str(refusal_of.value)
    assert not Path("some/report.html").exists()


def test_an_invalid_report_prevents_the_index_page(html: Html) -> None:
    put("reports/good")
    put("reports/odd").write_text("{", encoding="utf-8")
    with pytest.raises(BadReport, match="cut off"):
        html("reports")
    assert not Path("reports/index.html").exists() and not Path("reports/good/report.html").exists()


@pytest.mark.parametrize("arguments", [(), ("nowhere",), ("empty",)])
def test_without_a_report_nothing_is_written(html: Html, arguments: tuple[str, ...]) -> None:
    Path("empty").mkdir()
    with pytest.raises(BadReport, match="there is no report"):
        html(*arguments)


def test_the_same_path_for_two_pages_is_refused(html: Html) -> None:
    put("a"), put("b")
    with pytest.raises(MissingPath, match="--output names one file for 2 reports"):
        html("a", "b", "--output", "x.html")


def test_an_unwritable_path_is_refused(html: Html) -> None:
    put("a")
    Path("file").write_text("", encoding="utf-8")
    with pytest.raises(MissingPath, match="the page cannot be written"):
        html("a", "--output", "file/x.html")
