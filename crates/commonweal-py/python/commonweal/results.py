"""The typed results of all questions except `solve`, each made from the JSON document that the program prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import html
from .frames import Table, with_payoffs
from .numbers import Value, fraction, fraction_text, parse, step_of, values
from .strategy import CountingStrategy, Lottery, StationaryStrategy, Strategy

if TYPE_CHECKING:
    from .model import Model


def _status(document: dict[str, Any], done: str) -> tuple[str, str | None]:
    return document.get("status", done), document.get("reason")


def _payoff_columns(payoffs: dict[str, Value], welfare: Value | None) -> dict[str, list[Any]]:
    rows = [*payoffs.items(), *([("welfare", welfare)] if welfare is not None else [])]
    return {
        "principal": [name for name, _ in rows],
        "gets": [float(value) for _, value in rows],
        "lower": [value.lower for _, value in rows],
        "upper": [value.upper for _, value in rows],
        "exact": [None if value.exact is None else fraction_text(value.exact) for _, value in rows],
    }


def _payoff_table(payoffs: dict[str, Value], welfare: Value | None) -> str:
    rows = [[name, html.decimal(value), html.exactly(value)] for name, value in payoffs.items()]
    if welfare is not None:
        rows.append(["welfare", html.decimal(welfare), html.exactly(welfare)])
    return html.table(["principal", "gets", "exactly"], rows)


@dataclass(frozen=True, repr=False)
class Evaluation(Table):
    """The payoffs of a given strategy."""

    status: str
    """`"done"`, or `"stopped"`: the bounds hold, and are wider than they could be."""
    reason: str | None
    """Why it was stopped."""
    engine: str
    """`"exact"` or `"certified"`."""
    welfare: Value
    """The weighted sum of the payoffs from the start."""
    payoffs: dict[str, Value]
    """What each principal gets from the start, before its weight."""
    states: dict[str, tuple[Value, dict[str, Value]]]
    """Welfare and payoffs of each state that is listed, by name."""
    _json: str = field(compare=False)

    @classmethod
    def _of(cls, text: str) -> Evaluation:
        document = parse(text)
        states = {name: (Value._of(worth["welfare"]), values(worth["payoffs"])) for name, worth in document["states"].items()}
        welfare, payoffs = states[document["start"]]
        return cls(*_status(document, "done"), document["engine"], welfare, payoffs, states, text)

    def to_json(self) -> str:
        """The document `commonweal-evaluation/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        return _payoff_columns(self.payoffs, self.welfare)

    def __repr__(self) -> str:
        return f"<evaluation: {self.status}, welfare {self.welfare}>"

    def _repr_html_(self) -> str:
        return _payoff_table(self.payoffs, self.welfare)


@dataclass(frozen=True)
class Estimate:
    """A mean over random runs, and an interval for the true value."""

    mean: float | None
    """The mean; `None` if there was no run."""
    standard_error: float
    """Its standard error."""
    lower: float
    """The lower end of the confidence interval."""
    upper: float
    """The upper end of the confidence interval."""

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Estimate:
        return cls(document["mean"], float(document["standard_error"]), float(document["lower"]), float(document["upper"]))

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, (int, float, Fraction, Value)):
            return False
        return self.lower <= float(number) <= self.upper


@dataclass(frozen=True, repr=False)
class Simulation(Table):
    """Estimates from random runs of a strategy."""

    status: str
    """`"done"`, or `"stopped"` with fewer runs than were asked for."""
    reason: str | None
    """Why it was stopped."""
    runs: int
    """The number of runs."""
    seed: int
    """The seed of the random numbers."""
    confidence: float
    """The probability with which all intervals contain their true values."""
    steps: int
    """The number of steps of a run; the intervals include the truncation error."""
    welfare: Estimate
    """The weighted sum of the payoffs."""
    payoffs: dict[str, Estimate]
    """What each principal gets, before its weight."""
    _json: str = field(compare=False)

    @classmethod
    def _of(cls, text: str) -> Simulation:
        document = parse(text)
        return cls(
            *_status(document, "done"),
            document["runs"],
            int(document["seed"]),
            document["confidence"],
            document["steps"],
            Estimate._of(document["welfare"]),
            {name: Estimate._of(estimate) for name, estimate in document["payoffs"].items()},
            text,
        )

    def to_json(self) -> str:
        """The document `commonweal-simulation/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        rows = [*self.payoffs.items(), ("welfare", self.welfare)]
        return {
            "principal": [name for name, _ in rows],
            "mean": [estimate.mean for _, estimate in rows],
            "standard_error": [estimate.standard_error for _, estimate in rows],
            "lower": [estimate.lower for _, estimate in rows],
            "upper": [estimate.upper for _, estimate in rows],
        }

    def __repr__(self) -> str:
        return f"<simulation: {self.runs} runs, welfare {self.welfare.lower:.6g} to {self.welfare.upper:.6g}>"


class Search(Table):
    """The best strategy of a simple class, positional or stationary, with proven bounds."""

    status: str
    """`"optimal"`, `"within gap"` or `"stopped"`."""
    reason: str | None
    """Why no more is proven."""
    welfare: Value
    """What the strategy earns from the start: the number itself where it is known, or else at least `lower`, and at most
    `upper`, since no strategy of the class earns more."""
    upper: float
    """No strategy of the class earns more."""
    strategy: Strategy
    """The best strategy found."""
    nodes: int
    """Nodes expanded."""
    answer: str | None
    """`"yes"`, `"no"` or `"unknown"`, if a threshold was asked for."""

    def __init__(self, text: str, strategy: Strategy) -> None:
        document = parse(text)
        self._json = text
        self.status, self.reason = document["status"], document.get("reason")
        exact = document.get("exact")
        lower, self.upper = float(document["lower"]), float(document["upper"])
        # Of a strategy whose welfare is not known exactly it is known that it is of the class.
        self.welfare = Value(None, lower, self.upper) if exact is None else _exact_value(fraction(exact), lower)
        self.strategy = strategy
        self.nodes = document["nodes"]
        self.answer = document.get("answer")

    @property
    def payoffs(self) -> dict[str, Value]:
        """What each principal gets under the strategy found."""
        return self.strategy.model.evaluate(self.strategy).payoffs

    def to_json(self) -> str:
        """The document `commonweal-search/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        return _payoff_columns(self.payoffs, self.welfare)

    def __repr__(self) -> str:
        return f"<search: {self.status}, welfare {self.welfare}, at most {self.upper!r}>"

    def _repr_html_(self) -> str:
        return _payoff_table(self.payoffs, self.welfare)


class PositionalSearch(Search):
    """The best positional strategy, with proven bounds."""

    strategy: CountingStrategy
    """The best strategy found: one action in each state for ever."""


class StationarySearch(Search):
    """The best stationary strategy, with proven bounds."""

    strategy: StationaryStrategy
    """The best strategy found: one mix of actions in each state for ever."""


def _exact_value(exact: Fraction, lower: float) -> Value:
    import math

    upper = lower if exact == lower else math.nextafter(lower, math.inf)
    return Value(exact, lower, upper)


@dataclass(frozen=True)
class Change:
    """Where the best strategy changes along a range of discounts or rates."""

    at: Fraction | None
    """The value itself, where it is a short fraction."""
    low: Fraction
    """A value before the change."""
    high: Fraction
    """A value after it."""
    before: str
    """The strategy before it, in words."""
    after: str
    """The strategy after it, in words."""


@dataclass(frozen=True)
class SweepPoint:
    """One discount, rate or weight, and what is best there."""

    discount: Fraction | None
    """The discount, where that or the rate varies."""
    rate: Fraction | None
    """The rate, where that varies."""
    weight: Fraction | None
    """The weight, where that varies."""
    strategy: str | None
    """The strategy in words; `None` if it is not known."""
    welfare: Value
    long_term_welfare: Value
    payoffs: dict[str, Value]
    horizon: int
    memory: int
    changes: list[Change]
    """The changes between this point and the next."""

    @property
    def at(self) -> Fraction:
        """What varies: the rate, the weight or the discount."""
        found = next((number for number in (self.rate, self.weight, self.discount) if number is not None), None)
        assert found is not None
        return found


@dataclass(frozen=True, repr=False)
class Sweep(Table):
    """Solutions along a range of one principal's discount, rate or weight, and where the strategy changes."""

    status: str
    """`"done"`, or `"stopped"`: points or changes may be missing."""
    reason: str | None
    """Why it was stopped."""
    principal: str
    """Whose discount, rate or weight varies."""
    quantity: str
    """`"discount"`, `"rate"` or `"weight"`."""
    points: list[SweepPoint]
    """The discounts that were solved, in increasing order."""
    weights: dict[str, Fraction]
    """The weights of the principals' payoffs in the welfare; one that varies is that of the model."""
    _json: str = field(compare=False)

    @classmethod
    def _of(cls, text: str, weights: dict[str, Fraction]) -> Sweep:
        document = parse(text)

        def change(of: dict[str, Any]) -> Change:
            at = of["at"]
            return Change(
                None if at is None else fraction(at), fraction(of["low"]), fraction(of["high"]), of["before"], of["after"]
            )

        def point(of: dict[str, Any]) -> SweepPoint:
            def varied(quantity: str) -> Fraction | None:
                return None if of.get(quantity) is None else fraction(of[quantity])

            return SweepPoint(
                varied("discount"),
                varied("rate"),
                varied("weight"),
                of["strategy"],
                Value._of(of["welfare"]),
                Value._of(of["long_term_welfare"]),
                values(of["payoffs"]),
                step_of(of["horizon"]),
                step_of(of["memory"]),
                [change(one) for one in of["changes"]],
            )

        points = [point(one) for one in document["points"]]
        quantity = document.get("quantity", "discount")
        return cls(*_status(document, "done"), document["principal"], quantity, points, weights, text)

    @property
    def changes(self) -> list[Change]:
        """All changes of the strategy along the range."""
        return [change for point in self.points for change in point.changes]

    def to_json(self) -> str:
        """The document `commonweal-sweep/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {
            self.quantity: [float(point.at) for point in self.points],
            "strategy": [point.strategy for point in self.points],
            "welfare": [float(point.welfare) for point in self.points],
            "long_term_welfare": [float(point.long_term_welfare) for point in self.points],
        }
        names = self.points[0].payoffs if self.points else ()
        payoffs = ((name, [float(point.payoffs[name]) for point in self.points]) for name in names)
        with_payoffs(columns, payoffs, ("horizon", "memory"))
        columns["horizon"] = [point.horizon for point in self.points]
        columns["memory"] = [point.memory for point in self.points]
        return columns

    def __repr__(self) -> str:
        return f"<sweep of {self.principal}: {len(self.points)} points, {len(self.changes)} changes>"


@dataclass(frozen=True)
class Region:
    """Where a strategy is best."""

    strategy: str | None
    """The strategy in words; `None` where it is not known."""
    share: float
    """The share of the map."""


@dataclass(frozen=True)
class Boundary:
    """A place between two discounts of each axis at which the strategy changes."""

    low: tuple[Fraction, Fraction]
    high: tuple[Fraction, Fraction]
    before: str
    after: str


@dataclass(frozen=True)
class Axis:
    """A range of one principal's discount or rate."""

    principal: str
    quantity: str
    first: Fraction
    last: Fraction


@dataclass(frozen=True, repr=False)
class StrategyMap(Table):
    """Which strategy is best over two principals' discounts."""

    status: str
    """`"done"`, or `"stopped"`: parts of the map are missing."""
    reason: str | None
    """Why it was stopped."""
    x: Axis
    """The discount that goes to the right."""
    y: Axis
    """The discount that goes upward."""
    regions: list[Region]
    """The strategies, ordered by the step at which they settle."""
    located: list[Boundary]
    """Points on the boundaries between them."""
    _json: str = field(compare=False)

    @classmethod
    def _of(cls, text: str) -> StrategyMap:
        document = parse(text)

        def axis(of: dict[str, Any]) -> Axis:
            return Axis(of["principal"], of.get("quantity", "discount"), fraction(of["from"]), fraction(of["to"]))

        def pair(of: list[str]) -> tuple[Fraction, Fraction]:
            return fraction(of[0]), fraction(of[1])

        located = [Boundary(pair(of["low"]), pair(of["high"]), of["before"], of["after"]) for of in document["located"]]
        return cls(
            *_status(document, "done"),
            axis(document["x"]),
            axis(document["y"]),
            [Region(of["strategy"], of["share"]) for of in document["regions"]],
            located,
            text,
        )

    def to_json(self) -> str:
        """The document `commonweal-map/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "strategy": [region.strategy for region in self.regions],
            "share": [region.share for region in self.regions],
        }

    def __repr__(self) -> str:
        stopped = ", stopped" if self.status == "stopped" else ""
        return f"<map of {self.x.principal} and {self.y.principal}: {len(self.regions)} strategies{stopped}>"


class Fair(Table):
    """The fairest lottery over strategies by a rule, with the weights that prove it."""

    rule: str
    """The rule."""
    status: str
    """`"optimal"`, `"within gap"`, `"infeasible"` or `"stopped"`."""
    reason: str | None
    """Why no more is proven."""
    value: Value | None
    """Bounds on the optimal value by the rule; `None` if the demands are infeasible."""
    infeasible_by: Value | None
    """The greatest shortfall of infeasible demands."""
    payoffs: dict[str, Value]
    """What each principal gets, before its weight."""
    levels: list[tuple[list[str], Value]]
    """For leximin: who gains what on which level, the worst-off first."""
    relaxed_by: Fraction
    """By how much the demands were relaxed, because doubles do not decide whether they can be met exactly; 0 if they were not."""
    over: dict[str, Fraction]
    """The reference point."""
    weights: dict[str, Fraction]
    """The weights of a half-space that proves it."""
    strategy: Lottery | None
    """The lottery, to be evaluated, simulated and played; `None` if there is none."""

    def __init__(self, text: str, strategy: Lottery | None) -> None:
        document = parse(text)
        self._json = text
        self.rule = document["rule"]
        self.status, self.reason = document["status"], document.get("reason")
        value, missing = document["value"], document.get("infeasible_by")
        self.value = None if value is None else Value._of(value)
        self.infeasible_by = None if missing is None else Value._of(missing)
        self.payoffs = values(document["payoffs"])
        self.levels = [(level["principals"], Value._of(level["value"])) for level in document.get("levels", [])]
        self.relaxed_by = fraction(document.get("relaxed_by", "0"))
        self.over = {name: fraction(number) for name, number in document["over"].items()}
        self.weights = {name: fraction(number) for name, number in document["weights"].items()}
        self.strategy = strategy

    def to_json(self) -> str:
        """The document `commonweal-fair/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        return _payoff_columns(self.payoffs, None)

    def __repr__(self) -> str:
        return f"<{self.rule}: {self.status}, value {self.value}>"

    def _repr_html_(self) -> str:
        return _payoff_table(self.payoffs, None)


@dataclass(frozen=True)
class Vertex:
    """A vertex of the front."""

    payoffs: dict[str, Value]
    """What each principal gets."""
    weights: dict[str, Fraction]
    """Weights for which nothing is better."""


@dataclass(frozen=True)
class Edge:
    """An edge of the front, between two vertices by their positions."""

    first: int
    last: int
    weights: dict[str, Fraction]
    """Weights for which all of it is equally good."""
    proven: bool
    """Whether nothing lies beyond it."""


_REPETITIONS = 200
"""As many repetitions of a pattern are drawn at most."""
_VISIBLE = 1e-3
"""A shorter part of a picture is not seen."""


@dataclass(frozen=True, repr=False)
class Front(Table):
    """The Pareto front of the principals' payoffs."""

    status: str
    """`"done"`, or `"stopped"`: vertices may be missing."""
    reason: str | None
    """Why it was stopped."""
    principals: list[str]
    """The principals of the front."""
    complete: bool
    """Whether this is the whole front, exactly."""
    vertices: list[Vertex]
    """From the first principal's best to the last one's, for two principals."""
    edges: list[Edge]
    """The edges between them, for two principals."""
    pattern: dict[str, Any] | None
    """The repeating pattern of a front with infinitely many vertices: between those of `vertices` and the one at the position
    `pattern["towards"]`, which is their limit."""
    _json: str = field(compare=False)

    @classmethod
    def _of(cls, text: str) -> Front:
        document = parse(text)

        def weights(of: dict[str, str]) -> dict[str, Fraction]:
            return {name: fraction(number) for name, number in of.items()}

        vertices = [Vertex(values(of["payoffs"]), weights(of["weights"])) for of in document["vertices"]]
        edges = [Edge(of["from"], of["to"], weights(of["weights"]), of["proven"]) for of in document["edges"]]
        return cls(
            *_status(document, "done"),
            document["principals"],
            document["complete"],
            vertices,
            edges,
            document["pattern"],
            text,
        )

    def unrolled(self, x: str, y: str) -> list[list[tuple[float, float]]]:
        """The front of two principals as lines: what edges join, and the pattern as far as it can be seen, up to its limit.

        A line ends where no edge is known.
        """
        points = [(float(vertex.payoffs[x]), float(vertex.payoffs[y])) for vertex in self.vertices]
        joined = {(edge.first, edge.last) for edge in self.edges}
        lines: list[list[tuple[float, float]]] = []
        for at, point in enumerate(points):
            if at == 0 or (at - 1, at) not in joined:
                lines.append([])
            lines[-1].append(point)
        if self.pattern is None or self.pattern["factors"] is None:
            return lines
        factors = [float(fraction(self.pattern["factors"][name])) for name in (x, y)]
        own = self.edges[self.pattern["first_edge"] :][: self.pattern["edges"]]
        at_the_end = self.pattern["towards"] == len(points) - 1
        # The limit has no edge: it is a line of its own, at the end or at the beginning.
        limit = lines.pop() if at_the_end else lines.pop(0)
        line = lines[-1] if at_the_end else lines[0][::-1]
        ends = [(points[edge.first], points[edge.last]) for edge in (own if at_the_end else own[::-1])]
        steps = [(last[0] - first[0], last[1] - first[1]) for first, last in ends]
        if not at_the_end:
            steps = [(-dx, -dy) for dx, dy in steps]
        width = max(abs(line[0][0] - limit[0][0]), abs(line[0][1] - limit[0][1]))
        for _ in range(_REPETITIONS):
            steps = [(dx * factors[0], dy * factors[1]) for dx, dy in steps]
            for dx, dy in steps:
                line.append((line[-1][0] + dx, line[-1][1] + dy))
            if all(max(abs(dx), abs(dy)) < _VISIBLE * width for dx, dy in steps):
                break
        line.append(limit[0])
        if at_the_end:
            lines[-1] = line
        else:
            lines[0] = line[::-1]
        return lines

    def to_json(self) -> str:
        """The document `commonweal-front/1`."""
        return self._json

    def _columns(self) -> dict[str, list[Any]]:
        names = list(self.vertices[0].payoffs) if self.vertices else []
        columns: dict[str, list[Any]] = {}
        with_payoffs(columns, ((name, [float(own.payoffs[name]) for own in self.vertices]) for name in names), ("vertex",))
        if self.pattern is not None:
            # Between the limit and its neighbour there are infinitely many vertices.
            towards = self.pattern["towards"]
            columns["vertex"] = ["limit of the pattern" if at == towards else "vertex" for at in range(len(self.vertices))]
        return columns

    def __repr__(self) -> str:
        whole = "whole" if self.complete else "not whole"
        more = "" if self.pattern is None else ", then a pattern of infinitely many"
        return f"<front of {', '.join(self.principals)}: {len(self.vertices)} vertices{more}, {whole}>"


@dataclass(frozen=True)
class Check:
    """The verdict of the independent checker on a certificate."""

    status: str
    """`"accepted"`, `"refused"`, or `"stopped"` before there was a verdict."""
    says: str
    """What is proven, the first claim that could not be verified, or why there is no verdict."""

    @classmethod
    def _of(cls, text: str, approximated: Sequence[str] = ()) -> Check:
        document = parse(text)
        says = document["says"]
        if approximated and document["verdict"] == "accepted":
            names = ", ".join(f"`{name}`" for name in approximated)
            says = f"for the mixtures of discounts that approximate the time preferences of {names}: {says}"
        return cls(document["verdict"], says)

    @property
    def accepted(self) -> bool:
        """Whether every claim holds."""
        return self.status == "accepted"

    def __bool__(self) -> bool:
        return self.accepted


def lottery(core_strategy: Any, model: Model) -> Lottery | None:
    """The lottery that a fair rule returns, if there is one."""
    if core_strategy is None:
        return None
    found = Strategy._wrap(core_strategy, model)
    assert isinstance(found, Lottery)
    return found
