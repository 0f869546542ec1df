"""What goes wrong: the program's words, the place and the cure."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import commonweal as cw


def test_an_error_has_its_place_and_its_cure() -> None:
    text = "principals: {alice: 2/3}\nstates: {s0: {stay: {to: s1}}}\n"
    with pytest.raises(cw.ModelError) as caught:
        cw.Model.from_yaml(text)
    error = caught.value
    assert (error.line, error.column, error.help) == (2, 26, "did you mean `s0`?")
    assert error.message == "there is no state `s1`"
    assert str(error) == (
        "the model:2:26: there is no state `s1`\n"
        "2 | states: {s0: {stay: {to: s1}}}\n"
        "  |                          ^^\n"
        "help: did you mean `s0`?"
    )
    assert isinstance(error, ValueError)


def test_an_error_of_a_file_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "hotel.yaml"
    file.write_text("principals: {alice: 3/2}\nstates: {s0: {stay: {to: s0}}}\n")
    with pytest.raises(cw.ModelError) as caught:
        cw.load(file)
    assert str(caught.value).startswith(f"{file}:1:21: principal `alice`: the discount is 3/2")
    assert (caught.value.line, caught.value.column) == (1, 21)
    assert caught.value.help
    with pytest.raises(FileNotFoundError):
        cw.load(tmp_path / "nothing.yaml")
    with pytest.raises(cw.ModelError, match="is a folder"):
        cw.load(tmp_path)


def test_rows_that_floating_point_rounded_are_scaled_unless_strict(tmp_path: Path) -> None:
    text = "principals: {p: 1/2}\nstates: {s: {a: {to: {s: 0.3333333333, t: 0.6666666666}}}, t: {a: {to: t}}}\n"
    assert cw.Model.from_yaml(text).scaled_rows[0] == 1
    with pytest.raises(cw.ModelError, match="sum to"):
        cw.Model.from_yaml(text, strict=True)
    (tmp_path / "m.yaml").write_text(text)
    assert cw.load(tmp_path / "m.yaml").scaled_rows[0] == 1
    with pytest.raises(cw.ModelError, match="sum to"):
        cw.load(tmp_path / "m.yaml", strict=True)


def test_a_file_is_changed_as_it_is_read(tmp_path: Path) -> None:
    text = "principals: {p: {discount: 1/2, weight: 3}}\nstates: {s: {a: {reward: 1, to: s}}, t: {a: {to: t}}}\n"
    (tmp_path / "m.yaml").write_text(text)
    assert cw.load(tmp_path / "m.yaml").solve().welfare == 6
    assert cw.load(tmp_path / "m.yaml", discounts={"p": "2/3"}).solve().welfare == 9
    assert cw.load(tmp_path / "m.yaml", minimise=["p"]).solve().welfare == -2
    assert cw.load(tmp_path / "m.yaml", start="t").solve().welfare == 0
    assert cw.load(tmp_path / "m.yaml", start=1).solve().welfare == 0
    with pytest.raises(cw.QuestionError, match="there is no principal `q`"):
        cw.load(tmp_path / "m.yaml", discounts={"q": "2/3"})
    with pytest.raises(cw.QuestionError, match="there is no state `u`"):
        cw.load(tmp_path / "m.yaml", start="u")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda m: m.solve(exact=True, gap=0.1), "exact=True has no gap"),
        (lambda m: m.solve(gap=0.0), "gap is 0"),
        (lambda m: m.solve(gap=float("nan")), "gap is NaN"),
        (lambda m: m.solve(gap=2.0), "gap is 2"),
        (lambda m: m.solve(gap="1e-3"), "gap is '1e-3'; write a number"),
        (lambda m: m.solve(threads=0), "threads is 0"),
        (lambda m: m.solve(threads=20000), "threads is 20000; it is a whole number from 1 to 1024"),
        (lambda m: m.solve(threads=2.5), "threads is 2.5"),
        (lambda m: m.solve(threads="2"), "threads is '2'"),
        (lambda m: m.solve(exact="yes"), "exact is 'yes'"),
        (lambda m: m.solve(time_limit="1"), "time_limit is '1'"),
        (lambda m: m.solve()[None], "None is not a state"),
        (lambda m: m.solve()[1.5], "1.5 is not a state"),
        (lambda m: m.solve()[True], "True is not a state"),
        (lambda m: m.solve().strategy.action("s0", None), "step is None"),
        (lambda m: m.solve().strategy.action("s0", "1"), "step is '1'"),
        (lambda m: m.solve().certificate(precision=-1), "precision is -1"),
        (lambda m: m.evaluate("a"), "'a' is not a strategy"),
        (lambda m: m.simulate(None), "None is not a strategy"),
        (lambda m: m.simulate(m.solve().strategy, runs=1.5), "runs is 1.5"),
        (lambda m: m.simulate(m.solve().strategy, confidence="x"), "confidence is 'x'"),
        (lambda m: m.sweep(1, 0, 0.5), "principal is 1"),
        (lambda m: m.sweep("bob", 0, 0.5, steps=0), "steps is 0"),
        (lambda m: m.sweep("bob", 0, 0.5, steps=10**9), "at most 1000000 are taken"),
        (lambda m: m.sweep("bob", 0, 0.5, steps=2**64 - 1), "at most 1000000 are taken"),
        (lambda m: m.map("alice", "bob", resolution=2**63), "at most 1024 are taken"),
        (lambda m: m.sweep("bob", 0, 0.5, steps=1.5), "steps is 1.5"),
        (lambda m: m.sweep("bob", "1%", "5%"), "1% is a percentage, and a discount is not one"),
        (lambda m: m.sweep("bob", 0.01, "5%"), "5% is a percentage"),
        (lambda m: m.sweep("bob.rate", 0, "5%"), "is not a rate"),
        (lambda m: m.map("alice", "bob", ("1%", "5%")), "1% is a percentage, and a discount is not one"),
        (lambda m: m.map("alice", "bob", (0, 0.5), ("1%", "5%")), "1% is a percentage"),
        (lambda m: m.map("alice", "bob", 0.5), "x_range is 0.5; it is a pair"),
        (lambda m: m.map("alice", "bob", resolution=0), "resolution is 0"),
        (lambda m: m.fair(1), "rule is 1"),
        (lambda m: m.fair("max-min", over=3), "over is 3"),
        (lambda m: m.fair("max-min", over="own-best"), "over is 'own-best'"),
        (lambda m: m.fair("welfare", at_least=3), "at_least is 3"),
        (lambda m: m.front("alice", 1), "y is 1"),
        (lambda m: m.front(vertices=-1), "vertices is -1"),
        (lambda m: m.positional(node_limit=-1), "node_limit is -1"),
        (lambda m: m.with_weights({1: 2}), "a principal is 1"),
        (lambda m: m.with_weights(3), "weights is 3"),
        (lambda m: m.solve(time_limit=-1.0), "time_limit is -1"),
        (lambda m: m.solve()["s9"], "there is no state `s9`; the states are `s0`, `s1`"),
        (lambda m: m.solve()[2], "there is no state 2; the states are 0 to 1"),
        (lambda m: m.solve().strategy.action("s0", -1), "step is -1"),
        (lambda m: m.solve().strategy.action("s0", 0.5), "step is 0.5"),
        (lambda m: m.solve().payoff_bounds("carol"), "there is no principal `carol`"),
        (lambda m: m.sweep("carol", 0, 0.5), "there is no principal `carol`; the principals are `alice`, `bob`"),
        (lambda m: m.sweep("bob", 0.5, 0.1), "is greater than"),
        (lambda m: m.sweep("bob", 0, 1), "1 is not a discount"),
        (lambda m: m.map("bob", "bob"), "both axes are `bob`"),
        (lambda m: m.fair("maxmin"), "did you mean `max-min`"),
        (lambda m: m.fair("gini:1"), "1 weight for 2 principals"),
        (lambda m: m.fair("max-min", over={"carol": 1}), "carol"),
        (lambda m: m.fair("max-min", at_least={"carol": 1}), "there is no principal `carol`"),
        (lambda m: m.front("alice"), "name both principals"),
        (lambda m: m.stationary(gap=-1.0), "gap is -1"),
        (lambda m: m.simulate(m.solve().strategy, confidence=1.0), "confidence is 1"),
        (lambda m: m.simulate(m.solve().strategy, seed=-1), "seed is -1"),
        (lambda m: m.with_weights({"carol": 1}), "there is no principal `carol`"),
    ],
)
def test_questions_that_cannot_be_asked(hotel: cw.Model, ask: Any, says: str) -> None:
    with pytest.raises(cw.QuestionError, match=says):
        ask(hotel)


def test_percentages_are_rates_as_in_the_program(hotel: cw.Model) -> None:
    with pytest.raises(cw.QuestionError) as caught:
        hotel.sweep("bob", "1%", "5%")
    assert caught.value.help == 'write "NAME.rate" in place of "NAME" to vary the rate'
    swept = hotel.sweep("bob.rate", "1%", "5%", steps=4)
    assert [str(point.rate) for point in swept.points] == ["1/100", "1/50", "3/100", "1/25", "1/20"]
    assert hotel.sweep("bob.discount", "1/10", "1/5", steps=1).points[0].discount == Fraction(1, 10)
    mapped = hotel.map("alice.rate", "bob", ("1%", "50%"), resolution=2)
    assert (mapped.x.quantity, mapped.x.first, mapped.x.last) == ("rate", Fraction(1, 100), Fraction(1, 2))
    default = hotel.map("alice.rate", "bob", resolution=1)
    assert (default.x.first, default.x.last, default.y.last) == (Fraction(1, 1000), Fraction(1, 5), Fraction(999, 1000))
    weights = hotel.sweep("bob.weight", 0, 2, steps=2)
    assert weights.quantity == "weight"
    assert weights.points[1].welfare == Fraction(127, 9)
    assert [point.at for point in weights.points] == [0, 1, 2]


def test_a_strategy_of_another_model_with_the_same_numbers_is_refused(hotel: cw.Model) -> None:
    """Its states and actions are called otherwise; the same names with other numbers are another calibration."""
    strategy = hotel.solve().strategy
    other = cw.Model.from_yaml(hotel.to_yaml().replace("s1", "t1"))
    for ask in (other.evaluate, other.simulate, lambda strategy: other.fair("max-min", over=strategy)):
        with pytest.raises(cw.QuestionError, match="the strategy is for another model: state 1 is `s1` there and `t1` here"):
            ask(strategy)
    renamed = cw.Model.from_yaml(hotel.to_yaml().replace("a:", "c:"))
    with pytest.raises(cw.QuestionError, match="state `s0` has other actions there") as caught:
        renamed.evaluate(strategy)
    assert "Strategy.from_json(model, strategy.to_json())" in (caught.value.help or "")
    for calibrated in (hotel.with_discounts({"bob": "1/2"}), hotel.with_start("s1"), cw.Model.from_yaml(hotel.to_yaml())):
        assert calibrated.evaluate(strategy).status == "done"


def test_principals_are_named_by_texts() -> None:
    """`1` and `"1"` would be one name for two principals."""
    for discounts in ({1: 0.5, "1": 0.9}, {"1": 0.5, 1: 0.9}, {1: 0.5}, {None: 0.5}):
        with pytest.raises(cw.ModelError, match="name principals by texts"):
            cw.ModelBuilder(discounts)  # type: ignore[arg-type]


def test_what_is_no_text_or_file_is_refused(hotel: cw.Model) -> None:
    with pytest.raises(cw.ModelError, match="from_yaml takes a text, not a bytes"):
        cw.Model.from_yaml(b"principals: {}")  # type: ignore[arg-type]
    with pytest.raises(cw.ModelError, match="3 is not a path"):
        cw.load(3)  # type: ignore[arg-type]
    with pytest.raises(cw.StrategyError, match="from_json takes a text"):
        cw.Strategy.from_json(hotel, b"{}")  # type: ignore[arg-type]
    with pytest.raises(cw.QuestionError, match="'hotel' is not a model"):
        cw.check("hotel", b"")  # type: ignore[arg-type]
    with pytest.raises(cw.CertificateError, match="is not a certificate"):
        cw.check(hotel, None)  # type: ignore[arg-type]


def test_a_strategy_for_another_model_is_refused(hotel: cw.Model) -> None:
    b = cw.ModelBuilder({"p": 0.5})
    b.choice("s", "a", to="s")
    other = b.build()
    with pytest.raises(cw.QuestionError, match="the strategy is for another model"):
        hotel.evaluate(other.solve().strategy)
    with pytest.raises(cw.StrategyError) as caught:
        cw.Strategy.from_json(hotel, '{"format": "commonweal-strategy/1",\n "decisions": {"s9": "a"}}')
    assert caught.value.line == 2
    with pytest.raises(cw.StrategyError):
        cw.Strategy.from_json(hotel, "nonsense")


def test_what_a_builder_refuses() -> None:
    b = cw.ModelBuilder({"p": 0.5})
    with pytest.raises(cw.ModelError, match="there is no principal `q`"):
        b.choice("s", "a", reward={"q": 1}, to="s")
    with pytest.raises(cw.ModelError, match="leads nowhere"):
        b.choice("s", "a", to={})
    with pytest.raises(cw.ModelError, match="the probability of `s` is nan"):
        b.choice("s", "a", to={"s": float("nan")})
    b.choice("s", "a", to={"s": 0.5, "t": 0.4})
    with pytest.raises(cw.ModelError, match="is there twice"):
        b.choice("s", "a", to="s")
    with pytest.raises(cw.ModelError, match="state `t` has no action"):
        b.build()
    b.choice("t", "a", to="t")
    with pytest.raises(cw.ModelError, match="state `s`, action `a`: the probabilities sum to 9/10, not 1") as caught:
        b.build()
    assert caught.value.line is None
    assert caught.value.help
    negative = cw.ModelBuilder({"p": 0.5})
    negative.choice("s", "a", to={"s": 1.5, "t": -0.5})
    negative.choice("t", "a", to="t")
    with pytest.raises(cw.ModelError, match="not positive"):
        negative.build()


HALF = "a\ud800b"


def test_half_a_character_is_refused_where_a_name_is_given(hotel: cw.Model) -> None:
    stay: dict[str, Any] = {"P": [[1.0]], "s_indices": [0], "a_indices": [0]}
    with pytest.raises(cw.ModelError, match="half of a surrogate pair"):
        cw.Model.from_arrays(R={HALF: [1]}, discounts={HALF: 0.5}, **stay)
    named: list[dict[str, Any]] = [{"states": [HALF]}, {"actions": [HALF]}]
    for given in named:
        with pytest.raises(cw.ModelError, match="half of a surrogate pair"):
            cw.Model.from_arrays(R={"p": [1]}, discounts={"p": 0.5}, **stay, **given)
    with pytest.raises(cw.ModelError, match="half of a surrogate pair"):
        cw.Model.from_yaml(f"principals: {{{HALF}: 1/2}}")
    builder = cw.ModelBuilder({"p": 0.5})
    with pytest.raises(cw.ModelError, match="half of a surrogate pair"):
        builder.choice(HALF, "a", to=HALF)
    for ask in (
        lambda: hotel.sweep(HALF, 0.1, 0.2),
        lambda: hotel.map(HALF, "bob"),
        lambda: hotel.fair(HALF),
        lambda: hotel.with_weights({HALF: 2}),
    ):
        with pytest.raises(cw.QuestionError, match="half of a surrogate pair"):
            ask()
    with pytest.raises(cw.QuestionError, match="there is no state"):
        hotel.with_start(HALF)


def test_nested_input_is_refused_not_followed_to_the_end() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(cw.ModelError, match="nested deeper"):
        cw.ModelBuilder({"p": {"survey": deep}})
    with pytest.raises(cw.ModelError):
        cw.Model.from_arrays(deep, {"p": 1}, {"p": 0.5})
    with pytest.raises(cw.ModelError):
        cw.Model.from_arrays([[1.0]], {"p": deep}, {"p": 0.5}, s_indices=[0], a_indices=[0])
    # The list is taken apart in a loop: Python itself would follow it to the end.
    while isinstance(deep, list):
        deep = deep.pop()


def test_quantities_that_cannot_vary_are_named(hotel: cw.Model) -> None:
    with pytest.raises(cw.QuestionError, match=r"`gap` of `bob` cannot be varied; write bob\.rate"):
        hotel.sweep("bob.gap", 0.1, 0.2)
    with pytest.raises(cw.QuestionError, match="there is no principal `carol`"):
        hotel.sweep("carol.rate", "1%", "2%")


def test_implausible_discounts_are_warned_of_in_the_words_of_the_program() -> None:
    text = "principals: {fund: 0.03, other: 0.05}\nstates: {s: {a: {reward: 1, to: s}}}\n"
    with pytest.warns(UserWarning, match=r"every discount is below 0\.3\. With the discount 0\.05 a reward one step"):
        model = cw.Model.from_yaml(text)
    with pytest.warns(UserWarning, match="may be a rate"):
        model.with_discounts({"fund": 0.95})
    with pytest.warns(UserWarning, match="the rate of `p` is 95%"):
        cw.Model.from_arrays([[1.0]], {"p": [1]}, {"p": {"rate": "95%"}}, s_indices=[0], a_indices=[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cw.Model.from_yaml(text.replace("0.03", "0.97").replace("0.05", "0.95"))


def test_a_file_without_discounts_says_what_to_write(shared_models: Path) -> None:
    with pytest.raises(cw.ModelError, match="the file has rewards but no discounts") as caught:
        cw.load(shared_models / "cliffwalking.drn")
    assert caught.value.help is not None
    assert caught.value.help.startswith('discounts={"time": 0.99, "cliff": 0.99, "goal": 0.99}')
    assert str(caught.value).endswith(caught.value.help)


def test_questions_that_mean_nothing_are_refused_in_words(hotel: cw.Model) -> None:
    assert hotel.solve(time_limit=10**400).status == "optimal"
    with pytest.raises(cw.QuestionError, match="gap is larger than any"):
        hotel.solve(gap=10**400)
    with pytest.raises(cw.QuestionError, match="threshold is nan; it must be a finite number"):
        hotel.positional(threshold=float("nan"))
    with pytest.raises(cw.QuestionError, match="first is nan; it must be a finite number"):
        hotel.sweep("bob", float("nan"), 0.5)
    with pytest.raises(cw.QuestionError, match="runs is 0; it is a whole number from 1"):
        hotel.simulate(hotel.solve(), runs=0)
    with pytest.raises(cw.QuestionError, match="there is no principal `alice=1,bob`"):
        hotel.fair("nash", over={"alice=1,bob": 3})
    with pytest.raises(cw.ModelError, match="there are no states: P has no columns"):
        cw.Model.from_arrays(np.zeros((0, 0)), {"x": []}, {"x": 0.5}, s_indices=[], a_indices=[])
    assert hotel.evaluate(hotel.solve()).welfare == hotel.solve().welfare
