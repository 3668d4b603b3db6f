"""``make schema``: writes the exported schemas anew from the code."""

from pathlib import Path

from outcome_schema import DOCUMENTS, outcome_schema

from bridgecheck.drivers.command.protocol import protocol_schema_text as protocol_text
from bridgecheck.files import scenarios_root, write_json, write_text
from bridgecheck.files.corpus import REQUIREMENTS, SCHEMA_FILE
from bridgecheck.files.schemas import requirement_schema, scenario_schema
from bridgecheck.report import compare
from bridgecheck.report.schema import report_schema_text

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "docs" / "schemas"


def main() -> None:
    write_json(scenarios_root() / SCHEMA_FILE, scenario_schema())
    write_json(scenarios_root() / REQUIREMENTS / SCHEMA_FILE, requirement_schema())
    for name in DOCUMENTS:
        write_json(SCHEMAS / f"outcome.{name}.json", outcome_schema(name))
    write_text(ROOT / "reports" / "schema.json", report_schema_text())
    write_text(ROOT / "reports" / "comparison.schema.json", compare.comparison_schema_text())
    write_text(ROOT / "docs" / "protocol.schema.json", protocol_text())


if __name__ == "__main__":
    main()
