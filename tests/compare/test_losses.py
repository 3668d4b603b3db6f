"""The table of losses: every row is found by its own paths, has a reason and a source, and none covers everything."""

import pytest

from bridgecheck.compare.losses import LOSSES, Ends, conversion_hops, find_declared_loss


def test_names_are_unique():
    names = [(row.side, row.name) for row in LOSSES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("row", LOSSES, ids=lambda row: f"{row.side}-{row.name}")
def test_every_row_is_reachable_and_explained(row):
    assert row.reason
    assert row.source
    assert row.paths
    for path in row.paths:
        assert "*" not in path.replace(":", ".").split(".")[-1]
        for target in row.targets:
            found = find_declared_loss(row.side, path, [(row.origin, target)])
            assert found is not None
            assert found.rule == row.name, f"{path} is shadowed by {found.rule}"


def test_a_path_covers_what_lies_below_and_nothing_beside():
    ways = conversion_hops("gemini", "openai-chat", None)
    assert find_declared_loss("response", "other:candidates[].safetyRatings[].category", ways)
    assert find_declared_loss("response", "other:candidates[].safety_ratings[].category", ways)
    assert find_declared_loss("response", "other:candidates[].safetyRatingsTwo", ways) is None
    assert find_declared_loss("response", "other:safetyRatings", ways) is None
    assert find_declared_loss("request", "other:candidates[].safetyRatings", ways) is None


def test_a_straight_route_has_no_losses():
    assert conversion_hops("gemini", "gemini", None) == ()
    ends = Ends("response", "gemini", "gemini")
    assert ends.same_dialect
    assert ends.split_losses(["usage.tool_prompt"]) == ((), ("usage.tool_prompt",))


def test_a_pivot_may_lose_on_either_half():
    ends = Ends("request", "gemini", "gemini", "openai-chat")
    assert [loss.rule for loss in ends.split_losses(["settings.top_k"])[0]] == ["gemini.top_k"]
    assert ends.dialects == ("gemini", "openai-chat")


def test_a_loss_names_the_narrowest_inexpressible_feature():
    features = frozenset({"turns.media", "turns.media.detail"})
    ends = Ends("request", "openai-chat", "gemini", inexpressible=features)
    declared, silent = ends.split_losses(["turns.media.detail.low", "turns.media.image"])
    assert [loss.rule for loss in declared] == ["types.turns.media.detail", "types.turns.media"]
    assert silent == ()
