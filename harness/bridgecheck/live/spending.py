"""What a live recording may spend, and what it has spent. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bridgecheck.live.plan import LiveCase, Tokens
from bridgecheck.wire import Dialect


@dataclass(frozen=True, slots=True)
class Limits:
    """None: no limit. ``dollars``: US dollars."""

    calls: int | None = None
    tokens: int | None = None
    dollars: float | None = None


@dataclass(slots=True)
class Spent:
    calls: int = 0
    input: int = 0
    output: int = 0
    dollars: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def add(self, calls: int, tokens: Tokens, dollars: float) -> None:
        self.calls += calls
        self.input += tokens.input
        self.output += tokens.output
        self.dollars += dollars


@dataclass(slots=True)
class Spending:
    """What was spent, for each provider, against the limits of all together."""

    limits: Limits
    by_provider: dict[Dialect, Spent] = field(default_factory=dict)

    @property
    def total(self) -> Spent:
        rows = list(self.by_provider.values())
        return Spent(
            sum(row.calls for row in rows), sum(row.input for row in rows), sum(row.output for row in rows),
            sum(row.dollars for row in rows),
        )  # fmt: skip

    def add(self, dialect: Dialect, calls: int, tokens: Tokens, dollars: float) -> None:
        self.by_provider.setdefault(dialect, Spent()).add(calls, tokens, dollars)

    def exceeded_by(self, case: LiveCase) -> str:
        """Return which limit one more attempt at a case could exceed, "" for none: an attempt begins only where it
        fits whole."""
        limits, total = self.limits, self.total
        needs: Sequence[tuple[str, float, float, float | None]] = (
            ("calls", total.calls, len(case.requests), limits.calls),
            ("tokens", total.tokens, case.at_most.total, limits.tokens),
            ("US dollars", total.dollars, case.cost_at_most, limits.dollars),
        )
        for what, spent, needed, limit in needs:
            if limit is not None and spent + needed > limit + 1e-9:
                return f"{_number(spent)} of {_number(limit)} {what} are spent, {case.id} may take {_number(needed)}"
        return ""


def _number(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else f"{value:,}"
