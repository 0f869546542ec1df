"""Numbers: exact input, and results with proven bounds."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from .errors import ModelError, QuestionError, UndecidedError
from .labels import is_whole

Number: TypeAlias = "int | float | Fraction | Decimal | str | np.integer[Any] | np.floating[Any]"
"""A number that is read exactly: a float is the decimal that Python prints for it, a text may be a fraction such as "2/3"."""

_MOST_DIGITS = 4000
"""Python refuses to read or write integers with more digits than 4300 in one piece."""


def text_of(number: Number, what: str) -> str:
    """The number as the library reads it: `0.1` is one tenth."""
    if isinstance(number, np.floating) and number.dtype != np.float64 and np.isfinite(number):
        # The shortest decimal that this type reads as it: 0.95 in single precision is 0.95.
        return str(number)
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
        if not _is_finite(number):
            raise ModelError(f"{what} is {number}; it must be a finite number")
        return repr(number) if isinstance(number, float) else str(number)
    raise ModelError(f"{what} is {number!r}, a {type(number).__name__}; write a number, a Fraction or a text such as '2/3'")


def is_zero(text: str) -> bool:
    """Whether the text of a number says 0, in any of its forms: `0`, `-0.0`, `0.000`, `0/1`, `0E-2`."""
    return _ZERO.fullmatch(text) is not None


_ZERO = re.compile(r"[-+]?(0+\.?0*|\.0+)([eE][-+]?\d+)?(/\d+)?")


def fraction_of(number: Number, what: str) -> Fraction:
    """The number, read exactly: `0.1` is one tenth."""
    text = text_of(number, what)
    try:
        return Fraction(number) if isinstance(number, (int, Fraction)) else Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ModelError(f"{what} is {text!r}; write a number such as 0.5 or '2/3'") from None


def _is_finite(number: float | Decimal) -> bool:
    """Whether it is finite; a long Decimal is, although no double holds it."""
    return number.is_finite() if isinstance(number, Decimal) else math.isfinite(number)


def _digits(number: int) -> str:
    if number < 0:
        return "-" + _digits(-number)
    if number < 10**_MOST_DIGITS:
        return str(number)
    head, tail = divmod(number, 10**_MOST_DIGITS)
    return _digits(head) + str(tail).rjust(_MOST_DIGITS, "0")


def _integer(digits: str) -> int:
    if digits.startswith("-"):
        return -_integer(digits[1:])
    if len(digits) <= _MOST_DIGITS:
        return int(digits)
    shift: int = 10**_MOST_DIGITS
    return _integer(digits[:-_MOST_DIGITS]) * shift + int(digits[-_MOST_DIGITS:])


def fraction(text: str) -> Fraction:
    """The fraction that a document writes, however long; weights that would be long are decimals."""
    if "." in text or "e" in text:
        return Fraction(text)
    numerator, _, denominator = text.partition("/")
    return Fraction(_integer(numerator), _integer(denominator or "1"))


def fraction_text(number: Fraction) -> str:
    """The fraction as a document writes it, however long."""
    whole = number.denominator == 1
    return _digits(number.numerator) + ("" if whole else f"/{_digits(number.denominator)}")


class Value:
    """A number with proven bounds.

    It always lies between `lower` and `upper`; `exact` is the number itself if it is known. `float(value)` is the double
    nearest to it, or to the middle of its bounds.

    >>> value = Value(Fraction(127, 9), 14.111111111111109, 14.111111111111112)
    >>> value
    Value(127/9 ≈ 14.111111)
    >>> float(value)
    14.11111111111111

    Values add, subtract, multiply and divide with each other and with numbers: exactly where the numbers are known, and
    otherwise on their bounds. A float is taken as the double that it is. `a == b` says whether both say the same. An order is
    never guessed: where the bounds of two values overlap, `a < b` is an `UndecidedError`.

    >>> value - 14 < Fraction(1, 8)
    True
    >>> Value(None, 1.0, 2.0) + 1
    Value(2.0 to 3.0)
    >>> Value(None, 1.0, 2.0) < Value(None, 1.5, 3.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    commonweal.errors.UndecidedError: whether 1.0 to 2.0 < 1.5 to 3.0 is not known: the bounds overlap; ...
    """

    __slots__ = ("_exact", "_lower", "_upper", "_value")

    def __init__(self, exact: Fraction | None, lower: float, upper: float, value: float | None = None) -> None:
        if not lower <= upper or (exact is not None and not lower <= exact <= upper):
            raise ValueError(f"{lower!r} to {upper!r} are no bounds of {exact!r}: give lower <= exact <= upper")
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

    # Arithmetic: exact where the numbers are known, and otherwise on bounds, rounded outward

    def __add__(self, other: object) -> Value:
        return self._combined(other, lambda a, b: a + b)

    def __radd__(self, other: object) -> Value:
        return self._combined(other, lambda a, b: b + a)

    def __sub__(self, other: object) -> Value:
        return self._combined(other, lambda a, b: a - b)

    def __rsub__(self, other: object) -> Value:
        return self._combined(other, lambda a, b: b - a)

    def __mul__(self, other: object) -> Value:
        return self._combined(other, lambda a, b: a * b)

    def __rmul__(self, other: object) -> Value:
        return self._combined(other, lambda a, b: b * a)

    def __truediv__(self, other: object) -> Value:
        own = _value(other)
        return NotImplemented if own is None else self._divided_by(own)

    def __rtruediv__(self, other: object) -> Value:
        own = _value(other)
        return NotImplemented if own is None else own._divided_by(self)

    def __pow__(self, exponent: object) -> Value:
        """A whole power."""
        if not isinstance(exponent, (int, np.integer)):
            return NotImplemented
        times = int(exponent)
        if times < 0:
            return 1 / self**-times
        if self._exact is not None:
            return Value._exactly(self._exact**times)
        if not (math.isfinite(self._lower) and math.isfinite(self._upper)):
            return Value(None, -math.inf, math.inf, 0.0) if times else Value._exactly(Fraction(1))
        ends = [Fraction(self._lower) ** times, Fraction(self._upper) ** times]
        if times % 2 == 0 and times and self._lower < 0 < self._upper:
            ends.append(Fraction(0))
        return Value(None, _bounds(min(ends))[0], _bounds(max(ends))[1])

    def __neg__(self) -> Value:
        return 0 - self

    def __pos__(self) -> Value:
        return self

    def __abs__(self) -> Value:
        if self._exact is not None:
            return Value._exactly(abs(self._exact))
        if self._lower >= 0:
            return self
        return -self if self._upper <= 0 else Value(None, 0.0, max(-self._lower, self._upper))

    def _combined(self, other: object, of: Callable[[Fraction, Fraction], Fraction]) -> Value:
        own = _value(other)
        if own is None:
            return NotImplemented  # type: ignore[no-any-return]
        if self._exact is not None and own._exact is not None:
            return Value._exactly(of(self._exact, own._exact))
        ends = [(a, b) for a in self._ends() for b in own._ends()]
        if not all(math.isfinite(end) for pair in ends for end in pair if isinstance(end, float)):
            # One bound is infinite, so nothing is known on one side at least.
            return Value(None, -math.inf, math.inf, 0.0)
        results = [of(Fraction(a), Fraction(b)) for a, b in ends]
        return Value(None, _bounds(min(results))[0], _bounds(max(results))[1])

    def _divided_by(self, other: Value) -> Value:
        if other._exact == 0:
            raise ZeroDivisionError(f"{self} divided by 0")
        if other._exact is None and other._lower <= 0 <= other._upper:
            raise UndecidedError(f"{self} divided by {other}: the divisor may be 0; solve with a smaller gap")
        return self._combined(other, lambda a, b: a / b)

    def _ends(self) -> tuple[Fraction] | tuple[float, float]:
        return (self._lower, self._upper) if self._exact is None else (self._exact,)

    @classmethod
    def _exactly(cls, exact: Fraction) -> Value:
        lower, upper = _bounds(exact)
        if math.isinf(lower) or math.isinf(upper):
            return cls(exact, lower, upper, upper if math.isinf(lower) else lower)
        return cls(exact, lower, upper)

    # Comparison: never a guess

    def __eq__(self, other: object) -> bool:
        """Whether both say the same: the same number, or the same bounds where no number is known."""
        if isinstance(other, Value):
            if self._exact is not None and other._exact is not None:
                return self._exact == other._exact
            return (self._exact, self._lower, self._upper) == (other._exact, other._lower, other._upper)
        if isinstance(other, (int, float, Fraction, Decimal, np.generic)):
            return self._exact is not None and self._exact == (other.item() if isinstance(other, np.generic) else other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self._lower, self._upper) if self._exact is None else self._exact)

    def __lt__(self, other: object) -> bool:
        return self._is_less(other, strictly=True, turned=False, sign="<")

    def __le__(self, other: object) -> bool:
        return self._is_less(other, strictly=False, turned=False, sign="<=")

    def __gt__(self, other: object) -> bool:
        return self._is_less(other, strictly=True, turned=True, sign=">")

    def __ge__(self, other: object) -> bool:
        return self._is_less(other, strictly=False, turned=True, sign=">=")

    def _is_less(self, other: object, *, strictly: bool, turned: bool, sign: str) -> bool:
        own = _value(other)
        if own is None:
            return NotImplemented  # type: ignore[no-any-return]
        left, right = (own, self) if turned else (self, own)
        (least, most), (low, high) = (left._ends()[0], left._ends()[-1]), (right._ends()[0], right._ends()[-1])
        if most < low or (most <= low and not strictly):
            return True
        if least > high or (least >= high and strictly):
            return False
        raise UndecidedError(
            f"whether {self} {sign} {other} is not known: the bounds overlap; compare .lower or .upper, or solve with a smaller "
            "gap"
        )

    def __bool__(self) -> bool:
        """Whether the number is not 0."""
        if self._exact is not None:
            return self._exact != 0
        if self._lower <= 0 <= self._upper:
            raise UndecidedError(f"whether {self} is 0 is not known; compare .lower or .upper, or solve with a smaller gap")
        return True

    def __round__(self, digits: int | None = None) -> Any:
        """The rounded number, if all that lies between the bounds is rounded to it."""
        ends = [end if isinstance(end, Fraction) or not math.isfinite(end) else Fraction(end) for end in self._ends()]
        if not all(isinstance(end, Fraction) for end in ends):
            raise UndecidedError(f"{self} has no rounded value: it has no bound on one side")
        rounded = [round(end) if digits is None else round(end, digits) for end in ends]
        if rounded[0] != rounded[-1]:
            raise UndecidedError(
                f"{self} rounds to {rounded[0]} or to {rounded[-1]}; round to fewer digits, round float(value), or solve with a "
                "smaller gap"
            )
        return rounded[0]

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


def _value(number: object) -> Value | None:
    """A number as a value; a float is the double that it is."""
    if isinstance(number, Value):
        return number
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, (int, Fraction)):
        return Value._exactly(Fraction(number))
    if isinstance(number, (float, Decimal)):
        if not _is_finite(number):
            return None if math.isnan(number) else Value(None, float(number), float(number), float(number))
        if isinstance(number, Decimal) and number and number.adjusted() > _MOST_DIGITS:
            # Its fraction may take more memory than there is.
            largest = sys.float_info.max
            return Value(None, -math.inf, -largest, -largest) if number < 0 else Value(None, largest, math.inf, largest)
        return Value._exactly(Fraction(number))
    return None


def _bounds(exact: Fraction) -> tuple[float, float]:
    """The nearest doubles on both sides of a number, or infinity beyond the largest double."""
    try:
        near = float(exact)
    except OverflowError:
        largest = sys.float_info.max
        return (largest, math.inf) if exact > 0 else (-math.inf, -largest)
    if near == exact:
        return near, near
    return (near, math.nextafter(near, math.inf)) if near < exact else (math.nextafter(near, -math.inf), near)


def values(document: Mapping[str, Any]) -> dict[str, Value]:
    """The numbers of a document, by name."""
    return {name: Value._of(number) for name, number in document.items()}


def step_of(step: object) -> int:
    """A step of a document: a number, or the digits of a long one."""
    return step if isinstance(step, int) else int(str(step))


def step_text(step: int) -> str:
    """A step as the library reads it."""
    if not is_whole(step) or step < 0:
        raise QuestionError(f"step is {step!r}; a step is a whole number from 0")
    return _digits(step.__index__())


def parse(document: str) -> dict[str, Any]:
    """A JSON document. Its doubles are read as Python reads them, so 1e999 is infinite."""
    read = json.loads(document)
    assert isinstance(read, dict)
    return read
