"""The JSON schemas of scenario files and requirement sets, as schema.json beside them holds it.

``make schema`` writes them anew.
"""

from bridgecheck.wire import JsonObject


def scenario_schema() -> JsonObject:
    """JSON Schema (2020-12) derived from the same classes that check the files. It cannot say the few rules that tie
    several keys together; ``bridgecheck lint`` checks those too."""
    from bridgecheck.files.scenario_schema import ScenarioFile

    return _titled("bridgecheck scenario", ScenarioFile.model_json_schema(by_alias=True))


def requirement_schema() -> JsonObject:
    """Likewise of a requirement set."""
    from bridgecheck.files.requirement_shape import RequirementFile

    return _titled("bridgecheck requirement set", RequirementFile.model_json_schema(by_alias=True))


def _titled(title: str, generated: JsonObject) -> JsonObject:
    head: JsonObject = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return head | {key: value for key, value in generated.items() if key != "title"}
