"""Makes a cassette of a test's own corpus say that it is live. The built-in corpus stays scripted."""

from pathlib import Path


def make_live(corpus: Path, name: str, recorded_at: str, scenario: str = "messages/plain") -> Path:
    """Return the cassette ``DIALECT.MODE`` of a scenario, which now says that a provider answered it then."""
    path = corpus / "cassettes" / scenario / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    facts = f"  source: live\n  recorded_at: {recorded_at!r}\n  api_version: v1beta\n"
    assert "  source: scripted\n" in text
    path.write_text(text.replace("  source: scripted\n", facts), encoding="utf-8")
    return path
