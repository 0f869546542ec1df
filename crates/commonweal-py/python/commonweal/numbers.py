"""Numbers: exact input, and results with proven bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from .errors import ModelError, QuestionError

Number: TypeAlias = "int | float | Fraction | Decimal | str | np.integer[Any] | np.floating[Any]"
"""A number that is read exactly: a float is the decimal that Python prints for it, a text may be a fraction such as "2/3"."""

_MOST_DIGITS = 4000
"""Python refuses to read or write integers with more digits than 4300 in one piece."""


def text_of(number: Number, what: str) -> str:
    """The number as the library reads it: `0.1` is one tenth."""
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, str):
        return number
    if isinstance(number, bool):
        raise ModelError(f"{what} is {number}; write a number")
    if isinstance(number, Fraction):
        return f"{_digits(number.numerator)}/{_digits(number.denominator)}"
    if isinstance(number, int):
        return _digits(number)
    if isinstance(number, (float, Decimal)):
        if not math.isfinite(number):
            raise ModelError(f"{what} is {number}; it must be a finite number")
        return repr(number) if isinstance(number, float) else str(number)
    raise ModelError(f"{what} is {number!r}, a {type(number).__name__}; write a number, a Fraction or a text such as '2/3'")


def rate_text(number: Number, what: str) -> str:
    """The same, of a number that may be a percentage."""
    if isinstance(number, str) and number.rstrip().endswith("%"):
        try:
            return text_of(Fraction(number.rstrip()[:-1].strip()) / 100, what)
        except ValueError:
            raise QuestionError(f"{what}: `{number}` is not a percentage, such as 3%") from None
    return text_of(number, what)


def _digits(number: int) -> str:
    if number < 0:
        return "-" + _digits(-number)
    if number < 10**_MOST_DIGITS:
        return str(number)
    head, tail = divmod(number, 10**_MOST_DIGITS)
    return _digits(head) + str(tail).rjust(_MOST_DIGITS, "0")


def _integer(digits: str) -> int:
    if len(digits) <= _MOST_DIGITS:
        return int(digits)
    head, tail = digits[:-_MOST_DIGITS], digits[-_MOST_DIGITS:]
    sign = -1 if head.startswith("-") else 1
    shift: int = 10**_MOST_DIGITS
    return _integer(head) * shift + sign * int(tail)


def fraction(text: str) -> Fraction:
    """The fraction that a document writes, however long."""
    numerator, _, denominator = text.partition("/")
    return Fraction(_integer(numerator), _integer(denominator or "1"))


class Value:
    """A number with proven bounds.

    It always lies between `lower` and `upper`; `exact` is the number itself if it is known. `float(value)` is the double
    nearest to it, or to the middle of its bounds.

    >>> value = Value(Fraction(127, 9), 14.111111111111109, 14.111111111111112)
    >>> value
    Value(127/9 ≈ 14.111111)
    >>> float(value)
    14.11111111111111
    """

    __slots__ = ("_exact", "_lower", "_upper", "_value")

    def __init__(self, exact: Fraction | None, lower: float, upper: float, value: float | None = None) -> None:
        self._exact = exact
        self._lower = lower
        self._upper = upper
        if value is None:
            value = lower + (upper - lower) / 2 if exact is None else float(exact)
        self._value = value

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Value:
        exact = document.get("exact")
        value = document.get("value")
        return cls(
            None if exact is None else fraction(exact),
            float(document["lower"]),
            float(document["upper"]),
            None if value is None else float(value),
        )

    @property
    def exact(self) -> Fraction | None:
        """The number itself; `None` if only bounds are known, or if it has more than 10,000 digits."""
        return self._exact

    @property
    def lower(self) -> float:
        """The number is at least this."""
        return self._lower

    @property
    def upper(self) -> float:
        """The number is at most this."""
        return self._upper

    @property
    def width(self) -> float:
        """The distance between the bounds."""
        return self._upper - self._lower

    def __float__(self) -> float:
        return self._value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Value):
            if self._exact is not None and other._exact is not None:
                return self._exact == other._exact
            return (self._exact, self._lower, self._upper) == (other._exact, other._lower, other._upper)
        if isinstance(other, (int, Fraction)):
            return self._exact is not None and self._exact == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self._lower, self._upper) if self._exact is None else self._exact)

    def __format__(self, spec: str) -> str:
        return format(self._value, spec) if spec else str(self)

    def __str__(self) -> str:
        """The fraction if it is short and its decimal, otherwise the bounds."""
        if self._exact is None:
            return f"{self._lower!r} to {self._upper!r}"
        if self._exact.denominator == 1 and abs(self._exact.numerator) < 10**15:
            return str(self._exact.numerator)
        if max(abs(self._exact.numerator), self._exact.denominator) < 10**12:
            return f"{self._exact} ≈ {self._value:.8g}"
        return f"≈ {self._value:.8g}"

    def __repr__(self) -> str:
        return f"Value({self})"


def values(document: Mapping[str, Any]) -> dict[str, Value]:
    """The numbers of a document, by name."""
    return {name: Value._of(number) for name, number in document.items()}


def step_of(step: object) -> int:
    """A step of a document: a number, or the digits of a long one."""
    return step if isinstance(step, int) else int(str(step))


def step_text(step: int) -> str:
    """A step as the library reads it."""
    if isinstance(step, (bool, float)) or step != int(step) or step < 0:
        raise QuestionError(f"step is {step!r}; a step is a whole number from 0")
    return str(int(step))


def parse(document: str) -> dict[str, Any]:
    """A JSON document. Its doubles are read as Python reads them, so 1e999 is infinite."""
    read = json.loads(document)
    assert isinstance(read, dict)
    return read
