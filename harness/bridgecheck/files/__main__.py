"""``python -m bridgecheck.files``: write scenarios/schema.json anew from the code."""

from bridgecheck.files import scenario_schema, scenarios_root, write_json
from bridgecheck.files.corpus import SCHEMA_FILE

write_json(scenarios_root() / SCHEMA_FILE, scenario_schema())
