"""Solutions: the best strategy, what it earns, and the proof."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _core, html
from .errors import CertificateError, CommonwealError
from .frames import Table, with_payoffs
from .labels import Action, State, whole
from .limits import Limits
from .numbers import Value, parse, step_of, values
from .results import Check
from .strategy import CountingStrategy, Decision

if TYPE_CHECKING:
    from .model import Model


class StateSolution:
    """The results for one start state."""

    state: State
    """The state."""
    welfare: Value
    """What the strategy earns from here."""
    payoffs: dict[str, Value]
    """What each principal gets, before its weight."""
    long_term_welfare: Value
    """What the long-term strategy earns."""
    long_term_payoffs: dict[str, Value]
    """What each principal gets under the long-term strategy."""
    long_term_actions: list[Action]
    """The actions that the long-term strategy allows."""
    memory: int
    """The first step from which the strategy, started here, is the long-term strategy for ever."""
    decisions: list[Decision]
    """What the strategy does in this state."""

    def __init__(self, solution: Solution, number: int) -> None:
        model = solution.model
        known = parse(solution._answer.numbers(number))
        self.state = model._shown_state(number)
        self.welfare = Value._of(known["welfare"])
        self.payoffs = values(known["payoffs"])
        self.long_term_welfare = Value._of(known["long_term_welfare"])
        self.long_term_payoffs = values(known["long_term_payoffs"])
        self.long_term_actions = [model._shown_action(action) for action in known["long_term_actions"]]
        self.memory = step_of(known["memory"])
        self.decisions = solution.strategy._decisions_at(number)

    def __repr__(self) -> str:
        return f"<from {self.state}: welfare {self.welfare}>"


class Solution(Table):
    """A welfare-optimal strategy with its welfare, or the best one found, with bounds.

    Numbers are those of the model's start; `solution[state]` has those of another one.
    """

    model: Model
    """The model."""

    def __init__(self, answer: _core.Answer, model: Model, threads: int | None) -> None:
        self._answer = answer
        self._threads = threads
        self._checked = False
        self.model = model

    @property
    def status(self) -> str:
        """What is proven: `"optimal"`, `"within gap"`, `"undecided"` (ties too close to decide) or `"stopped"`.

        If the approximation of a time preference makes the bounds wider than the gap asked for, it is `"stopped"`.
        """
        return self._answer.status[0]

    @property
    def reason(self) -> str | None:
        """Why no more is proven; `None` if the answer is optimal or within its gap."""
        return self._answer.status[1]

    @property
    def engine(self) -> str:
        """`"exact"` (fractions) or `"certified"` (doubles, rounding errors included)."""
        return self._answer.engine

    @property
    def scale(self) -> float | None:
        """What a gap is relative to; `None` for an exact answer."""
        return self._answer.scale

    @property
    def horizon(self) -> int:
        """The least step from which no deviation from the long-term strategy pays, in any state."""
        return int(self._answer.horizon)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds spent on the long-term strategy and on everything after it."""
        long_term, unravel = self._answer.timings
        return {"long_term": long_term, "unravel": unravel}

    @cached_property
    def strategy(self) -> CountingStrategy:
        """The strategy."""
        return CountingStrategy(self._answer.strategy, self.model)

    @cached_property
    def _start(self) -> StateSolution:
        return StateSolution(self, self.model._core.start)

    def __getitem__(self, state: State) -> StateSolution:
        """The results for another start state."""
        return StateSolution(self, self.model._state(state))

    def __iter__(self) -> Iterator[State]:
        """The states: `solution[state]` has the results of each."""
        return iter(self.model.states)

    def __len__(self) -> int:
        """The number of states."""
        return self.model.n_states

    def __contains__(self, state: object) -> bool:
        """Whether there is such a state."""
        try:
            self.model._state(cast(State, state))
        except CommonwealError:
            return False
        return True

    def __bool__(self) -> bool:
        return True

    @property
    def welfare(self) -> Value:
        """The welfare from the start: the weighted sum of the payoffs."""
        return self._start.welfare

    @property
    def payoffs(self) -> dict[str, Value]:
        """What each principal expects to get from the start, before its weight."""
        return self._start.payoffs

    @property
    def long_term_welfare(self) -> Value:
        """What the long-term strategy earns from the start."""
        return self._start.long_term_welfare

    @property
    def long_term_payoffs(self) -> dict[str, Value]:
        """What each principal gets from the start under the long-term strategy."""
        return self._start.long_term_payoffs

    @property
    def memory(self) -> int:
        """The first step from which the strategy, from the start, is the long-term strategy for ever."""
        return self._start.memory

    @cached_property
    def own_best(self) -> dict[str, Value]:
        """What each principal would get if the agent served nobody else. One solve for each principal."""
        return values(parse(self._answer.own_best(self._threads)))

    @property
    def words(self) -> str:
        """What the strategy does from the start on: `a twice, then b for ever`."""
        return self._answer.words()

    def welfare_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds of the welfare from every state."""
        return self._answer.welfare_bounds()

    def payoff_bounds(self, principal: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds of a principal's payoff from every state."""
        return self._answer.payoff_bounds(self.model._principal(principal))

    def certificate(self, *, precision: int | None = None, time_limit: float | None = None) -> bytes:
        """A proof of this answer for `commonweal.check` or another checker.

        A large model is solved again for it. `precision` is the number of bits of its floats, where it needs any. A
        certificate that is not written within `time_limit` seconds is a `CertificateError`.
        """
        written, stopped = self._certificate(precision, time_limit)
        if written is None:
            raise CertificateError(f"{stopped}, before the certificate was written; allow more time")
        return written

    def _certificate(self, precision: int | None, time_limit: float | None) -> tuple[bytes | None, str | None]:
        if precision is not None:
            precision = whole(precision, "precision", 1, 2**32 - 1)
        written, stopped = self._answer.certificate(precision, Limits(None, None, self._threads, time_limit))
        return None if written is None else bytes(written), stopped

    def check(self, *, time_limit: float | None = None) -> Check:
        """The verdict of the independent checker on this answer's certificate.

        After `time_limit` seconds for both, or on Ctrl-C, there is no verdict: its `status` is `"stopped"`.
        """
        from .model import check

        Limits(time_limit=time_limit)
        began = time.monotonic()

        def left() -> float | None:
            return None if time_limit is None else max(0.0, time_limit - (time.monotonic() - began))

        verdict = Check("refused", "there is no certificate yet")
        # Floats with more bits may be accepted.
        for precision in (None, 2048):
            certificate, stopped = self._certificate(precision, left())
            if certificate is None:
                return Check("stopped", f"{stopped}")
            verdict = check(self.model, certificate, time_limit=left())
            if verdict.status != "refused" or self.status != "optimal":
                break
        self._checked = verdict.accepted
        return verdict

    def __copy__(self) -> Solution:
        """The solution itself, which never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Solution:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "a Solution cannot be pickled: its proof is not stored. Pickle solution.model and solution.strategy, and keep "
            "solution.to_json() for the numbers"
        )

    def to_json(self, *, all_states: bool = False) -> str:
        """The document `commonweal-solution/1`, as `solve --json` prints it.

        It says `"checked": true` after `check()` has accepted an optimal answer.
        """
        checked = self._checked and self.status == "optimal"
        return self._answer.document(all_states, checked, self._threads)

    def timeline_svg(self) -> str:
        """The picture of what to do in each state, step by step, as SVG."""
        return html.timeline(self)

    def _columns(self) -> dict[str, list[Any]]:
        lower, upper = self.welfare_bounds()
        columns: dict[str, list[Any]] = {
            "state": list(self.model.states),
            "welfare": (lower + (upper - lower) / 2).tolist(),
            "welfare_lower": lower.tolist(),
            "welfare_upper": upper.tolist(),
        }
        bounds = ((principal.name, self.payoff_bounds(principal.name)) for principal in self.model.principals)
        payoffs = ((name, (low + (high - low) / 2).tolist()) for name, (low, high) in bounds)
        with_payoffs(columns, payoffs, ("action", "action_in_the_end"))
        actions = [self.model._actions_at(number) for number in range(self.model.n_states)]
        for title, step in (("action", 0), ("action_in_the_end", self.strategy.settled_from)):
            positions = self.strategy.positions(step)
            columns[title] = [own[position] for own, position in zip(actions, positions.tolist(), strict=True)]
        return columns

    def __repr__(self) -> str:
        return f"<solution: {self.status}, welfare {self.welfare}>"

    def _repr_html_(self) -> str:
        return html.solution(self)
