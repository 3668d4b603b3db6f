"""Ids as the older mapping makes them: counted by name, and a result has the id of the latest call before it (mapping
row R-05, ``ids="sequence"`` and ``pairing``).

A first pass over the history gives every result that is there the id of the latest call of its name; results are
looked up by their own number afterwards. With two calls at once the first result therefore finds nothing, unless it
falls back to the call of its own number.
"""

from bridgecheck_reference.convert.casing import camel
from bridgecheck_reference.convert.ids import CallIds, openai_id
from bridgecheck_reference.convert.read import arr, objs, text
from bridgecheck_reference.profile import Profile


class SequenceIds(CallIds):
    """Counts calls by name; ids that were given do not count."""

    __slots__ = ()

    def call(self, name: str, given: str) -> str:
        return super().call(name, "")

    def result(self, name: str, given: str) -> str:
        return super().result(name, "")


class LatestIds(SequenceIds):
    """Pairs results by a map made of the whole history. ``own``: fall back to the call of the result's own number."""

    __slots__ = ("_known", "_own", "_results")

    def __init__(self, contents: object, *, own: bool) -> None:
        super().__init__()
        self._own = own
        self._results: dict[str, int] = {}
        self._known = _ids_of(contents)

    def result(self, name: str, given: str) -> str:
        number = self._results[name] = self._results.get(name, 0) + 1
        found = self._known.get(f"response_{name}_{number}", "")
        return found or (self._known.get(f"{name}_{number}", "") if self._own else "")


def call_ids(profile: Profile, contents: object) -> CallIds:
    """The ids of one history, as the profile wants them."""
    if profile.pairing != "step":
        return LatestIds(contents, own=profile.pairing == "latest_or_own")
    if profile.ids != "given":
        return SequenceIds()
    return CallIds(None if profile.extended or profile.carries_gemini else openai_id)


def _ids_of(contents: object) -> dict[str, str]:
    """The ids of all calls and results, under ``{name}_{number}`` and ``response_{name}_{number}``."""
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
