"""Whether the adapter still breaks."""

from typing import Any


def shows(seen: dict[str, Any]) -> bool:
    print("EXPECTED an answer")
    print(f"ACTUAL   {seen['raised'] or 'an answer'}")
    return bool(seen["raised"])
