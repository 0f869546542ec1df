"""Arrays with fractions: the same rules as for doubles, and every number as it was given."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import commonweal as cw

THREE_ROWS = np.array([[0.1, 0.9], [1, 0], [0, 1]])
PAIRS: dict[str, Any] = {"s_indices": [0, 0, 1], "a_indices": [0, 1, 0]}

BROKEN = """
import numpy, scipy.sparse, commonweal
from fractions import Fraction
matrix = scipy.sparse.csr_matrix(numpy.array([[0.1, 0.9], [1, 0], [0, 1]]))
matrix.indptr = matrix.indptr.copy()
matrix.indptr[1] = 100
for _ in range(50):
    try:
        commonweal.Model.from_arrays(
            matrix, {"x": [Fraction(1, 3), 1, 2]}, {"x": "1/2"}, s_indices=[0, 0, 1], a_indices=[0, 1, 0]
        )
    except commonweal.ModelError as error:
        print(error)
"""


def test_rows_that_contradict_each_other_do_not_break_the_heap() -> None:
    done = subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("P is not a matrix of compressed sparse rows") == 50


@pytest.mark.parametrize("reward", [0, Fraction(0)])
@pytest.mark.parametrize("column", [-1, 2, 7])
def test_a_column_that_does_not_exist_is_refused(reward: Any, column: int) -> None:
    matrix = scipy.sparse.csr_matrix(np.eye(2))
    matrix.indices = np.array([column, 1], dtype=np.int32)
    with pytest.raises(cw.ModelError, match=f"row 0 of P leads to {column}; P has 2 columns"):
        cw.Model.from_arrays(matrix, {"x": [reward, 1]}, {"x": "1/2"}, s_indices=[0, 1], a_indices=[0, 0])
    with pytest.raises(cw.ModelError, match=rf"row 0 of P\[0\] leads to {column}"):
        cw.Model.from_arrays([matrix], {"x": [reward, 1]}, {"x": "1/2"})


def test_entries_at_the_same_position_are_added_exactly() -> None:
    matrix = scipy.sparse.csr_matrix(np.eye(2))
    matrix.indptr, matrix.indices = np.array([0, 3, 4]), np.array([0, 0, 1, 1], dtype=np.int32)
    matrix.data = np.array([0.1, 0.2, 0.7, 1.0])
    model = cw.Model.from_arrays(matrix, {"x": [Fraction(0), 1]}, {"x": "1/2"}, s_indices=[0, 1], a_indices=[0, 0])
    # V(1) = 2, V(0) = (3/10 V(0) + 7/10 · 2) / 2.
    assert model.solve().welfare == Fraction(14, 17)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_rewards_of_successors_are_summed_exactly(as_sparse: bool) -> None:
    rows = np.array([[[0.1, 0.2, 0.7], [0, 1, 0], [0, 0, 1]]])
    earned = np.array([[[0.3, 0.3, 0.1], [0, 0, 0], [0, 0, 0]]])
    given: Any = [scipy.sparse.csr_matrix(earned[0])] if as_sparse else earned
    model = cw.Model.from_arrays(rows, {"x": given}, {"x": 0})
    # In doubles the sum is 0.16000000000000003 or so.
    assert model.is_exact
    assert model.solve().welfare == Fraction(16, 100)
    thirds = np.array([[[1 / 3, 1 / 3, 1 / 3], [0, 1, 0], [0, 0, 1]]])
    # The row is scaled to thirds, and what it earns with it.
    assert cw.Model.from_arrays(thirds, {"x": given}, {"x": 0}).solve().welfare == Fraction(7, 30)


@pytest.mark.parametrize("zero", [Decimal("0.00"), -0.0, Decimal("-0E-2"), Fraction(0), 0, np.float32(0)])
def test_a_zero_is_a_zero_in_every_form(zero: Any) -> None:
    rows = np.empty((3, 2), dtype=object)
    rows[:] = [[Fraction(1, 10), Fraction(9, 10)], [1, zero], [0, 1]]
    model = cw.Model.from_arrays(rows, {"x": [1, 2, 3]}, {"x": "1/2"}, **PAIRS)
    assert (model.is_exact, model.n_transitions) == (True, 4)
    b = cw.ModelBuilder({"x": "1/2"})
    b.choice("s", "a", to={"s": 1, "t": "0.000"})
    b.choice("t", "a", to="t")
    assert b.build().n_transitions == 2


@pytest.mark.parametrize(
    "rows",
    [
        THREE_ROWS > 0.5,
        THREE_ROWS.astype(np.longdouble),
        scipy.sparse.csr_matrix(THREE_ROWS),
    ],
)
def test_fractions_beside_other_arrays_change_no_rule(rows: Any) -> None:
    exactly = cw.Model.from_arrays(rows, {"x": [Fraction(1), 2, 3]}, {"x": "1/2"}, **PAIRS)
    assert exactly.solve().welfare == cw.Model.from_arrays(rows, {"x": [1, 2, 3]}, {"x": "1/2"}, **PAIRS).solve().welfare


def test_a_list_of_sparse_rewards_beside_fractions() -> None:
    rows = [[[Fraction(1, 2), Fraction(1, 2)], [0, 1]]]
    rewards = [scipy.sparse.csr_matrix(np.array([[1.0, 3.0], [0, 0]]))]
    assert cw.Model.from_arrays(rows, {"x": rewards}, {"x": 0}).solve().welfare == 2


def test_a_discount_in_single_precision_is_the_decimal_that_it_prints() -> None:
    model = cw.Model.from_arrays(np.eye(2)[None], {"x": [1, 1]}, {"x": np.float32(0.95)})
    assert model.principals[0].discount == Fraction(19, 20)
