"""``make schema``: writes the exported schemas anew from the code."""

from pathlib import Path

from bridgecheck.files import scenarios_root, write_json, write_text
from bridgecheck.files.corpus import REQUIREMENTS, SCHEMA_FILE
from bridgecheck.files.schema_export import requirement_schema, scenario_schema
from bridgecheck.report.schema import schema_text

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    write_json(scenarios_root() / SCHEMA_FILE, scenario_schema())
    write_json(scenarios_root() / REQUIREMENTS / SCHEMA_FILE, requirement_schema())
    write_text(ROOT / "reports" / "schema.json", schema_text())


if __name__ == "__main__":
    main()
