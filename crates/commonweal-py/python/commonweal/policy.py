"""Playing strategies in an environment."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import QuestionError
from .labels import Action, State
from .strategy import CountingStrategy, StationaryStrategy, Strategy


@dataclass(frozen=True)
class Episode:
    """What happened in one run: at each step the state, the action and the reward."""

    states: list[State]
    actions: list[Action]
    rewards: list[Any]

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

    `state_of` turns an observation into a state of the model; by default it is one. `action_of` turns an action of the model
    into one of the environment; by default it is one.
    """

    def __init__(
        self,
        strategy: Strategy,
        *,
        state_of: Callable[[Any], State] | None = None,
        action_of: Callable[[Action], Any] | None = None,
        seed: int | None = None,
    ) -> None:
        self.strategy = strategy
        self._state_of = state_of or _as_state
        self._action_of = action_of
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
        return action if self._action_of is None else self._action_of(action)

    __call__ = action

    def play(self, env: Any, *, seed: int | None = None, steps: int = 1_000_000, options: Any = None) -> Episode:
        """One run in an environment with Gymnasium's `reset` and `step`, to its end or for `steps` steps."""
        observation, _ = env.reset(seed=seed, options=options)
        self.reset()
        states, actions, rewards = [], [], []
        for _ in range(steps):
            states.append(self._state_of(observation))
            action = self.action(observation)
            observation, reward, terminated, truncated, _ = env.step(action)
            actions.append(action)
            rewards.append(reward)
            if terminated or truncated:
                break
        return Episode(states, actions, rewards)


def _as_state(observation: Any) -> State:
    """A number or a name as it is."""
    return observation if isinstance(observation, str) else int(observation)
