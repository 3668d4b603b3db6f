"""What the providers that convert have in common: telling an answer from an error."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.failures import document_failure
from bridgecheck_reference.types.conversion import ConversionResult


def checked(result: ConversionResult, native: object, secrets: tuple[str, ...]) -> JsonObject:
    """The answer, unless what the provider said (``native``) came out as an error document: that is raised."""
    if not result.value.get("error"):
        return result.value
    status = result.meta.get("status")
    raise document_failure(
        result.value,
        dialect="openai-chat",
        status=status if isinstance(status, int) else None,
        secrets=secrets,
        native=native,
    )
