"""The secrets that tests plant: kind by kind, where each stands, and how it is written. None is real, and none is
written whole here, so that no scanner of sources takes it for one. Needs nothing but the standard library: the planted
adapter is a program of its own."""

import base64
import json
import re
from html import unescape
from typing import Final
from urllib.parse import quote, unquote

_HEX: Final = "3f9a" + "c2d17e06" * 3 + "b85d"
_OPAQUE: Final = "Zq7f" + "Wm2xK9" * 4
_LETTERS: Final = "Qz" + "wXyRtPlk" * 3
_PEM_BODY: Final = "\n".join("MIIEvQ" + part * 6 for part in ("IBADANBg", "kqhkiG9w", "0BAQEFAA"))
_BASIC: Final = base64.b64encode(b"alice:" + b"h0rse-" * 3).decode()
_GOOGLE: Final = "AI" + "za" + "SyD3" + "x9Kq" * 8
_SK: Final = "sk-" + "proj-" + "T3stA1b2" * 4
_JWT: Final = ".".join(["ey" + "J" + "hbGciOi9x8", "ey" + "J" + "zdWIiOi9q7w", "c2lnbmF0dXJl-Zz"])

KINDS: Final[dict[str, tuple[str, str]]] = {
    "bearer, opaque": (_OPAQUE, "Authorization: Bearer {}"),
    "bearer, letters": (_LETTERS, "Authorization: Bearer {}"),
    "x-api-key": (_HEX[::-1], "x-api-key: {}"),
    "x-goog-api-key": (_OPAQUE[::-1], "x-goog-api-key: {}"),
    "key of a query": ("q" + _HEX[4:26], "GET https://host.example/v1beta/models/m:generateContent?key={}&alt=sse"),
    "cookie": ("s%3A" + _OPAQUE[3:], "Cookie: session={}"),
    "set-cookie": ("v2." + _OPAQUE[5:], "Set-Cookie: __Secure={}; Path=/; HttpOnly"),
    "AWS access key": ("AK" + "IA" + "Q3EG" * 4, "using {} here"),
    "AWS secret": ("wJal/rXUtnFEMI" + "K7MDENGbPxRfiCYzEQ1r9+AbQ4", "aws_secret_access_key = {}"),
    "AWS secret, alone": ("Bv9sLpTzHkRcUe" + "x2Nd7QaWm0YoGj5+TfKi8VrBc1", "with {} signed"),
    "sk-proj": (_SK, "the key {} is invalid"),
    "sk-, short": ("sk-" + "7f3a9c1e2b", "the key {} is invalid"),
    "AIza": (_GOOGLE, "API key not valid: {}"),
    "JSON Web Token": (_JWT, "token {} expired"),
    "Basic": (_BASIC, "Authorization: Basic {}"),
    "Basic, alone": (base64.b64encode(b"bob:" + b"s4ddle_" * 3).decode(), "sent Basic {}"),
    "PEM block": (_PEM_BODY, "-----BEGIN " + "RSA PRIVATE KEY-----\n{}\n-----END " + "RSA PRIVATE KEY-----"),
    "Hugging Face": ("hf" + "_" + "aB3dE" * 7, "downloading with {}"),
    "Azure key": (_HEX, "api-key: {}"),
    "password of a body": ("tr0ub4dor-and-three", '{{"user": "ann", "password": "{}"}}'),
    "project id": ("acme-prod-417309", "/v1/projects/{}/locations/eu/publishers/google/models/m"),
    "redirect": ("r3dir" + _HEX[2:20], "Location: https://login.example/next?access_token={}&x=1"),
    "environment, known form": ("gh" + "p_" + "a1B2" * 9, "{} is in the environment"),
    "environment, opaque": ("plain-words-as-a-vault-phrase", "{} is in the environment"),
    "environment of a recipe": ("recipe-words-as-a-vault-phrase", "{} is of the recipe"),
}
"""Kind -> (secret, the text around it). A secret that its form does not tell has what marks it."""

ENVIRONMENT: Final = {
    "DEPLOY_TOKEN": KINDS["environment, known form"][0], "VAULT_PASSWORD": KINDS["environment, opaque"][0],
}  # fmt: skip
RECIPE_ENVIRONMENT: Final = {"SERVICE_SECRET": KINDS["environment of a recipe"][0]}


def _escape_all(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


def _percent_all(text: str) -> str:
    return "".join(f"%{ord(character):02X}" for character in text)


PLACEMENTS: Final = {
    "plain": lambda text: text,
    "behind an escaped newline": lambda text: json.dumps(f"first\n{text}\nlast")[1:-1],
    "behind an escaped tab, twice": lambda text: json.dumps(json.dumps(f"first\t{text}\tlast")[1:-1])[1:-1],
    "percent-encoded": lambda text: quote(f"of {text} and", safe=""),
    "percent-encoded throughout": _percent_all,
    "base64": lambda text: base64.b64encode(f"before {text} after".encode()).decode(),
    "URL-safe base64": lambda text: base64.urlsafe_b64encode(f"?>?> {text} ~~".encode()).decode().rstrip("="),
    "unicode escapes": _escape_all,
}
"""How a text is written. Split over two events it is where the planted adapter streams it."""

TEXTS: Final = tuple(
    (kind, placement, write(context.format(secret)))
    for kind, (secret, context) in KINDS.items()
    for placement, write in PLACEMENTS.items()
)


def halves(text: str, secret: str) -> tuple[str, str]:
    """Return a text cut in the middle of its secret."""
    middle = text.index(secret) + len(secret) // 2
    return text[:middle], text[middle:]


SPLIT: Final = tuple((kind, *halves(context.format(secret), secret)) for kind, (secret, context) in KINDS.items())


def find_planted(output: str) -> list[str]:
    """Return the kinds and placements of what can be read from an output, sorted. Read by other code than the
    scanner's: JSON's escapes, percent-encoding and HTML's entities are undone, and every run of base64."""
    readings = [output, unescape(output)]
    for _ in range(3):
        readings.append(re.sub(r"\\+u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), readings[-1]))
        readings.append(readings[-1].replace("\\\\", "\\").replace("\\n", "\n").replace("\\t", "\t"))
        readings.append(unquote(readings[-1]))
    runs = {run for reading in readings for run in re.findall(r"[A-Za-z0-9+/_-]{20,}", reading)}
    readings += [_decode(run) for run in runs]
    joined = "\n".join(readings)
    found = [f"{kind}: to be read" for kind, (secret, _) in KINDS.items() if _shows(joined, secret)]
    found += [f"{kind}: {placement}" for kind, placement, text in TEXTS if placement != "plain" and text in joined]
    for kind, (secret, _) in KINDS.items():
        pieces = secret[: len(secret) // 2], secret[len(secret) // 2 :]
        found += [f"{kind}: split"] if any(len(piece) > 5 and _shows(joined, piece) for piece in pieces) else []
    return sorted(set(found))


def _shows(text: str, secret: str) -> bool:
    """Return whether the secret stands in the text; of one with lines each line counts."""
    return any(line in text for line in secret.split("\n"))


def _decode(run: str) -> str:
    bare = run.translate(str.maketrans("-_", "+/"))
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("latin-1")
