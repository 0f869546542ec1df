"""Enumeration of the random draws of an environment.

An environment is stepped repeatedly from the same state, with a generator that returns prescribed draws. A draw of
which the possible values are known (an integer below n, one of several with given probabilities) branches over them. A
uniform number is compared with some threshold inside the environment: the outcome is a step function of it, whose steps are
located by bisection and taken as the simplest fractions nearby.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from .errors import ModelError

_BITS = 45
"""To how many bits the steps of a step function are located."""
_PROBES = 64
"""At how many places a step function is looked at first: steps that are nearer to each other may be missed."""
_MOST_BRANCHES = 10_000
"""An environment that has more outcomes of one action is not enumerated."""


class _Asked(Exception):  # noqa: N818, it is no error
    """A draw that is not prescribed yet: its possible values with their probabilities, or None for a uniform number."""

    def __init__(self, choices: list[tuple[Any, Fraction]] | None) -> None:
        super().__init__()
        self.choices = choices


class Draws:
    """A generator of prescribed draws; it replaces `numpy.random.Generator`."""

    def __init__(self, prescribed: list[Any]) -> None:
        self._prescribed = list(prescribed)
        self._next = 0

    def _draw(self, choices: list[tuple[Any, Fraction]] | None) -> Any:
        if self._next == len(self._prescribed):
            raise _Asked(choices)
        drawn = self._prescribed[self._next]
        self._next += 1
        return drawn

    def random(self, size: int | None = None) -> Any:
        """A uniform number."""
        if size is not None:
            return np.array([self._draw(None) for _ in range(size)])
        return self._draw(None)

    rand = random_sample = random

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A uniform number between two others."""
        return low + (high - low) * float(self._draw(None))

    def integers(self, low: int, high: int | None = None, **_: Any) -> int:
        """A whole number."""
        first, end = (0, low) if high is None else (low, high)
        return int(self._draw([(number, Fraction(1, end - first)) for number in range(first, end)]))

    def choice(self, among: Any, size: int | None = None, replace: bool = True, p: Any = None) -> Any:
        """One of several."""
        if size is not None:
            raise ModelError("the environment draws several choices at once, which cannot be enumerated")
        values = list(range(among)) if isinstance(among, (int, np.integer)) else list(among)
        shares = [Fraction(1, len(values))] * len(values) if p is None else [Fraction(repr(float(share))) for share in p]
        total = sum(shares)
        return self._draw([(value, share / total) for value, share in zip(values, shares, strict=True) if share])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModelError(
            f"the environment draws random numbers with `{name}`, which cannot be enumerated; build the model with ModelBuilder"
        )


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
            if asked.choices is None:
                steps = _steps(partial(_look_at, environment, action, prescribed))
                branches.extend(([*prescribed, place], probability * width) for place, width in steps)
            else:
                branches.extend(([*prescribed, value], probability * share) for value, share in asked.choices)
            if len(branches) > _MOST_BRANCHES:
                raise ModelError(f"action {action} has more than {_MOST_BRANCHES} outcomes in one state") from None
            continue
        yield probability, outcome, after


def copied(environment: Any) -> Any:
    """A copy of the environment in its present state. The copy protocol of many environments returns a fresh one."""
    after = object.__new__(type(environment))
    after.__dict__.update(copy.deepcopy(vars(environment)))
    return after


def _stepped(environment: Any, action: int, prescribed: list[Any]) -> tuple[Outcome, Any]:
    after = copied(environment)
    after._np_random = Draws(prescribed)
    seen, vector, terminated, _truncated, _ = after.step(action)
    after._np_random = None
    return (seen, vector, bool(terminated)), after


def _look_at(environment: Any, action: int, prescribed: list[Any], uniform: float) -> Any:
    """The outcome of a uniform number, for comparison with others."""
    try:
        (seen, vector, ended), _ = _stepped(environment, action, [*prescribed, uniform])
    except _Asked as asked:
        return "asked", None if asked.choices is None else [repr(value) for value, _ in asked.choices]
    return "done", repr(seen), repr(vector), ended


def _steps(look: Callable[[float], Any]) -> Iterator[tuple[float, Fraction]]:
    """The steps of a step function over [0, 1): a place inside each, and its width."""
    places = [(2 * at + 1) / (2 * _PROBES) for at in range(_PROBES)]
    seen = [look(place) for place in places]
    begins, inside = Fraction(0), places[0]
    for at in range(1, _PROBES):
        if seen[at] == seen[at - 1]:
            continue
        low, high = places[at - 1], places[at]
        for _ in range(_BITS):
            middle = low + (high - low) / 2
            if look(middle) == seen[at - 1]:
                low = middle
            else:
                high = middle
        ends = _simplest(Fraction(low), Fraction(high))
        yield inside, ends - begins
        begins, inside = ends, places[at]
    yield inside, 1 - begins


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator between two numbers, both included."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = whole - 1
    rest = _simplest(1 / (high - below), 1 / (low - below))
    return below + 1 / rest
