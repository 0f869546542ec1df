"""The example of the front page, by every door."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import commonweal as cw

from .conftest import HOTEL


def built() -> cw.Model:
    b = cw.ModelBuilder({"alice": Fraction(2, 3), "bob": "1/3"})
    b.choice("s0", "a", reward=3, to="s0")
    b.choice("s0", "b", reward={"alice": -1, "bob": -1.0}, to={"s1": 1, "s0": 0})
    b.choice("s1", "b", reward=6, to={"s1": Fraction(1)})
    return b.build()


def from_pairs() -> cw.Model:
    return cw.Model.from_arrays(
        np.array([[1.0, 0], [0, 1], [0, 1]]),
        {"alice": [3, -1, 6], "bob": [3, -1, 6]},
        {"alice": "2/3", "bob": Fraction(1, 3)},
        s_indices=[0, 0, 1],
        a_indices=[0, 1, 1],
        states=["s0", "s1"],
        actions=["a", "b"],
    )


@pytest.mark.parametrize("model", [cw.Model.from_yaml(HOTEL), built(), from_pairs()])
def test_the_hotel_waits_twice_and_earns_127_ninths(model: cw.Model) -> None:
    solution = model.solve()
    assert (solution.status, solution.reason, solution.engine) == ("optimal", None, "exact")
    assert solution.welfare.exact == Fraction(127, 9)
    assert solution.welfare.lower < Fraction(127, 9) < solution.welfare.upper
    assert float(solution.welfare) == 127 / 9
    assert solution.payoffs["alice"].exact == Fraction(89, 9)
    assert solution.payoffs["bob"] == Fraction(38, 9)
    assert solution.own_best["bob"].exact == Fraction(9, 2)
    assert solution.long_term_welfare == 13
    assert (solution.horizon, solution.memory) == (2, 2)
    strategy = solution.strategy
    assert [strategy.action("s0", step) for step in range(4)] == ["a", "a", "b", "b"]
    assert strategy.action(0, 10**40) == "b"
    assert [(stage.first, stage.end) for stage in strategy.stages] == [(0, 2), (2, None)]
    assert strategy.stages[0].actions == {"s0": "a", "s1": "b"}
    assert strategy.decisions("s0") == [cw.Decision(0, "a"), cw.Decision(2, "b")]
    assert strategy.positions(0).tolist() == [0, 0]
    assert strategy.positions(2).tolist() == [1, 0]
    assert solution["s1"].welfare == 27
    assert solution.words == "a twice, then b for ever"


def test_numbered_states_and_actions_are_numbers() -> None:
    model = cw.Model.from_arrays([[[1, 0], [0, 1]], [[0, 1], [0, 1]]], {"alice": [[3, -1], [6, 6]]}, {"alice": 0.5}, start=1)
    assert (list(model.states), model.start, model.actions(0)) == ([0, 1], 1, [0, 1])
    solution = model.solve()
    assert solution.strategy.action(0, 0) == 0
    assert solution.strategy.action("0") == 0
    assert solution.strategy.stages[0].actions[1] == 0
    assert solution[0].welfare == 6
    assert solution.welfare == 12


def test_every_kind_of_answer_of_the_hotel(hotel: cw.Model) -> None:
    positional = hotel.positional()
    assert positional.status == "optimal"
    assert positional.welfare == Fraction(27, 2)
    assert positional.payoffs["alice"] == 9
    assert isinstance(positional.strategy, cw.CountingStrategy)
    assert positional.strategy.action("s0", 5) == "a"
    assert hotel.positional(threshold=14).answer == "no"

    stationary = hotel.stationary(gap=1e-9)
    assert isinstance(stationary.strategy, cw.StationaryStrategy)
    assert sum(stationary.strategy.mix("s0").values()) == 1
    assert 13.6754446 < float(stationary.welfare) <= stationary.upper < 13.6754447

    solution = hotel.solve()
    assert hotel.evaluate(solution.strategy).welfare == Fraction(127, 9)
    assert hotel.evaluate(positional.strategy).payoffs == {"alice": 9, "bob": Fraction(9, 2)}
    bounds = hotel.evaluate(solution.strategy, gap=1e-9)
    assert bounds.welfare.exact is None
    assert bounds.welfare.lower < Fraction(127, 9) < bounds.welfare.upper
    every = hotel.evaluate(solution.strategy, all_states=True)
    assert every.states["s1"][0] == 27

    simulation = hotel.simulate(solution.strategy, runs=100, seed=7)
    assert Fraction(127, 9) in simulation.welfare
    assert simulation.seed == 7

    sweep = hotel.sweep("bob", "1/10", 0.6, steps=5)
    assert [point.discount for point in sweep.points][:2] == [Fraction(1, 10), Fraction(1, 5)]
    assert sweep.changes
    assert all(change.low < change.high for change in sweep.changes)
    found = hotel.map("alice", "bob", resolution=4)
    assert abs(sum(region.share for region in found.regions) - 1) < 1e-9
    assert found.located

    fair = hotel.fair("kalai-smorodinsky")
    assert fair.status == "optimal"
    assert fair.value == Fraction(2, 3)
    assert fair.payoffs["alice"] == Fraction(31, 3)
    assert fair.strategy is not None
    assert sum(share.probability for share in fair.strategy.shares) == 1
    assert hotel.evaluate(fair.strategy).payoffs == fair.payoffs
    assert hotel.fair("max-min", over={"alice": 9, "bob": 2}).over == {"alice": 9, "bob": 2}
    assert hotel.fair("welfare", at_least={"bob": 100}).status == "infeasible"
    over_strategy = hotel.fair("max-min", over=positional.strategy)
    assert over_strategy.over == {"alice": 9, "bob": Fraction(9, 2)}

    front = hotel.front()
    assert front.complete
    assert front.pattern is not None
    assert front.vertices[0].payoffs["alice"] == 11
    assert hotel.front("bob", "alice").principals == ["bob", "alice"]


def test_changes_make_new_models(hotel: cw.Model) -> None:
    assert hotel.with_start("s1").solve().welfare == 27
    assert hotel.with_discounts({"bob": "1/2"}).solve().welfare == 16
    assert hotel.with_weights({"bob": 0}).solve().welfare == 11
    weighted = hotel.with_discounts({"bob": {"discount": "1/2", "weight": 2}})
    assert weighted.principals[1] == cw.Principal("bob", "1/2", Fraction(1, 2), Fraction(2))
    assert hotel.principals[1].discount == Fraction(1, 3)
    assert cw.Model.from_yaml(hotel.to_yaml()).solve().welfare == Fraction(127, 9)


def test_documents_are_the_programs_own(hotel: cw.Model) -> None:
    solution = hotel.solve()
    document = json.loads(solution.to_json())
    assert document["format"] == "commonweal-solution/1"
    assert document["states"]["s0"]["welfare"]["exact"] == "127/9"
    assert document["checked"] is False
    assert solution.check().accepted
    assert json.loads(solution.to_json())["checked"] is True
    strategy = cw.Strategy.from_json(hotel, solution.strategy.to_json())
    assert isinstance(strategy, cw.CountingStrategy)
    assert strategy.decisions("s0") == solution.strategy.decisions("s0")


def test_a_certificate_is_checked_and_a_spoilt_one_refused(hotel: cw.Model) -> None:
    certificate = hotel.solve().certificate()
    assert certificate.startswith(b"commonweal-certificate 1")
    verdict = cw.check(hotel, certificate)
    assert verdict
    assert "optimal" in verdict.says
    spoilt = certificate.replace(b"exact 127/9", b"exact 128/9")
    assert spoilt != certificate
    refused = cw.check(hotel, spoilt)
    assert not refused.accepted
    assert "128/9" in refused.says or "welfare" in refused.says
    with pytest.raises(cw.CertificateError):
        cw.check(hotel, b"nonsense")
    bounds = hotel.solve(gap=1e-6)
    assert (bounds.status, bounds.engine) == ("within gap", "certified")
    assert "bound" in bounds.check().says


def test_a_positional_strategy_is_written_by_hand(hotel: cw.Model) -> None:
    strategy = cw.Strategy.positional(hotel, {"s0": "b"})
    assert hotel.evaluate(strategy).welfare == 13
    lottery = hotel.fair("max-min", over={"alice": 9, "bob": 2}).strategy
    assert lottery is not None
    assert len(lottery.shares) == 2
    drawn = {repr(lottery.draw(seed).decisions("s0")) for seed in range(50)}  # type: ignore[attr-defined]
    assert len(drawn) == len(lottery.shares)
