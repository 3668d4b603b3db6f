"""The JSON schema of scenario files, as scenarios/schema.json holds it.

``make schema`` writes it anew.
"""

from bridgecheck.wire import JsonObject


def scenario_schema() -> JsonObject:
    """JSON Schema (2020-12) derived from the same classes that check the files. It cannot say the few rules that tie
    several keys together; ``bridgecheck lint`` checks those too."""
    from bridgecheck.files.scenario_schema import ScenarioFile

    schema: JsonObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "bridgecheck scenario",
    }
    generated = ScenarioFile.model_json_schema(by_alias=True)
    return schema | {key: value for key, value in generated.items() if key != "title"}
