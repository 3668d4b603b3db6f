"""The kinds of credentials: a token that is known by its own form, or any value that its place marks as secret.

Most texts have none of the hints of any kind, which is quickly seen."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from bridgecheck.secrets.harmless import (
    has_digit_or_mixed_case,
    is_harmless,
    is_name_and_password,
    is_no_identifier,
    is_no_short_word,
    is_own_key,
    is_random_base64,
)

UPSTREAM_KEY: Final = "not-a-key-9d41c2"
"""What adapters are given as the provider's key while they are judged: a word that cannot stand in a text by chance."""

REDACTED: Final = "REDACTED"
PROJECT_ID: Final = "project or account id in a path"
"""The kind of what is no credential, and tells whose the traffic is."""


@dataclass(frozen=True, slots=True)
class Kind:
    """``pattern``: its group ``secret`` or ``word`` is what is masked, without them all of it. ``hints``: lower-case
    texts of which one stands in whatever the pattern finds. ``marked``: known only by what
    stands before it, and may be anything; such a pattern is for lower-case text. ``accepts``: whether what was found is
    one, where a pattern cannot tell. ``source``: of the form."""

    name: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    source: str
    marked: bool = False
    accepts: Callable[[str], bool] = bool

    def spans(self, text: str, lower: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets of this kind stand in the text. ``lower``: the same in lower case, as long."""
        if not any(hint in lower for hint in self.hints):
            return
        for found in self.pattern.finditer(lower if self.marked else text):
            start, end = max(map(found.span, self.pattern.groupindex.keys() & _GROUPS), default=found.span())
            value = text[start:end]
            is_placeholder = is_harmless(value) if self.marked else is_own_key(value)
            if not is_placeholder and self.accepts(value):
                yield start, end


_GROUPS: Final = frozenset({"secret", "word", "spaced"})
_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def lower_case(text: str) -> str:
    """Return the text in lower case, character by character."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_LOWER)


# A preceding word character (or - and _ , which stand in base64url) means that we are inside another word.
_START: Final = r"(?<![A-Za-z0-9_-])"
_NAMES: Final = (
    r"(?:api[-_]?(?:key|token)|authorization|passw(?:or)?d|passphrase"
    r"|secret(?:[-_]?access)?(?:[-_]?key)?|access[-_]?(?:key|token)|(?:private|account|master)[-_]?key"
    r"|(?:refresh|id|auth|session|security|bearer|personal)[-_]?token|subscription-key|credential)(?:[-_]?[0-9]+|s)?"
)
_NAME_HINTS: Final = ("key", "token", "authorization", "passw", "passphrase", "secret", "credential")
_QUOTES: Final = "\"'\ue000-\ue0ff"
"""Those of a reading (see readings.py): an escaped quote is another character there than a plain one."""

_QUOTE: Final = f"[{_QUOTES}]"
_WORD: Final = rf"[^\s{_QUOTES}`\\,;&<>(){{}}\[\]|]"
_CRUMB: Final = rf"[^\s{_QUOTES}\\=;,<>{{}}]"
_QUOTED_WORD: Final = rf"[bru]?(?P<quote>{_QUOTE})(?P<secret>{_WORD}{{6,}})(?P=quote)"

_RFC_AUTH: Final = "https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2"
_RFC_COOKIE: Final = "https://www.rfc-editor.org/rfc/rfc6265#section-4"
_AWS: Final = "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html"
_GOOGLE_KEY: Final = "https://cloud.google.com/docs/authentication/api-keys"
_GOOGLE_OAUTH: Final = "https://developers.google.com/identity/protocols/oauth2"
_OWASP: Final = "https://cheatsheetseries.owasp.org/cheatsheets/Logging_Cheat_Sheet.html"
_OPENAI: Final = "https://platform.openai.com/docs/api-reference/authentication"

KINDS: Final[tuple[Kind, ...]] = (
    Kind("OpenAI, Anthropic or OpenRouter key (sk-)",
         re.compile(_START + r"sk-(?:[A-Za-z0-9_-]{20,}|(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{8,})"), ("sk-",), _OPENAI),
    Kind("Google API key (AIza)", re.compile(_START + r"AIza[A-Za-z0-9_-]{35,}"), ("aiza",), _GOOGLE_KEY),
    Kind("Google OAuth token (ya29.)", re.compile(_START + r"ya29\.[A-Za-z0-9_-]{20,}"), ("ya29.",), _GOOGLE_OAUTH),
    Kind("Google OAuth refresh token (1//)", re.compile(_START + r"1//0[A-Za-z0-9_-]{30,}"), ("1//0",), _GOOGLE_OAUTH),
    Kind("Google OAuth client secret", re.compile(_START + r"GOCSPX-[A-Za-z0-9_-]{20,}"), ("gocspx-",), _GOOGLE_OAUTH),
    Kind("bearer token", re.compile(r"(?i:\bbearer)[\s+]+(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)"), ("bearer",),
         "https://www.rfc-editor.org/rfc/rfc6750#section-2.1", accepts=has_digit_or_mixed_case),
    Kind("private key", re.compile(
        r"-----BEGIN[ +](?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?:[ +]BLOCK)?-----"
        r"(?:[A-Za-z0-9+/=\s:,.()|>-]*?-----END[ +](?:[A-Z0-9]+[ +])*PRIVATE[ +]KEY(?:[ +]BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s]*)"), ("-----begin",), "https://www.rfc-editor.org/rfc/rfc7468"),
    Kind("JSON Web Token",
         re.compile(_START + r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"), ("eyj",),
         "https://www.rfc-editor.org/rfc/rfc7519"),
    Kind("Slack token (xox)", re.compile(_START + r"xox[abeprs]-[A-Za-z0-9-]{10,}"), ("xox",),
         "https://docs.slack.dev/authentication/tokens"),
    Kind("GitHub token", re.compile(_START + r"(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})"),
         ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
         "https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github"),
    Kind("AWS access key", re.compile(_START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"), ("akia", "asia"), _AWS),
    Kind("Groq, xAI, Hugging Face, NVIDIA or Perplexity key",
         re.compile(_START + r"(?:gsk_|xai-|hf_|nvapi-|pplx-|r8_)[A-Za-z0-9_-]{30,}"),
         ("gsk_", "xai-", "hf_", "nvapi-", "pplx-", "r8_"), "https://huggingface.co/docs/hub/security-tokens"),
    Kind("GitLab, npm or Stripe token",
         re.compile(_START + r"(?:glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}|[sr]k_live_[A-Za-z0-9]{20,})"),
         ("glpat-", "npm_", "k_live_"), "https://docs.gitlab.com/security/tokens"),
    Kind("AWS secret access key",
         re.compile(r"(?<![a-z0-9+/=_.,%:-])[a-z0-9+/]{40}(?![a-z0-9+/=_-])"), ("",), _AWS, marked=True,
         accepts=is_random_base64),
    Kind("Basic authentication", re.compile(r"\bbasic[\s+]+(?P<secret>[a-z0-9+/_-]{8,}={0,2})"), ("basic",),
         "https://www.rfc-editor.org/rfc/rfc7617#section-2", marked=True, accepts=is_name_and_password),
    Kind("password in an address",
         re.compile(rf"://[^/\s:@{_QUOTES}\\]*:(?P<secret>[^/\s@{_QUOTES}\\]+)@"), ("://",),
         "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1", marked=True),
    Kind("key in a query", re.compile(
        r"[?&;](?:key|api[-_]?key|(?:access|id|refresh|auth)[-_]?token|token|code|sig|signature|x-goog-signature"
        r"|x-amz-(?:signature|security-token|credential)|(?:client[-_]?)?secret|password)="
        r"(?P<secret>[^&\s\"'\ue000-\ue0ff`\\<>#{}]{4,})"),
         ("key=", "token=", "code=", "sig=", "signature=", "credential=", "secret=", "password="),
         "https://cloud.google.com/docs/authentication/api-keys-use", marked=True),
    Kind("header of credentials", re.compile(
        r"(?:(?:(?<![a-z0-9_])|(?<=proxy-))authorization|(?<![a-z0-9_])(?:x-[a-z-]*)?(?:api-?key|auth-?token))"
        r"[ \t]*:(?:[ \t]|\n[ \t]*-[ \t])*(?:(?:bearer|basic|token|key|digest)[ \t]+)?"
        r"(?P<secret>[^\s\"'\ue000-\ue0ff`\\,;<>{}\[\]()]{4,}=*)"),
         ("authorization", "key:", "key :", "token:", "token :"), _RFC_AUTH, marked=True),
    Kind("cookie", re.compile(
        r"(?:(?<![a-z0-9_-])|(?<=set-))cookie[ \t]*:(?:[ \t]|\n[ \t]*-[ \t])*"
        rf"(?P<secret>{_CRUMB}+={_CRUMB}+(?:;[ \t]*{_CRUMB}+(?:={_CRUMB}+)?)*)"
        rf"|cookies?(?P<quote>{_QUOTE})\s*[:,]\s*[\[(]?\s*[bru]?{_QUOTE}(?P<word>[^{_QUOTES}=\s]+=[^{_QUOTES}]{{4,}})"),
         ("cookie",), _RFC_COOKIE, marked=True),
    Kind("value of a credential's member", re.compile(  # "name": "value", "name": ["value"]
        rf"{_NAMES}(?:(?P<plain>[\"'])|(?P<escaped>{_QUOTE}))\]?\s*(?:=>|[:=])\s*[\[(]?\s*[bru]?"
        rf"(?P<quote>(?(plain)[\"']|(?P=escaped)))(?P<secret>(?:(?!(?P=quote))[^\\\n]){{4,}})(?P=quote)"),
         _NAME_HINTS, _OWASP, marked=True, accepts=is_no_short_word),
    Kind("value beside a credential's name", re.compile(  # ("name", "value"), {"name": "name", "value": "value"}
        rf"(?P<start>{_QUOTE})(?=[a-z0-9_-]{{4,40}}{_QUOTE}\s*,)[a-z0-9_-]*?{_NAMES}(?P=start)\s*,"
        rf"\s*(?:{_QUOTE}value{_QUOTE}\s*[:=]\s*)?{_QUOTED_WORD}"), _NAME_HINTS, _OWASP, marked=True,
         accepts=is_no_identifier),
    Kind("value assigned to a credential's name", re.compile(  # name = "value", name: "value", name=value
        rf"{_NAMES}(?:\s*(?::=|[:=])\s*{_QUOTED_WORD}|=(?P<word>{_WORD}{{8,}})(?![\w.(\[])"
        rf"|[ \t]+=[ \t]+(?P<spaced>(?=\S*[0-9]){_WORD}{{8,}})(?![\w.(\[]))"), _NAME_HINTS, _OWASP, marked=True,
         accepts=has_digit_or_mixed_case),
    Kind("value of a credential's option", re.compile(rf"--(?:[a-z0-9]+-)*{_NAMES}[= ](?P<secret>{_WORD}{{8,}})"),
         ("--",), _OWASP, marked=True, accepts=has_digit_or_mixed_case),
    Kind("API key in a sentence", re.compile(
        r"api[ _-]?key(?: (?:provided|is|was|supplied|given|used))?:?\s+[\"'`]?(?P<secret>[a-z0-9_-]{12,})"),
         ("api key", "api-key", "api_key", "apikey"), _OPENAI, marked=True,
         accepts=lambda value: sum(map(str.isdigit, value)) > 1),
    Kind(PROJECT_ID, re.compile(
        r"(?<![a-z0-9_-])(?:projects|accounts)/(?P<secret>[^/?\s\"'\ue000-\ue0ff`\\:{}<>()\[\]&,;.*]{4,})"),
         ("projects/", "accounts/"), "https://cloud.google.com/resource-manager/docs/creating-managing-projects",
         marked=True),
)  # fmt: skip


def find_credential_kinds(text: str) -> tuple[str, ...]:
    """Return the kinds of credentials that a text shows by their own form, in the order of the table."""
    lower = lower_case(text)
    return tuple(kind.name for kind in KINDS if not kind.marked and any(kind.spans(text, lower)))
