"""Enumeration of the random draws of an environment.

An environment is stepped repeatedly from the same state, with a generator that returns prescribed draws. A draw of
which the possible values are known (an integer below n, one of several with given probabilities) branches over them. A
uniform number is known only by the interval in which it lies: where the environment compares it with a threshold inside that
interval, the step branches at the threshold. So every threshold is seen, however close to 0 or 1, and a use that shows none is
refused.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from .errors import ModelError
from .numbers import fraction_of

_MOST_BRANCHES = 10_000
"""An environment that has more outcomes of one action is not enumerated."""
_SHORT = 1000
"""A fraction is short if its denominator is at most this."""
_ROUNDINGS = 4
"""How many units in the last place a double may be away from the fraction that it was computed for."""
_OWN = ("_np_random", "np_random")
"""Where an environment has its generator."""
_CURE = "compare it with thresholds, or build the model with ModelBuilder"

Choices = list[tuple[Any, Fraction]]
"""The possible values of a draw, with their probabilities."""


def short_fraction(double: float) -> Fraction | None:
    """The short fraction that a double was computed for, if there is one: `1 - 0.9` is a tenth."""
    near = Fraction(double).limit_denominator(_SHORT)
    return near if abs(near - Fraction(double)) <= _ROUNDINGS * Fraction(math.ulp(double)) else None


class _Asked(Exception):  # noqa: N818, it is no error
    """A draw that is not prescribed yet."""

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.choices = choices


class Draws:
    """A generator of prescribed draws; it replaces `numpy.random.Generator`."""

    def __init__(self, prescribed: list[Any]) -> None:
        self._prescribed = list(prescribed)
        self._next = 0
        self._is_over = False

    def end(self) -> None:
        """Says that the step is over: a uniform number that was kept is not drawn any more."""
        self._is_over = True

    def _draw(self, choices: Choices) -> Any:
        if self._is_over:
            raise ModelError(f"the environment keeps a random number for a later step, which cannot be enumerated; {_CURE}")
        if self._next == len(self._prescribed):
            raise _Asked(choices)
        drawn = self._prescribed[self._next]
        self._next += 1
        return drawn

    def _several(self, size: Any, draw: Callable[[], Any]) -> Any:
        """One draw, or an array of independent ones."""
        if size is None:
            return draw()
        shape = (int(size),) if isinstance(size, (int, np.integer)) else tuple(int(length) for length in size)
        drawn = [draw() for _ in range(math.prod(shape))]
        if any(isinstance(one, Uniform) for one in drawn):
            return _objects(drawn).reshape(shape)
        return np.array(drawn).reshape(*shape, *np.shape(drawn[0])) if drawn else np.zeros(shape)

    def random(self, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """A uniform number."""
        _refuse("random", out=out)
        return self._several(size, lambda: Uniform(self))

    def random_sample(self, size: Any = None) -> Any:
        """A uniform number, as older generators call it."""
        return self.random(size)

    def rand(self, *shape: int) -> Any:
        """A uniform number, or an array of them, as older generators call it."""
        return self.random(shape or None)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """A uniform number between two others."""
        if np.ndim(low) or np.ndim(high):
            raise ModelError(f"the environment draws uniform numbers between arrays, which cannot be enumerated; {_CURE}")
        return self._several(size, lambda: Uniform(self) * (high - low) + low)

    def integers(self, low: int, high: int | None = None, size: Any = None, dtype: Any = int, endpoint: bool = False) -> Any:
        """A whole number."""
        first, end = (0, int(low)) if high is None else (int(low), int(high))
        end += bool(endpoint)
        if end <= first:
            raise ModelError(f"the environment draws an integer from {first} and below {end}, where there is none")
        choices: Choices = [(number, Fraction(1, end - first)) for number in range(first, end)]
        return self._several(size, lambda: int(self._draw(choices)))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True) -> Any:
        """One of several."""
        _refuse("choice", axis=axis)
        values = list(range(a)) if isinstance(a, (int, np.integer)) else list(a)
        shares = [1.0] * len(values) if p is None else [float(share) for share in p]
        if len(shares) != len(values) or not values:
            raise ModelError(f"the environment chooses among {len(values)} values with {len(shares)} probabilities")
        if size is None or replace:
            return self._several(size, lambda: values[self._draw(_shares(shares))])
        if p is not None:
            raise ModelError(
                "the environment draws several choices of given probabilities without replacement, which cannot be enumerated; "
                "build the model with ModelBuilder"
            )
        left = list(values)
        return self._several(size, lambda: left.pop(self._draw(_shares([1.0] * len(left)))))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModelError(
            f"the environment draws random numbers with `{name}`, which cannot be enumerated; build the model with ModelBuilder"
        )


def _shares(shares: list[float]) -> Choices:
    """The positions of positive probability, with these probabilities, scaled to 1."""
    exactly = [fraction_of(share, "a probability of the environment") for share in shares]
    if not exactly:
        raise ModelError("the environment draws more choices without replacement than there are")
    total = sum(exactly, Fraction(0))
    return [(at, share / total) for at, share in enumerate(exactly) if share]


def _refuse(method: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            raise ModelError(
                f"the environment draws random numbers with `{method}({name}=…)`, which cannot be enumerated; build the model "
                "with ModelBuilder"
            )


class Uniform:
    """A uniform number, times and plus others: known by its interval, which comparisons divide."""

    __array_ufunc__ = None
    """NumPy leaves operations with arrays to this class."""
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        # Where the number of [0, 1) lies: shared by all that is computed from it.
        self._within = [Fraction(0), Fraction(1)]
        self._factor, self._offset = Fraction(1), Fraction(0)

    def _changed(self, factor: Fraction, offset: Fraction) -> Uniform:
        changed = copy.copy(self)
        changed._factor, changed._offset = self._factor * factor, self._offset * factor + offset
        return changed

    # Arithmetic with numbers

    def __add__(self, other: Any) -> Any:
        return self._each(other, lambda number: self._changed(Fraction(1), number))

    __radd__ = __add__

    def __neg__(self) -> Uniform:
        return self._changed(Fraction(-1), Fraction(0))

    def __sub__(self, other: Any) -> Any:
        return self._each(other, lambda number: self._changed(Fraction(1), -number))

    def __rsub__(self, other: Any) -> Any:
        return self._each(other, lambda number: self._changed(Fraction(-1), number))

    def __mul__(self, other: Any) -> Any:
        return self._each(other, lambda number: self._changed(number, Fraction(0)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._each(other, lambda number: self._changed(1 / number, Fraction(0)))

    # Comparisons, which divide the interval

    def __lt__(self, other: Any) -> Any:
        return self._each(other, self._is_below)

    def __gt__(self, other: Any) -> Any:
        return self._each(other, lambda number: not self._is_below(number))

    __le__, __ge__ = __lt__, __gt__
    """A uniform number is a given one with probability 0."""

    def __eq__(self, other: object) -> Any:
        return self._each(other, lambda number: False)

    def __ne__(self, other: object) -> Any:
        return self._each(other, lambda number: True)

    def _is_below(self, number: Fraction) -> bool:
        if self._factor == 0:
            return self._offset < number
        place = (number - self._offset) / self._factor
        return self._lies_below(place) == (self._factor > 0)

    def _lies_below(self, place: Fraction) -> bool:
        """Whether the number of [0, 1) lies below a place; branches if both may be."""
        low, high = self._within
        if not low < place < high:
            return high <= place
        below = (place - low) / (high - low)
        is_below = bool(self._draws._draw([(True, below), (False, 1 - below)]))
        self._within[1 if is_below else 0] = place
        return is_below

    def __int__(self) -> int:
        low, high = self._ends()
        # Towards 0, as for any number.
        return next(whole for whole in range(int(low), int(high) + 1) if whole == int(high) or self < (whole + (whole >= 0)))

    __trunc__ = __int__

    def __floor__(self) -> int:
        low, high = self._ends()
        return next(
            whole for whole in range(math.floor(low), math.floor(high) + 1) if whole == math.floor(high) or self < whole + 1
        )

    def _ends(self) -> tuple[Fraction, Fraction]:
        first, last = (self._factor * end + self._offset for end in self._within)
        if abs(last - first) > _MOST_BRANCHES:
            raise ModelError(f"the environment rounds a random number to more than {_MOST_BRANCHES} whole ones")
        return min(first, last), max(first, last)

    def _each(self, other: Any, of: Callable[[Fraction], Any]) -> Any:
        """What is said of a number, or of each of an array."""
        if isinstance(other, Uniform):
            raise ModelError(f"the environment combines two uniform numbers, which cannot be enumerated; {_CURE}")
        if isinstance(other, np.ndarray) and other.ndim > 0:
            said = [of(_threshold(number)) for number in other.ravel().tolist()]
            return (_objects(said) if any(isinstance(one, Uniform) for one in said) else np.array(said)).reshape(other.shape)
        if not isinstance(other, (bool, int, float, Fraction, np.generic, np.ndarray)):
            return NotImplemented
        return of(_threshold(other))

    def _refused(self, *_: Any, **__: Any) -> Any:
        raise ModelError(
            f"the environment uses a uniform number for something else than comparisons, which hides its outcomes; {_CURE}"
        )

    __float__ = __bool__ = __index__ = __array__ = __round__ = __abs__ = __pow__ = __rtruediv__ = __floordiv__ = __mod__ = (
        _refused
    )


def _objects(several: list[Any]) -> Any:
    """An array of objects, which NumPy does not look into."""
    array = np.empty(len(several), dtype=object)
    for at, one in enumerate(several):
        array[at] = one
    return array


def _threshold(number: Any) -> Fraction:
    """The number that a threshold stands for: a short fraction, or the decimal that Python prints for it."""
    plain = number.item() if isinstance(number, (np.generic, np.ndarray)) else number
    if isinstance(plain, float):
        if not math.isfinite(plain):
            raise ModelError(f"the environment compares a uniform number with {plain}")
        return short_fraction(plain) or fraction_of(plain, "a threshold of the environment")
    return Fraction(plain)


Outcome = tuple[Any, Any, bool]
"""What was seen, the rewards, and whether the episode ended."""


def outcomes(environment: Any, action: int) -> Iterator[tuple[Fraction, Outcome, Any]]:
    """The outcomes of an action with their probabilities, and the environment after each."""
    branches: list[tuple[list[Any], Fraction]] = [([], Fraction(1))]
    while branches:
        prescribed, probability = branches.pop()
        try:
            outcome, after = _stepped(environment, action, prescribed)
        except _Asked as asked:
            # The first choice is the first to be followed.
            branches.extend(([*prescribed, value], probability * share) for value, share in reversed(asked.choices))
            if len(branches) > _MOST_BRANCHES:
                raise ModelError(f"action {action} has more than {_MOST_BRANCHES} outcomes in one state") from None
            continue
        yield probability, outcome, after


def copied(environment: Any) -> Any:
    """A copy of the environment in its present state. The copy protocol of many environments returns a fresh one."""
    return _copied(environment)[0]


def _copied(environment: Any) -> tuple[Any, list[Any]]:
    """The copy, and the generators of random numbers inside it."""
    after = object.__new__(type(environment))
    memo: dict[int, Any] = {}
    for name, value in vars(environment).items():
        if name in _OWN:
            # It is replaced, and may be long.
            after.__dict__[name] = value
            continue
        try:
            after.__dict__[name] = copy.deepcopy(value, memo)
        except (TypeError, NotImplementedError) as error:
            if not type(value).__module__.startswith("pygame"):
                raise ModelError(
                    f"the environment's `{name}` cannot be copied: {error}; make the environment without a render mode, set "
                    f"`env.unwrapped.{name} = None` if steps do not need it, or build the model with ModelBuilder"
                ) from None
            # Fonts and windows are for pictures: no step changes them.
            after.__dict__[name] = value
    kinds = (np.random.Generator, np.random.RandomState, random.Random)
    return after, [one for one in memo.values() if isinstance(one, kinds)]


def _stepped(environment: Any, action: int, prescribed: list[Any]) -> tuple[Outcome, Any]:
    after, generators = _copied(environment)
    draws = Draws(prescribed)
    for name in _OWN:
        if name == "_np_random" or name in vars(after):
            setattr(after, name, draws)
    before = _states(generators)
    try:
        seen, vector, terminated, _truncated, _ = after.step(action)
    finally:
        if _states(generators) != before:
            raise ModelError(
                "the environment draws random numbers from another generator than its own `self.np_random` (such as `random` or "
                "`numpy.random`), which cannot be enumerated; let it draw from `self.np_random`, or build the model with "
                "ModelBuilder"
            )
    draws.end()
    for name in _OWN:
        if name in vars(after):
            setattr(after, name, None)
    return (seen, vector, bool(terminated)), after


def _states(generators: list[Any]) -> list[Any]:
    """The states of generators, and of those that a program shares."""
    states: list[Any] = [random.getstate()]
    for one in (np.random, *generators):
        if isinstance(one, random.Random):
            states.append(one.getstate())
        elif isinstance(one, np.random.Generator):
            states.append(repr(one.bit_generator.state))
        else:
            kind, words, *rest = one.get_state()
            states.append((kind, words.tobytes(), *rest))
    return states
