"""States and actions by name and by number: what a caller means, or an error."""

from __future__ import annotations

import numpy as np
import pytest

import commonweal as cw

LINE = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]


def line(**names: object) -> cw.Model:
    """Three states in a row; the last one stays. A state earns 1, 10 or 100 times 1/2 a step."""
    rewards = {"p": [1, 10, 100]}
    return cw.Model.from_arrays(LINE, rewards, {"p": 0.5}, s_indices=[0, 1, 2], a_indices=[0, 1, 1], **names)  # type: ignore[arg-type]


def built(*labels: str | int) -> cw.Model:
    """The same by a builder, whose states have these names."""
    first, second, third = labels
    b = cw.ModelBuilder({"p": "1/2"})
    b.choice(first, "go", reward=1, to=second)
    b.choice(second, "go", reward=10, to=third)
    b.choice(third, "stay", reward=100, to=third)
    return b.build()


# From each state: 1 + (10 + 200 / 2) / 2, 10 + 200 / 2, 200.
WORTH = (56, 110, 200)


@pytest.mark.parametrize("labels", [(1, 2, 0), (10, 20, 30), (2, 1, 0), ("a", 7, "b"), (-1, 0, 1), ("x", "y", "z"), (0, 1, 2)])
def test_a_whole_number_that_is_a_name_is_that_state(labels: tuple[str | int, ...]) -> None:
    for model in (built(*labels), line(states=list(labels))):
        assert list(model.states) == list(labels)
        solution = model.solve()
        for label, worth in zip(labels, WORTH, strict=True):
            assert solution[label].welfare == worth
            assert solution[label].state == label
            assert solution[str(label)].welfare == worth
            assert model.with_start(label).solve().welfare == worth
            assert model.with_start(label).start == label
        assert list(solution.strategy.stages[0].actions) == list(labels)
        assert solution.to_pandas()["state"].tolist() == list(labels)


@pytest.mark.parametrize(("labels", "unknown"), [((10, 20, 30), 0), ((1, 2, 3), 0), (("a", 7, "b"), 1), ((0, 1, 2), 3)])
def test_a_position_is_no_name_of_a_state(labels: tuple[str | int, ...], unknown: int) -> None:
    for model in (built(*labels), line(states=list(labels))):
        with pytest.raises(cw.QuestionError, match=f"there is no state {unknown}; the states are"):
            model.solve()[unknown]


def test_a_number_that_could_be_a_name_or_a_position_is_refused() -> None:
    """A file has texts: there `1` names the first state, and the state at position 1 is `0`."""
    file = cw.Model.from_yaml(
        'principals: {p: 1/2}\nstates: {"1": {a: {reward: 1, to: "0"}}, "0": {a: {to: "0"}}, t: {a: {to: t}}}'
    )
    solution = file.solve()
    assert solution["1"].welfare == 1
    for ambiguous in (0, 1):
        with pytest.raises(cw.QuestionError, match=f"state {ambiguous} is ambiguous"):
            solution[ambiguous]
    assert solution[2].state == "t"
    assert built("x", "y", "z").solve()[1].welfare == WORTH[1]


def test_the_start_of_arrays_is_a_name_or_a_number() -> None:
    assert line().solve().welfare == WORTH[0]
    assert line(start=2).solve().welfare == WORTH[2]
    assert line(states=["a", "b", "c"], start="b").solve().welfare == WORTH[1]
    assert line(states=["a", "b", "c"], start=1).solve().welfare == WORTH[1]
    assert line(states=[10, 20, 30]).start == 10
    assert line(states=[10, 20, 30], start=20).solve().welfare == WORTH[1]
    assert line(states=[2, 1, 0], start=0).solve().welfare == WORTH[2]
    for names, wrong in (({}, 1.5), ({}, None), ({}, True), ({}, 3), ({}, -1), ({"states": [10, 20, 30]}, 1)):
        with pytest.raises(cw.ModelError, match="start"):
            line(**names, start=wrong)


def test_names_that_are_none_are_refused() -> None:
    for names, says in (
        ({"states": [1, "1", 2]}, "two states called `1`"),
        ({"states": [1.5, 2, 3]}, "1.5 is not a name of a state"),
        ({"states": "abc"}, "give a list of names"),
        ({"states": ["a", "b"]}, "2 names for 3 states"),
        ({"actions": ["a"]}, "1 names for 2 actions"),
        ({"actions": ["a", None]}, "None is not a name of an action"),
    ):
        with pytest.raises(cw.ModelError, match=says):
            line(**names)


TWO = """
principals: {p: 1/2}
states:
  s: {left: {reward: 1, to: s}, right: {reward: 2, to: t}}
  t: {stay: {reward: 3, to: t}}
"""


def test_a_positional_strategy_takes_names_or_numbers() -> None:
    model = cw.Model.from_yaml(TWO)
    for left in ("left", 0):
        for state in ("s", 0):
            assert model.evaluate(cw.Strategy.positional(model, {state: left})).welfare == 2
    assert model.evaluate(cw.Strategy.positional(model, {0: 1, 1: 0})).welfare == 5
    for wrong in ("up", 2, -1, 0.5, None):
        with pytest.raises(cw.CommonwealError, match=r"state `s`: .* action"):
            cw.Strategy.positional(model, {"s": wrong})  # type: ignore[dict-item]
    with pytest.raises(cw.StrategyError, match="a dict of actions by state"):
        cw.Strategy.positional(model, ["left"])  # type: ignore[arg-type]


def test_the_number_of_an_action_is_that_of_the_arrays() -> None:
    """Of arrays with named actions, number 1 is the second name, also in a state whose only action it is."""
    named = line(actions=["first", "second"])
    assert named.actions(1) == ["second"]
    assert cw.Strategy.positional(named, {1: 1}).action(1) == "second"
    with pytest.raises(cw.QuestionError, match="there is no action `0`; the actions are `second`"):
        cw.Strategy.positional(named, {1: 0})
    plain = line()
    assert plain.actions(1) == [1]
    assert cw.Strategy.positional(plain, {1: 1}).action(1) == 1
    with pytest.raises(cw.QuestionError, match="there is no action `0`"):
        cw.Strategy.positional(plain, {1: 0})
    numbers = cw.ModelBuilder({"p": 0.5})
    numbers.choice("s", 5, reward=1, to="s")
    numbers.choice("s", 0, reward=2, to="s")
    model = numbers.build()
    assert model.evaluate(cw.Strategy.positional(model, {"s": 5})).welfare == 2
    assert model.evaluate(cw.Strategy.positional(model, {"s": 0})).welfare == 4
    text = cw.Model.from_yaml('principals: {p: 1/2}\nstates: {s: {"1": {to: s}, "0": {to: s}}}')
    with pytest.raises(cw.QuestionError, match="action 1 is ambiguous"):
        cw.Strategy.positional(text, {"s": 1})


def test_the_default_start_is_the_first_state_whatever_another_is_called() -> None:
    """`start=0` names the state called 0; without a start it is the first one."""
    assert line(states=[-1, 0, 1]).start == -1
    assert line(states=[-1, 0, 1], start=0).start == 0
    assert line(states=[-1, 0, 1]).solve().welfare == WORTH[0]
    assert line(states=[2, 1, 0]).start == 2
    assert line().start == 0


def test_a_whole_number_among_the_names_of_actions_is_a_name() -> None:
    stay = np.eye(1)[None].repeat(2, axis=0)
    model = cw.Model.from_arrays(stay, {"x": np.array([[5.0, 7.0]])}, {"x": 0}, actions=[1, "x"])
    # Action 1 is the first, which earns 5; the second one, at position 1, is called x.
    assert model.evaluate(cw.Strategy.positional(model, {0: 1})).welfare == 5
    assert model.evaluate(cw.Strategy.positional(model, {0: "x"})).welfare == 7
    texts = cw.Model.from_arrays(stay, {"x": np.array([[5.0, 7.0]])}, {"x": 0}, actions=["1", "x"])
    with pytest.raises(cw.QuestionError, match="action 1 is ambiguous"):
        cw.Strategy.positional(texts, {0: 1})


def test_keys_that_are_one_name_are_refused() -> None:
    b = cw.ModelBuilder({"x": 0.5})
    with pytest.raises(cw.ModelError, match="`1` is there twice in `to`, as a text and as a number"):
        b.choice(0, 0, to={1: 0.5, "1": 0.5})
    with pytest.raises(cw.ModelError, match="has `5` twice, as a text and as a number"):
        cw.ModelBuilder({"x": {"schedule": {0: "3%", 5: "2%", "5": "1%"}}})
    model = cw.Model.from_arrays(np.eye(2)[None], {"x": [1, 2]}, {"x": 0.5}, states=["s", "t"])
    with pytest.raises(cw.StrategyError, match="state `s` is there twice, by name and by number"):
        cw.Strategy.positional(model, {"s": 0, 0: 0, "t": 0})


def test_a_solution_is_a_collection_of_its_states(hotel: cw.Model) -> None:
    solution = hotel.solve()
    assert list(solution) == ["s0", "s1"]
    assert len(solution) == 2
    assert "s1" in solution
    assert "s2" not in solution
    assert {state: solution[state].welfare for state in solution}["s0"] == solution.welfare
    with pytest.raises(cw.QuestionError, match="is not a state; name one, or give its number from 0"):
        solution[np.array([0])]  # type: ignore[index]


def test_strategies_of_searches_have_the_methods_of_their_kind(hotel: cw.Model) -> None:
    """Also for a type checker."""
    assert hotel.positional().strategy.action("s0") == "a"
    assert sum(hotel.stationary().strategy.mix("s0").values()) == 1
