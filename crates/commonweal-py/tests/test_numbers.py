"""Numbers that go in and come out."""

from __future__ import annotations

import copy
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import commonweal as cw
from commonweal.numbers import fraction, text_of


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
    assert exact != 1 / 3
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
