"""The example of the front page, by every door."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import commonweal as cw

from .conftest import HOTEL, run


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
    assert hotel.map("alice", "bob").status == "done"

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


def machine() -> tuple[cw.Model, Fraction, Fraction]:
    """A machine that breaks one time in three, and what it earns its owner and its user, by hand."""
    b = cw.ModelBuilder({"owner": "9/10", "user": "1/2"})
    third = Fraction(1, 3)
    b.choice("new", "run", reward={"owner": 2, "user": 5}, to={"new": 1 - third, "broken": third})
    b.choice("broken", "repair", reward={"owner": -4}, to={"new": Fraction(1, 4), "broken": Fraction(3, 4)})

    # V = 2 + λ(2/3 V + 1/3 B), B = -4 + λ(1/4 V + 3/4 B), and the same with 5 and 0.
    def worth(discount: Fraction, new: int, broken: int) -> Fraction:
        stays = 1 - discount * Fraction(3, 4)
        return (new + discount * third * broken / stays) / (1 - discount * (1 - third) - discount**2 * third / 4 / stays)

    return b.build(), worth(Fraction(9, 10), 2, -4), worth(Fraction(1, 2), 5, 0)


def test_simulated_intervals_cover_what_is_computed_by_hand() -> None:
    model, owner, user = machine()
    strategy = model.solve().strategy
    assert model.evaluate(strategy).payoffs == {"owner": owner, "user": user}
    seeds = 100
    covered = 0
    for seed in range(seeds):
        simulation = model.simulate(strategy, runs=200, seed=seed, confidence=0.9)
        assert simulation.payoffs["owner"].standard_error > 0, "runs differ"
        covered += owner in simulation.payoffs["owner"] and user in simulation.payoffs["user"]
    # Nine tenths of 100, less three standard deviations.
    assert covered >= 81
    few, many = (model.simulate(strategy, runs=runs, seed=1).payoffs["owner"] for runs in (1_000, 25_000))
    # 25 times the runs give a fifth of the width.
    assert (many.upper - many.lower) < 0.3 * (few.upper - few.lower)
    assert owner in many
    assert owner + 1 not in many
    assert model.simulate(strategy, seed=5).to_json() == model.simulate(strategy, seed=5, threads=1).to_json()
    assert model.simulate(strategy, seed=5).welfare.mean != model.simulate(strategy, seed=6).welfare.mean


def test_a_certificate_has_a_time_limit_and_a_check_says_what_it_is_about(hotel: cw.Model) -> None:
    rng = np.random.default_rng(2)
    P, R = rng.dirichlet(np.ones(40), size=(3, 40)), {name: rng.normal(size=(40, 3)) for name in ("x", "y")}
    slow = cw.Model.from_arrays(P, R, {"x": 0.95, "y": 0.6}).solve()
    stopped = slow.check(time_limit=0.001)
    assert (stopped.status, stopped.accepted, stopped.says) == ("stopped", False, "the time limit was reached")
    assert not stopped
    # The proof of a model in doubles is found anew.
    large = cw.Model.from_arrays(
        rng.dirichlet(np.ones(400), size=(2, 400)), {"x": rng.normal(size=(400, 2))}, {"x": 0.99}, exact=False
    )
    with pytest.raises(cw.CertificateError, match="the time limit was reached, before the certificate was written"):
        large.solve().certificate(time_limit=0.0)
    assert hotel.solve().check(time_limit=60).accepted
    assert cw.check(hotel, hotel.solve().certificate(), time_limit=0.0).status in ("stopped", "accepted")
    with pytest.raises(cw.QuestionError, match="time_limit is -1"):
        hotel.solve().check(time_limit=-1)
    mixed = hotel.with_discounts({"bob": {"hyperbolic": 0.1, "hazard": "1%"}})
    solution = mixed.solve()
    verdict = solution.check()
    assert verdict.accepted
    assert verdict.says.startswith("for the mixtures of discounts that approximate the time preferences of `bob`: ")
    assert "for the mixtures" not in hotel.solve().check().says
    # The whole front of the mixtures is not the whole front.
    assert hotel.front().complete
    assert not mixed.front().complete
    assert "not whole" in repr(mixed.front())


def test_the_certificate_of_a_fair_answer_is_checked_too(hotel: cw.Model, program: Path, tmp_path: Path) -> None:
    (tmp_path / "hotel.yaml").write_text(HOTEL)
    place = tmp_path / "certificate"
    run(program, "fair", str(tmp_path / "hotel.yaml"), "--rule", "max-min", "--certificate", str(place), "--quiet")
    assert cw.check(hotel, place.read_bytes()).accepted
    spoilt = place.read_bytes().replace(b"9/2", b"19/4")
    assert spoilt != place.read_bytes()
    assert not cw.check(hotel, spoilt).accepted


def test_a_strategy_in_words_has_no_marks() -> None:
    """Beyond a few parts the words end in dots; marks that tell strategies apart belong to lists of several."""
    rng = np.random.default_rng(2)
    P = rng.dirichlet(np.ones(30), size=(3, 30))
    R = {name: rng.normal(size=(30, 3)) for name in ("x", "y")}
    words = cw.Model.from_arrays(P, R, {"x": 0.95, "y": 0.6}, actions=["up", "down", "wait"]).solve().words
    assert "…" in words or "|" in words
    assert "[" not in words
