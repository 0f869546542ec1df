"""Playing strategies in an environment."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import QuestionError
from .labels import Action, State
from .strategy import CountingStrategy, HasStrategy, StationaryStrategy, Strategy, strategy_of


@dataclass(frozen=True)
class Episode:
    """What happened in one run: at each step the state, the action and the reward."""

    states: list[State]
    actions: list[Action]
    rewards: list[Any]
    terminated: bool = False
    """Whether the run came to the environment's end."""
    truncated: bool = False
    """Whether the environment's time limit cut the run, which the model does not know."""

    def payoff(self, discount: float, of: Callable[[Any], float] = float) -> float:
        """The discounted payoff of the run with this discount and the reward `of(reward)` at each step."""
        total, counts = 0.0, 1.0
        for reward in self.rewards:
            total += counts * of(reward)
            counts *= discount
        return total


class StrategyPolicy:
    """Plays a strategy in an environment: it counts the steps and draws from lotteries and mixes.

    >>> policy = StrategyPolicy(solution.strategy, seed=1)     # doctest: +SKIP
    >>> observation, _ = env.reset()                           # doctest: +SKIP
    >>> policy.reset()                                         # doctest: +SKIP
    >>> env.step(policy(observation))                          # doctest: +SKIP

    An observation is a state by name or number, or, for a model of `from_mo_gymnasium`, what the environment returns; actions
    are what the environment takes. `state_of` turns an observation into a state of the model, and `action_of` an action of
    the model into one of the environment, where they are called otherwise.
    """

    def __init__(
        self,
        strategy: Strategy | HasStrategy,
        *,
        state_of: Callable[[Any], State] | None = None,
        action_of: Callable[[Action], Any] | None = None,
        seed: int | None = None,
    ) -> None:
        self.strategy = strategy_of(strategy)
        self._state_of = state_of or self._as_state
        self._action_of = action_of or self._as_played
        self._random = random.Random(seed)
        self.reset()

    def reset(self) -> None:
        """Begins a new run, at step 0."""
        self.step = 0
        self._played = self.strategy.draw(self._random.randrange(2**63))

    def action(self, observation: Any) -> Any:
        """What to do now, at the next step."""
        state = self._state_of(observation)
        if isinstance(self._played, CountingStrategy):
            action = self._played.action(state, self.step)
        elif isinstance(self._played, StationaryStrategy):
            mix = self._played.mix(state)
            (action,) = self._random.choices(list(mix), weights=[float(share) for share in mix.values()])
        else:
            raise QuestionError("a strategy to play is counting, stationary or a lottery")
        self.step += 1
        return self._action_of(action)

    __call__ = action

    def play(self, env: Any, *, seed: int | None = None, steps: int = 1_000_000, options: Any = None) -> Episode:
        """One run in an environment with Gymnasium's `reset` and `step`, to its end or for `steps` steps."""
        observation, _ = env.reset(seed=seed, options=options)
        self.reset()
        states, actions, rewards = [], [], []
        terminated = truncated = False
        for _ in range(steps):
            states.append(self._state_of(observation))
            action = self.action(observation)
            observation, reward, terminated, truncated, _ = env.step(action)
            actions.append(action)
            rewards.append(reward)
            if terminated or truncated:
                break
        return Episode(states, actions, rewards, bool(terminated), bool(truncated))

    def _as_state(self, observation: Any) -> State:
        """The state of an observation, as the model has it."""
        model = self.strategy.model
        seen = observation.item() if isinstance(observation, np.ndarray) and observation.ndim == 0 else observation
        try:
            return model.state_of(seen)
        except QuestionError as error:
            known = "the model was enumerated with a function state_of: give StrategyPolicy a state_of too, from an observation"
            raise QuestionError(f"{known}; {error}" if model._labels.needs_state_of else str(error)) from None

    def _as_played(self, action: Action) -> Any:
        """The action as the environment takes it."""
        played = self.strategy.model._labels.played
        return action if played is None else played.get(str(action), action)
