"""Draws pairs of recordings of one model and endpoint by a seed, and prints what differs beyond the cosmetic:

    python tests/drift/draw_recorded_pairs.py [SEED [COUNT]]

Answers of one model to two requests are no provider's change unless the provider changed between them, so each finding
here is true of the bytes, or a false alarm to be mended by a rule.
"""

import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bridgecheck.cassette import traffic
from bridgecheck.cassette.formats.documents import recorded_or_encoded
from bridgecheck.cassette.formats.item import SDK_LEVEL, TrafficItem
from bridgecheck.drift import Finding, find_drift

SHARED = Path(__file__).resolve().parents[3] / "shared"
FOLDER = Path(os.environ.get("BRIDGECHECK_TRAFFIC") or SHARED / "real_traffic")
LEFT_OUT = frozenset({SDK_LEVEL, "synthetic_suspect", "unmodelled_endpoint"})
"""Notes of recordings that no provider wrote."""
SEED, COUNT = 17, 100


@dataclass(frozen=True)
class DrawnPair:
    old: TrafficItem
    new: TrafficItem
    findings: tuple[Finding, ...]


def groups_of_traffic(folder: Path) -> list[list[TrafficItem]]:
    """Return the recordings of each host, model, endpoint and mode that has two or more, in a stable order."""
    groups: dict[tuple[str, ...], list[TrafficItem]] = defaultdict(list)
    for item in traffic.read_traffic(folder):
        if not isinstance(item, TrafficItem) or LEFT_OUT & set(item.notes) or item.operation != "generate":
            continue
        request, response = item.interaction.request, item.interaction.response
        if request is not None and request.model:
            path = request.path.partition("?")[0]
            groups[item.host, response.dialect, request.model, path, response.mode].append(item)
    return [items for _, items in sorted(groups.items()) if len(items) > 1]


def draw_pairs(folder: Path, seed: int, count: int) -> Iterator[DrawnPair]:
    """Yield pairs: a group by the seed, each as likely as another, and two of its recordings in their order."""
    source = random.Random(seed)
    groups = groups_of_traffic(folder)
    for _ in range(count):
        group = source.choice(groups)
        first, second = sorted(source.sample(range(len(group)), 2))
        old, new = group[first], group[second]
        found = find_drift([recorded_or_encoded(old)], [recorded_or_encoded(new)])
        yield DrawnPair(old, new, tuple(finding for finding in found if finding.is_drift))


def main() -> None:
    seed, count = (int(text) for text in (*sys.argv[1:], *map(str, (SEED, COUNT)[len(sys.argv) - 1 :])))
    if not any(FOLDER.glob("*.jsonl")):
        print(f"no recorded traffic at {FOLDER}: nothing is drawn; set BRIDGECHECK_TRAFFIC")
        return
    pairs = list(draw_pairs(FOLDER, seed, count))
    for pair in pairs:
        for finding in pair.findings:
            print(f"{pair.old.id} -> {pair.new.id}  {finding.severity} {finding.change} {', '.join(finding.paths)}: "
                  f"{finding.old} -> {finding.new}")  # fmt: skip
    hits = [pair for pair in pairs if pair.findings]
    total = sum(len(pair.findings) for pair in pairs)
    print(f"seed {seed}: {total} findings above cosmetic in {len(hits)} of {len(pairs)} pairs")


if __name__ == "__main__":
    main()
