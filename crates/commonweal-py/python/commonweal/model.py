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

from . import _core, arrays, preferences
from .errors import ModelError, QuestionError
from .numbers import Number, fraction, rate_text, text_of
from .preferences import Preference
from .results import Check, Evaluation, Fair, Front, Search, Simulation, StrategyMap, Sweep, lottery
from .solution import Solution
from .strategy import Action, State, Strategy

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


class _Limits:
    """The engine and the limits of a question."""

    def __init__(
        self,
        exact: bool | None = None,
        gap: float | None = None,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        if threads is not None and (isinstance(threads, bool) or threads < 1):
            raise QuestionError(f"threads is {threads}; it is a whole number from 1, or None for one per core")
        for name, number in (("gap", gap), ("time_limit", time_limit)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, Real)):
                raise QuestionError(f"{name} is {number!r}; write a number such as 1e-6, or leave it out")
        self.exact, self.gap, self.threads, self.time_limit = exact, gap, threads, time_limit


class Model:
    """A Markov decision process with several principals, valid once it exists.

    Make one with `commonweal.load`, `Model.from_yaml`, `Model.from_arrays`, `ModelBuilder`, or from another library's
    environment or model. Methods take a state by name or by number.
    """

    def __init__(self, core: _core.Model, *, numbered: tuple[bool, bool] = (False, False)) -> None:
        self._core = core
        self._numbered_states, self._numbered_actions = numbered

    # Making one

    @staticmethod
    def from_yaml(text: str, *, strict: bool = False) -> Model:
        """The model that a YAML or JSON text describes.

        Rows of decimals that miss 1 by at most 1e-9 are scaled to 1; `strict` refuses them.
        """
        return Model(_core.Model.from_text(text, "the model", strict))

    @staticmethod
    def from_arrays(
        P: Any,
        R: Mapping[str, Any],
        discounts: Mapping[str, Preference],
        *,
        s_indices: ArrayLike | None = None,
        a_indices: ArrayLike | None = None,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        start: State = 0,
        exact: bool | None = None,
    ) -> Model:
        """The model that arrays describe.

        `P` has a row for each pair of a state and an action, and a column for each state: a SciPy sparse matrix or an array,
        with the state and the action of each row in `s_indices` and `a_indices` (QuantEcon's form). Or `P[a][s][t]` is the
        probability that action `a` leads from state `s` to `t`: an array, or a sequence of matrices (mdptoolbox's form).

        `R` has the rewards of each principal: one per row; in the second form one per state, `R[s, a]`, or `R[a, s, t]`.
        `discounts` has the time preference of each principal.

        Each array is copied once. In a small model a float is the decimal that Python prints for it (0.1 is one tenth) and
        answers are fractions; a large one stays in doubles. `exact=True` forces fractions, `exact=False` doubles.
        Rows that miss 1 by at most 1e-9 are scaled to 1; `model.scaled_rows` says how many.
        """
        if arrays.holds_fractions(P, R):
            return _from_fractions(P, R, discounts, s_indices, a_indices, states, actions, start)
        rows = arrays.rows(P, R, discounts, s_indices, a_indices)
        state_names = None if states is None else [str(name) for name in states]
        action_names = None if actions is None else [str(name) for name in actions]
        n_actions = rows.n_actions if action_names is None else max(len(action_names), rows.n_actions)
        if isinstance(start, str):
            if state_names is None or start not in state_names:
                raise ModelError(f"start: there is no state `{start}`; name one of `states`, or give its number")
            start = state_names.index(start)
        if start < 0:
            raise ModelError(f"start is {start}; states are counted from 0")
        core = _core.Model.from_rows(
            rows.indptr,
            rows.indices,
            rows.data,
            rows.s_indices,
            rows.a_indices,
            rows.rewards,
            preferences.entries(discounts),
            state_names,
            action_names,
            rows.n_states,
            n_actions,
            int(start),
            exact,
        )
        return Model(core, numbered=(states is None, actions is None))

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
        return range(self.n_states) if self._numbered_states else self._core.state_names()

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
        return [self._shown_action(name) for name in self._core.actions(self._state(state))]

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
        for name, weight in weights.items():
            core = core.with_weight(name, text_of(weight, f"the weight of `{name}`"))
        return self._with(core)

    def _with(self, core: _core.Model) -> Model:
        return Model(core, numbered=(self._numbered_states, self._numbered_actions))

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
        answer = _core.solve(self._core, _Limits(exact, gap, threads, time_limit), keep_proof)
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
        return self._search(False, _Limits(None, gap, threads, time_limit), threshold, node_limit)

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
        return self._search(True, _Limits(None, gap, threads, time_limit), threshold, node_limit)

    def _search(self, mixed: bool, limits: _Limits, threshold: Number | None, node_limit: int | None) -> Search:
        least = None if threshold is None else text_of(threshold, "threshold")
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
        limits = _Limits(exact, gap, threads, time_limit)
        return Evaluation._of(_core.evaluate(self._core, strategy._core, limits, all_states))

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
        limits = _Limits(None, None, threads, time_limit)
        for name, count in (("runs", runs), ("seed", seed)):
            if not 0 <= count < 2**64:
                raise QuestionError(f"{name} is {count}; it is a whole number from 0 and below 2^64")
        return Simulation._of(_core.simulate(self._core, strategy._core, limits, runs, seed, confidence))

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

        `"fund.rate"` in place of `"fund"` varies the rate: `model.sweep("fund.rate", "1%", "7%")`.
        """
        ends = (rate_text(first, "first"), rate_text(last, "last"))
        limits = _Limits(None, None, threads, time_limit)
        return Sweep._of(_core.sweep(self._core, principal, ends, steps, limits))

    def map(
        self,
        x: str,
        y: str,
        x_range: Range = (0, Fraction(999, 1000)),
        y_range: Range = (0, Fraction(999, 1000)),
        resolution: int = 32,
        *,
        threads: int | None = None,
        time_limit: float | None = None,
    ) -> StrategyMap:
        """Which strategy is best over the discounts of two principals, with located boundaries; `"fund.rate"` is a rate."""
        ranges = [(rate_text(low, "a range"), rate_text(high, "a range")) for low, high in (x_range, y_range)]
        limits = _Limits(None, None, threads, time_limit)
        return StrategyMap._of(_core.strategy_map(self._core, (x, y), ranges, resolution, limits))

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
            reference = ",".join(f"{name}={text_of(number, 'over')}" for name, number in over.items())
        else:
            reference = over._core if isinstance(over, Strategy) else over
        bounds = [
            [(str(name), text_of(number, what)) for name, number in (given or {}).items()]
            for what, given in (("at_least", at_least), ("at_most", at_most))
        ]
        limits = _Limits(exact, gap, threads, time_limit)
        document, strategy = _core.fair(self._core, rule, reference, bounds[0], bounds[1], coin == "decision", limits)
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
        axes = None if x is None or y is None else (x, y)
        limits = _Limits(exact, gap, threads, time_limit)
        return Front._of(_core.front(self._core, axes, vertices, limits))

    # By name and by number

    def _state(self, state: State) -> int:
        """The number of a state given by name or number."""
        if isinstance(state, str):
            found = self._core.find_state(state)
            if found is None:
                some = ", ".join(f"`{name}`" for name in self._some_states())
                raise QuestionError(f"there is no state `{state}`; the states are {some}")
            return found
        number = int(state)
        if isinstance(state, bool) or number != state or not 0 <= number < self.n_states:
            raise QuestionError(f"there is no state {state!r}; the states are 0 to {self.n_states - 1}")
        return number

    def _some_states(self) -> Iterable[str]:
        some = 8
        yield from (self._core.state_name(number) for number in range(min(some, self.n_states)))
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
        return number if self._numbered_states else self._core.state_name(number)

    def _shown_action(self, name: str) -> Action:
        return int(name) if self._numbered_actions else name

    def __repr__(self) -> str:
        names = ", ".join(principal.name for principal in self.principals[:4])
        more = ", …" if len(self.principals) > 4 else ""
        return f"<model: {self.n_states} states, {self.n_choices} choices, principals {names}{more}>"


def _from_fractions(
    P: Any,
    R: Mapping[str, Any],
    discounts: Mapping[str, Preference],
    s_indices: ArrayLike | None,
    a_indices: ArrayLike | None,
    states: Sequence[str] | None,
    actions: Sequence[str] | None,
    start: State,
) -> Model:
    """The model that arrays of fractions describe."""
    from .builder import ModelBuilder, Name

    def named(names: Sequence[str] | None, number: int) -> Name:
        return number if names is None else str(names[number])

    builder = ModelBuilder(discounts, start=start if isinstance(start, str) else named(states, start))
    n_states = np.asarray(P, dtype=object).shape[-1]
    if states is not None and len(states) != n_states:
        raise ModelError(f"{len(states)} names for {n_states} states; give each one a name, or none")
    for number in range(n_states):
        builder.state(named(states, number))
    for state, action, rewards, row in arrays.exact_choices(P, R, discounts, s_indices, a_indices):
        to = {named(states, target): probability for target, probability in row.items()}
        builder.choice(named(states, state), named(actions, action), reward=rewards, to=to)
    return builder.build()


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
    if not os.path.exists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path))
    entries = None if discounts is None else preferences.entries(discounts)
    core = _core.Model.read(os.fspath(path), entries, None if start is None else str(start), strict, exact)
    stated = preferences.weights(discounts or {})
    model = Model(core)
    counted: dict[str, Number] = {**stated, **(weights or {}), **dict.fromkeys(minimise, -1)}
    return model.with_weights(counted) if counted else model


def check(model: Model, certificate: bytes | str, *, work: int | None = None, time_limit: float | None = None) -> Check:
    """The verdict of the independent checker on a certificate for a model.

    The checker shares no code with the solver. `work` bounds its operations on machine words.
    """
    text = certificate.encode() if isinstance(certificate, str) else bytes(certificate)
    return Check._of(_core.check(model._core, text, work, _Limits(time_limit=time_limit)))
