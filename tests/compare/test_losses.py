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


def test_a_path_covers_its_descendants_and_no_sibling():
    hops = conversion_hops("gemini", "openai-chat", None)
    assert find_declared_loss("response", "other:candidates[].safetyRatings[].category", hops)
    assert find_declared_loss("response", "other:candidates[].safety_ratings[].category", hops)
    assert find_declared_loss("response", "other:candidates[].safetyRatingsTwo", hops) is None
    assert find_declared_loss("response", "other:safetyRatings", hops) is None
    assert find_declared_loss("request", "other:candidates[].safetyRatings", hops) is None


def test_a_route_without_conversion_has_no_losses():
    assert conversion_hops("gemini", "gemini", None) == ()
    ends = Ends("response", "gemini", "gemini")
    assert ends.unconverted
    assert ends.split_losses(["usage.tool_prompt"]) == ((), ("usage.tool_prompt",))


def test_a_pivot_may_lose_on_either_hop():
    ends = Ends("request", "gemini", "gemini", "openai-chat")
    assert [loss.rule for loss in ends.split_losses(["settings.top_k"])[0]] == ["gemini.top_k"]
    assert ends.dialects == ("gemini", "openai-chat")


def test_a_loss_names_the_narrowest_inexpressible_feature():
    features = frozenset({"turns.media", "turns.media.detail"})
    ends = Ends("request", "openai-chat", "gemini", inexpressible=features)
    declared, silent = ends.split_losses(["turns.media.detail.low", "turns.media.image"])
    assert [loss.rule for loss in declared] == ["types.turns.media.detail", "types.turns.media"]
    assert silent == ()
