"""NOTICES: what a case may carry beside verdicts on its adapter. They require nothing, so none is a check."""

from typing import Final

HARNESS: Final = "harness.error"
APPLIES: Final = "case.applies"
UNCLAIMED: Final = "case.unclaimed"

NOTICES: Final[dict[str, str]] = {
    HARNESS: "The harness itself failed, or could not read what was recorded: nothing is known of the adapter.",
    APPLIES: "The case was not played, for the reason that is given.",
    UNCLAIMED: "What the adapter does not claim works here: it could claim it.",
}
"""id -> what it says. With the ids of ``CHECKS`` these are all that a report can hold."""
