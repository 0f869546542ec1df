"""Numbers that go in and come out."""

from __future__ import annotations

import copy
import itertools
import math
import operator
import random
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import commonweal as cw
from commonweal.numbers import fraction, fraction_text, text_of


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3, "3"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
        (Fraction(-2, 3), "-2/3"),
        (Decimal("0.10"), "0.10"),
        ("2/3", "2/3"),
        (np.float64(0.1), "0.1"),
        (np.int32(-4), "-4"),
    ],
)
def test_numbers_are_read_as_python_prints_them(number: cw.Number, text: str) -> None:
    assert text_of(number, "it") == text


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, Decimal("NaN"), True, None, [1], 1j])
def test_what_is_no_number_is_refused(wrong: object) -> None:
    with pytest.raises(cw.ModelError, match="the discount of principal `p`"):
        cw.ModelBuilder({"p": wrong})  # type: ignore[dict-item]


def test_fractions_longer_than_python_reads_in_one_piece() -> None:
    long = Fraction(10**9000 + 1, 7 * 10**8999 + 3)
    assert fraction(text_of(long, "it")) == long
    assert fraction(text_of(-long, "it")) == -long
    assert fraction("-" + "9" * 4001) == -(10**4001 - 1)


def test_a_discount_of_five_thousand_digits_goes_in_and_comes_out() -> None:
    discount = Fraction(10**5000 - 1, 10**5000)
    b = cw.ModelBuilder({"p": discount})
    b.choice("s", "a", reward=1, to="s")
    model = b.build()
    assert model.principals[0].discount == discount
    welfare = model.solve().welfare
    assert welfare.exact == 10**5000
    assert (welfare.lower, welfare.upper, math.isfinite(float(welfare))) == (1.7976931348623157e308, math.inf, True)
    assert "≈" in str(welfare)


def test_values_say_what_is_proven() -> None:
    exact = cw.Value(Fraction(1, 3), math.nextafter(1 / 3, 0), math.nextafter(1 / 3, 1))
    assert exact == Fraction(1, 3)
    # A float is the double that it is, as it is for a Fraction.
    assert exact != 1 / 3
    assert cw.Value(Fraction(1, 2), 0.5, 0.5) == 0.5 == Decimal("0.5")
    assert hash(cw.Value(Fraction(1, 2), 0.5, 0.5)) == hash(0.5) == hash(Decimal("0.5"))
    assert hash(exact) == hash(Fraction(1, 3))
    assert f"{exact:.3f}" == "0.333"
    assert repr(exact) == "Value(1/3 ≈ 0.33333333)"
    bounds = cw.Value(None, 1.0, 2.0)
    assert float(bounds) == 1.5
    assert bounds.width == 1.0
    assert (str(bounds), bounds == 1.5) == ("1.0 to 2.0", False)
    assert bounds == cw.Value(None, 1.0, 2.0)
    assert str(cw.Value(Fraction(14), 14.0, 14.0)) == "14"
    assert copy.copy(bounds) == bounds


def value(number: Fraction, width: float) -> cw.Value:
    """The number itself, or bounds around it."""
    if width == 0:
        return cw.Value(number, math.nextafter(float(number), -math.inf), math.nextafter(float(number), math.inf))
    return cw.Value(None, float(number) - width, float(number) + 2 * width)


def contains(found: cw.Value, number: Fraction) -> bool:
    return found.lower <= number <= found.upper and found.exact in (None, number)


OPERATIONS: list[Callable[[Any, Any], Any]] = [operator.add, operator.sub, operator.mul, operator.truediv]


def test_arithmetic_on_values_contains_arithmetic_on_numbers() -> None:
    """Random fractions, in and out of doubles' reach, against Python's own fractions."""
    rng = random.Random(4)
    for _ in range(120):
        a, b = (Fraction(rng.randint(-1000, 1000), rng.randint(1, 97)) for _ in range(2))
        b = b or Fraction(1)
        for width_a in (0, 1e-12, 0.3):
            for width_b in (0, 1e-12, float(abs(b)) / 8):
                one, other = value(a, width_a), value(b, width_b)
                for operate in OPERATIONS:
                    found = operate(one, other)
                    assert contains(found, operate(a, b))
                    assert (found.exact is not None) == (width_a == width_b == 0)
                    # Both ends of the bounds may be the numbers.
                    for end in (one.lower, one.upper):
                        assert width_a == 0 or contains(operate(one, b), operate(Fraction(end), b))
                    assert contains(operate(one, b), operate(a, b))
                    assert contains(operate(a, other), operate(a, b))
                assert contains(-one, -a)
                assert contains(abs(one), abs(a))
                assert contains(+one, a)


def test_values_and_other_numbers() -> None:
    third = cw.Value(Fraction(1, 3), 0.333, 0.334)
    assert (third + 1).exact == Fraction(4, 3) == (1 + third).exact
    assert sum([third, third, third]) == 1
    assert 1 - third == Fraction(2, 3)
    assert (third * 0.5).exact == Fraction(1, 6) == (np.float64(0.5) * third).exact == (third * np.int64(1) / 2).exact
    assert third + Decimal("0.1") == Fraction(13, 30)
    # A float is the double that it is, not the decimal that it is printed as.
    assert third * 0 + 0.1 == 0.1 != Fraction(1, 10)
    assert (cw.Value(None, 1.0, math.inf) - 1).upper == math.inf
    assert (third * 10**400).upper == math.inf
    assert (third * -(10**400)).lower == -math.inf
    with pytest.raises(ZeroDivisionError):
        third / 0
    with pytest.raises(cw.UndecidedError, match="the divisor may be 0"):
        third / cw.Value(None, -1.0, 1.0)
    for wrong in ("1", None, [1], math.nan, 1j):
        for operate in (*OPERATIONS, operator.lt, operator.ge):
            with pytest.raises(TypeError):
                operate(third, wrong)
            with pytest.raises(TypeError):
                operate(wrong, third)


def test_an_order_is_known_or_an_error() -> None:
    exact = cw.Value(Fraction(1, 3), math.nextafter(1 / 3, 0), math.nextafter(1 / 3, 1))
    low, high = cw.Value(None, 1.0, 2.0), cw.Value(None, 3.0, 4.0)
    assert low < high
    assert low <= high
    assert not low > high
    assert high >= low
    assert exact < low
    assert not low < exact
    # The double nearest to a third is below it.
    assert exact > 1 / 3
    assert exact < Fraction(1, 3) + Fraction(1, 10**30)
    assert exact <= Fraction(1, 3) <= exact
    assert not exact < Fraction(1, 3)
    assert low < 2.5
    assert low <= 2.0
    assert not low < 1.0
    assert low < math.inf
    assert sorted([high, exact, low]) == [exact, low, high]
    assert max(low, high) == high
    overlapping = cw.Value(None, 1.5, 3.5)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        for one, other in ((low, overlapping), (overlapping, high), (low, 1.5), (1.5, low), (low, low), (low, Fraction(3, 2))):
            with pytest.raises(cw.UndecidedError, match=r"the bounds overlap; compare \.lower or \.upper"):
                compare(one, other)
    with pytest.raises(cw.UndecidedError):
        sorted([low, overlapping])
    # Ends that touch decide half of it.
    assert low <= cw.Value(None, 2.0, 3.0)
    with pytest.raises(cw.UndecidedError):
        _ = low < cw.Value(None, 2.0, 3.0)


def test_the_order_of_bounds_is_what_all_their_numbers_agree_on() -> None:
    """Every pair of bounds with ends from -2 to 2, against all pairs of numbers inside, at steps of a half."""
    halves = [Fraction(n, 2) for n in range(-4, 5)]
    bounds = [(low, high) for low in halves[::2] for high in halves[::2] if low <= high]

    def made(low: Fraction, high: Fraction) -> cw.Value:
        return cw.Value(low if low == high else None, float(low), float(high))

    for one, other in itertools.product(bounds, bounds):
        numbers = [(a, b) for a in halves if one[0] <= a <= one[1] for b in halves if other[0] <= b <= other[1]]
        for compare in (operator.lt, operator.le, operator.gt, operator.ge):
            said = {compare(a, b) for a, b in numbers}
            if len(said) == 1:
                assert compare(made(*one), made(*other)) is said.pop(), (compare, one, other)
            else:
                with pytest.raises(cw.UndecidedError):
                    compare(made(*one), made(*other))


def test_the_magnitude_of_bounds_is_as_narrow_as_it_can_be() -> None:
    """The least and the greatest magnitude of the numbers inside."""
    for low, high in itertools.product((-3.0, -2.0, -1.0, 0.0, 0.5, 4.0), repeat=2):
        if low < high:
            inside = [abs(low), abs(high), *([0.0] if low <= 0 <= high else [])]
            found = abs(cw.Value(None, low, high))
            assert (found.lower, found.upper, found.exact) == (min(inside), max(inside), None)
    assert abs(cw.Value(Fraction(-1, 3), -0.34, -0.33)).exact == Fraction(1, 3)
    assert abs(cw.Value(Fraction(1, 3), 0.33, 0.34)).exact == Fraction(1, 3)


def test_decimals_that_no_double_holds_are_numbers() -> None:
    large = Decimal("1e400")
    assert text_of(large, "it") == "1E+400"
    b = cw.ModelBuilder({"p": 0.5})
    b.choice("s", "a", reward=large, to="s")
    assert b.build().solve().welfare.exact == 2 * 10**400
    assert cw.Value(Fraction(10**400), sys.float_info.max, math.inf, sys.float_info.max) == large
    assert cw.Value(None, 1.0, 2.0) < Decimal("1e999999999")
    assert cw.Value(None, 1.0, 2.0) > Decimal("-1e999999999")


def test_rounding_and_truth_are_known_or_an_error() -> None:
    exact = cw.Value(Fraction(127, 9), 14.11, 14.12)
    assert (round(exact), round(exact, 2), round(exact, -1)) == (14, Fraction(1411, 100), 10)
    bounds = cw.Value(None, 1.2341, 1.2342)
    assert (round(bounds), round(bounds, 3)) == (1, Fraction(1234, 1000))
    with pytest.raises(cw.UndecidedError, match="rounds to 12341/10000 or to 6171/5000"):
        round(bounds, 4)
    with pytest.raises(cw.UndecidedError):
        round(cw.Value(None, 0.0, math.inf))
    assert bounds
    assert not cw.Value(Fraction(0), 0.0, 0.0)
    with pytest.raises(cw.UndecidedError, match="is 0 is not known"):
        bool(cw.Value(None, -1.0, 1.0))


def test_equal_values_have_equal_hashes_and_bounds_hold() -> None:
    values = [value(Fraction(n, 4), width) for n in range(-4, 5) for width in (0, 0.5)]
    numbers = [Fraction(n, 4) for n in range(-4, 5)] + [n / 4 for n in range(-4, 5)] + [-1, 0, 1]
    for one in values:
        for other in [*values, *numbers]:
            assert one != other or hash(one) == hash(other)
    for wrong in ((None, 2.0, 1.0), (Fraction(3), 1.0, 2.0), (None, math.nan, 1.0)):
        with pytest.raises(ValueError, match="are no bounds of"):
            cw.Value(*wrong)


def test_the_numbers_of_an_answer_add_up(hotel: cw.Model) -> None:
    solution = hotel.solve()
    assert sum(solution.payoffs.values()) == solution.welfare
    assert (solution.welfare - solution.long_term_welfare).exact == Fraction(10, 9)
    bounds = hotel.solve(gap=1e-6)
    total = sum(bounds.payoffs.values(), cw.Value(Fraction(0), 0.0, 0.0))
    assert contains(total, Fraction(127, 9))
    assert bounds.welfare > 14
    with pytest.raises(cw.UndecidedError):
        _ = bounds.welfare > Fraction(127, 9)


def test_fractions_of_many_digits_are_written_as_they_are_read() -> None:
    rng = random.Random(3)
    for digits in (1, 20, 3999, 4000, 4001, 4300, 4301, 9000):
        for sign in (1, -1):
            number = Fraction(sign * rng.randrange(10 ** (digits - 1), 10**digits), 10**digits + 7)
            assert fraction(fraction_text(number)) == number
            assert fraction_text(Fraction(sign * 3)) == str(sign * 3)


def test_a_table_has_fractions_that_python_refuses_to_write_in_one_piece() -> None:
    # The payoff is 1/(1 - d) for a discount of 4,400 digits.
    model = cw.Model.from_yaml("principals: {me: 0." + "3" * 4400 + "}\nstates: {s: {a: {reward: 1, to: s}}}")
    evaluation = model.evaluate(model.solve().strategy)
    exact = evaluation.payoffs["me"].exact
    assert exact is not None
    assert max(exact.numerator, exact.denominator) > 10**4300
    text = evaluation.to_pandas()["exact"].iloc[0]
    assert fraction(text) == exact


def test_whole_powers() -> None:
    between = cw.Value(None, -2.0, 3.0)
    assert cw.Value(Fraction(2, 3), 0.6, 0.7) ** 3 == Fraction(8, 27)
    assert cw.Value(Fraction(2, 3), 0.6, 0.7) ** -1 == Fraction(3, 2)
    assert ((between**2).lower, (between**2).upper) == (0, 9)
    assert ((between**3).lower, (between**3).upper) == (-8, 27)
    assert between**0 == cw.Value(None, 1.0, 1.0)
