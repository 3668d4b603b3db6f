"""``make schema``: writes scenarios/schema.json and reports/schema.json anew from the code."""

import json
from pathlib import Path

from bridgecheck.files.schema_export import scenario_schema
from bridgecheck.report.schema import schema_text

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    scenario = json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n"
    (ROOT / "scenarios" / "schema.json").write_text(scenario, encoding="utf-8")
    (ROOT / "reports" / "schema.json").write_text(schema_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
