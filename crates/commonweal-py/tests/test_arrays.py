"""Arrays in, in every form, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import commonweal as cw

RNG = np.random.default_rng(5)
S, A = 6, 3
P = RNG.dirichlet(np.ones(S), size=(A, S))
P[0, :, 2:] = 0
P[0] /= P[0].sum(axis=1, keepdims=True)
R = {"x": RNG.integers(-5, 6, size=(S, A)).astype(float), "y": RNG.normal(size=(S, A))}
DISCOUNTS = {"x": 0.9, "y": 0.5}


def pairs(order: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The same model by pairs, in some order."""
    s_indices, a_indices = np.divmod(order, A)
    return {
        "P": P[a_indices, s_indices],
        "R": {name: own[s_indices, a_indices] for name, own in R.items()},
        "discounts": DISCOUNTS,
        "s_indices": s_indices,
        "a_indices": a_indices,
    }


def value(model: cw.Model) -> list[Fraction | None]:
    solution = model.solve()
    return [solution[state].welfare.exact for state in range(S)]


def test_all_forms_describe_the_same_model() -> None:
    dense = value(cw.Model.from_arrays(P, R, DISCOUNTS))
    assert all(isinstance(exact, Fraction) for exact in dense)
    in_order = pairs(np.arange(S * A))
    assert value(cw.Model.from_arrays(**in_order)) == dense
    for format in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.csc_matrix):
        assert value(cw.Model.from_arrays(**{**in_order, "P": format(in_order["P"])})) == dense
    # The actions of each state stay in order: ties go to the first.
    shuffled = RNG.permutation(S)
    by_state = np.concatenate([np.arange(A) + A * state for state in shuffled])
    assert value(cw.Model.from_arrays(**pairs(by_state))) == dense
    sparse = [scipy.sparse.csr_matrix(own) for own in P]
    assert value(cw.Model.from_arrays(sparse, R, DISCOUNTS)) == dense
    wide = scipy.sparse.csr_matrix(in_order["P"])
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert value(cw.Model.from_arrays(**{**in_order, "P": wide})) == dense


def test_duplicate_and_zero_entries_mean_what_scipy_means() -> None:
    indptr, indices, data = np.array([0, 3, 4]), np.array([1, 1, 0, 1]), np.array([0.25, 0.75, 0.0, 1.0])
    matrix = scipy.sparse.csr_matrix((data, indices, indptr), shape=(2, 2))
    model = cw.Model.from_arrays(matrix, {"x": [1, 2]}, {"x": 0.5}, s_indices=[0, 1], a_indices=[0, 0])
    assert model.n_transitions == 2
    assert model.solve().welfare == 3
    assert matrix.nnz == 4


def test_rewards_by_state_by_action_and_by_successor() -> None:
    by_state = np.arange(S, dtype=float)
    expected = value(cw.Model.from_arrays(P, {"x": np.tile(by_state[:, None], A)}, {"x": 0.9}))
    assert value(cw.Model.from_arrays(P, {"x": by_state}, {"x": 0.9})) == expected
    assert value(cw.Model.from_arrays(P, {"x": 2}, {"x": 0.5})) == [4] * S
    # What the successor earns, in numbers that doubles hold.
    halves = np.zeros((1, 2, 2))
    halves[0] = np.array([[0.5, 0.5], [0, 1]])
    successor = np.array([[[4.0, 8.0], [0.0, 2.0]]])
    model = cw.Model.from_arrays(halves, {"x": successor}, {"x": 0})
    assert [model.solve()[state].welfare.exact for state in (0, 1)] == [6, 2]


def test_a_float_is_the_decimal_that_python_prints() -> None:
    model = cw.Model.from_arrays([[[0.1, 0.9], [0, 1]]], {"x": [0.3, 0]}, {"x": 0.5})
    # V = 3/10 + 1/2 · 1/10 · V
    assert model.solve().welfare == Fraction(3, 10) / (1 - Fraction(1, 20))
    assert model.scaled_rows == (0, 0.0)
    thirds = cw.Model.from_arrays([[[1 / 3, 1 / 3, 1 / 3], [0, 1, 0], [0, 0, 1]]], {"x": [0, 3, 3]}, {"x": 0.5})
    # V = 1/2 · (1/3 · V + 2/3 · 6)
    assert thirds.solve().welfare == 2 / (1 - Fraction(1, 6))
    assert thirds.scaled_rows[0] == 1
    assert 0 < thirds.scaled_rows[1] < 1e-15


def test_fractions_stay_fractions() -> None:
    third = Fraction(1, 3)
    matrix = np.array([[[third, 1 - third], [0, 1]]], dtype=object)
    model = cw.Model.from_arrays(matrix, {"x": np.array([Fraction(1, 7), 0], dtype=object)}, {"x": third})
    assert model.solve().welfare == Fraction(1, 7) / (1 - third * third)
    pair = cw.Model.from_arrays(
        [[third, 1 - third], [0, 1]], {"x": [Fraction(1, 7), 0]}, {"x": third}, s_indices=[0, 1], a_indices=[4, 0]
    )
    assert pair.solve().welfare == Fraction(1, 7) / (1 - third * third)
    assert pair.actions(0) == [4]


HALF = Fraction(1, 2)
EXACT: dict[str, Any] = {
    "P": np.array([[HALF, HALF], [0, 1], [1, 0]], dtype=object),
    "R": {"x": [1, 2, 3]},
    "discounts": {"x": HALF},
    "s_indices": [0, 1, 1],
    "a_indices": [0, 0, 1],
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"s_indices": [0, 1, 2]}, r"s_indices\[2\] is 2; a state is one of 0 to 1: "),
        ({"s_indices": [0, 1, -1]}, r"s_indices\[2\] is -1; a state is one of 0 to 1: "),
        ({"s_indices": [0, 1, 10**30]}, r"s_indices\[2\] is 10+; a state is one of 0 to 1: "),
        ({"s_indices": [0, 1, 0.5]}, "s_indices holds float64; it holds whole numbers from 0"),
        ({"s_indices": [0, 1]}, "3 entries for 2 pairs"),
        ({"s_indices": [0, 0, 0], "a_indices": [0, 1, 2]}, "state `1` has no action"),
        ({"a_indices": [0, 0, -1]}, r"a_indices\[2\] is -1; an action is one of 0 to "),
        ({"a_indices": [0, 0, 10**12]}, r"a_indices\[2\] is 1000000000000; an action is one of 0 to 4294967295: number the"),
        ({"a_indices": np.array([0, 0, 2**63], dtype=np.uint64)}, r"a_indices\[2\] is 9223372036854775808; an action is one of"),
        ({"a_indices": [0, 0]}, "a_indices has 2 entries for 3 pairs"),
        ({"a_indices": [0, 0, 0]}, "is there twice"),
        ({"a_indices": None}, "give both s_indices and a_indices"),
        ({"R": {"x": [1, 2]}}, "the reward of `x` has the shape"),
        ({"R": {"x": [1, 2, None]}}, "the reward of `x` is not an array of numbers: it holds None"),
        ({"actions": ["a"]}, "1 names for 2 actions"),
        ({"start": 5}, "start is 5; the states are 0 to 1"),
    ],
)
def test_fractions_and_doubles_refuse_the_same_indices(change: dict[str, Any], says: str) -> None:
    """Nothing is dropped, nothing wraps, and no index is an IndexError."""
    doubles = {**EXACT, "P": EXACT["P"].astype(float)}
    for given in (EXACT, doubles):
        # V(1) = 3 + V(0) / 2, V(0) = 1 + V(0) / 4 + V(1) / 4.
        assert cw.Model.from_arrays(**given).solve().welfare == Fraction(14, 5)
        with pytest.raises(cw.ModelError, match=says):
            cw.Model.from_arrays(**{**given, **change})


def test_fractions_in_any_array_stay_fractions() -> None:
    """Also behind an array of objects without any, and beside sparse matrices and doubles."""
    third = Fraction(1, 3)
    pairs: dict[str, Any] = {"s_indices": [0], "a_indices": [0]}
    whole, mixed = np.array([1], dtype=object), np.array([third], dtype=object)
    for P in (np.array([[1]], dtype=object), [[1.0]], scipy.sparse.csr_matrix([[1.0]])):
        model = cw.Model.from_arrays(P, {"x": whole, "y": mixed}, {"x": HALF, "y": HALF}, **pairs)
        assert model.solve().payoffs["y"] == Fraction(2, 3)
    by_action = cw.Model.from_arrays([scipy.sparse.csr_matrix([[1.0]])], {"x": [[third]]}, {"x": HALF})
    assert by_action.solve().welfare == Fraction(2, 3)
    successor = np.array([[[third, 1], [0, 2]]], dtype=object)
    P = np.array([[[third, 1 - third], [0, 1]]], dtype=object)
    model = cw.Model.from_arrays(P, {"x": successor}, {"x": 0})
    assert [model.solve()[state].welfare for state in (0, 1)] == [third * third + 1 - third, 2]


def test_doubles_are_made_of_fractions_only_on_request() -> None:
    given = {**EXACT, "P": np.array([[Fraction(1, 3), Fraction(2, 3)], [0, 1], [1, 0]], dtype=object)}
    assert cw.Model.from_arrays(**given).is_exact
    model = cw.Model.from_arrays(**given, exact=False)
    assert not model.is_exact
    solution = model.solve()
    assert (solution.engine, solution.welfare.exact) == ("certified", None)
    assert float(solution.welfare) == pytest.approx(float(cw.Model.from_arrays(**given).solve().welfare), rel=1e-5)


def test_sizes_are_checked_before_memory_is_taken() -> None:
    """Each of these took terabytes, which ends the interpreter."""
    for action in (10**12, 2**40, 2**62):
        with pytest.raises(cw.ModelError, match=f"is {action}; an action is one of 0 to 4294967295"):
            cw.Model.from_arrays(**{**GOOD, "a_indices": [0, action]})
    wide = scipy.sparse.csr_matrix((np.ones(2), np.array([0, 10**11]), np.array([0, 1, 2])), shape=(2, 10**12))
    with pytest.raises(cw.ModelError, match="state `1` has no action; P has 1000000000000 columns"):
        cw.Model.from_arrays(**{**GOOD, "P": wide, "s_indices": [0, 10**11]})
    # A large number that fits takes no more memory than a small one.
    model = cw.Model.from_arrays(**{**GOOD, "a_indices": [0, 2**32 - 1]})
    assert model.actions(1) == [2**32 - 1]
    assert model.solve()[1].welfare == 2


def test_doubles_and_fractions_on_request() -> None:
    small = cw.Model.from_arrays(P, R, DISCOUNTS)
    doubles = cw.Model.from_arrays(P, R, DISCOUNTS, exact=False)
    assert (small.is_exact, doubles.is_exact) == (True, False)
    solution = doubles.solve()
    assert (solution.engine, solution.status) == ("certified", "within gap")
    exact = small.solve().welfare.exact
    assert exact is not None
    assert solution.welfare.lower <= exact <= solution.welfare.upper
    lower, upper = solution.welfare_bounds()
    assert (lower[0], upper[0]) == (solution.welfare.lower, solution.welfare.upper)
    low, high = solution.payoff_bounds("y")
    assert (low[0], high[0]) == (solution.payoffs["y"].lower, solution.payoffs["y"].upper)


def test_rows_go_out_as_they_came_in() -> None:
    halves = np.zeros((2, 3, 3))
    halves[0] = np.array([[0.5, 0.25, 0.25], [0, 1, 0], [0.125, 0, 0.875]])
    halves[1] = np.eye(3)
    own = {"x": RNG.normal(size=(3, 2)), "y": np.arange(6.0).reshape(3, 2)}
    model = cw.Model.from_arrays(halves, own, DISCOUNTS)
    s_indices, a_indices, (data, indices, indptr), rewards = model.to_arrays()
    matrix = scipy.sparse.csr_matrix((data, indices, indptr), shape=(6, 3)).toarray()
    assert np.array_equal(matrix.reshape(3, 2, 3).transpose(1, 0, 2), halves)
    assert np.array_equal(rewards["x"].reshape(3, 2), own["x"])
    assert np.array_equal(s_indices, np.repeat(np.arange(3), 2))
    assert np.array_equal(a_indices, np.tile(np.arange(2), 3))


IDENTITY = [[1.0, 0.0], [0.0, 1.0]]
GOOD: dict[str, Any] = {
    "P": IDENTITY,
    "R": {"x": [0.0, 1.0]},
    "discounts": {"x": 0.5},
    "s_indices": [0, 1],
    "a_indices": [0, 0],
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"P": [[1.0, 0.0]]}, "P has 1 entries for 2 pairs"),
        ({"P": [1.0, 0.0]}, "P has 1 dimensions"),
        ({"P": [[[1.0]]]}, "P has 3 dimensions"),
        ({"P": [[1.0, np.nan], [0, 1]]}, "state `0`, action `0`: the probability of `1` is NaN"),
        ({"P": [[1.0, np.inf], [0, 1]]}, "state `0`, action `0`: probabilities sum to "),
        ({"P": [[1.5, -0.5], [0, 1]]}, "state `0`, action `0`: the probability of `1` is -"),
        ({"P": [[0.5, 0.4], [0, 1]]}, "state `0`, action `0`: probabilities sum to 9/10, not 1"),
        ({"P": [[0.0, 0.0], [0, 1]]}, "state `0`, action `0`: probabilities sum to 0, not 1"),
        ({"P": [["a", "b"], [0, 1]]}, "P is not an array of numbers"),
        ({"P": [[1j, 0], [0, 1]]}, "P holds complex numbers"),
        ({"R": {"x": [0.0]}}, "the reward of `x` has the shape"),
        ({"R": {"x": [0.0, np.nan]}}, "state `1`, action `0`: the reward of `x` is NaN"),
        ({"R": {"x": [0.0, np.inf]}}, "state `1`, action `0`: the reward of `x` is inf; a reward is a finite number"),
        ({"R": {"x": [0.0, -np.inf]}}, "state `1`, action `0`: the reward of `x` is -inf; .* leave out the row"),
        ({"R": {1: [0.0, 1.0]}, "discounts": {1: 0.5}}, "principal 1 is a int; name principals by texts"),
        ({"R": {1: [0.0, 1.0], "1": [0.0, 1.0]}, "discounts": {1: 0.5, "1": 0.5}}, "principal 1 is a int"),
        ({"s_indices": [[0], [0, 1]]}, "s_indices is not an array"),
        ({"exact": "yes"}, "exact is 'yes'"),
        ({"R": {"x": [0.0, 1.0], "z": [0.0, 1.0]}}, "principal `z` has rewards but no time preference"),
        ({"R": {}}, "principal `x` has a time preference but no rewards"),
        ({"R": [0.0, 1.0]}, "R is not a dict"),
        ({"discounts": {"x": 1.5}}, "principal `x`: the discount is 3/2"),
        ({"discounts": {"x": "many"}}, "`x`.* is not a number"),
        ({"discounts": {"x": {"discont": 0.5}}}, "no key `discont`"),
        ({"discounts": 0.5}, "discounts is not a dict"),
        ({"discounts": {}, "R": {}}, "there are no principals"),
        ({"s_indices": [0, 2]}, r"s_indices\[1\] is 2; a state is one of 0 to 1: P has a column for each state"),
        ({"s_indices": [0, -1]}, r"s_indices\[1\] is -1"),
        ({"s_indices": [0.5, 1]}, "s_indices holds float64"),
        ({"s_indices": [[0, 1]]}, "s_indices has 2 dimensions"),
        ({"s_indices": None}, "give both s_indices and a_indices"),
        ({"s_indices": [0, 0], "a_indices": [0, 1]}, "state `1` has no action"),
        ({"s_indices": [0, 0], "a_indices": [1, 1]}, "state `0`, action `1` is there twice"),
        ({"a_indices": [0, -1]}, r"a_indices\[1\] is -1"),
        ({"a_indices": [0]}, "a_indices has 1 entries for 2 pairs"),
        ({"states": ["a"]}, "1 names for 2 states"),
        ({"states": ["a", "a"]}, "two states called `a`"),
        ({"start": 2}, "start is 2; the states are 0 to 1"),
        ({"start": -1}, "start is -1"),
        ({"start": "a"}, "there is no state `a`"),
        ({"P": scipy.sparse.csr_matrix(IDENTITY), "s_indices": None, "a_indices": None}, "s_indices and a_indices"),
        ({"P": np.zeros((0, 0, 0)), "s_indices": None, "a_indices": None}, "there is nothing in it"),
        ({"P": np.ones((1, 2, 3)) / 3, "s_indices": None, "a_indices": None}, r"P\[0\] has the shape"),
        ({"P": [IDENTITY], "R": {"x": [1, 2, 3]}, "s_indices": None, "a_indices": None}, "the reward of `x` has the shape"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], says: str) -> None:
    cw.Model.from_arrays(**GOOD)
    with pytest.raises(cw.ModelError, match=says):
        cw.Model.from_arrays(**{**GOOD, **change})


def test_a_matrix_whose_arrays_lie_is_refused() -> None:
    for name, wrong in [("indices", [0, 7]), ("indices", [0, -1])]:
        matrix = scipy.sparse.csr_matrix(np.array(IDENTITY))
        setattr(matrix, name, np.array(wrong, dtype=np.int32))
        with pytest.raises((cw.ModelError, ValueError), match=r"leads to|index"):
            cw.Model.from_arrays(**{**GOOD, "P": matrix})


@pytest.mark.parametrize("reward", [2**60, 2**53 + 1, -(2**62), 10**400])
def test_integers_that_no_double_holds_stay_what_they_are(reward: int) -> None:
    """An int64 went through a double and its shortest decimal: 2^60 became 1152921504606847000."""
    for given in ([reward], np.array([reward], dtype=object)):
        model = cw.Model.from_arrays([[1.0]], {"p": given}, {"p": 0}, s_indices=[0], a_indices=[0])
        assert model.solve().welfare == reward
    if abs(reward) < 2**63:
        model = cw.Model.from_arrays([[1.0]], {"p": np.array([reward])}, {"p": 0}, s_indices=[0], a_indices=[0])
        assert model.solve().welfare == reward


def test_rewards_by_state_and_action_are_not_turned_where_there_are_as_many_states_as_actions() -> None:
    """Two states, two actions that stay: the best of a state is the greatest reward of its row of R, for ever."""
    stay = np.stack([np.eye(2), np.eye(2)])
    given = np.array([[1.0, 5.0], [2.0, 3.0]])
    solution = cw.Model.from_arrays(stay, {"p": given}, {"p": 0.5}).solve()
    assert [solution[state].welfare.exact for state in (0, 1)] == [10, 6]
    assert [solution.strategy.action(state, 0) for state in (0, 1)] == [1, 1]
    exactly = np.array([[Fraction(1), Fraction(5)], [Fraction(2), Fraction(3)]], dtype=object)
    solution = cw.Model.from_arrays(stay, {"p": exactly}, {"p": 0.5}).solve()
    assert [solution[state].welfare.exact for state in (0, 1)] == [10, 6]


STAY = np.eye(2)


@pytest.mark.parametrize(
    ("rewards", "says"),
    [
        (np.ma.masked_array([1.0, 2.0], mask=[False, True]), "masked entries"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), "holds dates"),
        (np.array([1, 2], dtype="timedelta64[s]"), "holds lengths of time"),
        (np.array([1.0, None], dtype=object), "holds None"),
        (np.array(["1", "2"]), "holds texts"),
        (np.array([1j, 0]), "complex numbers"),
        (np.broadcast_to(1.0, (10**12,)), "shape"),
    ],
)
@pytest.mark.parametrize("exact", [None, False])
def test_entries_that_are_not_numbers_are_refused(rewards: Any, says: str, exact: bool | None) -> None:
    with pytest.raises(cw.ModelError, match=says):
        cw.Model.from_arrays(STAY, {"p": rewards}, {"p": 0.5}, s_indices=[0, 1], a_indices=[0, 0], exact=exact)


def test_a_mask_that_hides_nothing_is_no_mask() -> None:
    rewards = np.ma.masked_array([1.0, 2.0], mask=[False, False])
    model = cw.Model.from_arrays(STAY, {"p": rewards}, {"p": 0.5}, s_indices=[0, 1], a_indices=[0, 0])
    assert model.solve().welfare == 2


def test_sizes_are_looked_at_before_memory_is_taken() -> None:
    huge = np.broadcast_to(0.5, (10**9, 10**9))
    for given in (huge, [huge, huge]):
        with pytest.raises(cw.ModelError, match="numbers; give a sparse matrix"):
            cw.Model.from_arrays(given, {"p": 0}, {"p": 0.5})
    with pytest.raises(cw.ModelError, match="s_indices has the shape"):
        cw.Model.from_arrays(STAY, {"p": 0}, {"p": 0.5}, s_indices=np.broadcast_to(0, (10**12,)), a_indices=[0, 0])


def test_rows_in_single_precision_are_refused_with_a_cure_that_works() -> None:
    single = np.random.default_rng(2).dirichlet(np.ones(7), size=7).astype(np.float32)
    asked: dict[str, Any] = {"R": {"p": 1}, "discounts": {"p": 0.5}}
    by_pair = {**asked, "s_indices": np.arange(7), "a_indices": np.zeros(7, dtype=int)}
    for given in ({"P": single, **by_pair}, {"P": scipy.sparse.csr_matrix(single), **by_pair}, {"P": single[None], **asked}):
        with pytest.raises(cw.ModelError, match="the rounding of float32; divide each row by its sum in doubles"):
            cw.Model.from_arrays(**given)
    P = single.astype(float)
    P = P / P.sum(axis=-1, keepdims=True)
    assert float(cw.Model.from_arrays(P, **by_pair).solve().welfare) == 2
    # Thirds in single precision that sum to 1 by luck are taken.
    halves = np.full((2, 2), 0.5, dtype=np.float32)
    assert cw.Model.from_arrays(halves, {"p": 1}, {"p": 0.5}, s_indices=[0, 1], a_indices=[0, 0]).solve().welfare == 2


@pytest.mark.parametrize("indptr", [[0, 2, 1], [0, 1, 9], [1, 1, 2], [0, -1, 2]])
def test_rows_that_contradict_each_other_are_refused(indptr: list[int]) -> None:
    matrix = scipy.sparse.csr_matrix(STAY)
    matrix.indptr = np.array(indptr, dtype=np.int32)
    with pytest.raises(cw.ModelError, match="indptr does not go from 0"):
        cw.Model.from_arrays(matrix, {"p": 1}, {"p": 0.5}, s_indices=[0, 1], a_indices=[0, 0])


def test_floats_of_a_larger_model_are_solved_in_doubles_and_of_a_small_one_in_fractions() -> None:
    """Fractions of seventeen digits take a minute at 5,000 states, and doubles less than a second."""

    def chain(n: int, digits: int) -> cw.Model:
        rng = np.random.default_rng(n)
        share = np.round(rng.uniform(0.1, 0.9, size=n), digits)
        matrix = scipy.sparse.csr_matrix(
            (
                np.stack([share, np.round(1 - share, digits)], axis=1).ravel(),
                np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1).ravel(),
                np.arange(0, 2 * n + 1, 2),
            ),
            shape=(n, n),
        )
        rewards = {"x": rng.uniform(size=n), "y": rng.uniform(size=n)}
        discounts = {"x": 0.9, "y": 0.5}
        return cw.Model.from_arrays(matrix, rewards, discounts, s_indices=np.arange(n), a_indices=np.zeros(n, dtype=int))

    assert not chain(5_000, 17).is_exact
    assert chain(5_000, 17).solve().engine == "certified"
    assert chain(100, 17).is_exact
    assert chain(100, 17).solve().engine == "exact"
    # Short decimals are faster: the same size may still be solved exactly.
    assert not chain(1_000, 17).is_exact
    assert chain(1_000, 2).is_exact
