"""Arrays of other libraries as rows: one for each pair of a state and an action."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import ModelError


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
        states, actions = _indices("s_indices", s_indices), _indices("a_indices", a_indices)
        matrix = _matrix("P", P)
        given = {name: _row_rewards(name, R[name], len(states)) for name in discounts}
        return Rows(*matrix.parts, states, actions, list(given.values()), matrix.n_columns)
    return _by_action(P, R, list(discounts))


def _check_names(R: Mapping[str, Any], discounts: Mapping[str, Any]) -> None:
    if not isinstance(R, Mapping):
        raise ModelError("R is not a dict; give the rewards of each principal by name, such as {'alice': array}")
    if not isinstance(discounts, Mapping):
        raise ModelError("discounts is not a dict; give each principal a time preference by name, such as {'alice': 0.95}")
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
    if dense.ndim != 2:
        raise ModelError(
            f"{what} has {dense.ndim} dimensions; with s_indices and a_indices it has two: a row for each pair, a column "
            "for each state"
        )
    occupied = dense != 0
    indptr = np.concatenate(([0], np.cumsum(occupied.sum(axis=1)))).astype(np.int64)
    return _Matrix((indptr, np.nonzero(occupied)[1].astype(np.int64), dense[occupied]), *dense.shape)


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
    if isinstance(given, Sequence) and len(given) > 0 and any(hasattr(matrix, "tocsr") for matrix in given):
        given = np.stack([matrix.toarray() if hasattr(matrix, "toarray") else matrix for matrix in given])
    rewards = _doubles(f"the reward of `{name}`", given)
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


def _expected(matrix: _Matrix, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected reward of each row, if a reward depends on the successor."""
    indptr, indices, data = matrix.parts
    own_row = np.repeat(np.arange(matrix.n_rows), np.diff(indptr))
    expected = np.bincount(own_row, weights=data * rewards[own_row, indices], minlength=matrix.n_rows)
    return np.asarray(expected, dtype=np.float64)


def _indices(what: str, given: ArrayLike) -> NDArray[np.int64]:
    numbers = np.asarray(given)
    if numbers.ndim != 1:
        raise ModelError(f"{what} has {numbers.ndim} dimensions; it has one entry for each row of P")
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise ModelError(f"{what} holds {numbers.dtype}; it holds whole numbers from 0")
    return np.ascontiguousarray(numbers, dtype=np.int64)


def _doubles(what: str, given: Any) -> NDArray[np.float64]:
    """The array in doubles, without a copy if it already is."""
    try:
        array = np.asarray(given)
        if np.iscomplexobj(array):
            raise ModelError(f"{what} holds complex numbers; write real ones")
        return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{what} is not an array of numbers: {error}") from None


def holds_fractions(P: Any, R: Mapping[str, Any]) -> bool:
    """Whether there are fractions or decimals, which doubles cannot represent exactly."""
    for one in (P, *(R.values() if isinstance(R, Mapping) else ())):
        array = None if hasattr(one, "tocsr") else _array(one)
        if array is not None and array.dtype == object:
            return any(isinstance(number, (Fraction, Decimal)) for number in array.flat)
    return False


def _array(given: Any) -> NDArray[Any] | None:
    """The array, if it is one; other checks report its errors."""
    try:
        return np.asarray(given)
    except ValueError:
        return None


def exact_choices(
    P: Any, R: Mapping[str, Any], discounts: Mapping[str, Any], s_indices: ArrayLike | None, a_indices: ArrayLike | None
) -> Iterator[tuple[int, int, dict[str, Any], dict[int, Any]]]:
    """State, action, rewards and successors of each row, in exact numbers; in the order of the states."""
    _check_names(R, discounts)
    matrix = np.asarray(P, dtype=object)
    given = {name: np.asarray(R[name], dtype=object) for name in discounts}
    if s_indices is not None and a_indices is not None:
        states, actions = _indices("s_indices", s_indices), _indices("a_indices", a_indices)
        if matrix.ndim != 2 or len(matrix) != len(states) or len(actions) != len(states):
            raise ModelError(f"P has the shape {matrix.shape}; it has a row for each of {len(states)} pairs")
        for state in range(matrix.shape[1]):
            for row in np.flatnonzero(states == state).tolist():
                rewards = {name: _at(name, own, (row,), (len(states),)) for name, own in given.items()}
                yield state, int(actions[row]), rewards, dict(enumerate(matrix[row]))
        return
    if matrix.ndim != 3 or matrix.shape[1] != matrix.shape[2]:
        raise ModelError(f"P has the shape {matrix.shape}; without s_indices it is P[a][s][t]")
    n_actions, n_states = matrix.shape[:2]
    for state in range(n_states):
        for action in range(n_actions):
            rewards = {}
            for name, own in given.items():
                by_state = own.ndim == 1
                place = (state,) if by_state else (state, action)
                rewards[name] = _at(name, own, place, (n_states,) if by_state else (n_states, n_actions))
            yield state, action, rewards, dict(enumerate(matrix[action, state]))


def _at(name: str, own: NDArray[Any], place: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    if own.ndim == 0:
        return own.item()
    if own.shape != shape:
        raise ModelError(f"the reward of `{name}` has the shape {own.shape}, not {shape}")
    return own[place]
