"""Tables, pages and pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import numpy as np
import pytest

import commonweal as cw


def test_tables_go_to_pandas_and_polars(hotel: cw.Model) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    solution = hotel.solve()
    frame = solution.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame["state"].tolist() == ["s0", "s1"]
    assert frame["action"].tolist() == ["a", "b"]
    assert frame["action_in_the_end"].tolist() == ["b", "b"]
    assert abs(frame["alice"][0] - 89 / 9) < 1e-12
    table = solution.to_polars()
    assert isinstance(table, polars.DataFrame)
    assert table["welfare"].to_list() == frame["welfare"].tolist()
    for result in (
        hotel.sweep("bob", 0.1, 0.6, steps=3),
        hotel.map("alice", "bob", resolution=2),
        hotel.front(),
        hotel.fair("max-min"),
        hotel.evaluate(solution.strategy),
        hotel.simulate(solution.strategy, runs=10),
        hotel.positional(),
    ):
        assert len(result.to_pandas()) == result.to_polars().height > 0


def test_principals_named_like_columns_keep_columns_of_their_own() -> None:
    """What each earns is told apart: 1, 2, 3, … for ever, at a discount of a half."""
    pytest.importorskip("pandas")
    names = ["welfare", "state", "action", "horizon", "memory", "strategy", "discount", "payoff of welfare"]
    b = cw.ModelBuilder(dict.fromkeys(names, "1/2"))
    b.choice("s", "a", reward={name: number for number, name in enumerate(names, 1)}, to="s")
    model = b.build()
    frame = model.solve().to_pandas()
    assert (frame["state"][0], frame["action"][0], frame["welfare"][0]) == ("s", "a", 2 * sum(range(1, 9)))
    assert (frame["payoff of welfare"][0], frame["payoff of state"][0], frame["payoff of action"][0]) == (2, 4, 6)
    assert frame["payoff of payoff of welfare"][0] == 16
    swept = model.sweep("welfare", "1/2", "1/2", steps=1).to_pandas()
    assert (swept["discount"][0], swept["welfare"][0], swept["horizon"][0]) == (0.5, 72, 0)
    assert (swept["payoff of discount"][0], swept["payoff of horizon"][0], swept["payoff of memory"][0]) == (14, 8, 10)


def test_a_solution_shows_who_gets_what_the_strategy_and_the_timeline(hotel: cw.Model) -> None:
    page = hotel.solve()._repr_html_()
    root = ElementTree.fromstring(page)
    cells = [cell.text for cell in root.iter("td")]
    assert cells[:6] == ["alice", "2/3", "9.8888889", "89/9", "−1.111111", "−1.111111"]
    assert "Optimal welfare from s0: 14.111111" in page
    assert "a twice, then b for ever" in page
    assert any(element.tag.endswith("svg") for element in root.iter())


def test_names_are_escaped_on_pages() -> None:
    b = cw.ModelBuilder({"<script>": 0.5})
    b.choice("<b>", "<i>&", reward=1, to="<b>")
    solution = b.build().solve()
    page = solution._repr_html_()
    assert "<script>" not in page
    assert "<i>&" not in page
    ElementTree.fromstring(page)


def test_other_results_have_pages_and_words(hotel: cw.Model) -> None:
    solution = hotel.solve()
    assert "38/9" in hotel.evaluate(solution.strategy)._repr_html_()
    assert "27/2" in hotel.positional()._repr_html_()
    assert "31/3" in hotel.fair("kalai-smorodinsky")._repr_html_()
    assert repr(solution) == "<solution: optimal, welfare 127/9 ≈ 14.111111>"
    assert repr(hotel) == "<model: 2 states, 3 choices, principals alice, bob>"
    assert "settled from step 2" in repr(solution.strategy)
    assert repr(hotel.front()).startswith("<front of alice, bob: ")


def test_a_minus_is_a_minus_in_every_column() -> None:
    b = cw.ModelBuilder({"payer": "1/2"})
    b.choice("debt", "pay", reward="-1/3", to="debt")
    page = b.build().solve()._repr_html_()
    assert "−0.66666667" in page
    assert "−2/3" in page
    assert "-2/3" not in page


def test_pictures_are_drawn(hotel: cw.Model) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    plots = cw.plots

    solution = hotel.solve()
    axes = plots.timeline(solution)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["s0", "s1"]
    widths = {bar.get_bbox().width for bar in axes.patches}  # type: ignore[attr-defined]
    assert 2 in widths, "two steps of a"
    assert all(tick == int(tick) for tick in axes.get_xticks()), "steps are whole numbers"
    gains = plots.gains(solution)
    assert len(gains.patches) == 4
    assert gains.get_xlabel() == "payoff, more (+) or less (−)"
    # Weights of other sizes are other units: what is drawn is what the welfare adds up, and its first bars add up to the gain.
    units = hotel.with_weights({"alice": -1, "bob": 12_000})
    found = units.solve()
    weighted = plots.gains(found)
    assert [label.get_text() for label in weighted.get_yticklabels()] == ["alice × −1", "bob × 12,000"]
    than_long_term = sum(bar.get_width() for bar in weighted.patches[:2])  # type: ignore[attr-defined]
    assert than_long_term == pytest.approx(float(found.welfare) - float(found.long_term_welfare))
    of_weighted = plots.sweep(units.sweep("bob", 0.1, 0.6, steps=2))
    welfare, *terms = ([y for y in np.asarray(line.get_ydata()) if y == y] for line in of_weighted.lines[:3])
    assert welfare == pytest.approx([sum(ys) for ys in zip(*terms, strict=True)])
    varied = units.sweep("bob.weight", 1, 2, steps=2)
    assert plots.sweep(varied).get_ylabel() == "payoff"
    swept = plots.sweep(hotel.sweep("bob", 0.1, 0.6, steps=5))
    assert swept.get_xlabel() == "discount of bob"
    assert all(line.get_marker() == "." for line in swept.lines[:3]), "single points between jumps are visible"
    drawn = plots.strategy_map(hotel.map("alice", "bob", resolution=6))
    assert drawn.collections
    legend = drawn.get_legend()
    assert legend is not None
    shown = [text.get_text() for text in legend.get_texts()]
    # The largest strategies have letters, boundaries the letters of both sides; nothing is long, and all of it is in the picture.
    assert any(text.startswith("A: b for ever (") for text in shown)
    assert any(text in ("A | B", "A | C") for text in shown)
    assert shown[-1].startswith("and ")
    assert max(map(len, shown)) <= 55
    drawn.figure.canvas.draw()
    box, page = legend.get_window_extent(), drawn.figure.bbox
    assert page.y0 <= box.y0
    assert box.x1 <= page.x1
    marked = plots.front(hotel.front(), marked=[("fair", hotel.fair("kalai-smorodinsky"))])
    assert marked.get_legend() is not None
    pyplot.close("all")


def test_a_front_with_a_pattern_is_drawn_edge_by_edge_up_to_its_limit(hotel: cw.Model) -> None:
    """The vertices of the hotel's front are `a` for n steps, then `b`: infinitely many, in closed form."""
    front = hotel.front()
    assert front.pattern is not None
    assert repr(front) == "<front of alice, bob: 5 vertices, then a pattern of infinitely many, whole>"
    assert list(front.to_pandas()["vertex"]) == ["vertex"] * 4 + ["limit of the pattern"]

    def payoff(discount: Fraction, n: int) -> Fraction:
        return 3 * (1 - discount**n) / (1 - discount) + discount**n * (6 * discount / (1 - discount) - 1)

    vertices = [(float(payoff(Fraction(2, 3), n)), float(payoff(Fraction(1, 3), n))) for n in range(60)]
    ax = cw.plots.front(front, marked={"nash": hotel.fair("nash")})
    drawn = np.asarray(ax.lines[0].get_xydata()).tolist()
    for place in drawn[:-1]:
        nearest = min(vertices, key=lambda own: abs(own[0] - place[0]))
        assert place == pytest.approx(nearest, abs=1e-9)
    assert len(drawn) > 10
    assert drawn[-1] == [9, 4.5]
    # Turned round, the pattern is at the beginning.
    turned = hotel.front("bob", "alice").unrolled("bob", "alice")
    assert turned[0][0] == (4.5, 9)
    assert np.allclose(np.array(turned[0])[::-1, ::-1], drawn)


def test_long_names_leave_room_in_pictures() -> None:
    b = cw.ModelBuilder({"x": 0.5})
    name = "&".join(f"variable{at}={at}" for at in range(30))
    b.choice(name, "an action with a name that is much too long for a legend", reward=1, to=name)
    solution = b.build().solve()
    svg = solution.timeline_svg()
    assert name not in svg
    assert "variable0=0…" in svg
    label = cw.plots.timeline(solution).get_yticklabels()[0].get_text()
    assert len(label) < 30
    assert label.endswith("29=29")
