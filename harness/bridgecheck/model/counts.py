"""Counts as text."""


def plural(count: int, noun: str, nouns: str = "") -> str:
    """Return ``1 case``, ``0 cases``, ``2 entries``. ``nouns``: the plural; "" for the noun with an s."""
    return f"{count} {noun if count == 1 else nouns or f'{noun}s'}"
