"""The closed schema of a requirement set (``model/requirements`` tells its shape)."""

from typing import Annotated, TypeAlias

from pydantic import Field, StringConstraints

from bridgecheck.files.scenario_schema import Closed, Date, Id, Said

SetId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d{4}\.\d+$")]
CheckId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+(\.[a-z0-9_]+)+$")]
Digest: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class WithdrawnFile(Closed):
    scenario: Said
    check: Said
    reason: Said
    link: Said
    date: Date


class RequirementFile(Closed):
    id: SetId
    frozen: Date
    checks: Annotated[dict[CheckId, Annotated[int, Field(ge=1)]], Field(min_length=1)]
    scenarios: Annotated[dict[Id, Digest], Field(min_length=1)]
    digest: Digest
    withdrawn: list[WithdrawnFile] = Field(default=[])
