"""Models: made, looked into, changed, stored."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, arrays, labels, preferences
from .asking import Asking, name_of
from .errors import CertificateError, ModelError, QuestionError
from .labels import Action, Labels, State, check_text, is_whole, whole
from .limits import MOST, Limits
from .numbers import Number, text_of
from .preferences import Preference
from .results import Check


class Model(Asking):
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
        core = _core.Model.from_text(check_text(text, "the model"), "the model", bool(strict))
        return Model(core)._doubted()

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
        answers are fractions; where these would take more than about a second, a model stays in doubles. `exact=True` forces
        fractions, `exact=False` doubles.
        Arrays with a `Fraction` or `Decimal` are read exactly, unless `exact=False` asks for doubles.
        Rows that miss 1 by at most 1e-9 are scaled to 1; `model.scaled_rows` says how many.
        """
        if exact is not None and not isinstance(exact, bool):
            raise ModelError(f"exact is {exact!r}; it is True, False or None")
        arrays.check_all(P, R)
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
        if core.is_exact and arrays.sums_rewards(R):
            # Sums in doubles have rounding errors, which would be read as digits.
            return _from_fractions(P, R, discounts, s_indices, a_indices, states, actions, start)
        return Model(core, made)._doubted()

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
        return self._with(core)._doubted()

    def with_weights(self, weights: Mapping[str, Number]) -> Model:
        """The same model with other weights for these principals: negative for costs, 0 to be reported only."""
        core = self._core
        if not isinstance(weights, Mapping):
            raise QuestionError(f"weights is {weights!r}; it is a dict of numbers by principal, such as {{'bob': 2}}")
        for name, weight in weights.items():
            core = core.with_weight(name_of(name, "a principal"), text_of(weight, f"the weight of `{name}`"))
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

    def _seen_as(self, names: Mapping[Hashable, str], played: Mapping[str, int] | None, needs_state_of: bool) -> Model:
        """The model of an environment, whose states are known by these keys."""
        labels = replace(self._labels, seen_as=names, played=played, needs_state_of=needs_state_of)
        return Model(self._core, labels)

    def _doubted(self) -> Model:
        """The model itself, with warnings of time preferences that may not be meant."""
        for doubt in self._core.doubts:
            warnings.warn(doubt, UserWarning, stacklevel=3)
        return self

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
    return (model.with_weights(counted) if counted else model)._doubted()


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
