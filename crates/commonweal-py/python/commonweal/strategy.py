"""Strategies: what the agent does in each state at each step."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import QuestionError, StrategyError
from .labels import Action, State
from .numbers import fraction, step_text

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Decision:
    """From this step on a state takes this action: until its next decision, or for ever."""

    step: int
    action: Action


@dataclass(frozen=True)
class Stage:
    """Steps during which no state changes its action."""

    first: int
    """The first step."""
    end: int | None
    """The step after the last one; `None` of the stage that lasts for ever."""
    _strategy: CountingStrategy

    def action(self, state: State) -> Action:
        """What is done in a state during this stage."""
        return self._strategy.action(state, self.first)

    @property
    def actions(self) -> dict[State, Action]:
        """What is done in each state."""
        at = self._strategy._action_at
        return {state: at(number, self.first) for number, state in enumerate(self._strategy.model.states)}

    def __repr__(self) -> str:
        until = "for ever" if self.end is None else f"before step {self.end}"
        return f"Stage(from step {self.first}, {until})"


class Strategy:
    """Any strategy: a counting one, a stationary one, or a lottery over counting ones."""

    model: Model
    """The model that it is for."""

    def __init__(self, core: _core.Strategy, model: Model) -> None:
        self._core = core
        self.model = model

    @staticmethod
    def _wrap(core: _core.Strategy, model: Model) -> Strategy:
        kinds: dict[str, type[Strategy]] = {
            "counting": CountingStrategy,
            "stationary": StationaryStrategy,
            "lottery": Lottery,
        }
        return kinds[core.kind](core, model)

    @staticmethod
    def from_json(model: Model, text: str) -> Strategy:
        """The strategy that a text describes, as `solve --strategy` writes it, or in a shorter hand-written form."""
        if not isinstance(text, str):
            raise StrategyError(f"from_json takes a text, not a {type(text).__name__}")
        return Strategy._wrap(_core.Strategy.from_json(model._core, text, "the strategy"), model)

    @staticmethod
    def positional(model: Model, actions: Mapping[State, Action]) -> CountingStrategy:
        """The strategy that takes these actions for ever, by name or by number. States with a single action may be left out."""
        import json

        if not isinstance(actions, Mapping):
            raise StrategyError(f"actions is {actions!r}; it is a dict of actions by state, such as {{'s0': 'a'}}")
        decisions: dict[str, str] = {}
        for state, action in actions.items():
            number = model._state(state)
            name = model._state_name(number)
            if name in decisions:
                raise StrategyError(f"actions: state `{name}` is there twice, by name and by number; keep one of them")
            decisions[name] = model._action_name(number, action)
        document = {"format": "commonweal-strategy/1", "decisions": decisions}
        strategy = Strategy.from_json(model, json.dumps(document))
        assert isinstance(strategy, CountingStrategy)
        return strategy

    def to_json(self) -> str:
        """The document `commonweal-strategy/1`, which the program reads."""
        return self._core.to_json()

    def __reduce__(self) -> tuple[Any, ...]:
        """The model and the document from which `pickle` makes the same strategy."""
        return Strategy.from_json, (self.model, self.to_json())

    def draw(self, seed: int | None = None) -> Strategy:
        """The strategy to play: itself, or one of a lottery's, drawn at random."""
        return self


class HasStrategy(Protocol):
    """A result with a strategy, such as a `Solution`."""

    @property
    def strategy(self) -> Strategy | None:
        """The strategy."""


def strategy_of(given: object) -> Strategy:
    """A strategy, or that of a result."""
    own = given if isinstance(given, Strategy) else getattr(given, "strategy", None)
    if not isinstance(own, Strategy):
        raise QuestionError(f"{given!r} is not a strategy; take one of a result, or Strategy.positional(model, actions)")
    return own


class CountingStrategy(Strategy):
    """One action for each state and step; from some step on it no longer changes."""

    def action(self, state: State, step: int = 0) -> Action:
        """What is done in a state at a step."""
        return self._action_at(self.model._state(state), step)

    def _action_at(self, position: int, step: int) -> Action:
        name, _ = self._core.action(position, step_text(step))
        return self.model._shown_action(name)

    def decisions(self, state: State) -> list[Decision]:
        """From which step on which action is taken in a state; the last one for ever."""
        return self._decisions_at(self.model._state(state))

    def _decisions_at(self, position: int) -> list[Decision]:
        found = self._core.decisions(position)
        return [Decision(int(step), self.model._shown_action(action)) for step, action in found]

    @property
    def stages(self) -> list[Stage]:
        """The stages, each a range of steps in which no state changes its action, from step 0 on; the last stage has no end."""
        steps = [int(step) for step in self._core.change_steps()]
        ends: list[int | None] = [*steps[1:], None]
        return [Stage(first, end, self) for first, end in zip(steps, ends, strict=True)]

    @property
    def settled_from(self) -> int:
        """The step from which no state changes its action."""
        return int(self._core.change_steps()[-1])

    def positions(self, step: int = 0) -> NDArray[np.int64]:
        """For each state the position of its action among the state's actions, at a step: fast for large models."""
        return self._core.positions(step_text(step))

    def __repr__(self) -> str:
        return f"<counting strategy, {self.model.n_states} states, settled from step {self.settled_from}>"


class StationaryStrategy(Strategy):
    """One mix of actions for each state, for ever."""

    def mix(self, state: State) -> dict[Action, Fraction]:
        """The actions that are taken in a state, with their probabilities."""
        found = self._core.mix(self.model._state(state))
        return {self.model._shown_action(action): fraction(share) for action, share in found}

    def __repr__(self) -> str:
        return f"<stationary strategy, {self.model.n_states} states>"


@dataclass(frozen=True)
class Share:
    """A strategy of a lottery, and its probability."""

    probability: Fraction
    strategy: CountingStrategy


class Lottery(Strategy):
    """One of several counting strategies, drawn once at the start."""

    @property
    def shares(self) -> list[Share]:
        """The strategies with their probabilities."""
        return list(self._shares())

    def _shares(self) -> Iterator[Share]:
        for probability, core in self._core.shares():
            strategy = Strategy._wrap(core, self.model)
            assert isinstance(strategy, CountingStrategy)
            yield Share(fraction(probability), strategy)

    def draw(self, seed: int | None = None) -> Strategy:
        """The strategy to play, drawn at random; the same seed draws the same one."""
        drawn = random.Random(seed).random()
        total = Fraction(0)
        shares = self.shares
        for share in shares:
            total += share.probability
            if drawn < total:
                return share.strategy
        return shares[-1].strategy

    def __repr__(self) -> str:
        return f"<lottery over {len(self.shares)} counting strategies>"
