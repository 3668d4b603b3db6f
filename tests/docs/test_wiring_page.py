"""docs/wiring.md says of every capability what a claim of it promises."""

import re
from pathlib import Path

from bridgecheck.model.adapter import CAPABILITIES
from bridgecheck.model.express import FEATURES_OF_CAPABILITY

PAGE = (Path(__file__).parents[2] / "docs" / "wiring.md").read_text(encoding="utf-8")
CLAIMS = PAGE.partition("\n## Claims\n")[2].partition("\n## ")[0]
ROWS = [[cell.strip() for cell in row.strip("|").split("|")] for row in CLAIMS.splitlines() if row.startswith("| `")]


def test_the_table_names_every_capability_with_its_detecting_scenario() -> None:
    named = {row[0].strip("`"): row[1].strip("`") for row in ROWS}
    assert named == CAPABILITIES
    assert len(ROWS) == len(CAPABILITIES)


def test_every_promise_is_one_sentence() -> None:
    for capability, _, promise, _ in ROWS:
        assert promise.endswith(".") and ". " not in promise, capability


def test_the_table_names_words_of_what_may_be_refused() -> None:
    refusable = {row[0].strip("`") for row in ROWS if re.search("`[^`]+`", row[3])}
    assert refusable == set(FEATURES_OF_CAPABILITY)
    assert all(row[3] == "nothing" for row in ROWS if row[0].strip("`") not in refusable)
