"""deviations.toml: the known failures of one adapter, each with the reason why it is accepted.

    # what stands between entries and inside them is kept when --update-deviations writes the file anew
    [[deviation]]
    scenario = "usage/*"                       # with check: only there (wildcards allowed); without: everywhere
    check = "response.usage"
    reason = "the gateway counts tokens itself"
    issue = "https://example.org/issues/7"     # optional
    version = "<2.0"                           # optional: only these versions of the adapter
    expires = 2027-01-31                       # optional: accepted up to this day

    [[deviation]]
    fingerprint = "3ef68ad5f7"                 # of a finding, as every report prints it
    example = "tools/parallel::bridged-openai-chat-to-gemini-stream-wire"
    seen = ["tools/parallel"]                  # optional: all scenarios in which it was, so that a run of them can tell
    reason = "..."

Failing and listed is accepted, failing and not listed a regression, passing and listed stale.
"""

from bridgecheck.deviations.entries import Deviation, KnownIds, read_deviations
from bridgecheck.deviations.write import update_deviations

__all__ = ["Deviation", "KnownIds", "read_deviations", "update_deviations"]
