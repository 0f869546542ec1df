"""Arrays of other libraries as rows: one for each pair of a state and an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import preferences
from .errors import ModelError
from .labels import is_whole
from .numbers import fraction_of


@dataclass(frozen=True)
class Rows:
    """Compressed sparse rows with their states, actions and rewards."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32] | NDArray[np.int64]
    data: NDArray[np.float64]
    s_indices: NDArray[np.int64]
    a_indices: NDArray[np.int64]
    rewards: list[NDArray[np.float64]]
    n_states: int

    @property
    def n_actions(self) -> int:
        """One more than the greatest number of an action."""
        return int(self.a_indices.max(initial=-1)) + 1


_MOST_ACTIONS = 2**32
"""The model keeps the number of an action in 32 bits."""


def rows(
    P: Any,
    R: Mapping[str, Any],
    discounts: Mapping[str, Any],
    s_indices: ArrayLike | None,
    a_indices: ArrayLike | None,
) -> Rows:
    """The rows that `from_arrays` is given, in any of its forms."""
    _check_names(R, discounts)
    if (s_indices is None) != (a_indices is None):
        raise ModelError("give both s_indices and a_indices, the state and the action of each row of P, or none")
    if s_indices is not None and a_indices is not None:
        matrix = _matrix("P", P)
        states, actions = _pairs(s_indices, a_indices, matrix.n_rows, matrix.n_columns)
        given = [_row_rewards(name, R[name], len(states)) for name in discounts]
        made = Rows(*matrix.parts, states, actions, given, matrix.n_columns)
    else:
        made = _by_action(P, R, list(discounts))
    for name, rewards in zip(discounts, made.rewards, strict=True):
        _check_finite(name, rewards, made)
    return made


def _pairs(s_indices: ArrayLike, a_indices: ArrayLike, n_rows: int, n_states: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The state and the action of each row: as many as rows, each of them inside its range, and a row for each state."""
    states = _indices("s_indices", s_indices, n_states, "a state", "P has a column for each state")
    actions = _indices("a_indices", a_indices, _MOST_ACTIONS, "an action", "number the actions from 0 on")
    for what, length in (("a_indices", len(actions)), ("P", n_rows)):
        if length != len(states):
            raise ModelError(
                f"{what} has {length} entries for {len(states)} pairs of a state and an action, the entries of s_indices"
            )
    if n_states > n_rows:
        # The first gap, found without memory for every state.
        there = np.unique(states)
        gaps = np.flatnonzero(there != np.arange(len(there)))
        first = int(gaps[0]) if len(gaps) else len(there)
        raise ModelError(
            f"state `{first}` has no action; P has {n_states} columns, one for each state, and only {n_rows} rows: add a row "
            "for each state, or remove columns"
        )
    return states, actions


def _check_finite(name: str, rewards: NDArray[np.float64], rows: Rows) -> None:
    if np.isfinite(rewards).all():
        return
    row = int(np.flatnonzero(~np.isfinite(rewards))[0])
    place = f"state `{rows.s_indices[row]}`, action `{rows.a_indices[row]}`"
    value = "NaN" if np.isnan(rewards[row]) else f"{rewards[row]}"
    raise ModelError(
        f"{place}: the reward of `{name}` is {value}; a reward is a finite number: leave out the row of an action that is not "
        "allowed"
    )


def _check_names(R: Mapping[str, Any], discounts: Mapping[str, Any]) -> None:
    if not isinstance(R, Mapping):
        raise ModelError("R is not a dict; give the rewards of each principal by name, such as {'alice': array}")
    if not isinstance(discounts, Mapping):
        raise ModelError("discounts is not a dict; give each principal a time preference by name, such as {'alice': 0.95}")
    for name in (*R, *discounts):
        preferences.check_name(name)
    for name in R:
        if name not in discounts:
            raise ModelError(f"principal `{name}` has rewards but no time preference; add `{name}` to discounts")
    for name in discounts:
        if name not in R:
            raise ModelError(f"principal `{name}` has a time preference but no rewards; add `{name}` to R")


@dataclass(frozen=True)
class _Matrix:
    parts: tuple[NDArray[np.int64], NDArray[np.int32] | NDArray[np.int64], NDArray[np.float64]]
    n_rows: int
    n_columns: int


def _matrix(what: str, given: Any) -> _Matrix:
    """A matrix as compressed sparse rows. A SciPy matrix in that form is not copied here."""
    if hasattr(given, "tocsr"):
        sparse = given.tocsr()
        _check_rows(what, sparse)
        _check_short(what, sparse)
        if not sparse.has_canonical_format:
            # Entries at the same position are added, as in SciPy.
            sparse = sparse.copy()
            sparse.sum_duplicates()
        n_rows, n_columns = sparse.shape
        indices = np.ascontiguousarray(sparse.indices)
        if indices.dtype not in (np.dtype(np.int32), np.dtype(np.int64)):
            indices = indices.astype(np.int64)
        parts = (np.ascontiguousarray(sparse.indptr, dtype=np.int64), indices, _doubles(what, sparse.data))
        return _Matrix(parts, n_rows, n_columns)
    dense = _doubles(what, given)
    _check_short(what, given)
    if dense.ndim != 2:
        raise ModelError(
            f"{what} has {dense.ndim} dimensions; with s_indices and a_indices it has two: a row for each pair, a column "
            "for each state"
        )
    occupied = dense != 0
    indptr = np.concatenate(([0], np.cumsum(occupied.sum(axis=1)))).astype(np.int64)
    return _Matrix((indptr, np.nonzero(occupied)[1].astype(np.int64), dense[occupied]), *dense.shape)


def _check_rows(what: str, sparse: Any) -> None:
    """Refuses rows whose arrays contradict each other, before SciPy reads past their ends, and successors that do not exist."""
    indptr, n_entries = np.asarray(sparse.indptr), len(sparse.indices)
    fits = len(indptr) == sparse.shape[0] + 1 and indptr[0] == 0 and indptr[-1] == n_entries == len(sparse.data)
    if not fits or (np.diff(indptr) < 0).any():
        raise ModelError(
            f"{what} is not a matrix of compressed sparse rows: its indptr does not go from 0 to the number of its entries in "
            "increasing order"
        )
    n_columns = sparse.shape[1]
    indices = np.asarray(sparse.indices)
    if n_entries and not (indices.min() >= 0 and indices.max() < n_columns):
        entry = int(np.flatnonzero((indices < 0) | (indices >= n_columns))[0])
        row = int(np.searchsorted(indptr, entry, side="right")) - 1
        raise ModelError(
            f"row {row} of {what} leads to {indices[entry]}; {what} has {n_columns} columns, one for each state from 0: make the "
            "matrix anew"
        )


def _check_short(what: str, given: Any) -> None:
    """Refuses rows in single precision that miss 1 by its rounding, and says how to mend them."""
    short = getattr(given, "dtype", None)
    if short not in (np.dtype(np.float32), np.dtype(np.float16)) or getattr(given, "ndim", 2) != 2:
        return
    precision = float(np.finfo(short).eps) * max(given.shape[-1], 8)
    missed = np.abs(np.asarray(given.sum(axis=1, dtype=np.float64)).ravel() - 1)
    wrong = np.flatnonzero((missed > 1e-9) & (missed <= precision))
    if len(wrong):
        raise ModelError(
            f"row {wrong[0]} of {what} misses 1 by {missed[wrong[0]]:.1e}, the rounding of {short}; divide each row by its sum "
            "in doubles first: P = P.astype(float); P = P / P.sum(axis=-1, keepdims=True)"
        )


def _by_action(P: Any, R: Mapping[str, Any], names: list[str]) -> Rows:
    """Rows from a matrix for each action, in the order of the states."""
    if hasattr(P, "tocsr"):
        raise ModelError("P is one sparse matrix; say which state and action each row is: s_indices and a_indices")
    matrices = _matrices(P)
    n_actions, n_states = len(matrices), matrices[0].n_columns
    for action, matrix in enumerate(matrices):
        if (matrix.n_rows, matrix.n_columns) != (n_states, n_states):
            shape = (matrix.n_rows, matrix.n_columns)
            raise ModelError(f"P[{action}] has the shape {shape}; each action has one row and one column per state")
    offsets = np.cumsum([0, *(len(matrix.parts[2]) for matrix in matrices)])
    indptr = [matrix.parts[0][:-1] + offset for matrix, offset in zip(matrices, offsets[:-1], strict=True)]
    given = [_action_rewards(name, R[name], matrices, n_states) for name in names]
    # The rows are grouped by action; the library groups them by state.
    return Rows(
        np.concatenate([*indptr, offsets[-1:]]).astype(np.int64),
        np.concatenate([matrix.parts[1].astype(np.int64) for matrix in matrices]),
        np.concatenate([matrix.parts[2] for matrix in matrices]),
        np.tile(np.arange(n_states, dtype=np.int64), n_actions),
        np.repeat(np.arange(n_actions, dtype=np.int64), n_states),
        given,
        n_states,
    )


def _matrices(P: Any) -> list[_Matrix]:
    if isinstance(P, Sequence) and len(P) > 0 and any(hasattr(matrix, "tocsr") for matrix in P):
        return [_matrix(f"P[{action}]", matrix) for action, matrix in enumerate(P)]
    dense = _doubles("P", P)
    if isinstance(P, np.ndarray) and P.ndim == 3:
        for action, matrix in enumerate(P):
            _check_short(f"P[{action}]", matrix)
    if dense.ndim != 3:
        raise ModelError(
            f"P has {dense.ndim} dimensions; it has three, P[a][s][t], or two with s_indices and a_indices for its rows"
        )
    if 0 in dense.shape:
        raise ModelError(f"P has the shape {dense.shape}: there is nothing in it")
    return [_matrix(f"P[{action}]", matrix) for action, matrix in enumerate(dense)]


def _row_rewards(name: str, given: Any, n_rows: int) -> NDArray[np.float64]:
    rewards = _doubles(f"the reward of `{name}`", given)
    if rewards.ndim == 0:
        return np.full(n_rows, rewards.item())
    if rewards.shape != (n_rows,):
        raise ModelError(
            f"the reward of `{name}` has the shape {rewards.shape}; with s_indices it has one entry for each of {n_rows} rows"
        )
    return rewards


def _action_rewards(name: str, given: Any, matrices: list[_Matrix], n_states: int) -> NDArray[np.float64]:
    """The rewards of a principal in the order of the rows: by action, then by state."""
    n_actions = len(matrices)
    rewards = _doubles(f"the reward of `{name}`", _stacked(f"the reward of `{name}`", given))
    if rewards.ndim == 0:
        return np.full(n_actions * n_states, rewards.item())
    if rewards.shape == (n_states,):
        return np.tile(rewards, n_actions)
    if rewards.shape == (n_states, n_actions):
        return np.ascontiguousarray(rewards.T).ravel()
    if rewards.shape == (n_actions, n_states, n_states):
        return np.concatenate([_expected(matrix, own) for matrix, own in zip(matrices, rewards, strict=True)])
    raise ModelError(
        f"the reward of `{name}` has the shape {rewards.shape}; it is ({n_states},) by state, ({n_states}, {n_actions}) by "
        f"state and action, or ({n_actions}, {n_states}, {n_states}) by action, state and successor"
    )


def _stacked(what: str, given: Any) -> Any:
    """One array of matrices, of which some are sparse."""
    if not (isinstance(given, Sequence) and any(hasattr(matrix, "tocsr") for matrix in given)):
        return given
    try:
        return np.stack([matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix) for matrix in given])
    except ValueError as error:
        raise ModelError(f"{what} is not an array of numbers: {error}") from None


def sums_rewards(R: Mapping[str, Any]) -> bool:
    """Whether some rewards depend on the successor, so that those of an action are sums."""
    depends = 3
    return any(
        np.ndim(own) == depends or (isinstance(own, Sequence) and any(hasattr(m, "tocsr") for m in own)) for own in R.values()
    )


def _expected(matrix: _Matrix, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected reward of each row, if a reward depends on the successor."""
    indptr, indices, data = matrix.parts
    own_row = np.repeat(np.arange(matrix.n_rows), np.diff(indptr))
    expected = np.bincount(own_row, weights=data * rewards[own_row, indices], minlength=matrix.n_rows)
    return np.asarray(expected, dtype=np.float64)


def _indices(what: str, given: ArrayLike, n: int, thing: str, cure: str) -> NDArray[np.int64]:
    """Indices from 0 and below `n`: nothing wraps and nothing is dropped."""
    _check_given(what, given)
    try:
        numbers = np.asarray(given)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{what} is not an array of whole numbers: {error}") from None
    if numbers.ndim != 1:
        raise ModelError(f"{what} has {numbers.ndim} dimensions; it has one entry for each row of P")
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        large = numbers.dtype == object and all(is_whole(number) for number in numbers)
        if not large:
            raise ModelError(f"{what} holds {numbers.dtype}; it holds whole numbers from 0")
    outside = np.flatnonzero((numbers < 0) | (numbers >= n))
    if len(outside):
        row = int(outside[0])
        last = max(n - 1, 0)
        raise ModelError(f"{what}[{row}] is {numbers[row]}; {thing} is one of 0 to {last}: {cure}")
    return np.ascontiguousarray(numbers, dtype=np.int64)


_MOST_ENTRIES = 2**30
"""Larger arrays are given as sparse matrices. One that a broadcast makes takes memory only when it is copied."""


def check_all(P: Any, R: Mapping[str, Any]) -> None:
    """Refuses arrays that must not be read at all."""
    _check_given("P", P)
    for name, rewards in R.items() if isinstance(R, Mapping) else ():
        _check_given(f"the reward of `{name}`", rewards)


def _check_given(what: str, given: Any) -> None:
    """Refuses masked entries, which are no numbers, and sizes for which there would be no memory, before any copy."""
    if hasattr(given, "tocsr"):
        return
    parts = given if isinstance(given, (list, tuple)) else [given]
    for part in parts:
        if np.ma.is_masked(part):
            raise ModelError(f"{what} has masked entries; fill them with numbers, or leave out the rows of actions not allowed")
        if isinstance(part, np.ndarray) and part.size * len(parts) > _MOST_ENTRIES:
            raise ModelError(f"{what} has the shape {part.shape}, {part.size} numbers; give a sparse matrix, or fewer rows")


def _check_kind(what: str, array: NDArray[Any]) -> None:
    """Refuses entries that NumPy would turn into numbers, such as dates and texts."""
    if array.dtype.kind == "c":
        raise ModelError(f"{what} holds complex numbers; write real ones")
    kinds = {"M": "dates", "m": "lengths of time", "U": "texts", "S": "texts", "V": "records"}
    if array.dtype.kind in kinds:
        raise ModelError(f"{what} is not an array of numbers: it holds {kinds[array.dtype.kind]}; write real ones")
    if array.dtype == object:
        for one in array.flat:
            if isinstance(one, (bool, np.bool_)) or not isinstance(one, (int, float, Fraction, Decimal, np.integer, np.floating)):
                raise ModelError(f"{what} is not an array of numbers: it holds {one!r}; write real ones")


def _doubles(what: str, given: Any) -> NDArray[np.float64]:
    """The array in doubles, without a copy if it already is."""
    try:
        array = np.asarray(given)
        _check_kind(what, array)
        return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{what} is not an array of numbers: {error}") from None


def _objects(what: str, given: Any) -> NDArray[Any]:
    """The array of exact numbers: the same that `_doubles` takes, each as it is."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ModelError(f"{what} is not an array of numbers: {error}") from None
    _check_kind(what, array)
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    elif array.dtype == np.dtype(np.longdouble):
        array = array.astype(np.float64)
    return array.astype(object)


def _sum(numbers: list[Any], place: str) -> Fraction:
    return sum((fraction_of(number, f"{place}: a probability") for number in numbers), Fraction(0))


def holds_fractions(P: Any, R: Mapping[str, Any]) -> bool:
    """Whether there are fractions, decimals or long integers in any array, which doubles cannot represent exactly."""
    given = [P, *(R.values() if isinstance(R, Mapping) else ())]
    arrays = [_array(one) for one in given if not hasattr(one, "tocsr")]
    return any(_is_past_doubles(array) for array in arrays if array is not None)


def _is_past_doubles(array: NDArray[Any]) -> bool:
    """Whether some number of an array is no double as it is printed."""
    most = 2**53
    if array.dtype == object:
        long = (isinstance(one, (Fraction, Decimal)) or (isinstance(one, int) and abs(one) > most) for one in array.flat)
        return any(long)
    if array.dtype.kind in "iu" and array.size > 0:
        return int(array.max()) > most or int(array.min()) < -most
    return False


def _array(given: Any) -> NDArray[Any] | None:
    """The array, if it is one; other checks report its errors."""
    try:
        return np.asarray(given)
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True)
class ExactRow:
    """A row in exact numbers: the rewards and the probabilities are as they were given."""

    state: int
    action: int
    rewards: dict[str, Any]
    to: dict[int, Any]


def exact_rows(
    P: Any, R: Mapping[str, Any], discounts: Mapping[str, Any], s_indices: ArrayLike | None, a_indices: ArrayLike | None
) -> tuple[int, list[ExactRow]]:
    """The number of states, and every row in exact numbers, in the order of the states."""
    _check_names(R, discounts)
    if (s_indices is None) != (a_indices is None):
        raise ModelError("give both s_indices and a_indices, the state and the action of each row of P, or none")
    if s_indices is not None and a_indices is not None:
        matrix = _ExactMatrix("P", P)
        states, actions = _pairs(s_indices, a_indices, matrix.n_rows, matrix.n_columns)
        given = {name: _exact_rewards(name, R[name], len(states)) for name in discounts}
        order = np.argsort(states, kind="stable").tolist()
        rows = [
            ExactRow(int(states[row]), int(actions[row]), {name: own(row) for name, own in given.items()}, matrix.row(row))
            for row in order
        ]
        return matrix.n_columns, rows
    matrices = _exact_matrices(P)
    n_actions, n_states = len(matrices), matrices[0].n_columns
    for action, matrix in enumerate(matrices):
        if (matrix.n_rows, matrix.n_columns) != (n_states, n_states):
            shape = (matrix.n_rows, matrix.n_columns)
            raise ModelError(f"P[{action}] has the shape {shape}; each action has one row and one column per state")
    rows = []
    dense = {name: _objects(f"the reward of `{name}`", _stacked(f"the reward of `{name}`", R[name])) for name in discounts}
    for state in range(n_states):
        for action in range(n_actions):
            to = matrices[action].row(state)
            rewards = {name: _exact_reward(name, own, state, action, to, n_actions, n_states) for name, own in dense.items()}
            rows.append(ExactRow(state, action, rewards, to))
    return n_states, rows


class _ExactMatrix:
    """A matrix of exact numbers, dense or sparse."""

    def __init__(self, what: str, given: Any) -> None:
        self._sparse: Any = None
        if hasattr(given, "tocsr"):
            self._sparse = given.tocsr()
            _check_rows(what, self._sparse)
            _check_short(what, self._sparse)
            self._data = _objects(what, self._sparse.data)
            self.n_rows, self.n_columns = self._sparse.shape
            return
        self._dense = _objects(what, given)
        _check_short(what, given)
        if self._dense.ndim != 2:
            raise ModelError(
                f"{what} has {self._dense.ndim} dimensions; it has a row for each pair of a state and an action, and a column "
                "for each state"
            )
        self.n_rows, self.n_columns = self._dense.shape

    def row(self, row: int) -> dict[int, Any]:
        """The probability of each successor."""
        if self._sparse is None:
            return dict(enumerate(self._dense[row]))
        first, end = self._sparse.indptr[row : row + 2]
        to: dict[int, Any] = {}
        for target, probability in zip(self._sparse.indices[first:end].tolist(), self._data[first:end], strict=True):
            # Entries at the same position are added, as in SciPy, and exactly.
            to[target] = _sum([to[target], probability], f"row {row}") if target in to else probability
        return to


def _exact_matrices(P: Any) -> list[_ExactMatrix]:
    if hasattr(P, "tocsr"):
        raise ModelError("P is one sparse matrix; say which state and action each row is: s_indices and a_indices")
    if isinstance(P, Sequence) and any(hasattr(matrix, "tocsr") for matrix in P):
        return [_ExactMatrix(f"P[{action}]", matrix) for action, matrix in enumerate(P)]
    dense = _objects("P", P)
    if dense.ndim != 3:
        raise ModelError(
            f"P has {dense.ndim} dimensions; it has three, P[a][s][t], or two with s_indices and a_indices for its rows"
        )
    if 0 in dense.shape:
        raise ModelError(f"P has the shape {dense.shape}: there is nothing in it")
    return [_ExactMatrix(f"P[{action}]", matrix) for action, matrix in enumerate(dense)]


def _exact_rewards(name: str, given: Any, n_rows: int) -> Callable[[int], Any]:
    """The reward of each row."""
    own = _objects(f"the reward of `{name}`", given)
    if own.ndim == 0:
        return lambda row: own.item()
    if own.shape != (n_rows,):
        raise ModelError(
            f"the reward of `{name}` has the shape {own.shape}; with s_indices it has one entry for each of {n_rows} rows"
        )
    return lambda row: own[row]


def _exact_reward(
    name: str, own: NDArray[Any], state: int, action: int, to: dict[int, Any], n_actions: int, n_states: int
) -> Any:
    """The reward of an action in a state: by state, by both, or expected over successors."""
    if own.ndim == 0:
        return own.item()
    if own.shape == (n_states,):
        return own[state]
    if own.shape == (n_states, n_actions):
        return own[state, action]
    if own.shape == (n_actions, n_states, n_states):
        place = f"state `{state}`, action `{action}`"
        shares = {target: fraction_of(share, f"{place}: the probability of `{target}`") for target, share in to.items()}
        rewards = {target: fraction_of(own[action, state, target], f"{place}: the reward of `{name}`") for target in to}
        total = sum(shares.values(), Fraction(0))
        expected = sum((share * rewards[target] for target, share in shares.items()), Fraction(0))
        # A row that misses 1 by rounding is scaled, and what it earns with it.
        return expected / total if 0 < abs(total - 1) <= Fraction(1, 10**9) else expected
    raise ModelError(
        f"the reward of `{name}` has the shape {own.shape}; it is ({n_states},) by state, ({n_states}, {n_actions}) by "
        f"state and action, or ({n_actions}, {n_states}, {n_states}) by action, state and successor"
    )
