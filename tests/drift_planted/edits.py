"""Small edits of a recorded answer, of which the tables of planted changes are made."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Response = dict[str, Any]
"""``response`` of an interaction as it stands in a cassette."""

Edit = Callable[[Response], None]


@dataclass(frozen=True)
class PlantedChange:
    """``severity``: None for a harmless variation, which may give nothing above cosmetic."""

    name: str
    cassette: str
    severity: str | None
    why: str
    edits: tuple[Edit, ...]


def plant_change(name: str, cassette: str, severity: str, why: str, *edits: Edit) -> PlantedChange:
    return PlantedChange(name, cassette, severity, why, edits)


def vary_harmlessly(name: str, cassette: str, why: str, *edits: Edit) -> PlantedChange:
    return PlantedChange(name, cassette, None, why, edits)


def swap(old: str, new: str) -> Edit:
    """Replace each match of a regular expression in the body. An edit that changes nothing is a fault of the table."""

    def edit(response: Response) -> None:
        body, count = re.subn(old, lambda found: found.expand(new), response["body"]["string"], flags=re.DOTALL)
        assert count, f"{old!r} is not in the body"
        response["body"]["string"] = body

    return edit


def change_document(change: Callable[[Any], Any]) -> Edit:
    """Change the JSON document of an answer that is not streamed, in place."""

    def edit(response: Response) -> None:
        document = json.loads(response["body"]["string"])
        change(document)
        response["body"]["string"] = json.dumps(document, ensure_ascii=False)

    return edit


def change_events(change: Callable[[list[str]], list[str]]) -> Edit:
    """Change the list of a stream's events, each its text without the blank line after it."""

    def edit(response: Response) -> None:
        end = end_of_event(response["body"]["string"])
        response["body"]["string"] = "".join(event + end for event in change(split_events(response)))

    return edit


def set_body(text: str) -> Edit:
    def edit(response: Response) -> None:
        response["body"]["string"] = text

    return edit


def set_status(code: int, message: str) -> Edit:
    def edit(response: Response) -> None:
        response["status"] = {"code": code, "message": message}

    return edit


def set_header(name: str, value: str) -> Edit:
    def edit(response: Response) -> None:
        response["headers"][name] = [value]

    return edit


def write_at_once(response: Response) -> None:
    """Have the whole body come in one write."""
    response["stream"]["ends"] = [len(response["body"]["string"].encode())]


def end_of_event(body: str) -> str:
    """Gemini ends lines with CRLF, the others with LF."""
    return "\r\n\r\n" if "\r\n" in body else "\n\n"


def split_events(response: Response) -> list[str]:
    body: str = response["body"]["string"]
    return [event for event in body.split(end_of_event(body)) if event.strip()]


def send_array(response: Response) -> None:
    """Have a stream of events come as one JSON array, as Gemini's without ``alt=sse``."""
    documents = [json.loads(event.removeprefix("data: ")) for event in split_events(response)]
    response["body"]["string"] = json.dumps(documents, ensure_ascii=False)
