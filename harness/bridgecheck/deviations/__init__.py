"""deviations.toml: the known failures of one adapter, each with the reason why it is accepted.

    # what stands between entries and inside them is kept when --update-deviations writes the file anew
    [[deviation]]
    fingerprint = "3ef68ad5f7"                 # of a finding, as every report prints it
    check = "response.usage"
    direction = "openai-chat-to-gemini"
    reason = "the gateway counts tokens itself"
    issue = "https://example.org/issues/7"     # optional
    version = "<2.0"                           # optional: only these versions of the adapter
    expires = 2027-01-31                       # optional: accepted up to this day
    cases = [
      "usage/cached::stream-wire,unary-wire 1f0c22",        # scenario, modes and layers, codes of what differs there
      "usage/none::stream-wire *",                          # by hand: whatever differs
    ]

    [[deviation]]
    scenario = "usage/*"                       # by hand: the reason of what fails a check in some scenarios (wildcards
    check = "response.usage"                   # allowed) or, without scenario, in all
    reason = "..."

Failing and listed is accepted, failing and not listed a regression, passing and listed stale. An entry accepts what it
lists and nothing else: another case, or another difference in the same case, is a regression. One that lists no cases
accepts nothing: ``--update-deviations`` writes them, and replaces one by check by entries with fingerprints.
"""

from bridgecheck.deviations.entries import AcceptedCases, Deviation, KnownIds, read_deviations
from bridgecheck.deviations.write import update_deviations

__all__ = ["AcceptedCases", "Deviation", "KnownIds", "read_deviations", "update_deviations"]
