"""Models, and the questions about them."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, arrays, labels, preferences
from .errors import CertificateError, ModelError, QuestionError
from .labels import Action, Labels, State, is_whole, whole
from .limits import MOST, Limits
from .numbers import Number, fraction, text_of
from .preferences import Preference
from .results import Check, Evaluation, Fair, Front, Search, Simulation, StrategyMap, Sweep, lottery
from .solution import Solution
from .strategy import Strategy

Range: TypeAlias = "tuple[Number, Number]"
"""The least and the greatest discount, or rate."""


@dataclass(frozen=True)
class Principal:
    """A principal, with rewards and a time preference of its own."""

    name: str
    """The name."""
    preference: str
    """The time preference in a few words: `2/3`, `rate 3%`, `green-book`."""
    discount: Fraction | None
    """The discount; `None` if the time preference is not plain discounting."""
    weight: Fraction
    """The weight of the payoff in the welfare."""


class Model:
    """A Markov decision process with several principals, valid once it exists.

    Make one with `commonweal.load`, `Model.from_yaml`, `Model.from_arrays`, `ModelBuilder`, or from another library's
    environment or model.

    Methods take a state or an action by name or by number. The number of a state is its position from 0; that of an action
    is its number in the arrays, or else its position among the actions of its state. Names win: whole numbers that were given
    as names (`states=[10, 20]`, `ModelBuilder`) are names, not positions, and a position is refused where another state
    or action is named by that number.
    """

    def __init__(self, core: _core.Model, labels: Labels | None = None) -> None:
        self._core = core
        self._labels = labels or Labels()

    # Making one

    @staticmethod
    def from_yaml(text: str, *, strict: bool = False) -> Model:
        """The model that a YAML or JSON text describes.

        Rows of decimals that miss 1 by at most 1e-9 are scaled to 1; `strict` refuses them.
        """
        if not isinstance(text, str):
            raise ModelError(f"from_yaml takes a text, not a {type(text).__name__}; `load` reads a file")
        return Model(_core.Model.from_text(text, "the model", bool(strict)))

    @staticmethod
    def from_arrays(
        P: Any,
        R: Mapping[str, Any],
        discounts: Mapping[str, Preference],
        *,
        s_indices: ArrayLike | None = None,
        a_indices: ArrayLike | None = None,
        states: Sequence[State] | None = None,
        actions: Sequence[Action] | None = None,
        start: State = labels.FIRST,
        exact: bool | None = None,
    ) -> Model:
        """The model that arrays describe.

        `P` has a row for each pair of a state and an action, and a column for each state: a SciPy sparse matrix or an array,
        with the state and the action of each row in `s_indices` and `a_indices` (QuantEcon's form). Or `P[a][s][t]` is the
        probability that action `a` leads from state `s` to `t`: an array, or a sequence of matrices (mdptoolbox's form).

        `R` has the rewards of each principal: one per row; in the second form one per state, `R[s, a]`, or `R[a, s, t]`.
        `discounts` has the time preference of each principal.

        `states` and `actions` are names in the order of their numbers. Whole numbers as names are names: with
        `states=[10, 20]`, `solution[10]` is the first state and `solution[0]` is refused. `start` is a name or a number; the
        default is the first state.

        Each array is copied once. In a small model a float is the decimal that Python prints for it (0.1 is one tenth) and
        answers are fractions; a large one stays in doubles. `exact=True` forces fractions, `exact=False` doubles.
        Arrays with a `Fraction` or `Decimal` are read exactly, unless `exact=False` asks for doubles.
        Rows that miss 1 by at most 1e-9 are scaled to 1; `model.scaled_rows` says how many.
        """
        if exact is not None and not isinstance(exact, bool):
            raise ModelError(f"exact is {exact!r}; it is True, False or None")
        if exact is not False and arrays.holds_fractions(P, R):
            return _from_fractions(P, R, discounts, s_indices, a_indices, states, actions, start)
        rows = arrays.rows(P, R, discounts, s_indices, a_indices)
        made = labels.of_arrays(states, actions, rows.n_states, rows.n_actions)
        core = _core.Model.from_rows(
            rows.indptr,
            rows.indices,
            rows.data,
            rows.s_indices,
            rows.a_indices,
            rows.rewards,
            preferences.entries(discounts),
            None if states is None else labels.names(states, "state"),
            made.action_names,
            rows.n_states,
            rows.n_actions if made.action_names is None else len(made.action_names),
            labels.start_of_arrays(start, states, rows.n_states),
            exact,
        )
        return Model(core, made)

    @staticmethod
    def from_gymnasium(env: Any, discounts: Mapping[str, Preference] | Preference, **options: Any) -> Model:
        """The model of a Gymnasium environment with a table `env.unwrapped.P`; see `commonweal.from_gymnasium`."""
        from .sources import from_gymnasium

        return from_gymnasium(env, discounts, **options)

    @staticmethod
    def from_mo_gymnasium(env: Any, discounts: Mapping[str, Preference], **options: Any) -> Model:
        """The model of an MO-Gymnasium environment; see `commonweal.from_mo_gymnasium`."""
        from .sources import from_mo_gymnasium

        return from_mo_gymnasium(env, discounts, **options)

    @staticmethod
    def from_stormpy(model: Any, discounts: Mapping[str, Preference], **options: Any) -> Model:
        """The model of a stormpy object; see `commonweal.from_stormpy`."""
        from .sources import from_stormpy

        return from_stormpy(model, discounts, **options)

    @staticmethod
    def from_quantecon(ddp: Any, **options: Any) -> Model:
        """The model of a `quantecon.markov.DiscreteDP`; see `commonweal.from_quantecon`."""
        from .sources import from_quantecon

        return from_quantecon(ddp, **options)

    # What it is made of

    @property
    def n_states(self) -> int:
        """The number of states."""
        return self._core.n_states

    @property
    def n_choices(self) -> int:
        """The number of choices: pairs of a state and one of its actions."""
        return self._core.n_choices

    @property
    def n_transitions(self) -> int:
        """The number of transitions."""
        return self._core.n_transitions

    @property
    def states(self) -> Sequence[State]:
        """The states: their names, or numbers if they have none."""
        return self._core.state_names() if self._labels.states is None else self._labels.states

    @property
    def start(self) -> State:
        """The state in which a run starts."""
        return self._shown_state(self._core.start)

    @property
    def principals(self) -> list[Principal]:
        """The principals, in the model's order."""
        return [
            Principal(name, preference, None if discount is None else fraction(discount), fraction(weight))
            for name, preference, discount, weight in self._core.principals
        ]

    @property
    def name(self) -> str | None:
        """The name of the model, if it has one."""
        return self._core.about[0]

    @property
    def description(self) -> str | None:
        """The description of the model, if it has one."""
        return self._core.about[1]

    @property
    def step(self) -> str:
        """What one step is called, such as `"year"`; `"step"` by default."""
        return self._core.about[2]

    @property
    def is_exact(self) -> bool:
        """Whether the numbers inside are fractions, not doubles."""
        return self._core.is_exact

    @property
    def scaled_rows(self) -> tuple[int, float]:
        """How many rows were scaled to sum to 1, and the largest difference of a sum from 1."""
        return self._core.scaled_rows

    @property
    def left_out(self) -> list[str]:
        """The reward structures of a file without a discount, which are not principals."""
        return self._core.left_out

    def actions(self, state: State) -> list[Action]:
        """The actions of a state, in the model's order."""
        return self._actions_at(self._state(state))

    def _actions_at(self, position: int) -> list[Action]:
        return [self._shown_action(name) for name in self._core.actions(position)]

    def to_yaml(self) -> str:
        """The model as a YAML file has it, in fractions."""
        return self._core.to_yaml()

    def to_drn(self) -> str:
        """The model as a DRN file of Storm has it, in fractions; the format cannot store time preferences."""
        return self._core.to_drn()

    def to_arrays(
        self,
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int64],
        tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]],
        dict[str, NDArray[np.float64]],
    ]:
        """The model in doubles: `s_indices`, `a_indices`, `(data, indices, indptr)` of the matrix, and rewards by principal.

        `scipy.sparse.csr_matrix((data, indices, indptr))` makes the matrix. Here `a_indices` are positions of actions within
        their states.
        """
        s_indices, a_indices, indptr, indices, data, rewards = self._core.to_rows()
        names = [principal.name for principal in self.principals]
        return s_indices, a_indices, (data, indices, indptr), dict(zip(names, rewards, strict=True))

    # Changing it

    def with_start(self, state: State) -> Model:
        """The same model with another start."""
        return self._with(self._core.with_start(self._state(state)))

    def with_discounts(self, discounts: Mapping[str, Preference]) -> Model:
        """The same model with other time preferences for these principals, and weights where they state some."""
        core = self._core.with_principals(preferences.entries(discounts))
        for name, weight in preferences.weights(discounts).items():
            core = core.with_weight(name, weight)
        return self._with(core)

    def with_weights(self, weights: Mapping[str, Number]) -> Model:
        """The same model with other weights for these principals: negative for costs, 0 to be reported only."""
        core = self._core
        if not isinstance(weights, Mapping):
            raise QuestionError(f"weights is {weights!r}; it is a dict of numbers by principal, such as {{'bob': 2}}")
        for name, weight in weights.items():
            core = core.with_weight(_text(name, "a principal"), text_of(weight, f"the weight of `{name}`"))
        return self._with(core)

    # Copying and storing

    def __copy__(self) -> Model:
        """The model itself, which never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """The parts from which `pickle` makes the same model: its YAML document in fractions, or its arrays in doubles."""
        if self.is_exact:
            return _unpickled, (self.to_yaml(), None, self._labels)
        s_indices, _, indptr, indices, data, rewards = self._core.to_rows()
        names, positions = self._core.named_actions()
        states = None if self._core.states_are_numbered else self._core.state_names()
        rows = (indptr, indices, data, s_indices, positions, rewards)
        return _unpickled, (self._core.principals_yaml(), (rows, states, names, self.n_states, self._core.start), self._labels)

    def _with(self, core: _core.Model) -> Model:
        return Model(core, self._labels)

    # Asking

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
        keep_proof = self.is_exact and self.n_states <= 1000
        answer = _core.solve(self._core, Limits(exact, gap, threads, time_limit), keep_proof)
        return Solution(answer, self, threads)

    def positional(
        self,
        *,
        gap: float | None = None,
        threshold: Number | None = None,
        node_limit: int | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Search:
        """The best strategy that takes one action in each state for ever. NP-hard: bounds if a limit stops it."""
        return self._search(False, Limits(None, gap, threads, time_limit), threshold, node_limit)

    def stationary(
        self,
        *,
        gap: float | None = None,
        threshold: Number | None = None,
        node_limit: int | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Search:
        """The best strategy that mixes actions but never counts steps. NP-hard: bounds if a limit stops it."""
        return self._search(True, Limits(None, gap, threads, time_limit), threshold, node_limit)

    def _search(self, mixed: bool, limits: Limits, threshold: Number | None, node_limit: int | None) -> Search:
        least = None if threshold is None else text_of(threshold, "threshold")
        if node_limit is not None:
            node_limit = whole(node_limit, "node_limit", 0, MOST)
        document, strategy = _core.search(self._core, mixed, limits, least, node_limit)
        return Search(document, Strategy._wrap(strategy, self))

    def evaluate(
        self,
        strategy: Strategy,
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
        strategy: Strategy,
        runs: int = 10_000,
        seed: int = 1,
        *,
        confidence: float = 0.99,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> Simulation:
        """Means with confidence intervals from random runs of a strategy. The same seed gives the same answer."""
        limits = Limits(None, None, threads, time_limit)
        runs, seed = whole(runs, "runs", 0, MOST), whole(seed, "seed", 0, MOST)
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
        ends = (text_of(first, "first"), text_of(last, "last"))
        steps = whole(steps, "steps", 1, MOST)
        limits = Limits(None, None, threads, time_limit)
        return Sweep._of(_core.sweep(self._core, _text(principal, "principal"), ends, steps, limits))

    def map(
        self,
        x: str,
        y: str,
        x_range: Range | None = None,
        y_range: Range | None = None,
        resolution: int = 32,
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
        axes = (_text(x, "x"), _text(y, "y"))
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
        reference: _core.Strategy | str | None
        if isinstance(over, Mapping):
            reference = ",".join(f"{_text(name, 'over')}={text_of(number, 'over')}" for name, number in over.items())
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
            [(_text(name, what), text_of(number, what)) for name, number in (given or {}).items()]
            for what, given in (("at_least", at_least), ("at_most", at_most))
        ]
        limits = Limits(exact, gap, threads, time_limit)
        document, strategy = _core.fair(
            self._core, _text(rule, "rule"), reference, bounds[0], bounds[1], coin == "decision", limits
        )
        return Fair(document, lottery(strategy, self))

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
        axes = None if x is None or y is None else (_text(x, "x"), _text(y, "y"))
        if vertices is not None:
            vertices = whole(vertices, "vertices", 1, MOST)
        limits = Limits(exact, gap, threads, time_limit)
        return Front._of(_core.front(self._core, axes, vertices, limits))

    def _strategy(self, strategy: Strategy) -> _core.Strategy:
        """A strategy for this model, or for one with the same states and actions."""
        if not isinstance(strategy, Strategy):
            raise QuestionError(f"{strategy!r} is not a strategy; take one of a result, or Strategy.positional(model, actions)")
        difference = None if strategy.model is self else self._core.difference(strategy.model._core)
        if difference is not None:
            raise QuestionError(
                f"the strategy is for another model: {difference}\n"
                "help: Strategy.from_json(model, strategy.to_json()) reads it by the names of states and actions",
                message=f"the strategy is for another model: {difference}",
                help="Strategy.from_json(model, strategy.to_json()) reads it by the names of states and actions",
            )
        return strategy._core

    # By name and by number

    def _state(self, state: State) -> int:
        """The position of a state given by name or number."""
        if isinstance(state, str):
            return self._named_state(state, f"`{state}`")
        if not is_whole(state):
            raise QuestionError(f"{state!r} is not a state; name one, or give its number from 0")
        number = int(state.__index__())
        if isinstance(self._labels.states, list):
            found = self._named_state(str(number), str(number))
            if isinstance(self._labels.states[found], str):
                raise QuestionError(f'state {number} is ambiguous: there is a state named "{number}"; write the name as a text')
            return found
        if not 0 <= number < self.n_states:
            raise QuestionError(f"there is no state {number}; the states are 0 to {self.n_states - 1}")
        if not self._labels.states_are_numbered and self._core.find_state(str(number)) not in (None, number):
            raise QuestionError(
                f"state {number} is ambiguous: `{number}` names another state than the one at position {number}, which is "
                f"`{self._core.state_name(number)}`; write the name as a text"
            )
        return number

    def _named_state(self, name: str, shown: str) -> int:
        found = self._core.find_state(name)
        if found is None:
            some = ", ".join(self._some_states())
            raise QuestionError(f"there is no state {shown}; the states are {some}")
        return found

    def _action_name(self, position: int, action: Action) -> str:
        """The name of an action of a state, given by name or number."""
        names = self._core.actions(position)
        place = f"state `{self._core.state_name(position)}`"
        there = ", ".join(f"`{name}`" for name in names[:8])
        if isinstance(action, str):
            found = action if action in names else None
        elif not is_whole(action):
            raise QuestionError(f"{place}: {action!r} is not an action; name one, or give its number")
        elif self._labels.has_numbered_actions:
            found = str(action.__index__()) if str(action.__index__()) in names else None
        elif self._labels.action_names is not None:
            listed = self._labels.action_names
            found = listed[action.__index__()] if 0 <= action.__index__() < len(listed) else None
            found = found if found in names else None
        else:
            number = action.__index__()
            if str(number) in names and names.index(str(number)) != number:
                raise QuestionError(f"{place}: action {number} is ambiguous: another action is named `{number}`; write the name")
            found = names[number] if 0 <= number < len(names) else None
        if found is None:
            raise QuestionError(f"{place}: there is no action `{action}`; the actions are {there}")
        return found

    def _some_states(self) -> Iterable[str]:
        some = 8
        shown = (self._shown_state(number) for number in range(min(some, self.n_states)))
        yield from (f"`{state}`" if isinstance(state, str) else str(state) for state in shown)
        if self.n_states > some:
            yield "…"

    def _principal(self, name: str) -> int:
        """The number of a principal."""
        names = [principal.name for principal in self.principals]
        if name not in names:
            raise QuestionError(f"there is no principal `{name}`; the principals are {', '.join(names)}")
        return names.index(name)

    def _state_name(self, number: int) -> str:
        return self._core.state_name(number)

    def _shown_state(self, number: int) -> State:
        return self._core.state_name(number) if self._labels.states is None else self._labels.states[number]

    def _shown_action(self, name: str) -> Action:
        return int(name) if self._labels.has_numbered_actions else name

    def __repr__(self) -> str:
        names = ", ".join(principal.name for principal in self.principals[:4])
        more = ", …" if len(self.principals) > 4 else ""
        return f"<model: {self.n_states} states, {self.n_choices} choices, principals {names}{more}>"


def _unpickled(document: str, arrays_in_doubles: Any, made: Labels) -> Model:
    """The model that was pickled."""
    if arrays_in_doubles is None:
        return Model(_core.Model.from_text(document, "the pickled model", True), made)
    (indptr, indices, data, s_indices, positions, rewards), states, names, n_states, start = arrays_in_doubles
    core = _core.Model.from_rows(
        indptr, indices, data, s_indices, positions, rewards, document, states, names, n_states, len(names), start, False
    )
    return Model(core, made)


def _text(given: object, what: str) -> str:
    if not isinstance(given, str):
        raise QuestionError(f"{what} is {given!r}; write a name as a text")
    return given


def _range(what: str, given: Range | None) -> tuple[str, str] | None:
    """The two ends of a range."""
    if given is None:
        return None
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise QuestionError(f"{what} is {given!r}; it is a pair such as (0.1, 0.9)")
    return text_of(given[0], what), text_of(given[1], what)


def _from_fractions(
    P: Any,
    R: Mapping[str, Any],
    discounts: Mapping[str, Preference],
    s_indices: ArrayLike | None,
    a_indices: ArrayLike | None,
    states: Sequence[State] | None,
    actions: Sequence[Action] | None,
    start: State,
) -> Model:
    """The model that arrays of fractions describe."""
    from .builder import ModelBuilder, Name

    n_states, rows = arrays.exact_rows(P, R, discounts, s_indices, a_indices)
    made = labels.of_arrays(states, actions, n_states, max((row.action for row in rows), default=-1) + 1)
    state_names: Sequence[Name] = range(n_states) if states is None else labels.names(states, "state")
    action_names = made.action_names
    builder = ModelBuilder(discounts, start=state_names[labels.start_of_arrays(start, states, n_states)])
    for name in state_names:
        builder.state(name)
    for row in rows:
        action: Name = row.action if action_names is None else action_names[row.action]
        to = {state_names[target]: probability for target, probability in row.to.items()}
        builder.choice(state_names[row.state], action, reward=row.rewards, to=to)
    return Model(builder.build()._core, made)


def load(
    path: str | os.PathLike[str],
    *,
    discounts: Mapping[str, Preference] | None = None,
    weights: Mapping[str, Number] | None = None,
    minimise: Iterable[str] = (),
    start: State | None = None,
    strict: bool = False,
    exact: bool | None = None,
) -> Model:
    """The model in a file: YAML, JSON, DRN (also `.drn.gz`) or UMB.

    Files of other tools have rewards but no time preferences: `discounts` provides them, by the names of the reward
    structures; those without one are left out. For a YAML file they replace those of the file. `minimise` names principals
    whose rewards are costs. Large models are read in doubles; `exact=True` reads fractions.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ModelError(f"{path!r} is not a path; give the path of a file, or use Model.from_yaml for a text")
    if start is not None and not isinstance(start, str) and not is_whole(start):
        raise ModelError(f"start is {start!r}; name a state, or give its number from 0")
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    entries = None if discounts is None else preferences.entries(discounts)
    core = _core.Model.read(os.fspath(path), entries, None if start is None else str(start), strict, exact)
    stated = preferences.weights(discounts or {})
    model = Model(core)
    if start is not None and not isinstance(start, str):
        # A number that names another state than the one at that position is refused here.
        model._state(start)
    if isinstance(minimise, str):
        minimise = [minimise]
    counted: dict[str, Number] = {**stated, **(weights or {}), **dict.fromkeys(minimise, -1)}
    return model.with_weights(counted) if counted else model


def check(model: Model, certificate: bytes | str, *, work: int | None = None, time_limit: float | None = None) -> Check:
    """The verdict of the independent checker on a certificate for a model.

    The checker shares no code with the solver. `work` bounds its operations on machine words. After `time_limit` seconds, or
    on Ctrl-C, there is no verdict: its `status` is `"stopped"`. Where time preferences are approximated by mixtures of
    discounts, a certificate is about the mixtures, and the verdict says so.
    """
    if not isinstance(model, Model):
        raise QuestionError(f"{model!r} is not a model; call check(model, certificate)")
    if not isinstance(certificate, (str, bytes, bytearray, memoryview)):
        raise CertificateError(f"{certificate!r} is not a certificate; give the bytes of solution.certificate() or of a file")
    if work is not None:
        work = whole(work, "work", 0, MOST)
    text = certificate.encode() if isinstance(certificate, str) else bytes(certificate)
    return Check._of(_core.check(model._core, text, work, Limits(time_limit=time_limit)), model._core.approximated)
