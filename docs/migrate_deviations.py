"""List the cases in deviations.toml that the report beside it shows, and write both anew.

    python docs/migrate_deviations.py reports/NAME...

For files of releases whose entries named a fingerprint or a check alone. Each keeps its reason and gets the cases of
its failure in report.json.gz, one by check as entries with fingerprints; one whose failure the report does not show by
itself is taken out and printed. The report and its summary.md are written with the same verdicts and the new entries.
"""

import gzip
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bridgecheck.errors import BadReport
from bridgecheck.files import write_text
from bridgecheck.files.jsonfile import read_json
from bridgecheck.report import Report, sentences
from bridgecheck.report.deviations_file import DEVIATIONS_FILE, accept_failures_and_remove_stale, load_gate
from bridgecheck.report.jsonfile import from_json, to_text
from bridgecheck.report.markdown import to_markdown

REPORT_FILE = "report.json.gz"


def migrate(folder: Path) -> None:
    """Write the deviations, the report and the summary of one folder anew."""
    path = folder / DEVIATIONS_FILE
    report = from_json(read_json(folder / REPORT_FILE, BadReport)[0])
    gate = load_gate(path, "", report.info.version, report.info.start_date)
    cases = map(gate.excuse_failures, report.cases)
    excused = replace(Report.from_results(report.info, cases, gate.deviations), rationales=report.rationales)
    migrated, changes = accept_failures_and_remove_stale(excused, gate, path)
    migrated = replace(migrated, rationales=report.rationales)
    with gzip.GzipFile(
        filename="", mode="wb", fileobj=(folder / REPORT_FILE).open("wb"), compresslevel=9, mtime=0
    ) as out:
        out.write(to_text(migrated).encode("utf-8", "backslashreplace"))
    write_text(folder / "summary.md", to_markdown(migrated))
    for name in sorted(changes.removed - changes.replaced):
        reason = next(entry.reason for entry in gate.deviations if entry.name == name)
        print(f"{path}: {name} fails nowhere by itself, taken out: {reason}")
    for entry in changes.added:
        print(f"{path}: {entry.name} was not listed: {changes.added[entry]}")
    print(f"{folder}: {sentences.verdict_line(migrated)}")


def main(folders: Sequence[str]) -> int:
    """Migrate the folders and return the exit code."""
    for folder in folders:
        migrate(Path(folder))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
