"""Models and strategies through `pickle` and `copy`."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

import commonweal as cw

from .conftest import ROOT
from .test_long_questions import ring

T = TypeVar("T")
MODELS = sorted((ROOT / "models").rglob("*.yaml"))


def again(thing: T) -> T:
    found: T = pickle.loads(pickle.dumps(thing))
    return found


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_model_in_fractions_is_the_same_model(path: Path) -> None:
    model = cw.load(path)
    same = again(model)
    assert same._core.canonical() == model._core.canonical()
    assert same.to_yaml() == model.to_yaml()
    assert (same.principals, same.name, same.step, same.start) == (model.principals, model.name, model.step, model.start)
    assert list(same.states) == list(model.states)


def test_a_model_in_doubles_keeps_every_bit() -> None:
    preferences: dict[str, cw.Preference] = {
        "x": {"rate": "3%", "weight": Fraction(-2, 3)},
        "y": {"schedule": "green-book"},
        "z": {"gamma": {"mean": "4%", "sd": "3%"}, "error": 1e-4},
        "v": {"beta": 0.7, "delta": 0.95},
    }
    plain = ring(30, dict.fromkeys(preferences, 0.5))
    s_indices, a_indices, (data, indices, indptr), R = plain.to_arrays()
    import scipy.sparse

    P = scipy.sparse.csr_matrix((data, indices, indptr), shape=(60, 30))
    model = cw.Model.from_arrays(
        P,
        R,
        preferences,
        s_indices=s_indices,
        a_indices=a_indices,
        states=list(range(1000, 1030)),
        actions=["left", "right"],
        start=1007,
        exact=False,
    )
    same = again(model)
    assert (same.is_exact, same.start, same.principals) == (False, 1007, model.principals)
    assert (list(same.states), same.actions(1029)) == (list(model.states), ["left", "right"])
    for ours, theirs in zip(model._core.to_rows()[:5], same._core.to_rows()[:5], strict=True):
        assert np.array_equal(ours, theirs)
    assert same.solve(gap=1e-3).to_json() == model.solve(gap=1e-3).to_json()


def test_labels_survive(hotel: cw.Model) -> None:
    b = cw.ModelBuilder({"p": 0.5})
    b.choice(7, 3, reward=1, to=5)
    b.choice(5, 3, to=5)
    model = again(b.build())
    assert (list(model.states), model.actions(7)) == ([7, 5], [3])
    assert model.solve()[7].welfare == 1
    assert again(hotel).solve().welfare == Fraction(127, 9)


def test_strategies_and_results_are_stored_with_their_model(hotel: cw.Model) -> None:
    solution = hotel.solve()
    strategy = again(solution.strategy)
    assert isinstance(strategy, cw.CountingStrategy)
    assert strategy.decisions("s0") == solution.strategy.decisions("s0")
    assert strategy.model.evaluate(strategy).welfare == Fraction(127, 9)
    mix = again(hotel.stationary())
    assert mix.payoffs == hotel.stationary().payoffs
    fair = again(hotel.fair("kalai-smorodinsky"))
    assert fair.payoffs["alice"] == Fraction(31, 3)
    assert again(solution.welfare) == solution.welfare
    for result in (hotel.front(), hotel.sweep("bob", 0.1, 0.6, steps=2), hotel.evaluate(solution.strategy)):
        assert again(result) == result


def test_a_solution_says_what_to_store(hotel: cw.Model) -> None:
    with pytest.raises(TypeError, match=r"Pickle solution.model and solution.strategy"):
        pickle.dumps(hotel.solve())
    solution = hotel.solve()
    assert copy.copy(solution) is copy.deepcopy(solution) is solution
    assert copy.copy(hotel) is copy.deepcopy(hotel) is hotel


def _welfare(model: cw.Model) -> Fraction | None:
    return model.solve().welfare.exact


def test_models_go_to_other_processes(hotel: cw.Model) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_welfare, [hotel, hotel.with_start("s1")]) == [Fraction(127, 9), 27]
