"""Ids of calls as the older mappings make them (mapping row R-05): counted by name, whatever the provider gave.

A result has the id of the latest call before it: a first pass over the history gives every result the id of the latest
call of its name; results are looked up by their own number afterwards. With two calls at once the first result
therefore finds nothing, unless it falls back to the call of its own number.
"""

from typing import Final

from bridgecheck_reference.convert.ids import CallIds
from bridgecheck_reference.convert.json_values import arr, camel, objs, text

UNPAIRED: Final = "-"
"""The id of a result for which there is no call. No call has it: those begin with "call_"."""


class CallIdsByNameAlone(CallIds):
    """Ids that count the calls by name, also where the provider gave some."""

    __slots__ = ()

    def assign_call_id(self, name: str, provider_id: str) -> str:
        return super().assign_call_id(name, "")

    def find_result_id(self, name: str, provider_id: str, result: object = None) -> str:
        return super().find_result_id(name, "", result)


class LatestCallIds(CallIdsByNameAlone):
    """Pairs results by a map made of the whole history. ``falls_back``: use the call of the result's own number."""

    __slots__ = ("_falls_back", "_ids_by_numbered_name", "_result_counts")

    def __init__(self, contents: object, *, falls_back: bool) -> None:
        super().__init__()
        self._falls_back = falls_back
        self._result_counts: dict[str, int] = {}
        self._ids_by_numbered_name = _map_numbered_calls_and_results_to_ids(contents)

    def find_result_id(self, name: str, provider_id: str, result: object = None) -> str:
        number = self._result_counts[name] = self._result_counts.get(name, 0) + 1
        found = self._ids_by_numbered_name.get(f"response_{name}_{number}", "")
        if not found and self._falls_back:
            found = self._ids_by_numbered_name.get(f"{name}_{number}", "")
        return found or UNPAIRED


def _map_numbered_calls_and_results_to_ids(contents: object) -> dict[str, str]:
    """Return the ids of all calls and results, under ``{name}_{number}`` and ``response_{name}_{number}``."""
    counted: dict[str, int] = {}
    known: dict[str, str] = {}
    for content in objs(contents):
        for part in map(camel, arr(camel(content).get("parts"))):
            name = text(camel(part.get("functionCall")).get("name"))
            if name:
                number = counted[name] = counted.get(name, 0) + 1
                known[f"{name}_{number}"] = f"call_{name}_{number:04d}"
            answered = text(camel(part.get("functionResponse")).get("name"))
            if answered in counted:
                number = counted[answered]
                known[f"response_{answered}_{number}"] = known[f"{answered}_{number}"]
    return known
