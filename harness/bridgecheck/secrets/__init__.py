"""Credentials in text: what they look like, how they are written, and how they are masked.

    kinds       the table: pattern, name and source of each kind of credential
    harmless    values that stand in a secret's place and are none
    readings    a text as its reader would decode it: JSON escapes, percent-encoding, colours, base64, gzip, split texts
    known_values  values that are secret whatever they look like: of the environment, of a recipe
    mask        finds and masks them in a text, in whatever reading they show

Whoever writes anything calls ``mask_text``, mostly by way of ``files/output``. docs/security.md says what is promised.
"""

from bridgecheck.secrets.kinds import KINDS, PROJECT_ID, REDACTED, UPSTREAM_KEY, find_credential_kinds
from bridgecheck.secrets.known_values import may_hold_credential, remember_environment, remember_secret
from bridgecheck.secrets.mask import find_secret_kinds, mask_strings, mask_text

__all__ = [
    "KINDS", "PROJECT_ID", "REDACTED", "UPSTREAM_KEY", "find_credential_kinds", "find_secret_kinds", "mask_strings",
    "mask_text", "may_hold_credential", "remember_environment", "remember_secret",
]  # fmt: skip
