"""Headers that switch a feature on."""

import pytest

BETAS = ("anthropic-beta: a-1", "anthropic-beta: b-2")


@pytest.mark.parametrize(
    ("client", "upstream", "upstream_prompt", "expected"),
    [
        ("anthropic", "anthropic", BETAS, "PASS"),
        ("anthropic", "anthropic", (*BETAS, "anthropic-beta: own"), "PASS"),
        ("anthropic", "anthropic", BETAS[:1], "WARN"),
        ("anthropic", "anthropic", (), "WARN"),
        ("anthropic", "gemini", (), "PASS"),
        ("openai-chat", "gemini", (), "PASS"),
    ],
)
def test_features_reach_a_provider_of_the_same_dialect(case, verdicts, client, upstream, upstream_prompt, expected):
    client_prompt = case.prompt(dialect=client, features=BETAS)
    pivot = "openai-chat" if client == upstream else None
    found = case(client=client, upstream=upstream, pivot=pivot, client_prompt=client_prompt,
                 upstream_prompt=case.prompt(dialect=upstream, features=upstream_prompt))  # fmt: skip
    (verdict,) = verdicts(found, "request.features")
    assert verdict.status == expected
    assert bool(verdict.losses) == (client != upstream)


def test_without_headers_there_is_nothing_to_judge(case, status):
    assert status(case(), "request.features") == ""
