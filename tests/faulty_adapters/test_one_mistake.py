"""One mistake of a gateway is one finding a direction, streamed or not, whatever else it breaks."""

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "liberties"))

from liberty import Liberty
from one_mistake import MISTAKES, directions, play_mistake

from bridgecheck.files import scenario_ids
from bridgecheck.report.findings import group_findings

SAMPLE = (*sorted(scenario_ids())[::8], "settings/*", "finish/*")
"""Each eighth scenario, and all about settings and finish reasons, of which it takes several to be all of them."""

MOST_IN_A_DIRECTION = 2
"""A second one is what only another check of the same direction can see: a required member that is missing too."""


JUDGED = [mistake for mistake in MISTAKES if mistake.name != "no-setting-forwarded"]
"""Where no setting arrives, the literals about top_k alone are findings beside it, and each setting is still one."""


@pytest.mark.slow
@pytest.mark.parametrize("mistake", JUDGED, ids=lambda mistake: mistake.name)
def test_one_mistake_is_few_findings_in_each_direction(mistake: Liberty) -> None:
    failed = [finding for finding in group_findings(play_mistake(mistake, globs=SAMPLE)) if finding.status == "FAIL"]
    counts = Counter(column for finding in failed for column in directions(finding))
    summaries = "\n".join(f"{directions(finding)} {finding.one_line_summary}" for finding in failed)
    assert max(counts.values(), default=0) <= MOST_IN_A_DIRECTION, summaries
