"""The questions about a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, cast

from . import _core
from .errors import ModelError, QuestionError
from .labels import is_text, whole
from .limits import MOST, Limits
from .naming import Named
from .numbers import Number, text_of
from .results import Evaluation, Fair, Front, PositionalSearch, Simulation, StationarySearch, StrategyMap, Sweep, lottery
from .solution import Solution
from .strategy import HasStrategy, Strategy, strategy_of

if TYPE_CHECKING:
    from .model import Model

S = TypeVar("S", PositionalSearch, StationarySearch)

Range: TypeAlias = "tuple[Number, Number]"
"""The least and the greatest discount, or rate."""


class Asking(Named):
    """What a model can be asked."""

    @property
    def _model(self) -> Model:
        """The model itself: only models are asked."""
        return cast("Model", self)

    def solve(
        self,
        exact: bool | None = None,
        gap: float | None = None,
        threads: int | None = None,
        *,
        time_limit: float | None = None,
    ) -> Solution:
        """The strategy of greatest welfare.

        By default the model's size decides between fractions (`exact=True`) and doubles with proven bounds (`exact=False`, or a
        `gap` relative to the size of the welfare). Other Python threads run meanwhile. After `time_limit` seconds, or on
        Ctrl-C, the solution has the bounds proven so far, and its `status` is `"stopped"`.
        """
        keep_proof = self._core.is_exact and self.n_states <= 1000
        answer = _core.solve(self._core, Limits(exact, gap, threads, time_limit), keep_proof)
        return Solution(answer, self._model, threads)

    def positional(
        self,
        *,
        gap: float | None = None,
        threshold: Number | None = None,
        node_limit: int | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> PositionalSearch:
        """The best strategy that takes one action in each state for ever. NP-hard: bounds if a limit stops it."""
        return self._search(PositionalSearch, Limits(None, gap, threads, time_limit), threshold, node_limit)

    def stationary(
        self,
        *,
        gap: float | None = None,
        threshold: Number | None = None,
        node_limit: int | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> StationarySearch:
        """The best strategy that mixes actions but never counts steps. NP-hard: bounds if a limit stops it."""
        return self._search(StationarySearch, Limits(None, gap, threads, time_limit), threshold, node_limit)

    def _search(self, kind: type[S], limits: Limits, threshold: Number | None, node_limit: int | None) -> S:
        least = None if threshold is None else _text(threshold, "threshold")
        if node_limit is not None:
            node_limit = whole(node_limit, "node_limit", 0, MOST)
        document, found = _core.search(self._core, kind is StationarySearch, limits, least, node_limit)
        return kind(document, Strategy._wrap(found, self._model))

    def evaluate(
        self,
        strategy: Strategy | HasStrategy,
        exact: bool | None = None,
        gap: float | None = None,
        threads: int | None = None,
        *,
        time_limit: float | None = None,
        all_states: bool = False,
    ) -> Evaluation:
        """Each principal's payoff under a strategy: exactly, or between proven bounds."""
        limits = Limits(exact, gap, threads, time_limit)
        return Evaluation._of(_core.evaluate(self._core, self._strategy(strategy), limits, bool(all_states)))

    def simulate(
        self,
        strategy: Strategy | HasStrategy,
        runs: int = 10_000,
        seed: int = 1,
        *,
        confidence: float = 0.99,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Simulation:
        """Means with confidence intervals from random runs of a strategy. The same seed gives the same answer."""
        limits = Limits(None, None, threads, time_limit)
        runs, seed = whole(runs, "runs", 1, MOST), whole(seed, "seed", 0, MOST)
        if isinstance(confidence, bool) or not isinstance(confidence, Real):
            raise QuestionError(f"confidence is {confidence!r}; it lies between 0 and 1, such as 0.99")
        core = self._strategy(strategy)
        return Simulation._of(_core.simulate(self._core, core, limits, runs, seed, float(confidence)))

    def sweep(
        self,
        principal: str,
        first: Number,
        last: Number,
        steps: int = 100,
        *,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Sweep:
        """Solutions for discounts of one principal from `first` to `last`, and where the best strategy changes.

        `"fund.rate"` in place of `"fund"` varies the rate: `model.sweep("fund.rate", "1%", "7%")`; `"fund.weight"` varies the
        weight. A percentage is a rate: it is refused where the discount varies.
        """
        ends = (_text(first, "first"), _text(last, "last"))
        steps = whole(steps, "steps", 1, MOST)
        limits = Limits(None, None, threads, time_limit)
        weights = {own.name: own.weight for own in self.principals}
        return Sweep._of(_core.sweep(self._core, name_of(principal, "principal"), ends, steps, limits), weights)

    def map(
        self,
        x: str,
        y: str,
        x_range: Range | None = None,
        y_range: Range | None = None,
        resolution: int = 16,
        *,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> StrategyMap:
        """Which strategy is best over the discounts of two principals, with located boundaries.

        `"fund.rate"` varies the rate of a principal, `"fund.weight"` its weight. The default ranges are those of the program: 0
        to 0.999 for a discount, 0.1% to 20% for a rate, 0 to 2 for a weight. Percentages are rates, not discounts.
        """
        ranges = [_range("x_range", x_range), _range("y_range", y_range)]
        resolution = whole(resolution, "resolution", 1, MOST)
        limits = Limits(None, None, threads, time_limit)
        axes = (name_of(x, "x"), name_of(y, "y"))
        return StrategyMap._of(_core.strategy_map(self._core, axes, ranges, resolution, limits))

    def fair(
        self,
        rule: str,
        *,
        over: Literal["own-worst"] | Mapping[str, Number] | Strategy | None = None,
        at_least: Mapping[str, Number] | None = None,
        at_most: Mapping[str, Number] | None = None,
        coin: Literal["start", "decision"] = "start",
        exact: bool | None = None,
        gap: float | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Fair:
        """The fairest lottery over strategies.

        The rules are `welfare`, `max-min`, `leximin`, `nash`, `kalai-smorodinsky`, `gini:2/3,1/3` and `alpha:2`. They look at
        payoffs less the reference point `over`: a number for each principal, a strategy's payoffs, or `"own-worst"`.
        `at_least` and `at_most` bound the payoffs of principals.
        """
        if coin not in ("start", "decision"):
            raise QuestionError(f'coin is {coin!r}; it is "start" or "decision"')
        reference: _core.Strategy | list[tuple[str, str]] | str | None
        if isinstance(over, Mapping):
            reference = [(name_of(name, "over"), _text(number, "over")) for name, number in over.items()]
        elif over is None or over == "own-worst":
            reference = over
        elif isinstance(over, Strategy):
            reference = self._strategy(over)
        else:
            raise QuestionError(f'over is {over!r}; it is "own-worst", a dict of numbers by principal, or a strategy')
        for what, given in (("at_least", at_least), ("at_most", at_most)):
            if given is not None and not isinstance(given, Mapping):
                raise QuestionError(f"{what} is {given!r}; it is a dict of numbers by principal, such as {{'bob': 4}}")
        bounds = [
            [(name_of(name, what), _text(number, what)) for name, number in (given or {}).items()]
            for what, given in (("at_least", at_least), ("at_most", at_most))
        ]
        limits = Limits(exact, gap, threads, time_limit)
        document, strategy = _core.fair(
            self._core, name_of(rule, "rule"), reference, bounds[0], bounds[1], coin == "decision", limits
        )
        return Fair(document, lottery(strategy, self._model))

    def front(
        self,
        x: str | None = None,
        y: str | None = None,
        *,
        vertices: int | None = None,
        gap: float | None = None,
        exact: bool | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Front:
        """The Pareto front of two principals' payoffs, or of all if there are more and none is named."""
        if (x is None) != (y is None):
            raise QuestionError("name both principals of a front, x and y, or none")
        axes = None if x is None or y is None else (name_of(x, "x"), name_of(y, "y"))
        if vertices is not None:
            vertices = whole(vertices, "vertices", 1, MOST)
        limits = Limits(exact, gap, threads, time_limit)
        return Front._of(_core.front(self._core, axes, vertices, limits))

    def _strategy(self, strategy: Strategy | HasStrategy) -> _core.Strategy:
        """A strategy for this model, or for one with the same states and actions."""
        strategy = strategy_of(strategy)
        difference = None if strategy.model is self else self._core.difference(strategy.model._core)
        if difference is not None:
            raise QuestionError(
                f"the strategy is for another model: {difference}\n"
                "help: Strategy.from_json(model, strategy.to_json()) reads it by the names of states and actions",
                message=f"the strategy is for another model: {difference}",
                help="Strategy.from_json(model, strategy.to_json()) reads it by the names of states and actions",
            )
        return strategy._core


def _text(number: Number, what: str) -> str:
    """A number of a question, as the library reads it."""
    try:
        return text_of(number, what)
    except ModelError as error:
        raise QuestionError(str(error)) from None


def name_of(given: object, what: str) -> str:
    """A name of a question."""
    if not isinstance(given, str):
        raise QuestionError(f"{what} is {given!r}; write a name as a text")
    if not is_text(given):
        raise QuestionError(f"{what} is {given!r}, which holds half of a surrogate pair; write whole characters")
    return given


def _range(what: str, given: Range | None) -> tuple[str, str] | None:
    """The two ends of a range."""
    if given is None:
        return None
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise QuestionError(f"{what} is {given!r}; it is a pair such as (0.1, 0.9)")
    return _text(given[0], what), _text(given[1], what)
