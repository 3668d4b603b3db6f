"""Every liberty, in the order of its family."""

from typing import Final

from error_liberties import ERROR_LIBERTIES
from liberty import Liberty
from profile_liberties import PROFILE_LIBERTIES
from request_liberties import REQUEST_LIBERTIES
from response_liberties import RESPONSE_LIBERTIES
from schema_liberties import SCHEMA_LIBERTIES
from stream_liberties import STREAM_LIBERTIES

ALL_LIBERTIES: Final[tuple[Liberty, ...]] = (
    *REQUEST_LIBERTIES,
    *PROFILE_LIBERTIES,
    *SCHEMA_LIBERTIES,
    *RESPONSE_LIBERTIES,
    *STREAM_LIBERTIES,
    *ERROR_LIBERTIES,
)

COMPOSITIONS: Final[dict[str, tuple[str, ...]]] = {
    "results-in-another-key": ("result-under-result",),
}
"""Name -> liberties that are played together, over all recordings."""
