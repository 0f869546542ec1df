"""Time preferences: whatever a model file may say, Python may say, with one reader."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import commonweal as cw

Weights: TypeAlias = tuple[Callable[[int], Fraction], Callable[[int], Fraction]]
"""The weight of a step, and the sum of the weights from a step on."""


def investment(preference: Any, earned: str = "0.032") -> cw.Model:
    """Cost 1 once, and what is earned from the next year on for ever."""
    b = cw.ModelBuilder({"state": preference}, step="year")
    b.choice("field", "wait", to="field")
    b.choice("field", "build", reward=-1, to="works")
    b.choice("works", "run", reward=earned, to="works")
    return b.build()


def rows(preference: Any, earned: str = "0.032") -> cw.Model:
    """The same from arrays."""
    return cw.Model.from_arrays(
        [[1, 0], [0, 1], [0, 1]],
        {"state": [0, -1, float(earned)]},
        {"state": preference},
        s_indices=[0, 0, 1],
        a_indices=[0, 1, 0],
    )


# What a reward at step j counts for, written down here from the definitions, with the sum over all later steps.


def geometric(discount: Fraction, factor: Fraction = Fraction(1)) -> Weights:
    """`factor · discount^j`."""
    return lambda j: factor * discount**j, lambda j: factor * discount**j / (1 - discount)


def rate(per_step: str) -> Fraction:
    return 1 / (1 + Fraction(per_step))


def until(end: int, discount: Fraction) -> Weights:
    """`discount^j` before step `end`, and nothing from there on."""
    return (
        lambda j: discount**j if j < end else Fraction(0),
        lambda j: sum((discount**k for k in range(j, end)), Fraction(0)),
    )


def present_bias(beta: str, delta: str) -> Weights:
    """1 now, `beta · delta^j` later."""
    later, after = geometric(Fraction(delta), Fraction(beta))
    return lambda j: later(j) if j else Fraction(1), lambda j: after(j) if j else 1 + after(1)


def schedule(rates: dict[int, str]) -> Weights:
    """The product of 1/(1+r) over steps 1 to j, r being that of the last key up to the step."""

    last = max(rates)
    weights = [Fraction(1)]
    for step in range(1, last + 200):
        keys = [key for key in rates if key <= step]
        weights.append(weights[-1] * (rate(rates[max(keys)]) if keys else 1))

    def after(j: int) -> Fraction:
        begin = max(j, last)
        return sum(weights[j:last], Fraction(0)) + weights[begin] / (1 - rate(rates[last]))

    return lambda j: weights[j], after


def survey(*rates: str) -> Weights:
    """The mean over several rates."""
    parts = [geometric(rate(one)) for one in rates]
    n = len(parts)
    return lambda j: sum(at(j) for at, _ in parts) / Fraction(n), lambda j: sum(after(j) for _, after in parts) / Fraction(n)


ENTRIES: list[tuple[Any, str, Weights]] = [
    (0.97, "0.97", geometric(Fraction(97, 100))),
    (Fraction(2, 3), "2/3", geometric(Fraction(2, 3))),
    ("2/3", "2/3", geometric(Fraction(2, 3))),
    ("3%", "{rate: 3%}", geometric(rate("3/100"))),
    ({"rate": "3%"}, "{rate: 3%}", geometric(rate("3/100"))),
    ({"rate": 0.03}, "{rate: 0.03}", geometric(rate("3/100"))),
    ({"rate": Fraction(3, 100), "until": 40}, "{rate: 0.03, until: 40}", until(40, rate("3/100"))),
    ({"discount": 0.99, "until": 80}, "{discount: 99/100, until: 80}", until(80, Fraction(99, 100))),
    ({"discount": 0.98, "weight": 2}, "{discount: 98/100, weight: 2}", geometric(Fraction(98, 100))),
    ({"beta": 0.7, "delta": 0.98}, "{beta: 0.7, delta: 0.98}", present_bias("0.7", "0.98")),
    (
        {"schedule": "green-book"},
        "{schedule: green-book}",
        schedule({0: "0.035", 31: "0.03", 76: "0.025", 126: "0.02", 201: "0.015", 301: "0.01"}),
    ),
    ({"schedule": {0: "3.5%", 31: "3%"}}, "{schedule: {0: 3.5%, 31: 3%}}", schedule({0: "0.035", 31: "0.03"})),
    ({"schedule": {5: "4%", 9: "1%"}}, "{schedule: {5: 4%, 9: 1%}}", schedule({5: "0.04", 9: "0.01"})),
    ({"survey": ["1%", "2%", 0.02, "3.5%"]}, "{survey: [1%, 2%, 2%, 3.5%]}", survey("0.01", "0.02", "0.02", "0.035")),
]
MIXTURES = [
    ({"gamma": {"mean": "4%", "sd": "3%"}, "error": 1e-6}, "{gamma: {mean: 4%, sd: 3%}, error: 1e-6}"),
    ({"hyperbolic": 0.1, "hazard": "1%", "error": "1e-4"}, "{hyperbolic: 0.1, hazard: 1%, error: 1e-4}"),
]


@pytest.mark.parametrize(("preference", "weights"), [(entry, weights) for entry, _, weights in ENTRIES])
def test_the_welfare_of_every_exact_entry_is_that_of_its_definition(preference: Any, weights: Weights) -> None:
    """Building in year j costs 1 once and earns for ever from year j + 1 on: the best year, by hand."""
    at, after = weights
    weight = Fraction(preference.get("weight", 1)) if isinstance(preference, dict) else Fraction(1)
    for earned in ("0.032", "0.021", "0.07"):
        worth = [Fraction(earned) * after(j + 1) - at(j) for j in range(140)]
        best = max(Fraction(0), *worth)
        for model in (investment(preference, earned), rows(preference, earned)):
            solution = model.solve()
            assert solution.welfare == weight * best
            if best > 0:
                decisions = solution.strategy.decisions(0)
                assert next(decision.step for decision in decisions if decision.action in ("build", 1)) == worth.index(best)


@pytest.mark.parametrize(
    ("preference", "weight"),
    [
        ({"gamma": {"mean": "4%", "sd": "3%"}, "error": 1e-6}, lambda j: (1 + j * 0.0009 / 0.04) ** (-0.0016 / 0.0009)),
        ({"hyperbolic": 0.1, "hazard": "1%", "error": "1e-4"}, lambda j: 0.99**j / (1 + 0.1 * j)),
    ],
)
def test_the_bounds_of_a_mixture_contain_the_welfare_of_its_definition(preference: Any, weight: Any) -> None:
    """The weights themselves, summed; the rest of gamma's by Euler and Maclaurin, with the integral from the last step on."""
    steps = 1_000_000
    weights = [weight(j) for j in range(steps)]
    # The integral, and half the first term; the next term of the series is below 1e-12.
    rest = 0.0 if "hyperbolic" in preference else (1 + steps * 0.0225) ** (-7 / 9) / (7 / 9 * 0.0225) + weight(steps) / 2
    after = [own + rest for own in itertools.accumulate(reversed(weights))][::-1]
    for earned in ("0.032", "0.07"):
        best = max(0.0, *(float(earned) * after[j + 1] - weights[j] for j in range(1000)))
        model = investment(preference, earned)
        welfare = model.solve().welfare
        # The sums in doubles are off by less than a millionth of the bounds' width.
        slack = welfare.width * 1e-3
        assert welfare.lower - slack <= best <= welfare.upper + slack
        # No step earns more than 1, and both bounds are off by at most the error of all weights together.
        error = float(Fraction(str(preference["error"])))
        assert 0 < welfare.width <= 4 * error * after[0]
        # A search claims no more than its bounds show.
        search = model.positional()
        at_once = max(0.0, float(earned) * after[1] - weights[0])
        assert search.welfare.lower - slack <= at_once <= search.upper + slack
        assert (search.status, search.reason) == ("within gap", None)
        missed = model.positional(gap=1e-12)
        assert missed.status == "stopped"
        assert missed.reason is not None
        assert "smaller `error`" in missed.reason
        # It comes as near as a part of the error, which the exact optimum of the mixture does not need.
        assert missed.welfare.lower - slack <= at_once <= missed.upper + slack
        # A gap is relative to the best welfare: where that may be 0, no error is small enough.
        expected = "stopped" if missed.welfare.lower <= 0 <= missed.upper else "within gap"
        assert model.positional(gap=0.5).status == expected


@pytest.mark.parametrize(("preference", "written"), [*((entry, text) for entry, text, _ in ENTRIES), *MIXTURES])
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
    with pytest.raises(cw.QuestionError, match="`x` is not a number"):
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


def test_a_gap_that_an_approximation_makes_impossible_is_not_said_to_be_reached() -> None:
    def patient(error: str) -> cw.Model:
        b = cw.ModelBuilder({"society": {"gamma": {"mean": "4%", "sd": "3%"}, "error": error}})
        b.choice("idea", "wait", to="idea")
        b.choice("idea", "build", reward=-1, to="built")
        b.choice("built", "run", reward=0.032, to="built")
        return b.build()

    missed = patient("1e-3").solve(gap=1e-7)
    assert missed.status == "stopped"
    assert missed.reason is not None
    assert "`error`" in missed.reason
    assert missed.welfare.lower <= 0.854134276 <= missed.welfare.upper
    assert missed.welfare.upper - missed.welfare.lower > 1e-7
    assert patient("1e-3").solve().status == "within gap"
    reached = patient("1e-9").solve(gap=1e-7)
    assert (reached.status, reached.reason) == ("within gap", None)
    assert reached.welfare.upper - reached.welfare.lower <= 1e-7 * (reached.scale or 2.0)
