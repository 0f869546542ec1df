"""Models of other libraries, against those libraries and against files."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import commonweal as cw

gymnasium = pytest.importorskip("gymnasium")
TAXI = max(name for name in gymnasium.registry if name.startswith("Taxi-v"))


def exact(solution: cw.Solution, state: int) -> Fraction:
    found = solution[state].welfare.exact
    assert found is not None
    return found


# QuantEcon


@pytest.mark.parametrize("form", ["product", "dense pairs", "sparse pairs"])
def test_one_principal_is_what_quantecon_solves(form: str) -> None:
    quantecon = pytest.importorskip("quantecon")
    rng = np.random.default_rng(3)
    ddp = quantecon.markov.random_discrete_dp(40, 4, beta=0.95, k=5, random_state=rng)
    if form != "product":
        ddp = ddp.to_sa_pair_form(sparse=form == "sparse pairs")
    theirs = ddp.solve(method="policy_iteration")
    solution = cw.from_quantecon(ddp).solve()
    assert solution.status == "optimal"
    ours = np.array([float(solution[state].welfare) for state in range(40)])
    assert np.allclose(ours, theirs.v, rtol=1e-12)
    assert np.array_equal(solution.strategy.positions(), theirs.sigma)


def test_an_action_that_earns_minus_infinity_is_not_there() -> None:
    quantecon = pytest.importorskip("quantecon")
    R = np.array([[5.0, 10.0], [-1.0, -np.inf]])
    Q = np.array([[[0.5, 0.5], [0, 1]], [[0, 1], [0.5, 0.5]]])
    ddp = quantecon.markov.DiscreteDP(R, Q, 0.95)
    model = cw.from_quantecon(ddp, principal="firm")
    assert [model.actions(state) for state in (0, 1)] == [[0, 1], [0]]
    solution = model.solve()
    assert np.allclose([float(solution[state].welfare) for state in (0, 1)], ddp.solve("policy_iteration").v)
    assert model.principals[0].name == "firm"


# Gymnasium


def split(state: int, action: int, target: int, reward: float, ended: bool) -> dict[str, float]:
    """How the files of other tools' models split Taxi's reward."""
    return {"time": -1.0, "delivery": float(reward == 20), "illegal": float(reward == -10)}


def test_taxi_with_its_reward_split_is_the_file(shared_models: Path) -> None:
    discounts = {"time": "0.99", "delivery": "0.9", "illegal": "1/2"}
    model = cw.from_gymnasium(gymnasium.make(TAXI), discounts, rewards=split)
    file = cw.load(shared_models / "taxi.drn", discounts=discounts, start=0)
    assert (model.n_states, model.n_choices) == (501, 3001)
    ours, theirs = model.with_start(0).solve(), file.solve()
    for state in range(0, 500, 25):
        assert ours[state].welfare == theirs[state].welfare
        assert ours[state].payoffs == theirs[state].payoffs


def test_frozen_lake_is_the_file(shared_models: Path) -> None:
    model = cw.from_gymnasium(gymnasium.make("FrozenLake-v1", is_slippery=True), {"goal": Fraction(19, 20)})
    file = cw.load(shared_models / "frozenlake-4x4.drn", discounts={"goal": Fraction(19, 20)})
    assert model.start == 0
    # The environment's thirds are doubles, some of them next to the nearest one; here they are thirds.
    ours, theirs = model.solve(exact=True), file.solve(exact=True)
    assert [exact(ours, state) for state in range(16)] == [exact(theirs, state) for state in range(16)]


def intervals(payoffs: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Four standard errors around the mean."""
    half = 4 * payoffs.std(ddof=1) / len(payoffs) ** 0.5
    return payoffs.mean() - half, payoffs.mean() + half


def test_a_counting_strategy_plays_frozen_lake_within_confidence() -> None:
    """Two principals: one wants the goal and is patient, one wants to fall into a hole soon."""
    discounts = {"goal": 0.99, "hole": 0.8}

    def parts(state: int, action: int, target: int, reward: float, ended: bool) -> dict[str, float]:
        return {"goal": reward, "hole": float(ended and reward == 0)}

    env = gymnasium.make("FrozenLake-v1", is_slippery=True, max_episode_steps=100_000)
    solution = cw.from_gymnasium(env, discounts, rewards=parts).solve()
    assert solution.memory > 0, "the strategy counts"
    policy = cw.StrategyPolicy(solution.strategy)
    goal, hole = [], []
    for seed in range(1500):
        episode = policy.play(env, seed=seed)
        goal.append(episode.payoff(0.99))
        hole.append(0.8 ** (len(episode.rewards) - 1) * (1 - episode.rewards[-1]))
    for played, principal in ((goal, "goal"), (hole, "hole")):
        low, high = intervals(np.array(played))
        assert low <= float(solution.payoffs[principal]) <= high, principal
    # Without counting, the patient principal gets noticeably less or more: the policy counts in the environment too.
    first = cw.Strategy.positional(solution.model, {s: solution.strategy.action(s, 0) for s in solution.model.states})
    worth = solution.model.evaluate(first)
    assert abs(float(worth.payoffs["goal"]) - float(solution.payoffs["goal"])) > 0.05


def test_taxi_is_played_within_confidence() -> None:
    env = gymnasium.make(TAXI, max_episode_steps=10_000)
    model = cw.from_gymnasium(env, 0.95)
    solution = model.solve()
    lower, upper = solution.welfare_bounds()
    initial = np.asarray(env.unwrapped.initial_state_distrib)
    expected = float(initial @ (lower + upper)[:-1] / 2)
    policy = cw.StrategyPolicy(solution.strategy)
    played = np.array([policy.play(env, seed=seed).payoff(0.95) for seed in range(400)])
    low, high = intervals(played)
    assert low <= expected <= high


def test_rewards_of_principals_that_do_not_exist_are_refused() -> None:
    env = gymnasium.make("FrozenLake-v1")
    wrong: Any
    for wrong, says in (
        (
            lambda *_: {"goal": 1.0, "hole": 1.0},
            "state 0, action 0: .* part for `hole`, but there is no such principal; they are `goal`",
        ),
        (lambda *_: 1.0, "returned 1.0; it returns a dict"),
    ):
        with pytest.raises(cw.ModelError, match=says):
            cw.from_gymnasium(env, {"goal": 0.9}, rewards=wrong)
    # One that is left out gets nothing.
    model = cw.from_gymnasium(env, {"goal": 0.9, "other": 0.5}, rewards=lambda *given: {"goal": given[3]})
    assert model.solve().payoffs["other"] == 0


def test_an_environment_without_a_table_is_refused() -> None:
    with pytest.raises(cw.ModelError, match="has no table"):
        cw.from_gymnasium(gymnasium.make("Blackjack-v1"), 0.9)


def test_every_kind_of_strategy_is_played(hotel: cw.Model) -> None:
    for strategy in (hotel.solve().strategy, hotel.stationary().strategy, hotel.fair("kalai-smorodinsky").strategy):
        assert strategy is not None
        policy = cw.StrategyPolicy(strategy, seed=3)
        actions = [policy("s0") for _ in range(5)]
        assert set(actions) <= {"a", "b"}
        assert policy.step == 5
        policy.reset()
        assert policy.step == 0


# MO-Gymnasium


def test_deep_sea_treasure_is_the_file(shared_models: Path) -> None:
    mo_gymnasium = pytest.importorskip("mo_gymnasium")
    discounts = {"treasure": "0.98", "time": "0.9"}
    env = mo_gymnasium.make("deep-sea-treasure-concave-v0")
    model = cw.from_mo_gymnasium(env, discounts, actions=["up", "down", "left", "right"])
    file = cw.load(shared_models / "deep-sea-treasure-concave.drn", discounts=discounts)
    assert (model.n_states, model.n_choices, model.n_transitions) == (63, 249, 249)
    ours, theirs = model.solve(), file.solve()
    assert ours.welfare == theirs.welfare
    assert ours.payoffs == theirs.payoffs
    assert ours.horizon == theirs.horizon
    # Both list actions in the same order, so ties fall alike, and states in the order in which they are found.
    assert [ours[state].welfare for state in range(63)] == [theirs[state].welfare for state in range(63)]


def test_resource_gathering_has_the_front_that_the_environment_knows() -> None:
    """The environment lists the payoffs of its undominated strategies, and counts its first step as 1, not as 0."""
    mo_gymnasium = pytest.importorskip("mo_gymnasium")
    env = mo_gymnasium.make("resource-gathering-v0")
    gamma = 0.9
    model = cw.from_mo_gymnasium(env, dict.fromkeys(("enemy", "gold", "gem"), gamma))
    assert any(share == Fraction(1, 10) for share in shares(model)), "an enemy attacks one time in ten"
    theirs = np.array(env.unwrapped.pareto_front(gamma))
    rng = np.random.default_rng(2)
    for weights in [*np.eye(3), *rng.dirichlet(np.ones(3), size=12)]:
        weighted = model.with_weights(dict(zip(("enemy", "gold", "gem"), weights.tolist(), strict=True)))
        assert float(weighted.solve().welfare) == pytest.approx((theirs @ weights).max() / gamma, abs=1e-9)


def under_the_rules_of_the_file(environment: type[Any]) -> Any:
    """Resource gathering as Storm's file has it: an attack and a return home end nothing, and an attack counts a step later."""

    class GoesOn(environment):  # type: ignore[misc]
        attacked = False

        def step(self, action: int) -> tuple[Any, ...]:
            was_attacked = self.attacked
            _, vector, ended, truncated, info = super().step(action)
            self.attacked = vector[0] < 0
            if ended:
                self.current_pos, self.has_gold, self.has_gem = self.initial_pos, 0, 0
            vector[0] = was_attacked
            return self.get_state(), vector, False, truncated, info

    return GoesOn()


def test_resource_gathering_under_the_rules_of_the_file_is_the_file(shared_models: Path) -> None:
    """The file is the benchmark set's model, not the environment: the same map and chances, but other rules.

    In the file a run goes on after an attack and after a return, an attack is a cost that counts one step later, and nobody
    walks into a wall. With these rules the environment has the file's states, choices and exact answers.
    """
    mo_gymnasium = pytest.importorskip("mo_gymnasium")
    discounts: dict[str, cw.Preference] = {"attacks": {"discount": "0.8", "weight": -2}, "rew_gold": "0.95", "rew_gem": "0.9"}
    env = under_the_rules_of_the_file(type(mo_gymnasium.make("resource-gathering-v0").unwrapped))
    walled = cw.from_mo_gymnasium(env, discounts, state_of=lambda env: (*env.get_state().tolist(), bool(env.attacked)))
    places = [ast.literal_eval(str(state)) for state in walled.states]
    s_indices, a_indices, (data, indices, indptr), R = walled.to_arrays()
    P = scipy.sparse.csr_matrix((data, indices, indptr), shape=(len(s_indices), len(places)))

    def stays_inside(row: int) -> bool:
        place = np.array(places[s_indices[row]][:2]) + env.dir[int(a_indices[row])]
        return bool(env.is_valid_state(place))

    kept = np.array([stays_inside(row) for row in range(len(s_indices))])
    rewards = {name: reward[kept] for name, reward in R.items()}
    model = cw.Model.from_arrays(P[kept], rewards, discounts, s_indices=s_indices[kept], a_indices=a_indices[kept])
    file = cw.load(shared_models / "resource-gathering.small.drn", discounts=discounts)
    for one in (model, file):
        assert (one.n_states, one.n_choices, one.n_transitions) == (94, 302, 326)
    ours, theirs = model.solve(exact=True), file.solve(exact=True)
    assert ours.memory == theirs.memory > 0, "the strategy counts"
    assert ours.payoffs == theirs.payoffs
    assert sorted(exact(ours, state) for state in range(94)) == sorted(exact(theirs, state) for state in range(94))


def shares(model: cw.Model) -> set[Fraction]:
    """The probabilities of a model, as short fractions."""
    _, _, (data, _, _), _ = model.to_arrays()
    return {Fraction(share).limit_denominator(1000) for share in data.tolist()}


# Storm


def test_storm_both_ways(shared_models: Path) -> None:
    stormpy = pytest.importorskip("stormpy")
    path = shared_models / "firewire_abst.3.drn"
    discounts = {"rounds": "0.99", "time": "0.9"}
    theirs = stormpy.build_model_from_drn(str(path))
    model = cw.from_stormpy(theirs, discounts)
    file = cw.load(path, discounts=discounts)
    assert (model.n_states, model.n_choices) == (file.n_states, file.n_choices)
    assert model.solve().welfare == file.solve().welfare
    back = cw.to_stormpy(model)
    assert (back.nr_states, back.nr_choices) == (theirs.nr_states, theirs.nr_choices)
    again = cw.from_stormpy(back, discounts)
    assert again.solve().welfare == model.solve().welfare
    with pytest.raises(cw.ModelError, match="there is no reward model `gold`"):
        cw.from_stormpy(theirs, {"gold": 0.9})


class Room:
    """An environment of two rooms whose observation is a dict; going to the other room earns 1 and costs 1."""

    class action_space:  # noqa: N801
        n = 2

    def __init__(self) -> None:
        self.unwrapped = self
        self.at = 0
        self.np_random = np.random.default_rng(0)

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.at = 0
        return self.seen(), {}

    def seen(self) -> Any:
        return {"room": np.array([self.at]), "lit": np.bool_(self.at == 1)}

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self.at = (self.at + action) % 2
        return self.seen(), np.array([float(action), -float(action)]), False, False, {}


def test_observations_that_are_dicts_identify_states() -> None:
    model = cw.from_mo_gymnasium(Room(), {"gain": "2/3", "cost": "1/2"})
    assert model.n_states == 2
    # Always going: 3 for the one, -2 for the other.
    assert model.solve().welfare == 1


class Blur(Room):
    """The same, with observations that identify nothing."""

    def seen(self) -> Any:
        return {self.at}


def test_observations_that_identify_nothing_are_refused_with_a_cure() -> None:
    with pytest.raises(cw.ModelError, match="an observation is a set, which does not identify a state; give state_of"):
        cw.from_mo_gymnasium(Blur(), {"gain": "2/3", "cost": "1/2"})
    assert cw.from_mo_gymnasium(Blur(), {"gain": "2/3", "cost": "1/2"}, state_of=lambda env: env.at).n_states == 2


def test_what_is_no_environment_and_no_model_is_refused() -> None:
    for make in (cw.from_gymnasium, cw.from_mo_gymnasium):
        with pytest.raises(cw.ModelError, match="'FrozenLake-v1' is not an environment"):
            make("FrozenLake-v1", {"p": 0.5})
    with pytest.raises(cw.ModelError, match=r"is not a quantecon\.markov\.DiscreteDP"):
        cw.from_quantecon("ddp")
    with pytest.raises(cw.ModelError, match="is not a model of stormpy"):
        cw.from_stormpy("model", {"p": 0.5})


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_quantecon_rewards_that_are_no_numbers_are_refused(wrong: float) -> None:
    quantecon = pytest.importorskip("quantecon")
    ddp = quantecon.markov.DiscreteDP(np.array([[1.0, wrong], [2, 3]]), np.full((2, 2, 2), 0.5), 0.9)
    with pytest.raises(cw.ModelError, match=rf"R\[0, 1\] of the DiscreteDP is {wrong}; a reward is a finite number, or -inf"):
        cw.from_quantecon(ddp)


def test_a_time_limit_that_the_model_does_not_have_is_told() -> None:
    env = gymnasium.make("FrozenLake-v1", max_episode_steps=40)
    with pytest.warns(UserWarning, match="TimeLimit that cuts runs after 40 steps; the model has no such limit"):
        model = cw.from_gymnasium(env, {"goal": 0.99})
    episodes = [cw.StrategyPolicy(model.solve(), seed=1).play(env, seed=seed) for seed in range(30)]
    assert all(episode.terminated != episode.truncated for episode in episodes)
    assert {len(episode.rewards) for episode in episodes if episode.truncated} == {40}
    assert any(episode.terminated for episode in episodes)
