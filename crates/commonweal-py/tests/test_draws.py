"""Environments whose random draws are enumerated: every outcome with its exact probability, or a refusal."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import commonweal as cw

gymnasium = pytest.importorskip("gymnasium")
mo_gymnasium = pytest.importorskip("mo_gymnasium")

HALVES: dict[str, cw.Preference] = {"gain": "1/2", "other": "1/2"}


class Once(gymnasium.Env):  # type: ignore[misc, name-defined]
    """One step that earns what is drawn, and ends."""

    action_space = gymnasium.spaces.Discrete(1)
    observation_space = gymnasium.spaces.Discrete(3)

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: int) -> tuple[Any, ...]:
        return 0, np.array([float(self.draw(self.np_random)), 0.0]), True, False, {}


def mean(draw: Callable[[Any], Any]) -> Fraction | None:
    """The expectation of what is drawn."""
    return cw.from_mo_gymnasium(Once(draw), HALVES).solve().payoffs["gain"].exact


@pytest.mark.parametrize("share", [0.05, 0.01, 0.001, 1e-9, 0.995, 0.999, 1 / 3, 1 - 0.9, 0.123456789])
def test_every_threshold_is_seen_however_rare(share: float) -> None:
    shares = {1 / 3: Fraction(1, 3), 1 - 0.9: Fraction(1, 10)}
    expected = shares.get(share, Fraction(repr(share)))
    assert mean(lambda rng: rng.random() < share) == expected
    assert mean(lambda rng: rng.random() >= np.float64(share)) == 1 - expected
    assert mean(lambda rng: share > rng.uniform()) == expected
    assert mean(lambda rng: rng.uniform(-1, 1) < 2 * share - 1) == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("draw", "expected"),
    [
        (lambda rng: rng.integers(0, 2, endpoint=True), 1),
        (lambda rng: rng.integers(5, endpoint=False), 2),
        (lambda rng: rng.integers(3, size=2).sum(), 2),
        (lambda rng: rng.integers(1, 3, size=(2, 2)).sum(), 6),
        (lambda rng: rng.choice(3, 2, replace=False).sum(), 2),
        (lambda rng: rng.choice([1, 5], size=2).sum(), 6),
        (lambda rng: rng.choice([1, 5], p=[0.25, 0.75]), 4),
        (lambda rng: int(rng.random() * 4), Fraction(3, 2)),
        (lambda rng: math.floor(4 * rng.random() - 2), Fraction(-1, 2)),
        (lambda rng: int(4 * rng.random() - 2), 0),
        (lambda rng: np.argmax(np.cumsum([0.2, 0.3, 0.5]) > rng.random()), Fraction(13, 10)),
        (lambda rng: (rng.random(2) < 0.25).sum(), Fraction(1, 2)),
        # One number, compared twice.
        (lambda rng: (lambda u: (u < 0.5) + (u < 0.25))(rng.random()), Fraction(3, 4)),
    ],
)
def test_draws_of_every_form_have_their_expectation(draw: Callable[[Any], Any], expected: Fraction) -> None:
    assert mean(draw) == expected


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        (lambda rng: rng.random(), "for something else than comparisons"),
        (lambda rng: np.searchsorted([0.2, 1.0], rng.random()), "for something else than comparisons"),
        (lambda rng: rng.random() < rng.random(), "combines two uniform numbers"),
        (lambda rng: rng.normal(), "with `normal`, which cannot be enumerated"),
        (lambda rng: rng.choice(3, 2, replace=False, p=[0.2, 0.3, 0.5]).sum(), "without replacement"),
        (lambda rng: random.random() < 0.5, r"another generator than its own `self\.np_random`"),
        (lambda rng: np.random.random() < 0.5, r"another generator than its own `self\.np_random`"),
    ],
)
def test_draws_that_cannot_be_enumerated_are_refused(draw: Callable[[Any], Any], says: str) -> None:
    with pytest.raises(cw.ModelError, match=says):
        cw.from_mo_gymnasium(Once(draw), HALVES)


class OwnGenerator(Once):
    """It draws from a generator inside another object."""

    def __init__(self) -> None:
        self.inside = {"rng": np.random.default_rng(3)}
        super().__init__(lambda _: self.inside["rng"].random() < 0.5)

    def step(self, action: int) -> tuple[Any, ...]:
        return 0, np.array([float(self.inside["rng"].random() < 0.5), 0.0]), True, False, {}


def test_a_generator_inside_the_environment_is_found() -> None:
    with pytest.raises(cw.ModelError, match="another generator than its own"):
        cw.from_mo_gymnasium(OwnGenerator(), HALVES)


class Hidden(Once):
    """Two states that look alike, or that differ in the middle of a long observation alone: then 10 or -10."""

    def __init__(self, looks: Callable[[int], Any]) -> None:
        self.looks = looks
        self.at = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        gymnasium.Env.reset(self, seed=seed)
        self.at = 0
        return self.looks(0), {}

    def step(self, action: int) -> tuple[Any, ...]:
        if self.at == 0:
            self.at = 1 if self.np_random.random() < 0.5 else 2
            return self.looks(self.at), np.zeros(2), False, False, {}
        return self.looks(0), np.array([10.0 if self.at == 1 else -10.0, 0.0]), True, False, {}


def long(at: int) -> Any:
    seen = np.zeros(2000)
    seen[1000] = at
    return seen


@pytest.mark.parametrize(("looks", "state_of"), [(lambda at: 0, lambda env: env.at), (long, None)])
def test_states_that_look_alike_are_told_apart(looks: Callable[[int], Any], state_of: Callable[[Any], int] | None) -> None:
    model = cw.from_mo_gymnasium(Hidden(looks), HALVES, state_of=state_of)
    assert model.n_states == 4
    assert model.solve().payoffs["gain"] == 0


def test_a_state_called_end_is_not_the_end() -> None:
    model = cw.from_mo_gymnasium(Hidden(lambda at: ("go", "end", "1")[at]), HALVES)
    assert model.n_states == 4
    assert model.solve().payoffs["gain"] == 0
    solution = model.with_start(model.state_of("end")).solve()
    assert solution.payoffs["gain"] == 10


def test_an_initial_state_that_is_drawn_is_told() -> None:
    class Anywhere(Once):
        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
            gymnasium.Env.reset(self, seed=seed)
            return int(self.np_random.integers(2)), {}

    with pytest.warns(UserWarning, match="draws its initial state at random"):
        cw.from_mo_gymnasium(Anywhere(lambda _: 1), HALVES)


def test_a_policy_plays_what_was_enumerated() -> None:
    env = mo_gymnasium.make("deep-sea-treasure-concave-v0", max_episode_steps=-1)
    discounts = {"treasure": "0.98", "time": "0.9"}
    for names in (None, ["up", "down", "left", "right"]):
        model = cw.from_mo_gymnasium(env, discounts, actions=names)
        solution = model.solve()
        episode = cw.StrategyPolicy(solution).play(env, seed=1)
        assert episode.terminated
        for at, (name, discount) in enumerate((("treasure", 0.98), ("time", 0.9))):
            earned = episode.payoff(discount, of=lambda reward, at=at: float(reward[at]))  # type: ignore[misc]
            # The environment's rewards are in single precision, and read as the decimals that it prints.
            assert earned == pytest.approx(float(solution.payoffs[name]), rel=1e-6)
        observation, _ = env.reset()
        assert model.state_of(observation) == model.start == episode.states[0]
        assert list(map(str, model.actions(observation))) == (names or ["0", "1", "2", "3"])
        assert solution[observation].welfare == solution.welfare
        with pytest.raises(cw.QuestionError, match=r"give an observation, such as \(0, 0\), "):
            model.actions((77, 3))  # type: ignore[arg-type]


def test_a_policy_says_what_it_needs_where_observations_do_not_tell_the_state() -> None:
    model = cw.from_mo_gymnasium(Hidden(lambda at: (0,)), HALVES, state_of=lambda env: ("at", env.at))
    with pytest.raises(cw.QuestionError, match="give StrategyPolicy a state_of too"):
        cw.StrategyPolicy(model.solve()).action((0,))
    assert cw.StrategyPolicy(model.solve()).action(("at", 2)) == 0


def test_objects_for_pictures_do_not_keep_an_environment_from_being_enumerated() -> None:
    env = mo_gymnasium.make("fruit-tree-v0", depth=5, max_episode_steps=-1)
    discounts = dict.fromkeys(("protein", "carbs", "fats", "vitamins", "minerals", "water"), "1/2")
    model = cw.from_mo_gymnasium(env, discounts)
    # 63 nodes of a tree, and the end in place of its 32 leaves.
    assert model.n_states == 32


def test_an_environment_that_cannot_be_copied_is_refused_with_a_cure() -> None:
    env = Once(lambda _: 1)
    env.file = (line for line in "ab")
    with pytest.raises(cw.ModelError, match=r"the environment's `file` cannot be copied: .*set `env\.unwrapped\.file = None`"):
        cw.from_mo_gymnasium(env, HALVES)


def test_a_pickled_model_of_an_environment_still_knows_its_observations() -> None:
    model = cw.from_mo_gymnasium(Hidden(lambda at: (at, at)), HALVES)
    again = pickle.loads(pickle.dumps(model))
    assert again.state_of(np.array([1, 1])) == "(1, 1)"
    assert cw.StrategyPolicy(again.solve()).action((2, 2)) == 0
