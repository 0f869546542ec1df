"""Pictures in matplotlib, in the colours of the program's own. Needs matplotlib: `pip install commonweal[plots]`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import html
from .results import Front, StrategyMap, Sweep
from .solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#d55e00", "#00896a", "#b3558b", "#8a6d00", "#3f3fbf", "#7a4a2b", "#5a6570")
"""The colours of the program's pictures, which colour-blind readers can tell apart. The welfare has the first one."""

_ROWS = 30
_CHANGES = 20
_MARKED = 60
_LETTERS = 6
"""As many strategies of a map are named."""
_WORDS = 40
"""Longer words are cut in a legend."""


def timeline(solution: Solution, ax: Axes | None = None) -> Axes:
    """The actions of each state that is reached, step by step."""
    ax = _axes(ax)
    rows, _ = solution._answer.met(_ROWS)
    last = max((begins for _, runs in rows for begins, _ in runs), default=0.0)
    room = max(last * 1.25, last + 1.0)
    colours: dict[str, str] = {}
    for at, (_, runs) in enumerate(rows):
        ends = [begins for begins, _ in runs[1:]] + [room]
        for (begins, action), end in zip(runs, ends, strict=True):
            if action is None:
                ax.plot([begins, end], [at, at], color="#e3e6ea", linewidth=1)
                continue
            colour = colours.setdefault(action, COLOURS[len(colours) % len(COLOURS)])
            ax.barh(at, end - begins, left=begins, height=0.7, color=colour)
    ax.set_yticks(range(len(rows)), [html.shortened(name) for name, _ in rows])
    ax.invert_yaxis()
    ax.set_xlim(0, room)
    if last > 50:
        ax.set_xscale("symlog")
    else:
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel(f"{solution.model.step}; the right end lasts for ever")
    ax.set_title(
        f"What to do from {html.shortened(str(solution.model.start))}, {solution.model.step} by {solution.model.step}", loc="left"
    )
    for action, colour in colours.items():
        ax.barh(0, 0, color=colour, label=html.shortened(action))
    return _finished(ax)


def gains(solution: Solution, ax: Axes | None = None) -> Axes:
    """Each principal's payoff minus that under the long-term strategy, and minus its own best.

    Payoffs whose weights have different sizes have different units: they are multiplied by their weights.
    """
    ax = _axes(ax)
    factors = _factors({principal.name: principal.weight for principal in solution.model.principals})
    names = list(factors)
    series = {
        "than under the long-term strategy": solution.long_term_payoffs,
        "than if the agent served nobody else": solution.own_best,
    }
    height = 0.8 / len(series)
    for at, (label, others) in enumerate(series.items()):
        widths = [factors[name] * (float(solution.payoffs[name]) - float(others[name])) for name in names]
        places = [row + (at - (len(series) - 1) / 2) * height for row in range(len(names))]
        ax.barh(places, widths, height=height, color=COLOURS[at], label=label)
    ax.axvline(0, color="#59636e", linewidth=1)
    ax.set_yticks(range(len(names)), [_term(name, factors) for name in names])
    ax.invert_yaxis()
    ax.set_xlabel(f"{_counted(factors)}, more (+) or less (−)")
    ax.set_title("Who gains, and who pays", loc="left")
    return _finished(ax)


def sweep(found: Sweep, ax: Axes | None = None) -> Axes:
    """Welfare and payoffs along a range of one discount; where the strategy changes, a dashed line and a jump.

    Payoffs whose weights have different sizes are multiplied by their weights, unless a weight varies.
    """
    ax = _axes(ax)
    changes = found.changes
    # Too many lines would hide the curves.
    drawn = changes if len(changes) <= _CHANGES else []
    series = {"welfare": [float(point.welfare) for point in found.points]}
    # A weight that varies is no unit.
    factors = _factors(dict.fromkeys(found.weights, Fraction(1)) if found.quantity == "weight" else found.weights)
    for name in factors if found.points else ():
        series[_term(name, factors)] = [factors[name] * float(point.payoffs[name]) for point in found.points]
    for at, (name, ys) in enumerate(series.items()):
        xs, broken = [], []
        for point, y in zip(found.points, ys, strict=True):
            xs.append(float(point.at))
            broken.append(y)
            if drawn and point.changes:
                xs.append(float(point.changes[0].low))
                broken.append(math.nan)
        # A point between two jumps has no line: a mark shows it.
        marker = "." if len(found.points) <= _MARKED else ""
        ax.plot(xs, broken, color=COLOURS[at % len(COLOURS)], linewidth=2, marker=marker, label=name)
    for change in drawn:
        ax.axvline(float(change.low), color="#59636e", linewidth=1, linestyle=(0, (3, 3)))
    ax.set_xlabel(f"{found.quantity} of {found.principal}")
    ax.set_ylabel(_counted(factors))
    ax.set_title(f"What is earned, by the {found.quantity} of {found.principal}", loc="left")
    return _finished(ax)


def strategy_map(found: StrategyMap, ax: Axes | None = None) -> Axes:
    """The boundaries between strategies over two discounts.

    The strategies with the largest shares have letters, which the legend explains; each boundary is drawn in a colour of its
    own and labelled by the letters on its two sides. Boundaries of other strategies are grey.
    """
    ax = _axes(ax)
    largest = sorted((region for region in found.regions if region.strategy is not None), key=lambda region: -region.share)
    letters = {region.strategy: chr(ord("A") + at) for at, region in enumerate(largest[:_LETTERS])}
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    others: list[tuple[float, float]] = []
    for place in found.located:
        at = (float(place.low[0]), float(place.low[1]))
        if place.before in letters and place.after in letters:
            first, last = sorted((letters[place.before], letters[place.after]))
            pairs.setdefault((first, last), []).append(at)
        else:
            others.append(at)
    longest = sorted(pairs.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    others += [at for _, places in longest[_LETTERS:] for at in places]
    for number, ((first, last), places) in enumerate(sorted(longest[:_LETTERS])):
        xs, ys = zip(*places, strict=True)
        ax.scatter(xs, ys, s=6, color=COLOURS[number], label=f"{first} | {last}")
    if others:
        xs, ys = zip(*others, strict=True)
        ax.scatter(xs, ys, s=2, color="#b0b7c0", label="others", zorder=1)
    for region in largest[:_LETTERS]:
        words = _shortened(str(region.strategy), _WORDS)
        share = f"{100 * region.share:.2g}".replace("1e+02", "100")
        ax.plot([], [], " ", label=f"{letters[region.strategy]}: {words} ({share} %)")
    if len(largest) > _LETTERS:
        ax.plot([], [], " ", label=f"and {len(largest) - _LETTERS} smaller ones")
    ax.set_xlim(float(found.x.first), float(found.x.last))
    ax.set_ylim(float(found.y.first), float(found.y.last))
    ax.set_xlabel(f"{found.x.quantity} of {found.x.principal}")
    ax.set_ylabel(f"{found.y.quantity} of {found.y.principal}")
    ax.set_title("Where the best strategy changes", loc="left")
    return _finished(ax)


def _shortened(words: str, most: int) -> str:
    """The words, cut at a space where they are long."""
    return words if len(words) <= most else words[: most - 2].rsplit(" ", 1)[0].rstrip(",… ") + " …"


def front(found: Front, ax: Axes | None = None, *, marked: Mapping[str, Any] | Sequence[tuple[str, Any]] = ()) -> Axes:
    """The Pareto front of two principals; `marked` are names with results of `fair` or payoffs by principal.

    Lines are edges of the front. A pattern with infinitely many vertices is drawn up to its limit.
    """
    ax = _axes(ax)
    x, y = found.principals[:2]
    if len(found.principals) == 2:
        for at, line in enumerate(found.unrolled(x, y)):
            xs, ys = zip(*line, strict=True)
            label = "front" if at == 0 else None
            ax.plot(xs, ys, color=COLOURS[0], linewidth=2, marker="o", markersize=4, label=label)
    else:
        places = [(float(vertex.payoffs[x]), float(vertex.payoffs[y])) for vertex in found.vertices]
        ax.scatter([place[0] for place in places], [place[1] for place in places], color=COLOURS[0], label="vertices")
    for at, (name, result) in enumerate(marked.items() if isinstance(marked, Mapping) else marked):
        payoffs = getattr(result, "payoffs", result)
        colour = COLOURS[(at + 1) % len(COLOURS)]
        ax.plot(float(payoffs[x]), float(payoffs[y]), "D", color=colour, markersize=7, label=name)
    ax.set_xlabel(f"payoff of {x}")
    ax.set_ylabel(f"payoff of {y}")
    ax.set_title("What the principals can get together", loc="left")
    return _finished(ax)


def _factors(weights: Mapping[str, Fraction]) -> dict[str, float]:
    """What each principal's payoff is multiplied by: 1, or the weight if sizes differ. Then nobody of weight 0 is drawn."""
    if len({abs(weight) for weight in weights.values()}) == 1:
        return dict.fromkeys(weights, 1.0)
    return {name: float(weight) for name, weight in weights.items() if weight}


def _term(name: str, factors: Mapping[str, float]) -> str:
    return name if set(factors.values()) == {1.0} else f"{name} × {factors[name]:,.6g}".replace("-", "−")


def _counted(factors: Mapping[str, float]) -> str:
    return "payoff" if set(factors.values()) == {1.0} else "weight × payoff"


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    _, made = pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
    return made


def _finished(ax: Axes) -> Axes:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="#e3e6ea", linewidth=0.8)
    ax.set_axisbelow(True)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax
