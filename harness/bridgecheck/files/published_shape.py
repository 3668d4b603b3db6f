"""The closed schema of one ``[[finding]]`` of a findings.toml (``model/published`` tells its shape)."""

from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from bridgecheck.files.scenario_schema import Closed, Said
from bridgecheck.model.published import FindingStatus, Provoked

Slug: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Fingerprint: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{10}$")]
Address: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\s:]+::bridged-\S+$")]


def _an_address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or "." not in (parts.hostname or "") or len(text.split()) != 1:
        raise ValueError(f"no URL: {text!r}")
    return text


Url: TypeAlias = Annotated[str, AfterValidator(_an_address)]


class FindingFile(Closed):
    id: Slug
    title: Said
    fingerprints: Annotated[list[Fingerprint], Field(min_length=1)]
    case: Address
    why: Said
    provoked_by: Provoked
    provoked_source: Said
    witness: Said
    documentation: Said
    status: FindingStatus
    tracker: Url = ""
    answer: Said = ""

    @model_validator(mode="after")
    def _says_what_its_status_needs(self) -> "FindingFile":
        if self.provoked_by == "documented":
            _an_address(self.provoked_source.split()[0])
        if self.status == "disputed" and not self.answer:
            raise ValueError("disputed without the maintainers' answer, which has to stand beside it")
        if self.status in ("confirmed", "fixed") and not (self.answer or self.tracker):
            raise ValueError(f"{self.status} without a tracker or an answer that says so")
        return self
