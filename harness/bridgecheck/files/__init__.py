"""Our own files: the corpus and its closed schema, JSON read with positions and written atomically.

The one place, with ``validate``, that knows pydantic; imported when a scenario is read, not when this package is.
"""

from bridgecheck.files.corpus import (
    cassette_folders,
    cassettes_root,
    corpus_root,
    load_scenario,
    scenario_files,
    scenario_ids,
    scenarios,
    scenarios_root,
)
from bridgecheck.files.jsonfile import dump_json, read_json, write_json
from bridgecheck.files.output import write_text
from bridgecheck.files.requirements import requirement_set

__all__ = [
    "cassette_folders", "cassettes_root", "corpus_root", "dump_json", "load_scenario", "read_json", "requirement_set",
    "scenario_files", "scenario_ids", "scenarios", "scenarios_root", "write_json", "write_text",
]  # fmt: skip
