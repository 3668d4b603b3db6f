"""Watching what becomes of the cases between their collection and their run."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bridgecheck.model.selection import parse_shard
from bridgecheck.pytest_plugin.collect import Corpus, keep_shard
from bridgecheck.pytest_plugin.guard import Guard, asked_for_a_part


@contextmanager
def watched(session: pytest.Session, items: list[pytest.Item], corpus: Corpus | None) -> Iterator[None]:
    """Around all that other plugins do with the items: deals the shard, then lets the guards see what is left. A guard
    that was taken out comes back, unless a part was asked for."""
    chosen = asked_for_a_part(session.config)
    if corpus is not None and corpus.whole and not chosen:
        items.append(corpus.guard(session))
    guards = [item for item in items if isinstance(item, Guard)]
    keep_shard(parse_shard(session.config.getoption("--bridgecheck-shard")), session.config, items)
    yield
    for guard in guards:
        guard.look(items, chosen)
        if guard not in items and not chosen:
            items.append(guard)
