"""Time preferences: whatever a model file may say, Python may say, with one reader."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import commonweal as cw


def investment(preference: Any, earned: str = "0.032") -> cw.Model:
    """Cost 1 once, and what is earned from the next year on for ever."""
    b = cw.ModelBuilder({"state": preference}, step="year")
    b.choice("field", "wait", to="field")
    b.choice("field", "build", reward=-1, to="works")
    b.choice("works", "run", reward=earned, to="works")
    return b.build()


def rows(preference: Any) -> cw.Model:
    """The same from arrays."""
    return cw.Model.from_arrays(
        [[1, 0], [0, 1], [0, 1]],
        {"state": [0, -1, 0.032]},
        {"state": preference},
        s_indices=[0, 0, 1],
        a_indices=[0, 1, 0],
    )


@pytest.mark.parametrize(
    ("preference", "written"),
    [
        (0.97, "0.97"),
        (Fraction(2, 3), "2/3"),
        ("2/3", "2/3"),
        ("3%", "{rate: 3%}"),
        ({"rate": "3%"}, "{rate: 3%}"),
        ({"rate": 0.03}, "{rate: 0.03}"),
        ({"rate": Fraction(3, 100), "until": 40}, "{rate: 0.03, until: 40}"),
        ({"discount": 0.9, "weight": 2}, "{discount: 9/10, weight: 2}"),
        ({"beta": 0.7, "delta": 0.95}, "{beta: 0.7, delta: 0.95}"),
        ({"schedule": "green-book"}, "{schedule: green-book}"),
        ({"schedule": {0: "3.5%", 31: "3%"}}, "{schedule: {0: 3.5%, 31: 3%}}"),
        ({"survey": ["1%", "2%", 0.02, "3.5%"]}, "{survey: [1%, 2%, 2%, 3.5%]}"),
        ({"gamma": {"mean": "4%", "sd": "3%"}, "error": 1e-6}, "{gamma: {mean: 4%, sd: 3%}, error: 1e-6}"),
        ({"hyperbolic": 0.1, "hazard": "1%", "error": "1e-4"}, "{hyperbolic: 0.1, hazard: 1%, error: 1e-4}"),
    ],
)
def test_every_entry_means_what_it_means_in_a_file(preference: Any, written: str) -> None:
    text = investment(0.5).to_yaml().replace("1/2", written)
    assert written in text
    file = cw.Model.from_yaml(text)
    for model in (investment(preference), rows(preference)):
        assert model.principals == file.principals
        ours, theirs = model.solve(), file.solve()
        assert ours.status == theirs.status
        assert ours.welfare == theirs.welfare
        steps = [decision.step for decision in theirs.strategy.decisions(0)]
        assert [decision.step for decision in ours.strategy.decisions(0)] == steps
    changed = investment(0.5).with_discounts({"state": preference})
    assert changed.principals == file.principals


def test_the_green_book_builds_in_year_30() -> None:
    for earned, year in (("0.032", 30), ("0.028", 75), ("0.022", 125)):
        solution = investment({"schedule": "green-book"}, earned).solve()
        assert [(d.step, d.action) for d in solution.strategy.decisions("field")] == [(0, "wait"), (year, "build")]
    solution = investment({"schedule": "green-book"}).solve()
    assert f"{float(solution.welfare):.10f}" == "0.0574268169"
    assert solution.model.principals[0].discount is None
    assert solution.model.principals[0].preference == "green-book"
    assert "green-book" in solution._repr_html_()


def test_a_rate_is_swept() -> None:
    model = investment("3%")
    sweep = model.sweep("state.rate", "1%", "5%", steps=4)
    assert (sweep.quantity, [point.rate for point in sweep.points]) == ("rate", [Fraction(k, 100) for k in range(1, 6)])
    # What is earned for ever is worth its cost at a rate of 3.2 %.
    (change,) = sweep.changes
    assert change.low <= Fraction("0.032") <= change.high
    with pytest.raises(cw.QuestionError, match="is not a rate"):
        model.sweep("state.rate", "0%", "5%")
    with pytest.raises(cw.QuestionError, match="is not a percentage"):
        model.sweep("state.rate", "x%", "5%")


def test_a_mixture_has_bounds_by_every_rule() -> None:
    model = investment({"gamma": {"mean": "4%", "sd": "3%"}})
    solution = model.solve()
    assert solution.welfare.exact is None
    assert solution.welfare.lower < solution.welfare.upper
    fair = model.fair("welfare")
    assert fair.value is not None
    assert fair.value.exact is None
    assert fair.value.lower <= solution.welfare.upper
    assert solution.welfare.lower <= fair.value.upper
    with pytest.raises(cw.QuestionError, match="the preference of `state` is approximated by a mixture of discounts"):
        model.fair("welfare", coin="decision")


@pytest.mark.parametrize(
    "wrong",
    [
        {"rate": "3%", "discount": 0.9},
        {"discount": "3%"},
        {"rate": "300%"},
        {"schedule": {31: "3%", 0: "3.5%"}},
        {"schedule": "blue-book"},
        {"discount": 0.9, "until": 0},
        {"hyperbolic": 0.1, "hazard": 0},
        {"survey": []},
        {},
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_cure(wrong: Any) -> None:
    with pytest.raises(cw.ModelError, match="state") as caught:
        investment(wrong)
    assert caught.value.help
    assert caught.value.line is None


def test_reward_structures_of_a_file_get_any_preference(shared_models: Path) -> None:
    path = shared_models / "fishwood-endless.drn"
    rate = cw.load(path, discounts={"fish": "4%", "wood": {"beta": 0.5, "delta": 0.9}})
    assert [principal.preference for principal in rate.principals] == ["rate 4%", "β 0.5, δ 0.9"]
    plain = cw.load(path, discounts={"fish": Fraction(25, 26), "wood": {"beta": 0.5, "delta": 0.9}})
    assert rate.solve().welfare == plain.solve().welfare
