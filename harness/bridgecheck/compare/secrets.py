"""What looks like a credential: for the recorder, which keeps them out of files, and the check that seeks them."""

import re
from typing import Final

UPSTREAM_KEY: Final = "not-a-key-9d41c2"
"""What adapters are given as the provider's key while they are judged: a word that cannot stand in a text by chance."""

# A preceding word character (or - and _ , which stand in base64url) means that we are inside another word.
_START: Final = r"(?<![A-Za-z0-9_-])"
SECRETS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("OpenAI, Anthropic or OpenRouter key (sk-)", _START + r"sk-[A-Za-z0-9_-]{20,}"),
        ("Google API key (AIza)", _START + r"AIza[A-Za-z0-9_-]{35}"),
        ("Google OAuth token (ya29.)", _START + r"ya29\.[A-Za-z0-9_-]{20,}"),
        ("Google OAuth refresh token (1//)", _START + r"1//0[A-Za-z0-9_-]{30,}"),
        ("bearer token", r"(?i:\bbearer)\s+(?=[A-Za-z0-9._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,}"),
        ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
        ("JSON Web Token", _START + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
        ("Slack token (xox)", _START + r"xox[abeprs]-[A-Za-z0-9-]{10,}"),
        ("GitHub token", _START + r"(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40,})"),
        ("AWS access key", _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("Groq, xAI or Hugging Face key", _START + r"(?:gsk_|xai-|hf_)[A-Za-z0-9]{30,}"),
    )
)


def find_credential_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of credentials in a text, in the order of the table."""
    return tuple(name for name, pattern in SECRETS if pattern.search(text))
