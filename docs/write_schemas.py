"""``make schema``: writes scenarios/schema.json and reports/schema.json anew from the code."""

from pathlib import Path

from bridgecheck.files import scenario_schema, scenarios_root, write_json, write_text
from bridgecheck.files.corpus import SCHEMA_FILE
from bridgecheck.report.schema import schema_text

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    write_json(scenarios_root() / SCHEMA_FILE, scenario_schema())
    write_text(ROOT / "reports" / "schema.json", schema_text())


if __name__ == "__main__":
    main()
