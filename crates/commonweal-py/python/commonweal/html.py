"""Answers in notebooks: the payoffs, the strategy in words, and the timeline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from . import _core
from .numbers import Value

if TYPE_CHECKING:
    from .solution import Solution

_ROWS = 30
"""More states than this are not drawn."""
_LARGE = 20_000
"""Of a model with more states, only numbers are shown."""
_LONG = 24
"""A fraction with more characters is shown by its decimal alone."""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column is text, and the others numbers."""
    head = "".join(f"<th style='text-align:{_side(at)}'>{escape(cell)}</th>" for at, cell in enumerate(header))
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:{_side(at)}'>{escape(cell)}</td>" for at, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _side(column: int) -> str:
    return "left" if column == 0 else "right"


def decimal(value: Value) -> str:
    """The decimal of a number, or its bounds if they differ."""
    if value.exact is None and f"{value.lower:.8g}" != f"{value.upper:.8g}":
        return f"{value.lower:.8g} to {value.upper:.8g}".replace("-", "−")
    return f"{float(value):.8g}".replace("-", "−")


def exactly(value: Value) -> str:
    """The fraction, if there is one and it is short."""
    if value.exact is None or max(abs(value.exact.numerator), value.exact.denominator) >= 10 ** (_LONG // 2):
        return ""
    return str(value.exact).replace("-", "−")


def difference(value: Value, other: Value) -> str:
    """The difference of two numbers."""
    if value.exact is not None and other.exact is not None:
        return f"{float(value.exact - other.exact):+.7g}".replace("-", "−") if value.exact != other.exact else "0"
    low, high = value.lower - other.upper, value.upper - other.lower
    return f"{low + (high - low) / 2:+.7g}".replace("-", "−")


def solution(found: Solution) -> str:
    """The payoffs, the strategy, and the timeline."""
    model = found.model
    small = model.n_states <= _LARGE
    # After a stopped solve there are no further solves for each principal.
    alone = small and found.status != "stopped"
    own_best = found.own_best if alone else {}
    plain = all(principal.discount is not None for principal in model.principals)
    stated = "discount" if plain else "time preference"
    header = ["principal", stated, "gets", "exactly", "vs long-term", *(["vs own best"] if alone else [])]
    rows = []
    for principal in model.principals:
        gets = found.payoffs[principal.name]
        row = [
            principal.name,
            principal.preference,
            decimal(gets),
            exactly(gets),
            difference(gets, found.long_term_payoffs[principal.name]),
        ]
        rows.append([*row, *([difference(gets, own_best[principal.name])] if alone else [])])
    gain = difference(found.welfare, found.long_term_welfare)
    total = ["welfare", "", decimal(found.welfare), exactly(found.welfare), gain]
    rows.append([*total, *([""] if alone else [])])
    what = {
        "optimal": "Optimal welfare",
        "within gap": "Welfare, between proven bounds",
        "undecided": "Welfare, up to ties too close to tell",
        "stopped": f"Stopped ({found.reason}): welfare between proven bounds",
    }[found.status]
    parts = [f"<p><b>{escape(what)} from {escape(str(model.start))}: {escape(decimal(found.welfare))}</b></p>"]
    parts.append(table(header, rows))
    if small:
        parts.append(f"<p>Strategy: {escape(found.words)}.</p>")
        parts.append(timeline(found))
    return "<div>" + "".join(parts) + "</div>"


def shortened(name: str, most: int = 24) -> str:
    """The name, without its middle where it is long, so that a picture has room for more than names."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


def timeline(found: Solution) -> str:
    """The actions of each state that is reached, step by step, as SVG."""
    rows, met = found._answer.met(_ROWS)
    notes = []
    if met > _ROWS:
        notes.append(f"The {_ROWS} states met first are shown, of {met} that the strategy meets.")
    elif met < found.model.n_states:
        never = found.model.n_states - met
        notes.append(f"{never} of {found.model.n_states} states {'is' if never == 1 else 'are'} never met.")
    if found.status == "stopped":
        notes.append(f"Stopped: {found.reason}. The strategy is the best found.")
    step = found.model.step
    title = f"What to do from {shortened(str(found.model.start))}, {step} by {step}"
    drawn = [(shortened(name), [(at, action and shortened(action)) for at, action in runs]) for name, runs in rows]
    return _core.timeline_svg(title, " ".join(notes) or None, step, drawn)
