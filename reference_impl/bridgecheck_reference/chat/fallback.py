"""Which model is asked when one is out of quota or capacity: a chain of policies, and what is known of each model.

Source: availability/ and fallback/handler.js of @google/gemini-cli-core 0.61.0 (2026-11-24)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from bridgecheck_reference.chat.quota import Failure

FailureKind: TypeAlias = Literal["terminal", "transient", "not_found", "unknown"]
Action: TypeAlias = Literal["prompt", "silent"]
Intent: TypeAlias = Literal["retry_always", "retry_once", "retry_later", "stop"]
Notify: TypeAlias = Callable[[str, str, Failure], Awaitable[Intent]]
"""Gets the failed model, the one to fall back to, and the failure."""

_KINDS: Final[tuple[FailureKind, ...]] = ("terminal", "transient", "not_found", "unknown")
CAPACITY_BACK_MS: Final = 30_000
"""After how long a model without capacity is asked again."""


@dataclass(frozen=True, slots=True)
class ModelPolicy:
    """``max_attempts``: None for that of the retry settings. ``actions``: whether the user is asked before this model
    is fallen back to. ``sticky``: kinds of failure after which the model is tried once more in each later turn."""

    model: str
    max_attempts: int | None = None
    is_last_resort: bool = False
    actions: Mapping[FailureKind, Action] = field(default_factory=dict)
    sticky: frozenset[FailureKind] = frozenset()


PRO_TO_FLASH: Final = (
    ModelPolicy("gemini-2.5-pro"),
    ModelPolicy("gemini-2.5-flash", max_attempts=10, is_last_resort=True),
)
"""The user chose a model."""
AUTO: Final = (
    ModelPolicy("gemini-2.5-pro", 3, actions={"transient": "silent"}, sticky=frozenset({"transient"})),
    ModelPolicy("gemini-2.5-flash", max_attempts=10, is_last_resort=True),
)
"""The program chose the model."""
FLASH_LITE: Final = tuple(
    ModelPolicy(model, is_last_resort=last, actions=dict.fromkeys(_KINDS, "silent"))
    for model, last in (("gemini-2.5-flash-lite", False), ("gemini-2.5-flash", False), ("gemini-2.5-pro", True))
)
"""Small tasks: nobody is asked."""


@dataclass(slots=True)
class _Health:
    reason: Literal["quota", "capacity", "once a turn"]
    since_ms: float = 0
    used: bool = False
    attempts: int | None = None


class Availability:
    """Which models can be asked now. ``now_ms``: the clock."""

    def __init__(self, now_ms: Callable[[], float]) -> None:
        self._now_ms = now_ms
        self._health: dict[str, _Health] = {}

    def is_available(self, model: str) -> bool:
        health = self._current(model)
        return health is None or (health.reason == "once a turn" and not health.used)

    def mark_unavailable(self, model: str, reason: Literal["quota", "capacity"]) -> None:
        self._health[model] = _Health(reason, self._now_ms())

    def mark_sticky(self, model: str, attempts: int | None) -> None:
        """The model is used up for this turn, and asked ``attempts`` times in a later one."""
        health = self._current(model)
        if health is None or health.reason == "once a turn":
            self._health[model] = _Health("once a turn", used=True, attempts=attempts)

    def mark_healthy(self, model: str) -> None:
        self._health.pop(model, None)

    def start_turn(self) -> None:
        """Every sticky model may be asked once more."""
        for health in self._health.values():
            health.used = False

    def attempts(self, model: str) -> int | None:
        """Return how often a sticky model is asked, None for one that is not."""
        health = self._current(model)
        return None if health is None else health.attempts

    def _current(self, model: str) -> _Health | None:
        health = self._health.get(model)
        if health is not None and health.reason == "capacity" and self._now_ms() - health.since_ms >= CAPACITY_BACK_MS:
            del self._health[model]
            return None
        return health


class Fallback:
    """The model that requests go to. ``chain``: its policies, first choice first; ``()``: the one model, which is kept.
    ``notify``: asks the user; without one nothing that asks falls back."""

    def __init__(
        self,
        model: str,
        now_ms: Callable[[], float],
        chain: Sequence[ModelPolicy] = (),
        notify: Notify | None = None,
    ) -> None:
        names = [policy.model for policy in chain]
        found = tuple(chain[names.index(model) :]) if model in names else (ModelPolicy(model, is_last_resort=True),)
        self._chain = found
        self._notify = notify
        self.availability = Availability(now_ms)
        self.model = model
        """The model in use."""

    def max_attempts(self) -> int | None:
        """Return how often the model in use is asked, None for the number of the retry settings."""
        return self.availability.attempts(self.model) or self._policy(self.model).max_attempts

    def start_turn(self) -> str:
        """Return the model of the next prompt: the first that is available, else the last resort."""
        self.availability.start_turn()
        free = (policy.model for policy in self._chain if self.availability.is_available(policy.model))
        last = next((policy.model for policy in self._chain if policy.is_last_resort), self.model)
        self.model = next(free, last)
        return self.model

    async def after(self, failure: Failure) -> bool:
        """Return whether the request is sent again, to ``model`` as it is then."""
        kind = _failure_kind(failure)
        failed = self._policy(self.model)
        candidates = self._chain[self._chain.index(failed) + 1 :]
        target = next((policy for policy in candidates if self.availability.is_available(policy.model)), None)
        target = target or next((policy for policy in candidates if policy.is_last_resort), None)
        if candidates and target is None:
            return False
        chosen = target or failed
        if target is not None and target.actions.get(kind, "prompt") == "silent":
            intent: Intent = "retry_always"
        elif self._notify is None:
            return False
        else:
            intent = await self._notify(failed.model, chosen.model, failure)
        if intent not in ("retry_always", "retry_once"):
            return False
        self._mark(failed, kind)
        self.model = chosen.model
        return True

    def _mark(self, failed: ModelPolicy, kind: FailureKind) -> None:
        if kind in failed.sticky:
            self.availability.mark_sticky(failed.model, failed.max_attempts)
        else:
            self.availability.mark_unavailable(failed.model, "quota" if kind == "terminal" else "capacity")

    def _policy(self, model: str) -> ModelPolicy:
        return next(policy for policy in self._chain if policy.model == model)


def _failure_kind(failure: Failure) -> FailureKind:
    if failure.kind in ("terminal", "transient", "not_found"):
        return failure.kind
    return "unknown"
